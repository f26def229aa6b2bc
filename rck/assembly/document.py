"""The immutable, typed value of an assembly: the content of its native file."""

from typing import Annotated, Literal

import msgspec

from rck.model.joint_spec import JointRatings, JointSpec
from rck.model.quantities import Axis, PoseSpec, Quantity, Triple, Units
from rck.parts.manifest import ActuatorSpec, DeviceSpec, ExtensionSpec, Follow, LoopSpec, PartSpec, TendonSpec
from rck.support.typed_yaml import Strict

VERSION = 2


class LocalPart(PartSpec, frozen=True):
    """A part that is defined in the assembly: an import, or a part made of basic shapes."""

    summary: str = ""
    source: str = ""
    """The file that it was imported from."""


class Instance(Strict, frozen=True, rename={"with_": "with"}):
    """A part in the assembly."""

    part: str
    """A catalogue id, the name of a local part of this file, or `./file.rck` for another assembly."""
    with_: dict[str, Quantity] = {}
    """Values of its parameters that differ from the defaults."""
    place: PoseSpec | None = None
    """The pose in the world of an instance that no mate attaches (default: the origin)."""
    scale: float | tuple[float, float, float] | None = None
    mirror: Literal["x", "y", "z"] | None = None
    """The axis of the part along which it is mirrored."""
    colour: str | None = None
    """`#rrggbb` or `#rrggbbaa`."""
    loose: bool = False
    """True for an object that is not fixed to the world: other items can push it, and grippers can lift it."""
    notes: str = ""


class MateJoint(JointSpec, frozen=True):
    """A joint between two mated ports; the axis is given in the frame of the end that stays."""

    name: str | None = None
    fixed: Axis | None = None
    """Instead of the other kinds of joint: a rigid mate whose joint has a name."""
    position: Quantity = 0.0
    """The joint position at which the ends are face to face."""
    follows: Follow | None = None
    """A joint of the assembly, by full name."""
    source_name: str = ""
    """The name in the file that it was imported from, which exports use again."""
    extensions: ExtensionSpec = {}

    @property
    def moves(self) -> bool:
        """True unless it is fixed."""
        return self.fixed is None


class Mate(Strict, frozen=True):
    """A connection of two instances: their ends are face to face, and rigid without a joint.

    An end is `instance.port`, `instance.frame`, `instance.item#subitem.face` for the centre of a face, or
    `instance` for the frame of the part, which is not rotated to face the other end.
    """

    at: str
    """The end that stays."""
    put: str
    """The end of the instance that the mate attaches."""
    turn: Quantity = 0.0
    """Rotation about the z axis of the end that stays."""
    flip: bool = False
    """True if the z axes of the two ends point the same way instead of opposite ways."""
    offset: Quantity | Triple = 0.0
    """Distance from the end that stays along its z axis, or a vector along its x, y and z axes."""
    rpy: Triple | None = None
    """Further rotation by roll, pitch and yaw, for a mate by explicit pose."""
    joint: MateJoint | None = None
    force: bool = False
    """True if the port types may differ."""


class JointSetting(JointRatings, frozen=True):
    """Changes that the user made to a joint."""

    position: Quantity | None = None


class Tool(Strict, frozen=True):
    """A tool frame: the working point of an arm, relative to an end of an instance."""

    on: str
    """The end that carries the tool frame."""
    offset: Triple = (0.0, 0.0, 0.0)
    """Its position in the frame of that end."""
    rpy: Triple | None = None


class SavedView(Strict, frozen=True):
    """A saved camera: its position, its target, and its projection."""

    eye: Triple
    target: Triple = (0.0, 0.0, 0.0)
    parallel: bool = False
    """True for a parallel projection instead of perspective."""


class ContactRule(Strict, frozen=True):
    """A rule of the allowed-collision matrix for two items, instances or groups."""

    between: tuple[str, str]
    """Two items by their full names, such as `shoulder/horn`; an instance or a group stands for all of its items."""
    test: bool
    """True if the pairs are tested for collision."""
    why: Literal["user", "never", "always", "default"] = "user"
    """The origin of the rule: the user, or random sampling, where the two were in contact never, always, or at the
    default joint positions."""
    friction: Annotated[float, msgspec.Meta(ge=0)] | None = None
    """Coefficient of friction of the pair (default: that of the two items)."""


class Suppression(Strict, frozen=True):
    """Findings that the user has accepted."""

    code: str
    """The finding code, such as `RCK406` or `XYZ101`."""
    reason: str
    where: str = ""
    """The place of the finding, or a name in it (default: everywhere)."""


class Assembly(Strict, frozen=True, rename={"local_parts": "local_parts", "pose_extensions": "pose-extensions"}):
    """An assembly. It is immutable: each edit returns another one."""

    name: str
    rck: int = VERSION
    units: Units = Units()
    parts: dict[str, Instance] = {}
    mates: list[Mate] = []
    joints: dict[str, JointSetting] = {}
    """Settings of joints by full name, such as `shoulder/axis`."""
    poses: dict[str, dict[str, Quantity]] = {}
    """Named poses: positions of joints by full name."""
    pose_extensions: dict[str, ExtensionSpec] = {}
    """Data of a file format about a pose beyond the positions, by pose."""
    actuators: dict[str, ActuatorSpec] = {}
    """Motors that belong to no single instance; joints, tendons, frames and items by full name."""
    tendons: dict[str, TendonSpec] = {}
    loops: dict[str, LoopSpec] = {}
    """Constraints between items of different instances, by full name."""
    devices: dict[str, DeviceSpec] = {}
    """Sensors and grippers that refer to several instances: `on` is the full name of an item."""
    extensions: ExtensionSpec = {}
    """Data of a file format about the whole model, such as the options of a simulator."""
    order: list[str] = []
    """Instances in the order of their items and joints in the robot; others follow, sorted by name."""
    tools: dict[str, Tool] = {}
    views: dict[str, SavedView] = {}
    ports: dict[str, str] = {}
    """The ports of the assembly when another assembly uses it, each with its end (default: all free ports)."""
    groups: dict[str, list[str]] = {}
    """Named groups of items and instances, for collision rules."""
    contacts: list[ContactRule] = []
    """Collision rules. Of several rules for the same items, those of the user have priority over sampled ones, then
    rules for items over those for instances and groups."""
    suppressions: list[Suppression] = []
    """Findings that are counted but not listed."""
    local_parts: dict[str, LocalPart] = {}
    notes: str = ""


def replaced(assembly: Assembly, **changes: object) -> Assembly:
    """Return the assembly with some fields replaced."""
    return msgspec.structs.replace(assembly, **changes)
