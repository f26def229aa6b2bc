"""Actions of simulated robots: events, robot programs, server requests and the editor all use these types.

:mod:`rck.simulation.action_types` defines what each action does.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from rck.geometry.arrays import Floats

Relation: TypeAlias = Literal["<", "<=", ">", ">=", "==", "!="]
"""Comparison of a sensor reading with a number."""


class Action:
    """Base class of actions. Subclasses are frozen dataclasses."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class MoveJoint(Action):
    """Change the position of one joint at constant velocity."""

    joint: str
    change: float
    """In radians or metres."""
    duration: float
    """In seconds."""


@dataclass(frozen=True, slots=True)
class MoveJoints(Action):
    """Move all joints of an arm together, to positions or by changes."""

    robot: str
    """Name of the arm; may be empty if there is only one. The same holds for the other actions."""
    values: tuple[float, ...]
    """One per joint of the arm, in radians or metres."""
    relative: bool = False
    """True if the values are changes."""
    one_by_one: bool = False
    """True if each joint starts when the previous one has finished."""


@dataclass(frozen=True, eq=False, slots=True)
class MoveTool(Action):
    """Move the tool of an arm to a pose, by a joint move or in a straight line."""

    robot: str
    pose: Floats
    """World from tool. Shape (4, 4)."""
    straight: bool = False
    keep_orientation: bool = False
    """True if only the position counts, and the tool keeps its present orientation as far as the arm can."""


@dataclass(frozen=True, slots=True)
class UseGripper(Action):
    """Close or open a gripper."""

    gripper: str
    """Name of the gripper; a program may also name the arm that carries it."""
    close: bool
    object: str = ""
    """Object to grip; if empty, any object that the gripper can hold."""
    opening: float = 0.0
    """Distance between the fingers after opening, in metres; 0 opens them fully."""


@dataclass(frozen=True, eq=False, slots=True)
class DefineGrasp(Action):
    """Define the grasp of an object."""

    object: str
    pose: Floats
    """Object from gripper: position of the grip point and orientation of the gripper. Shape (4, 4)."""
    opening: float
    """Distance between the fingers on the way to the object, in metres; 0 for fully open."""


@dataclass(frozen=True, slots=True)
class MoveToGrasp(Action):
    """Open the gripper of an arm and move it to the defined grasp of an object."""

    robot: str
    object: str


@dataclass(frozen=True, slots=True)
class SetSpeed(Action):
    """Set the speed for later moves of an arm: that of the joint that moves farthest."""

    robot: str
    speed: float
    """In rad/s or m/s, positive; infinity removes the restriction."""


@dataclass(frozen=True, slots=True)
class Announce(Action):
    """Send a message; in a program, an empty text reports the poses of the tools."""

    text: str = ""


@dataclass(frozen=True, slots=True)
class SwitchCamera(Action):
    """Select the camera of the view."""

    camera: str


@dataclass(frozen=True, slots=True)
class SwitchSensor(Action):
    """Switch a sensor on or off."""

    sensor: str
    on: bool


@dataclass(frozen=True, slots=True)
class Wait(Action):
    """Wait for a time."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Condition:
    """Comparison of a sensor reading with a number."""

    sensor: str
    channel: str
    relation: Relation
    value: float

    def __str__(self) -> str:
        return f"{self.sensor}.{self.channel} {self.relation} {self.value:g}"


@dataclass(frozen=True, slots=True)
class WaitFor(Action):
    """Wait until a sensor reading satisfies a condition. Motions in progress continue; later events are delayed."""

    condition: Condition
    patience: float | None = None
    """Give up after this time, in seconds; None waits for ever."""


@dataclass(frozen=True, slots=True)
class RunFile(Action):
    """Insert the lines of another program, in any language; the path is relative to the file that names it."""

    file: str


@dataclass(frozen=True, eq=False, slots=True)
class ProgramLine:
    """One instruction of a program and its position in the text."""

    number: int
    """Line number in the text, from 1."""
    text: str
    instruction: Action


@dataclass(frozen=True, eq=False, slots=True)
class Program:
    """A sequence of instructions."""

    lines: tuple[ProgramLine, ...] = ()
