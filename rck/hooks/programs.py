"""The instructions that robot programs are made of; each language turns its text into these."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from rck.geometry.arrays import Floats

Relation: TypeAlias = Literal["<", "<=", ">", ">=", "==", "!="]
"""How the reading of a sensor is compared with a number."""


@dataclass(frozen=True, slots=True)
class MoveJoints:
    """Move the joints of a robot, all of them together; `relative`, by so much."""

    robot: str
    values: tuple[float, ...]
    """In radians and metres, one per joint of its arm."""
    relative: bool = False
    one_by_one: bool = False
    """Each joint after the one before."""


@dataclass(frozen=True, eq=False, slots=True)
class MoveTool:
    """Bring the tool of a robot to a pose, by the joints, or in a straight line."""

    robot: str
    pose: Floats
    """World from tool. Shape (4, 4)."""
    straight: bool = False
    keep_orientation: bool = False
    """Only the position of the pose counts: the tool keeps the orientation that it has, where the arm can."""


@dataclass(frozen=True, slots=True)
class Grip:
    """Close or open the gripper of a robot."""

    robot: str
    close: bool
    object: str = ""
    """What is to be held; without it, whatever can be."""


@dataclass(frozen=True, eq=False, slots=True)
class DefineGrasp:
    """Where and how an object is to be taken."""

    object: str
    pose: Floats
    """Object from hand: where the point between the fingers goes, and how the hand is turned. Shape (4, 4)."""
    opening: float
    """How far the hand is opened on the way there, in metres; 0 for as far as it can."""


@dataclass(frozen=True, slots=True)
class MoveToGrasp:
    """Bring the open hand of a robot to where an object is to be taken."""

    robot: str
    object: str


@dataclass(frozen=True, slots=True)
class SetSpeed:
    """From now on the joint of a robot that has farthest to go moves at so much."""

    robot: str
    speed: float
    """In rad/s, more than 0; infinity for as fast as the joints can."""


@dataclass(frozen=True, slots=True)
class Say:
    """A message; without text, where the tools of the robots are."""

    text: str = ""


@dataclass(frozen=True, slots=True)
class LookThrough:
    """Switch to a camera."""

    camera: str


@dataclass(frozen=True, slots=True)
class SetSensor:
    """Switch a sensor on or off."""

    sensor: str
    on: bool


@dataclass(frozen=True, slots=True)
class Pause:
    """Wait for a time, or until a sensor says so."""

    seconds: float = 0.0
    """The time, or with a condition the patience; 0 with a condition waits for ever."""
    sensor: str = ""
    channel: str = ""
    relation: Relation | Literal[""] = ""
    value: float = 0.0


@dataclass(frozen=True, slots=True)
class RunFile:
    """Another program, in whatever language, whose lines come here; beside the file that names it."""

    file: str


Instruction: TypeAlias = (
    MoveJoints
    | MoveTool
    | Grip
    | DefineGrasp
    | MoveToGrasp
    | SetSpeed
    | Say
    | LookThrough
    | SetSensor
    | Pause
    | RunFile
)


@dataclass(frozen=True, eq=False, slots=True)
class Line:
    """An instruction and where it stands."""

    number: int
    """The line of the text, from 1."""
    text: str
    instruction: Instruction


@dataclass(frozen=True, eq=False, slots=True)
class Program:
    """Instructions, one after the other."""

    lines: tuple[Line, ...] = ()
