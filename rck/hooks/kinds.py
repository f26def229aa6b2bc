"""What a plugin can add: one small frozen value per kind, returned by the hook of that kind.

Every kind has a `name`, by which users choose it, and a one-line `summary`, which lists show.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, runtime_checkable

from numpy.typing import NDArray

from rck.geometry.arrays import Floats
from rck.geometry.contour import Contour
from rck.hooks.job import Job
from rck.hooks.needs import Need
from rck.hooks.programs import Program
from rck.hooks.sensing import Mount, Press, Surroundings
from rck.hooks.solving import ChainSolver
from rck.hooks.survey import PortFrame, Survey
from rck.model.events import EventList
from rck.model.finding import Finding, RckError
from rck.model.robot import Robot

if TYPE_CHECKING:
    import click

Values: TypeAlias = Mapping[str, Any]
"""The values of a contribution's options, by name, checked against what it declared."""

PROBE_BYTES = 4096
"""So much of the beginning of a file do importers get to recognise it by."""


@dataclass(frozen=True, slots=True)
class Option:
    """A setting that the command line and the editor offer for a contribution."""

    name: str
    help: str
    type: Literal["text", "flag", "number", "length", "angle", "choice"] = "text"
    """Lengths arrive in metres and angles in radians, whatever unit the user typed."""
    default: str | float | bool | None = None
    """A text is read as if the user had typed it; a number is in metres or radians already."""
    choices: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if (self.type == "choice") != bool(self.choices):
            raise ValueError(f"option {self.name}: a choice, and nothing else, has choices")
        if self.choices and self.default is not None and self.default not in self.choices:
            raise ValueError(f"option {self.name}: the default {self.default!r} is not among the choices")


def _check_endings(endings: tuple[str, ...]) -> None:
    # ("x") is a text, not a tuple, and a loop over it would see its letters.
    right = isinstance(endings, tuple) and all(
        ending.startswith(".") and ending == ending.lower() for ending in endings
    )
    if not right:
        raise ValueError(f"endings are a tuple such as ('.urdf',), with the dot and in lower case, not {endings!r}")


@dataclass(frozen=True, slots=True)
class PartLibrary:
    """A folder of part manifests."""

    name: str
    summary: str
    folder: Path


@dataclass(frozen=True, eq=False)
class Plate:
    """Subitems of an item that together are one contour with a thickness: files keep the contour, not the pieces."""

    item: str
    subitems: range
    contour: Contour
    pose: Floats
    """Item from plate, whose thickness is along z, from 0. Shape (4, 4)."""
    thickness: float
    """In metres."""


@dataclass(frozen=True, slots=True)
class Imported:
    """What an importer read: a robot, or a list of events, or nothing; and what it noticed."""

    robot: Robot | None = None
    events: EventList | None = None
    findings: tuple[Finding, ...] = ()
    ports: tuple[PortFrame, ...] = ()
    """Places on the robot's items where other parts can be fastened."""
    summary: str = ""
    """What came in, in a line for people; without it, the items and joints are counted."""
    plates: tuple[Plate, ...] = ()
    """Which subitems come from one contour."""
    apart: bool = False
    """Whether items that no joint connects are pieces of their own: the plates of one sheet, for instance."""


@dataclass(frozen=True, slots=True)
class Importer:
    """Reads a file format."""

    name: str
    summary: str
    endings: tuple[str, ...]
    """File endings with the dot, lower case."""
    probe: Callable[[Path, bytes], bool]
    """Whether the file is of this format, judged by its first `PROBE_BYTES` and not only its ending."""
    read: Callable[[Path, Values, Job], Imported]
    """Strict. What is wrong with the file is an error finding that names file and line."""
    options: tuple[Option, ...] = ()
    survey: Callable[[Path, Values, Job], Survey] | None = None
    """Tells what the file holds and what would become of it, for users who want to decide that themselves."""

    def __post_init__(self) -> None:
        _check_endings(self.endings)


@dataclass(frozen=True, slots=True)
class Exported:
    """The files of an export, by path relative to the chosen folder; the core writes them."""

    files: Mapping[str, bytes] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Exporter:
    """Writes a file format. It returns bytes and touches no file, so it can do no harm."""

    name: str
    summary: str
    endings: tuple[str, ...]
    write: Callable[[Any, str, Values, Job], Exported]
    """Gets the robot (or the events), the name of the main file, and the option values."""
    takes: Literal["robot", "events"] = "robot"
    options: tuple[Option, ...] = ()

    def __post_init__(self) -> None:
        _check_endings(self.endings)


@dataclass(frozen=True, slots=True)
class Solver:
    """Inverse kinematics."""

    name: str
    summary: str
    make: Callable[[Robot, str, str], ChainSolver | None]
    """Gets the robot, the base and the tip, each an item or frame; None when it cannot serve that chain."""
    finds_all: bool = False
    """Whether it returns every solution; such solvers are asked before those that search."""
    needs: tuple[Need, ...] = ()
    """What it cannot do without; the user is told before any work."""


ItemPairs: TypeAlias = Collection[tuple[str, str]]
"""Pairs of names of items."""


class CollisionScene(Protocol):
    """A robot made ready for collision queries; `rck.collision.backend` says what some can tell besides."""

    def touching(self, vector: Floats) -> Sequence[tuple[str, str]]:
        """The pairs of items that touch, the robot's earlier one first, with the free joints at `vector`."""


@dataclass(frozen=True, slots=True)
class CollisionBackend:
    """Finds out what touches what."""

    name: str
    summary: str
    make: Callable[[Robot, ItemPairs], CollisionScene]
    """Gets the robot and the pairs of items that are allowed to touch; `rck.collision.pairs` has those to test."""
    needs: tuple[Need, ...] = ()
    """What it cannot do without; the user is told before any work."""


@dataclass(frozen=True, slots=True)
class Gripper:
    """A way of holding on to things."""

    name: str
    """Devices whose kind has this name are grippers of this sort."""
    summary: str
    holds: Callable[[Surroundings, Mount, Values, str], str]
    """Gets the world, where the gripper sits, its values and an item; an empty text if it can hold it, else why not."""
    options: tuple[Option, ...] = ()
    """Those that have the name of a figure of a part take its value from the part; `settings` of a device in a part's
    manifest sets any of them."""


class SensorReader(Protocol):
    """A sensor on a robot."""

    def read(self, world: Surroundings) -> Mapping[str, NDArray[Any]]:
        """The sensor's values by channel, as the world is at that moment. Noise is added by the simulator."""


@runtime_checkable
class NoisyReader(Protocol):
    """A sensor's reader that adds its own noise, such as one that counts what is noisy; others need none of this."""

    def read_noisy(self, world: Surroundings, noise: Callable[[tuple[int, ...]], Floats]) -> Mapping[str, NDArray[Any]]:
        """The same channels as `read`. `noise` draws as many numbers as a shape has, with the deviation of the user."""


@runtime_checkable
class Remembering(Protocol):
    """A sensor's reader whose next values depend on what it has seen before; others need none of this."""

    def memory(self) -> Any:
        """What it remembers: a run that is saved goes on with it.

        It must come back from a file of JSON as it was: None, texts, finite numbers and truth values of Python, lists
        of these, and dictionaries with texts as keys. An array goes in as `array.tolist()`.
        """

    def recall(self, memory: Any) -> None:
        """Remember what :meth:`memory` gave."""


@dataclass(frozen=True, slots=True)
class Sensor:
    """A kind of sensor."""

    name: str
    """Devices whose kind has this name are sensors of this sort."""
    summary: str
    make: Callable[[Robot, Mount, Values], SensorReader]
    """Gets the robots and objects, where the sensor sits, and the option values."""
    options: tuple[Option, ...] = ()
    """Those that have the name of a figure of a part take its value from the part; `settings` of a device in a part's
    manifest sets any of them. `rate`, in hertz, and `noise`, a standard deviation in the unit of the channels, belong
    to every sensor and need not be declared."""


class PhysicsWorld(Protocol):
    """A world under forces. It begins as the robot stands, at rest."""

    @property
    def positions(self) -> Floats:
        """Of the free joints. Shape (free joints,), in radians and metres."""

    @property
    def speeds(self) -> Floats:
        """Of the free joints. Shape (free joints,), in rad/s and m/s."""

    @property
    def efforts(self) -> Floats:
        """What the motors gave in the last step, on the average. Shape (free joints,), in N m and N."""

    @property
    def poses(self) -> Floats:
        """World from item. Shape (items, 4, 4)."""

    @property
    def velocities(self) -> Floats:
        """Velocity of each item, linear over angular, along the axes of the world. Shape (items, 6), in m/s and rad/s.

        The linear part is that of the item's origin.
        """

    @property
    def accelerations(self) -> Floats:
        """Acceleration of each item under the forces of this moment, as `velocities`. Shape (items, 6)."""

    @property
    def gravity(self) -> Floats:
        """How everything falls. Shape (3,), in m/s2."""

    @property
    def presses(self) -> Sequence[Press]:
        """What presses on what, and how hard."""

    def step(self, efforts: Floats, seconds: float) -> Floats:
        """Apply an effort to each free joint for a time; the positions after it. Shape (free joints,)."""

    def hold(self, item: str, hand: str) -> None:
        """Fasten a loose item to the item of a gripper, as they are now."""

    def let_go(self, item: str) -> None:
        """Let a loose item go."""

    def steer(self, targets: Floats, seconds: float) -> Floats:
        """Let motors with their controllers go evenly from the last targets to others; the positions after it."""

    def memory(self) -> Any:
        """All that it needs to go on from this moment, made of what the memory of :class:`Remembering` may hold."""

    def recall(self, memory: Any) -> None:
        """Go back to, or on from, a moment that :meth:`memory` gave."""


@dataclass(frozen=True, slots=True)
class Physics:
    """Gravity, contact forces, motors."""

    name: str
    summary: str
    make: Callable[[Robot, Values], PhysicsWorld]
    options: tuple[Option, ...] = ()
    needs: tuple[Need, ...] = ()
    """What it cannot do without; the user is told before any work."""


@dataclass(frozen=True, slots=True)
class ProgramLanguage:
    """A language that robot programs are written in."""

    name: str
    summary: str
    endings: tuple[str, ...]
    compile: Callable[[str, Robot], Program]
    """Gets the text of a program and the robots that it is for; what it cannot read is an error with the line."""

    def __post_init__(self) -> None:
        _check_endings(self.endings)


Page: TypeAlias = Callable[[str], tuple[str, bytes] | None]
"""The content type and content for a path such as `/`; None where there is nothing."""


def _shown_by_its_page(robot: Robot, values: Values) -> None:
    """What a viewer does that has nothing but a page."""
    raise RckError("this viewer is a page in a browser; `rck view FILE` serves it")


@dataclass(frozen=True, slots=True)
class Viewer:
    """Another way to look at a robot: a program that shows it, or a page for a browser."""

    name: str
    summary: str
    show: Callable[[Robot, Values], None] = _shown_by_its_page
    """Shows the robot; returns when the user has seen enough."""
    options: tuple[Option, ...] = ()
    page: Page | None = None
    """Served at the address of the world that is looked at; it is told of it there by the rosbridge protocol."""


@dataclass(frozen=True, slots=True)
class Command:
    """A word of the command language."""

    name: str
    summary: str
    usage: str
    run: Callable[[Any, Sequence[str]], Any]
    """Gets the document and the words after the command; returns the new document, or a pair of it and a text that
    says what was done. Without a text, users read that it is done."""
    slow: bool = False
    """Whether it may take long: the editor then does it beside the interface."""


@dataclass(frozen=True, slots=True)
class CliCommand:
    """A subcommand of `rck`."""

    name: str
    summary: str
    command: "click.Command"


@dataclass(frozen=True, slots=True)
class EditorPanel:
    """A panel of the editor."""

    name: str
    summary: str
    make: Callable[[], Any]
    """Makes the Textual widget; its method `show_robot(robot)`, if any, is called after every change, with None while
    the assembly has errors."""


@dataclass(frozen=True, slots=True)
class Check:
    """Looks a robot over."""

    name: str
    summary: str
    run: Callable[[Robot], Iterable[Finding]]
