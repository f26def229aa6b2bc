"""Recordings: columns of time, joints, objects, contacts and sensors, to plot and to replay."""

import csv
import io
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rck.geometry.arrays import Floats
from rck.model.joint import Joint
from rck.model.robot import Robot
from rck.simulation.kinematic_state import ItemPlacement, KinematicState
from rck.simulation.simulation import Simulation
from rck.support.files import write_atomically
from rck.support.finding import RckError

TIME = "time [s]"
CONTACTS = "contacts"
WIDEST = 64
"""Channels with more numbers than this, such as images, are only stored in binary files."""
_LARGEST = 4e9
"""Largest size of an unpacked recording, in bytes."""
_SLASH = "\N{FRACTION SLASH}"
FRAME = tuple(f"{row}{column}" for row in "xyz" for column in ("x", "y", "z", "p"))
"""Columns of an object: the rows of its pose, each with three axes and the position."""


@dataclass(frozen=True, eq=False)
class Recording:
    """A recorded run. Every column has one row per recorded step."""

    columns: Mapping[str, Floats]
    """Values by column name, time first. Shape (rows,); for wide sensor channels (rows, ...)."""
    contacts: tuple[str, ...]
    """Pairs of items in contact in each row: `a|b;c|d`."""

    @property
    def times(self) -> Floats:
        """In seconds. Shape (rows,)."""
        return self.columns[TIME]

    def row_at(self, time: float) -> int:
        """Return the last row that is no later than a time, in seconds."""
        return max(int(np.searchsorted(self.times, time + 1e-9, side="right")) - 1, 0)


def joint_column(joint: Joint) -> str:
    """Return the name of the column of a joint position."""
    return f"joint {joint.name} [{'rad' if joint.kind.turns else 'm'}]"


class Recorder:
    """Recorder of a simulation; call :meth:`note` after each step."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._rows: list[dict[str, Floats]] = []
        self._contacts: list[str] = []

    def note(self) -> None:
        """Record the present state."""
        simulation = self._simulation
        kinematics = simulation.kinematics
        view = simulation.view
        row: dict[str, Floats] = {TIME: np.array(simulation.time)}
        joints = simulation.robot.free_joints
        for joint, position in zip(joints, view.vector, strict=True):
            row[joint_column(joint)] = np.array(position)
        if simulation.forces is not None:
            world = simulation.forces.world
            for joint, effort, speed in zip(joints, world.efforts, world.speeds, strict=True):
                row[f"effort {joint.name} [{'N m' if joint.kind.turns else 'N'}]"] = np.array(effort)
                row[f"power {joint.name} [W]"] = np.array(effort * speed)
        for thing in kinematics.objects:
            for name, value in zip(FRAME, view.poses[thing.items[0]][:3].ravel(), strict=True):
                row[f"object {thing.name} {name}"] = np.array(value)
        for sensor in simulation.sensors.values():
            for channel, values in sensor.reading.items():
                numbers = np.asarray(values, dtype=float)
                if numbers.size > WIDEST:
                    row[f"sensor {sensor.name} {channel}"] = numbers
                elif numbers.size == 1:
                    row[f"sensor {sensor.name} {channel}"] = numbers.reshape(())
                else:
                    for place, value in enumerate(numbers.ravel()):
                        row[f"sensor {sensor.name} {channel} {place}"] = np.array(value)
        self._rows.append(row)
        self._contacts.append(";".join("|".join(pair) for pair in sorted(view.touching())))

    def recording(self) -> Recording:
        """Return the recording; sensor channels are NaN before their first reading."""
        names: dict[str, tuple[int, ...]] = {}
        for row in self._rows:
            for name, value in row.items():
                names.setdefault(name, value.shape)
        columns = {
            name: np.array([row.get(name, np.full(shape, np.nan)) for row in self._rows])
            for name, shape in names.items()
        }
        return Recording(columns or {TIME: np.empty(0)}, tuple(self._contacts))


def record(simulation: Simulation, until: float = np.inf, seconds: float = 0.01) -> Recording:
    """Run a simulation as :meth:`Simulation.run` does, and record every step."""
    recorder = Recorder(simulation)
    recorder.note()
    simulation.run(until, seconds, after_step=recorder.note)
    return recorder.recording()


def save_recording(recording: Recording, path: Path) -> None:
    """Write a recording to a .csv or .npz file."""
    writers = {".csv": _csv_bytes, ".npz": _npz_bytes}
    if path.suffix.lower() not in writers:
        raise RckError(f"{path.name}: recordings are .csv or .npz")
    write_atomically(path, writers[path.suffix.lower()](recording))


def read_recording(path: Path) -> Recording:
    """Read a recording."""
    try:
        return _read_csv(path) if path.suffix.lower() == ".csv" else _read_npz(path)
    except FileNotFoundError:
        raise
    # NumPy raises arbitrary exceptions for damaged archives.
    except Exception as error:
        raise RckError(f"{path.name} is not a recording, or it is damaged: {error}") from None


def _csv_bytes(recording: Recording) -> bytes:
    flat = {name: values for name, values in recording.columns.items() if values.ndim == 1}
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*flat, CONTACTS])
    # repr() keeps the exact value of a number.
    numbers = zip(*(values.tolist() for values in flat.values()), strict=True)
    for row, contacts in zip(numbers, recording.contacts, strict=True):
        writer.writerow([*map(repr, row), contacts])
    return text.getvalue().encode()


def _read_csv(path: Path) -> Recording:
    rows = list(csv.reader(io.StringIO(path.read_text(encoding="utf-8"), newline="")))
    if not rows or rows[0][:1] != [TIME] or rows[0][-1] != CONTACTS:
        raise ValueError(f"its columns do not begin with {TIME} and end with {CONTACTS}")
    if any(len(row) != len(rows[0]) for row in rows):
        raise ValueError("its rows are not equally long")
    numbers = np.array([[float(cell) for cell in row[:-1]] for row in rows[1:]]).reshape(len(rows) - 1, -1)
    columns = {name: numbers[:, place].copy() for place, name in enumerate(rows[0][:-1])}
    return Recording(columns, tuple(row[-1] for row in rows[1:]))


def _npz_bytes(recording: Recording) -> bytes:
    """Return the file as `numpy.savez_compressed` writes it, without time stamps: equal runs give equal files."""
    stream = io.BytesIO()
    arrays = {**recording.columns, CONTACTS: np.array(recording.contacts, dtype=np.str_)}
    with zipfile.ZipFile(stream, "w") as archive:
        for number, (name, values) in enumerate(arrays.items()):
            content = io.BytesIO()
            np.lib.format.write_array(content, values, allow_pickle=False)
            # A slash would create a folder in the archive.
            entry = zipfile.ZipInfo(f"{number:05d} {name.replace('/', _SLASH)}.npy")
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content.getvalue())
    return stream.getvalue()


def _read_npz(path: Path) -> Recording:
    with zipfile.ZipFile(path) as compressed:
        size = sum(info.file_size for info in compressed.infolist())
        if size > _LARGEST:
            raise ValueError(f"it unpacks to {size / 1e9:.1f} GB, more than the {_LARGEST / 1e9:g} GB allowed")
    with np.load(path, allow_pickle=False) as archive:
        arrays = {name[6:].replace(_SLASH, "/"): archive[name] for name in sorted(archive.files)}
    contacts = tuple(str(one) for one in arrays.pop(CONTACTS))
    rows = len(arrays[TIME])
    if arrays[TIME].ndim != 1 or any(len(values) != rows or values.dtype.kind != "f" for values in arrays.values()):
        raise ValueError("its columns are not numbers, or not equally long")
    return Recording(arrays, contacts)


class Replay:
    """A recording replayed with its robot."""

    def __init__(self, robot: Robot, recording: Recording) -> None:
        self.recording = recording
        self.kinematics = KinematicState(robot)
        joints = [joint_column(joint) for joint in self.kinematics.robot.free_joints]
        objects = [f"object {thing.name} {name}" for thing in self.kinematics.objects for name in FRAME]
        missing = [name for name in (*joints, *objects) if name not in recording.columns]
        if missing:
            raise RckError(f"the recording belongs to another robot: it has no column {missing[0]!r}")
        rows = len(recording.times)
        self._vectors = _table(recording, joints, rows)
        self._frames = np.tile(np.eye(4), (rows, len(self.kinematics.objects), 1, 1))
        self._frames[:, :, :3] = _table(recording, objects, rows).reshape(rows, -1, 3, 4)

    def show(self, row: int) -> KinematicState:
        """Return the kinematic state of a row."""
        self.kinematics.restore(ItemPlacement(self._vectors[row], self._frames[row]))
        return self.kinematics

    def show_at(self, time: float) -> KinematicState:
        """Return the kinematic state at a time, in seconds."""
        return self.show(self.recording.row_at(time))


def _table(recording: Recording, names: list[str], rows: int) -> Floats:
    table: Floats = np.array([recording.columns[name] for name in names]).reshape(len(names), rows).T.copy()
    return table
