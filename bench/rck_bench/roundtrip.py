"""Robots, imported and exported, against the original file in MuJoCo.

The ways of an MJCF file are: directly, through a saved `.rck`, and exploded into a `.rck` with an instance for each
link; then every robot goes through each of the other formats.

Contacts count collision meshes as their hulls, as MuJoCo does. Accelerations are compared without contacts, relative to
the largest acceleration; a difference there with equal mass matrices is one of springs, motors or constraints.
"""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any
from zlib import crc32

import numpy as np

from rck.exporting.export import export
from rck.geometry.arrays import Floats
from rck.hooks import Plugins, discover, file_exchange
from rck.language.session import new_session, open_session
from rck.model import RckError, Robot
from rck_bench.format_trips import FormatTrip, format_trips, full_mass_matrix, packages_folder, robot_files
from rck_bench.report import Report, Row

STATES = 20
CLOSE = 1e-9
CLOSE_ACCELERATION = 1e-6
LEAST_RATIO = 0.25
"""Import takes at most four times as long as MuJoCo takes to load the file."""
_COUNTS = {
    "bodies": "nbody", "joint coordinates": "nq", "degrees of freedom": "nv", "actuators": "nu", "sensors": "nsensor",
    "tendons": "ntendon", "equalities": "neq", "keyframes": "nkey", "geoms": "ngeom",
}  # fmt: skip
_EXACT = ("jnt_type", "actuator_trntype", "actuator_dyntype", "actuator_gaintype", "actuator_biastype",
          "sensor_type", "jnt_limited", "actuator_forcelimited", "actuator_ctrllimited", "tendon_limited")  # fmt: skip
_CLOSE = ("jnt_stiffness", "qpos_spring", "dof_armature", "dof_damping", "dof_frictionloss",
          "actuator_gear", "actuator_gainprm", "actuator_biasprm",
          "tendon_stiffness", "key_qpos", "key_ctrl", "qpos0")  # fmt: skip
_RANGES = {"jnt_range": "jnt_limited", "actuator_forcerange": "actuator_forcelimited",
           "actuator_ctrlrange": "actuator_ctrllimited", "tendon_range": "tendon_limited"}  # fmt: skip
"""Ranges, and the flags that say whether they have an effect."""


@dataclass(frozen=True, slots=True)
class ModelComparison:
    """The differences between two models of MuJoCo."""

    differences: tuple[str, ...] = ()
    """Counts and values that differ."""
    poses: float = 0.0
    """Largest difference of body poses, in metres and as rotation matrices."""
    mass_matrix: float = 0.0
    """Relative to the largest entry."""
    gravity: float = 0.0
    """In N m and N."""
    accelerations: float = 0.0
    """Relative to the largest acceleration, or to 1 rad/s2."""
    other_contacts: int = 0
    """Number of poses in which other bodies are in contact."""

    @property
    def is_equal(self) -> bool:
        """True if the two models move in the same way."""
        exact = max(self.poses, self.mass_matrix, self.gravity) <= CLOSE
        return not self.differences and exact and self.accelerations <= CLOSE_ACCELERATION and not self.other_contacts


@dataclass(frozen=True, slots=True)
class RoundTrip:
    """An export of an imported model, compared with the original."""

    file: str
    way: str
    """`direct`, `.rck` through a saved assembly, or `exploded` through one with an instance for each link."""
    comparison: ModelComparison
    seconds: float
    """Time of RCK to import the file, and unless `direct` to save and open the assembly."""
    peer_seconds: float
    """Time of MuJoCo to load the original file."""


def run(report: Report) -> None:
    """Add rows for each robot of the corpus, and of the packages in the folder that `RCK_ROBOTS` names."""
    corpus = Path(os.environ.get("RCK_CORPUS", "corpus")) / "robots"
    files = sorted(path for path in corpus.glob("*/*.xml") if not path.stem.startswith(("scene", "keyframes")))
    files += sorted(corpus.glob("sdf/**/*.sdf"))
    packages = packages_folder()
    if packages is not None:
        files += robot_files(packages)
    if not files:
        raise RckError(f"no robots in {corpus}: set RCK_CORPUS to a folder with robots/NAME/*.xml")
    plugins = discover()
    for path in files:
        with TemporaryDirectory() as folder:
            report.rows += _rows(path, Path(folder), plugins)


def _rows(path: Path, folder: Path, plugins: Plugins) -> Iterator[Row]:
    """Yield the rows of a file; none for a file that is no robot, such as a part of another one."""
    import mujoco

    try:
        robot = _imported(path, folder, plugins)
    except RckError:
        return
    if path.suffix == ".xml":
        try:
            original = mujoco.MjModel.from_xml_path(str(path))
        except ValueError:
            return
        for one in round_trips(path, folder, plugins):
            yield _row(one)
    else:
        # Other formats are compared from the model on, which tests compare with pinocchio and Drake.
        export(robot, folder / "model.xml", plugins, {"motors": "no"}, name="mjcf")
        original = mujoco.MjModel.from_xml_path(str(folder / "model.xml"))
    for trip in format_trips(robot, original, folder, plugins):
        yield _format_row(path.name, trip)


def _format_row(file: str, trip: FormatTrip) -> Row:
    found = trip.comparison
    lost = "".join(f"; {what}: {now} of {before}" for what, (now, before) in found.kept.items())
    what = (
        f"{file}, {trip.format_name}: poses {found.poses:.1e}, mass matrix {found.mass_matrix:.1e}, gravity "
        f"{found.gravity:.1e}, accelerations {found.accelerations:.1e}, contacts differ in {found.other_contacts} of "
        f"{STATES} poses{lost}"
    )
    return Row(what, 1 / trip.seconds, "the original in MuJoCo", None, found.difference, CLOSE, one_pass=True)


def _row(one: RoundTrip) -> Row:
    found = one.comparison
    figures = [f"{field.name.replace('_', ' ')} {getattr(found, field.name):.1e}" for field in fields(found)[1:5]]
    what = f"{one.file}, {one.way}: {', '.join(figures)}, contacts differ in {found.other_contacts} of {STATES} poses"
    if found.differences:
        what += f"; {'; '.join(found.differences)}"
    difference = max(found.poses, found.mass_matrix, found.gravity, found.accelerations * CLOSE / CLOSE_ACCELERATION)
    wrong = found.differences or found.other_contacts
    return Row(
        what,
        1 / one.seconds,
        "MuJoCo, loading the original file",
        1 / one.peer_seconds,
        float("inf") if wrong else difference,
        CLOSE,
        LEAST_RATIO,
        one_pass=True,
    )


def round_trips(path: Path, folder: Path, plugins: Plugins) -> Iterator[RoundTrip]:
    """Yield the comparisons of a file with its exports; they are written to the folder."""
    import mujoco

    started = process_time()
    original = mujoco.MjModel.from_xml_path(str(path))
    peer_seconds = process_time() - started
    readers: tuple[tuple[str, Callable[[Path, Path, Plugins], Robot | None]], ...] = (
        ("direct", _imported),
        (".rck", _saved),
        ("exploded", _exploded),
    )
    for way, read in readers:
        started = process_time()
        robot = read(path, folder, plugins)
        if robot is None:
            continue
        seconds = process_time() - started
        out = folder / f"{way.removeprefix('.')}.xml"
        export(robot, out, plugins, name="mjcf")
        exported = mujoco.MjModel.from_xml_path(str(out))
        yield RoundTrip(path.name, way, compare_models(original, exported), seconds, peer_seconds)


def _imported(path: Path, folder: Path, plugins: Plugins) -> Robot:
    return file_exchange.require_robot(file_exchange.read_file(path, plugins, {"allow-outside": "yes"}), path)


def _saved(path: Path, folder: Path, plugins: Plugins) -> Robot:
    return _edited(folder / "saved.rck", f'import "{path.resolve()}" robot allow-outside=yes\nsave\n', plugins)


def _exploded(path: Path, folder: Path, plugins: Plugins) -> Robot | None:
    """Return the exploded robot; None if there is only one link."""
    if len(_imported(path, folder, plugins).items) < 2:
        return None
    script = f'import "{path.resolve()}" robot allow-outside=yes\nexplode robot\nsave\n'
    return _edited(folder / "exploded.rck", script, plugins)


def _edited(saved: Path, script: str, plugins: Plugins) -> Robot:
    """Return the robot of a saved assembly that a script makes."""
    session = new_session(plugins, saved.parent, saved.stem, saved)
    session.run_script(script, "bench")
    return open_session(plugins, saved).compile().unwrap().robot


def compare_models(original: Any, other: Any, states: int = STATES) -> ModelComparison:
    """Compare two models at random states."""
    differences = [
        f"{what}: {getattr(original, count)}, not {getattr(other, count)}"
        for what, count in _COUNTS.items()
        if getattr(original, count) != getattr(other, count)
    ]
    if differences:
        return ModelComparison(tuple(differences))
    differences += [name for name in _EXACT if not np.array_equal(getattr(original, name), getattr(other, name))]
    differences += [
        name
        for name in _CLOSE
        if not np.allclose(getattr(original, name), getattr(other, name), rtol=CLOSE, atol=CLOSE)
    ]
    for name, flag in _RANGES.items():
        one, two = (getattr(model, name) * getattr(model, flag)[:, None] for model in (original, other))
        if not np.allclose(one, two, rtol=CLOSE, atol=CLOSE):
            differences.append(name)
    if sorted(original.eq_type.tolist()) != sorted(other.eq_type.tolist()):
        differences.append("kinds of equalities")
    if sorted(_colours(original)) != sorted(_colours(other)):
        differences.append("colours of visuals")
    if sorted(_textures(original)) != sorted(_textures(other)):
        differences.append("textures")
    rows = [_differences(original, other, state) for state in _states(original, states)]
    worst = np.array(rows).max(axis=0)
    contacts = int(sum(row[4] for row in rows))
    poses, mass_matrix, gravity, accelerations = worst[:4].tolist()
    return ModelComparison(tuple(differences), poses, mass_matrix, gravity, accelerations, contacts)


def _colours(model: Any) -> list[tuple[float, ...]]:
    """Return the colours of the geoms that only show, of the materials where the geoms have them."""
    shown = (model.geom_contype == 0) & (model.geom_conaffinity == 0)
    colours = model.geom_rgba.copy()
    for geom in np.flatnonzero(model.geom_matid >= 0).tolist():
        # MuJoCo keeps the colour of the geom itself if it has one.
        if (colours[geom] == 0.5).sum() >= 3:
            colours[geom] = model.mat_rgba[model.geom_matid[geom]]
    return [tuple(colour) for colour in np.round(colours[shown].astype(float), 4).tolist()]


def _textures(model: Any) -> list[tuple[int, ...]]:
    """Return what identifies the textures of the material of each geom: their sizes and a checksum of their pixels."""
    found = []
    for geom in np.flatnonzero(model.geom_matid >= 0).tolist():
        numbers = []
        for texture in model.mat_texid[model.geom_matid[geom]].tolist():
            if texture < 0:
                continue
            width, height, channels = (
                int(getattr(model, f"tex_{what}")[texture]) for what in ("width", "height", "nchannel")
            )
            start = int(model.tex_adr[texture])
            numbers += [width, height, crc32(model.tex_data[start : start + width * height * channels].tobytes())]
        if numbers:
            found.append(tuple(numbers))
    return found


def _states(model: Any, count: int) -> Iterator[tuple[Floats, Floats, Floats]]:
    """Yield random positions within the limits, velocities and controls."""
    import mujoco

    dice = np.random.default_rng(0)
    for _ in range(count):
        positions = model.qpos0.copy()
        mujoco.mj_integratePos(model, positions, dice.normal(size=model.nv), 1.0)
        for joint in np.flatnonzero(model.jnt_limited & (model.jnt_type >= int(mujoco.mjtJoint.mjJNT_SLIDE))).tolist():
            positions[model.jnt_qposadr[joint]] = dice.uniform(*model.jnt_range[joint])
        limited = model.actuator_ctrllimited.astype(bool)[:, None]
        low, high = np.where(limited, model.actuator_ctrlrange, (-1.0, 1.0)).reshape(-1, 2).T
        yield positions, dice.normal(size=model.nv), dice.uniform(low, high)


def _differences(original: Any, other: Any, state: tuple[Floats, Floats, Floats]) -> tuple[float, ...]:
    """Return the differences of poses, mass matrix, gravity, accelerations, and whether other bodies are in contact."""
    one, two = (_computed(model, *state) for model in (original, other))
    mass = np.abs(one[1] - two[1]).max(initial=0.0) / max(np.abs(one[1]).max(initial=0.0), 1e-12)
    moving = np.abs(one[3] - two[3]).max(initial=0.0) / max(np.abs(one[3]).max(initial=0.0), 1.0)
    return (
        float(np.abs(one[0] - two[0]).max()),
        float(mass),
        float(np.abs(one[2] - two[2]).max(initial=0.0)),
        float(moving),
        float(one[4] != two[4]),
    )


def _computed(model: Any, positions: Floats, velocities: Floats, controls: Floats) -> tuple[Any, ...]:
    """Return body poses, mass matrix, gravity torques, accelerations without contact, and the bodies in contact."""
    import mujoco

    data = mujoco.MjData(model)
    data.qpos[:], data.ctrl[:] = positions, controls
    mujoco.mj_forward(model, data)
    bodies = model.geom_bodyid
    touching = {frozenset(bodies[contact.geom].tolist()) for contact in data.contact}
    poses = np.concatenate([data.xpos, data.xmat], axis=1)
    gravity = data.qfrc_bias.copy()
    mass = full_mass_matrix(model, data)
    flags = model.opt.disableflags
    model.opt.disableflags = flags | int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    data.qvel[:] = velocities
    mujoco.mj_forward(model, data)
    model.opt.disableflags = flags
    return poses, mass, gravity, data.qacc.copy(), touching
