"""The Python interface of RCK: what `import rck` offers.

Names that `dir(rck)` lists stay stable within a minor version. Units are SI throughout: metres, radians, kilograms,
seconds, newtons. Poses are 4x4 matrices that map the frame to the world. A joint vector has one number for each name in
:attr:`RobotModel.joints`; functions that take one also take a mapping from joint names to positions.
"""

from collections.abc import Iterable, Mapping
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike

from rck.assembly.cameras import saved_cameras
from rck.assembly.document import Assembly
from rck.collision.backend import Contact
from rck.collision.scene import HullScene, scene_as_built
from rck.exporting.export import export as export_file
from rck.geometry.arrays import Floats
from rck.geometry.transforms import invert, translation
from rck.grammar import quote
from rck.hooks import Goal, Plugins, discover, file_exchange
from rck.kinematics.chain import chain_between
from rck.kinematics.loads import Load, carrying_frame, worst_loads
from rck.kinematics.solver_choice import solver_for
from rck.kinematics.tip import default_tip, root_of
from rck.kinematics.workspace import Workspace, workspace
from rck.language.session import Session, new_session, open_session
from rck.model import Finding, RckError, Robot, at_positions
from rck.model.forward_kinematics import forward, forward_frames, jacobian
from rck.model.robot_arrays import RobotArrays, robot_arrays
from rck.parts.index import CatalogueEntry
from rck.parts.library import open_catalogue
from rck.parts.part import Part
from rck.parts.search import parse_query, search
from rck.rendering.camera import Camera, fit, named_camera
from rck.rendering.drawn_surfaces import Geometry
from rck.rendering.image_file import png_bytes
from rck.rendering.picture import FINE, draw
from rck.rendering.posed_robot import pose_robot
from rck.rendering.scene import Scene, floor_for, points_of
from rck.simulation.event_table import read_events
from rck.simulation.motor_loads import physics_maker
from rck.simulation.recording import Recording, record, save_recording
from rck.simulation.simulation import Simulation
from rck.support.files import write_atomically

FilePath: TypeAlias = str | PathLike[str]
Positions: TypeAlias = ArrayLike | Mapping[str, float]
"""A joint vector, shape (joints,), or positions by joint name; joints that a mapping omits keep their position."""


class RobotModel:
    """A robot, ready for kinematics, collision checks, simulation and export. Get one from :func:`load`."""

    def __init__(
        self,
        robot: Robot,
        plugins: Plugins | None = None,
        findings: Iterable[Finding] = (),
        cameras: Mapping[str, Camera] | None = None,
    ) -> None:
        self.robot = robot
        """The model itself: items, joints, frames, devices."""
        self.plugins = plugins or discover()
        self.findings = tuple(findings)
        """Problems that were found while the file was read."""
        self.cameras: Mapping[str, Camera] = cameras or {}
        """The saved views of an assembly, for camera events."""

    def __repr__(self) -> str:
        return f"RobotModel({self.name!r}, {len(self.robot.items)} items, {len(self.joints)} joints)"

    @cached_property
    def _arrays(self) -> RobotArrays:
        return robot_arrays(self.robot)

    @cached_property
    def _scene(self) -> HullScene:
        return scene_as_built(self.robot)

    @property
    def name(self) -> str:
        """Name of the robot."""
        return self.robot.name

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints that move independently, in the order of joint vectors."""
        return self._arrays.joint_names

    @property
    def limits(self) -> Floats:
        """Lower and upper joint limits, infinite where there is none. Shape (joints, 2), in radians or metres."""
        return np.stack([self._arrays.lower, self._arrays.upper], axis=1)

    @property
    def items(self) -> tuple[str, ...]:
        """Names of the rigid bodies."""
        return tuple(item.name for item in self.robot.items)

    @property
    def frames(self) -> tuple[str, ...]:
        """Names of the frames, such as tools and flanges."""
        return tuple(frame.name for frame in self.robot.frames)

    @property
    def tip(self) -> str:
        """The frame or item that kinematics refers to by default: the tool, else the flange, else the last item."""
        return default_tip(self.robot)

    def positions(self, q: Positions | None = None) -> Floats:
        """Return a joint vector, shape (joints,): `q`, or the present positions of the robot."""
        if q is None:
            return np.array(self._arrays.reference)
        if not isinstance(q, Mapping):
            return np.asarray(q, dtype=float)
        vector = np.array(self._arrays.reference)
        for joint, position in q.items():
            self.robot.free_joint(joint)
            vector[self.joints.index(joint)] = position
        return vector

    @overload
    def fk(self, q: Positions | None = None) -> dict[str, Floats]: ...
    @overload
    def fk(self, q: Positions | None, at: str) -> Floats: ...
    @overload
    def fk(self, q: Positions | None = None, *, at: str) -> Floats: ...
    def fk(self, q: Positions | None = None, at: str | None = None) -> Floats | dict[str, Floats]:
        """Return the pose of an item or frame in the world, shape (4, 4), or of all of them by name."""
        vector = self.positions(q)
        poses: dict[str, Floats] = dict(zip(self.items, forward(self._arrays, vector), strict=True))
        poses |= zip(self.frames, forward_frames(self._arrays, vector), strict=True)
        if at is None:
            return poses
        # Refuses an unknown name, with a suggestion.
        self.robot.frame(at)
        return poses[at]

    def ik(
        self,
        target: ArrayLike,
        q: Positions | None = None,
        *,
        tip: str | None = None,
        base: str | None = None,
        solver: str | None = None,
        most: int = 1,
        seconds: float = 0.2,
    ) -> Floats:
        """Return joint vectors that bring the tip to a target in the world. Shape (solutions, joints).

        The target is a pose, shape (4, 4), or a position, shape (3,), which leaves the orientation free. Solutions are
        within the joint limits and sorted by distance from `q`; joints outside the arm keep their position in `q`.
        Raises :class:`RckError` with the reason if the target is not reachable.
        """
        tip = tip or self.tip
        base = base or root_of(self.robot, tip)
        chain = chain_between(self.robot, base, tip)
        wanted = np.asarray(target, dtype=float)
        if wanted.shape not in ((3,), (4, 4)):
            raise RckError(f"a target has the shape (4, 4) or (3,), not {wanted.shape}")
        pose = translation(wanted) if wanted.shape == (3,) else wanted
        goal = Goal(invert(self.fk(q, base)) @ pose, "position" if wanted.shape == (3,) else "pose")
        rest = self.positions(q)
        arm = solver_for(self.plugins, self.robot, base, tip, solver)
        answer = arm.solve(goal, chain.of_robot(rest), most=most, budget=seconds)
        if not answer.solved:
            raise RckError(f"{tip} cannot reach the target: {answer.reason}")
        return chain.in_robot(answer.solutions, rest)

    def jacobian(self, q: Positions | None = None, at: str | None = None) -> Floats:
        """Return the Jacobian of an item or frame (default: the tip) in the world. Shape (6, joints).

        Rows 0 to 2 are the linear velocity of its origin, rows 3 to 5 the angular velocity.
        """
        place = self.robot.frame(at or self.tip)
        return jacobian(self._arrays, self.positions(q), place.item, place.pose[:3, 3])

    def contacts(self, q: Positions | None = None) -> list[Contact]:
        """Return the contacts between items, with position, normal and depth; empty if there is no collision."""
        return self._scene.contacts(self.positions(q))

    def reach(
        self, *, tip: str | None = None, base: str | None = None, samples: int = 20_000, collisions: bool = True
    ) -> Workspace:
        """Return the workspace map of the tip; its `reach` is the largest distance from the first axis of the arm."""
        tip = tip or self.tip
        base = base or root_of(self.robot, tip)
        arm = solver_for(self.plugins, self.robot, base, tip)
        touches = self._scene.touches_batch if collisions else None
        return workspace(chain_between(self.robot, base, tip), arm, samples=samples, touches=touches)

    def loads(self, payload: float = 0.0, at: str | None = None) -> tuple[Load, ...]:
        """Return the largest static load of each joint against gravity, with a payload in kg carried by a frame."""
        frame = carrying_frame(self.robot, at) if payload or at else None
        return tuple(worst_loads(self.robot, payload, frame))


class AssemblySession:
    """An assembly that you edit with commands, as in the editor and in scripts. `rck.Assembly` is this class."""

    def __init__(self, path: FilePath | None = None) -> None:
        """Open a `.rck` file, or start an empty assembly without one; a file that does not exist yet is created."""
        file = None if path is None else Path(path)
        plugins = discover(file=file)
        if file is not None and file.exists():
            self._session = open_session(plugins, file)
        else:
            self._session = new_session(
                plugins, Path.cwd() if file is None else file.parent, file.stem if file else "untitled"
            )
        self._path = file

    @property
    def document(self) -> Assembly:
        """The present value of the document; it is immutable."""
        return self._session.assembly

    @property
    def session(self) -> Session:
        """The session behind this object."""
        return self._session

    def run(self, command: str) -> str:
        """Run one command of the command language and return its message. It applies completely or not at all."""
        return self._session.do(command).message

    def create(self, part: str, name: str, at: str | None = None, **parameters: object) -> str:
        """Add an instance of a part; `at` is a free port of another instance, such as `arm.flange`."""
        mate = "" if at is None else f" --at {quote(at)}"
        return self.run(" ".join(["create", quote(part), quote(name), *_settings(parameters)]) + mate)

    def mate(self, at: str, put: str) -> str:
        """Attach the port `put` of an instance to the port `at` of another one, both as `instance.port`."""
        return self.run(f"mate {quote(at)} {quote(put)}")

    def set(self, name: str, **properties: object) -> str:
        """Set properties of an instance, mate or joint."""
        return self.run(" ".join(["set", quote(name), *_settings(properties)]))

    def undo(self) -> str:
        """Undo the last command."""
        return self.run("undo")

    def redo(self) -> str:
        """Redo the command that was undone last."""
        return self.run("redo")

    def save(self, path: FilePath | None = None) -> Path:
        """Save the assembly, by default to the file that it was opened from, and return the path."""
        return self._session.save(Path(path) if path is not None else self._path)

    def robot(self) -> RobotModel:
        """Compile the assembly into a robot."""
        built = self._session.compile()
        cameras = saved_cameras(self._session.assembly)
        return RobotModel(built.unwrap().robot, self._session.plugins, built.findings, cameras)


def _settings(values: Mapping[str, object]) -> list[str]:
    return [f"{name}={quote(str(value))}" for name, value in values.items()]


class PartCatalogue:
    """The parts that are installed. `rck.catalogue()` opens it."""

    def __init__(self, plugins: Plugins | None = None) -> None:
        self._catalogue = open_catalogue(plugins or discover())

    def __len__(self) -> int:
        return len(self._catalogue.entries)

    def search(self, query: str = "") -> list[CatalogueEntry]:
        """Return the parts that match words and figures, such as `servo payload>=3kg`, best first."""
        return search(self._catalogue.entries.values(), parse_query(query.split()))

    def part(self, part_id: str, **parameters: float | str) -> Part:
        """Build one part, with parameters in the units of its manifest or text with a unit: `length="0.3 m"`."""
        return self._catalogue.part(part_id, parameters)


def catalogue() -> PartCatalogue:
    """Open the parts catalogue."""
    return PartCatalogue()


def load(path: FilePath, **options: str) -> RobotModel:
    """Load a robot from a `.rck` assembly or from any file that an importer reads, with options of that importer.

    Raises :class:`RckError` if the file holds no valid robot.
    """
    file = Path(path)
    plugins = discover(file=file)
    if file.suffix == ".rck" and not options:
        session = open_session(plugins, file)
        built = session.compile()
        return RobotModel(built.unwrap().robot, plugins, built.findings, saved_cameras(session.assembly))
    imported = file_exchange.read_file(file, plugins, options)
    return RobotModel(file_exchange.require_robot(imported, file), plugins, imported.findings)


def export(robot: RobotModel, path: FilePath, format: str | None = None, **options: str) -> list[Path]:  # noqa: A002
    """Export a robot; the file name extension selects the format unless `format` names it. Return the files written."""
    written, _ = export_file(robot.robot, Path(path), robot.plugins, options, format)
    return written


def render(
    robot: RobotModel,
    path: FilePath,
    q: Positions | None = None,
    view: str = "home",
    size: tuple[int, int] = (1280, 800),
) -> Path:
    """Draw a robot to a PNG file and return the path; `view` is a camera preset such as home, front or top."""
    figure = pose_robot(at_positions(robot.robot, robot.positions(q)), geometry=Geometry.VISUAL)
    width, height = size
    camera = fit(named_camera(view), points_of(figure), width / height)
    picture = draw(Scene(figure, floor=floor_for(figure), axes=True), camera, width, height, finish=FINE)
    write_atomically(Path(path), png_bytes(picture.rgb))
    return Path(path)


def simulate(
    robot: RobotModel,
    events: FilePath,
    *,
    until: float = np.inf,
    step: float = 0.01,
    collisions: bool = True,
    physics: str | None = None,
    out: FilePath | None = None,
) -> Recording:
    """Run an event file and return the recording, which is also written to `out` (.csv or .npz) if it is given."""
    simulation = Simulation(
        robot.robot,
        read_events(Path(events), robot.robot, robot.plugins),
        plugins=robot.plugins,
        collisions=collisions,
        physics=None if physics is None else physics_maker(robot.plugins, physics, {}),
        cameras=robot.cameras,
    )
    recording = record(simulation, until, step)
    if out is not None:
        save_recording(recording, Path(out))
    return recording
