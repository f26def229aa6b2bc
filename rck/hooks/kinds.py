"""The kinds of contributions that plugins make; the hook of each kind returns a list of them.

Every kind has a `name`, by which users choose it, and a one-line `summary`, which lists show.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, TypeAlias, TypeVar, runtime_checkable

from numpy.typing import NDArray

from rck.geometry.arrays import Floats
from rck.grammar import Arguments, CommandSpec
from rck.hooks.actions import Action, Program
from rck.hooks.ik_types import ChainSolver
from rck.hooks.surroundings import Mount, Press, Surroundings
from rck.hooks.survey import Survey
from rck.model.features import Feature, Gap
from rck.model.joint_events import EventList
from rck.model.part_definition import PartDefinition
from rck.model.robot import Robot
from rck.support.finding import PLUGIN_CODE, Finding, RckError
from rck.support.job import Job
from rck.support.requirements import Need

if TYPE_CHECKING:
    import click

DocumentT = TypeVar("DocumentT")

Values: TypeAlias = Mapping[str, Any]
"""Values of the options of a contribution, by name."""

PROBE_BYTES = 4096
"""Number of bytes from the beginning of a file that importers get to recognise it."""


@dataclass(frozen=True, slots=True)
class Option:
    """Setting of a contribution that the command line and the editor offer."""

    name: str
    help: str
    type: Literal["text", "flag", "number", "length", "angle", "choice"] = "text"
    """Values of lengths are in metres and of angles in radians, in any unit that the user types."""
    default: str | float | bool | None = None
    """A text is parsed like user input; a number is in metres or radians."""
    choices: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if (self.type == "choice") != bool(self.choices):
            raise ValueError(f"option {self.name}: options of type choice must have choices, and no others may")
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
    """Folder of part manifests."""

    name: str
    summary: str
    folder: Path


@dataclass(frozen=True, slots=True)
class Imported:
    """Result of an importer: part definitions, or a list of events, or neither, and findings.

    The core compiles the definitions into a robot, which checks them. It shows one robot of all parts, so their items
    and joints must have different names.
    """

    parts: tuple[PartDefinition, ...] = ()
    events: EventList | None = None
    findings: tuple[Finding, ...] = ()
    summary: str = ""
    """One line for people; if empty, the items and joints are counted."""


@dataclass(frozen=True, slots=True)
class Importer:
    """Reader of a file format."""

    name: str
    summary: str
    endings: tuple[str, ...]
    """File endings with the dot, in lower case."""
    probe: Callable[[Path, bytes], bool]
    """Returns True if the file is of this format, judged by its first `PROBE_BYTES` bytes, not only by its ending."""
    read: Callable[[Path, Values, Job], Imported]
    """Reads strictly: problems of the file are error findings that name file and line."""
    options: tuple[Option, ...] = ()
    survey: Callable[[Path, Values, Job], Survey] | None = None
    """Returns the contents of the file and a proposal for each, so that users can change it before the import."""

    def __post_init__(self) -> None:
        _check_endings(self.endings)


@dataclass(frozen=True, slots=True)
class Exported:
    """Files of an export, by path relative to the output folder; RCK writes them."""

    files: Mapping[str, bytes] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Exporter:
    """Writer of a file format. It returns bytes and writes no files itself."""

    name: str
    summary: str
    endings: tuple[str, ...]
    write: Callable[[Any, str, Values, Job], Exported]
    """Receives the robot (or the events), the name of the main file, and the option values."""
    takes: Literal["robot", "events"] = "robot"
    options: tuple[Option, ...] = ()
    keeps: frozenset[Feature] = frozenset()
    """The features of a robot that the format stores. RCK reports the others as losses."""
    format: str = ""
    """The name of the format in messages, such as "SDFormat" (default: the name of the exporter)."""
    keeps_with: Mapping[Feature | Gap, tuple[str, ...]] = field(default_factory=dict)
    """Settings such as `srdf=yes`, one of which a feature or a gap needs, the recommended one first."""
    fills: Mapping[Gap, str] = field(default_factory=dict)
    """Predicates such as "get 1e-9 kg" for values that the format requires and the robot lacks."""
    device_values: frozenset[str] | None = None
    """The datasheet values that it stores of the devices that it keeps; None for all."""

    def __post_init__(self) -> None:
        _check_endings(self.endings)


@dataclass(frozen=True, slots=True)
class Solver:
    """Inverse kinematics solver."""

    name: str
    summary: str
    make: Callable[..., ChainSolver | None]
    """Receives the robot, the base and the tip (items or frames), and the option values if it has options; returns None
    if it does not support the chain."""
    finds_all: bool = False
    """True if it returns all solutions; such solvers are preferred to those that search."""
    needs: tuple[Need, ...] = ()
    """Libraries that it requires; a missing one is reported before any work starts."""
    options: tuple[Option, ...] = ()


ItemPairs: TypeAlias = Collection[tuple[str, str]]
"""Pairs of item names."""


class CollisionScene(Protocol):
    """Robot prepared for collision queries; `rck.collision.backend` lists optional methods."""

    def touching(self, vector: Floats) -> Sequence[tuple[str, str]]:
        """Return the pairs of items in contact, in the item order of the robot, with the free joints at `vector`."""


@dataclass(frozen=True, slots=True)
class CollisionBackend:
    """Collision detection."""

    name: str
    summary: str
    make: Callable[..., CollisionScene]
    """Receives the robot and the pairs of items whose contacts are ignored (see `rck.collision.pairs`), and the option
    values if it has options."""
    needs: tuple[Need, ...] = ()
    """Libraries that it requires; a missing one is reported before any work starts."""
    options: tuple[Option, ...] = ()


@dataclass(frozen=True, slots=True)
class Gripper:
    """Kind of gripper."""

    name: str
    """Name of the device kind in manifests."""
    summary: str
    holds: Callable[[Surroundings, Mount, Values, str], str]
    """Receives the world, the mount, the option values and an item; returns why it cannot hold the item, or an empty
    text if it can."""
    options: tuple[Option, ...] = ()
    """An option with the name of a figure of the part takes its value; `settings` of the device in the manifest
    override it."""


class SensorReader(Protocol):
    """Sensor that is mounted on a robot."""

    def read(self, world: Surroundings) -> Mapping[str, NDArray[Any]]:
        """Return the values by channel for the present state of the world. The simulator adds noise."""


@runtime_checkable
class NoisyReader(Protocol):
    """Optional: a reader that adds noise itself, such as one that counts noisy measurements."""

    def read_noisy(self, world: Surroundings, noise: Callable[[tuple[int, ...]], Floats]) -> Mapping[str, NDArray[Any]]:
        """Return the same channels as `read`. `noise` draws random numbers of a given shape."""


@runtime_checkable
class StatefulReader(Protocol):
    """Optional: a reader whose values depend on earlier readings."""

    def memory(self) -> Any:
        """Return the internal state, for saved simulation states.

        It must survive JSON unchanged: None, texts, finite numbers and booleans of Python, lists of these, and
        dictionaries with text keys. Convert an array with `array.tolist()`.
        """

    def recall(self, memory: Any) -> None:
        """Restore the state that :meth:`memory` returned."""


@runtime_checkable
class SafetyReader(Protocol):
    """Optional: a reader with the channel `stop` that says what it watches for.

    A hold does not stop the motions of its intruders, and a run ends if a hold cannot end any more.
    """

    @property
    def intruders(self) -> Collection[int]:
        """Numbers of the items that it watches for."""

    def detects(self, world: Surroundings) -> bool:
        """Return True if it detects an intruder in the present state of the world."""


@dataclass(frozen=True, slots=True)
class Sensor:
    """Kind of sensor."""

    name: str
    """Name of the device kind in manifests."""
    summary: str
    make: Callable[[Robot, Mount, Values], SensorReader]
    """Receives the robots and objects, the mount of the sensor, and the option values."""
    options: tuple[Option, ...] = ()
    """An option with the name of a figure of the part takes its value; `settings` of the device in the manifest
    override it. Every sensor has `rate`, in hertz, and `noise`, a standard deviation in the unit of the channels."""


class PhysicsWorld(Protocol):
    """Physics simulation of a robot. It starts at rest, at the positions of the robot."""

    @property
    def positions(self) -> Floats:
        """Positions of the free joints. Shape (free joints,), in radians and metres."""

    @property
    def speeds(self) -> Floats:
        """Velocities of the free joints. Shape (free joints,), in rad/s and m/s."""

    @property
    def efforts(self) -> Floats:
        """Mean efforts of the motors in the last step. Shape (free joints,), in N m and N."""

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
        """Acceleration of each item under the present forces, like `velocities`. Shape (items, 6)."""

    @property
    def gravity(self) -> Floats:
        """Acceleration of gravity. Shape (3,), in m/s2."""

    @property
    def presses(self) -> Sequence[Press]:
        """Contact forces."""

    def step(self, efforts: Floats, seconds: float) -> Floats:
        """Apply an effort to each free joint for a time; return the new positions. Shape (free joints,)."""

    def hold(self, item: str, hand: str) -> None:
        """Fix a loose item to the item of a gripper in their present poses."""

    def let_go(self, item: str) -> None:
        """Release a held item."""

    def steer(self, targets: Floats, seconds: float) -> Floats:
        """Move the targets of the joint controllers linearly to new ones; return the new positions."""

    def memory(self) -> Any:
        """Return the complete state, as JSON values like those of :class:`StatefulReader`."""

    def recall(self, memory: Any) -> None:
        """Restore a state that :meth:`memory` returned."""


@dataclass(frozen=True, slots=True)
class Physics:
    """Physics engine: gravity, contact forces, motors."""

    name: str
    summary: str
    make: Callable[[Robot, Values], PhysicsWorld]
    options: tuple[Option, ...] = ()
    needs: tuple[Need, ...] = ()
    """Libraries that it requires; a missing one is reported before any work starts."""


@dataclass(frozen=True, slots=True)
class ProgramLanguage:
    """Language for robot programs."""

    name: str
    summary: str
    endings: tuple[str, ...]
    compile: Callable[[str, Robot], Program]
    """Receives the text of a program and the robot; raises an error with the line number if it cannot be compiled."""

    def __post_init__(self) -> None:
        _check_endings(self.endings)


Page: TypeAlias = Callable[[str], tuple[str, bytes] | None]
"""Returns the content type and content for a path such as `/`, or None."""


def _shown_by_its_page(robot: Robot, values: Values) -> None:
    """Refuse to show a robot: the viewer has only a page."""
    raise RckError("this viewer is a page in a browser; `rck view FILE` serves it")


@dataclass(frozen=True, slots=True)
class Viewer:
    """Viewer for robots: a program, or a page for a browser."""

    name: str
    summary: str
    show: Callable[[Robot, Values], None] = _shown_by_its_page
    """Shows the robot; returns when the user closes it."""
    options: tuple[Option, ...] = ()
    page: Page | None = None
    """Page that RCK serves; it connects to the same address with the rosbridge protocol."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command(CommandSpec, Generic[DocumentT]):
    """Command of the command language; built-in commands and those of plugins are declared in the same way."""

    run: Callable[[DocumentT, Arguments], tuple[DocumentT, str]]
    """Receives the document (:class:`rck.language.document.Document`) and the parsed arguments; returns the new
    document and a message for the user. A document is immutable, which makes every command undoable."""
    edits: bool = True
    """True if it may change the document; otherwise it only reports."""
    repeatable: bool = True
    """True if it gives the same result when it is repeated later; a command that reads files may not."""


@dataclass(frozen=True, slots=True)
class CliCommand:
    """Subcommand of `rck`."""

    name: str
    summary: str
    command: "click.Command"


@dataclass(frozen=True, slots=True)
class Check:
    """Check of robots, run by `rck check`."""

    name: str
    summary: str
    run: Callable[[Robot], Iterable[Finding]]


@dataclass(frozen=True, slots=True)
class FindingCode:
    """Code of a finding, with its documentation."""

    name: str
    """The code: a prefix of the plugin and three digits, such as `XYZ101`."""
    summary: str
    """Description of the problem."""
    remedy: str = ""
    """Advice for the user."""

    def __post_init__(self) -> None:
        if not PLUGIN_CODE.fullmatch(self.name):
            raise ValueError(f"finding code {self.name!r} must be like XYZ101: a prefix that is not RCK, 3 digits")


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings that users keep for a plugin; `rck.hooks.read_settings` returns their values."""

    name: str
    """By convention, the name of the plugin."""
    summary: str
    options: tuple[Option, ...] = ()


@dataclass(frozen=True, slots=True)
class ActionKind:
    """Type of action of simulated robots, for events, programs, the server and the editor."""

    name: str
    """The word that begins it, such as `beep` in `beep 3`."""
    summary: str
    action: type[Action]
    """Its class, a frozen dataclass."""
    behaviour: Any
    """Reader, check and execution of the action: a :class:`rck.simulation.action_types.ActionType`."""
