"""The Assembly value: what the native file says, typed and immutable."""

from typing import Annotated, Literal

import msgspec

from rck.catalogue.manifest import (
    Axis,
    Device,
    Pair,
    PartFrame,
    PartItem,
    PartJoint,
    PartPort,
    Place,
    Quantity,
    Triple,
    Units,
)
from rck.model.typed_yaml import Strict

VERSION = 1


class Piece(Strict, frozen=True):
    """A part that is defined inside the assembly: an import, or built from basic shapes."""

    items: dict[str, PartItem]
    summary: str = ""
    source: str = ""
    units: Units = Units()
    joints: dict[str, PartJoint] = {}
    ports: dict[str, PartPort] = {}
    frames: dict[str, PartFrame] = {}
    devices: dict[str, Device] = {}


class Instance(Strict, frozen=True, rename={"with_": "with"}):
    """A part in the assembly."""

    part: str
    """An id of the catalogue, the name of a piece of this file, or `./file.rck` for a saved assembly."""
    with_: dict[str, Quantity] = {}
    """Its parameters, where they are not the defaults."""
    place: Place | None = None
    """Where it stands in the world; only for an instance that no mate puts somewhere."""
    scale: float | tuple[float, float, float] | None = None
    mirror: Literal["x", "y", "z"] | None = None
    """Its mirror image, seen along that axis of the part."""
    colour: str | None = None
    loose: bool = False
    """A loose object: it may be pushed and picked up."""
    notes: str = ""


class MateJoint(Strict, frozen=True):
    """A joint between two mated ports; the axis is given in the frame of the port that it stands on."""

    revolute: Axis | None = None
    continuous: Axis | None = None
    prismatic: Axis | None = None
    name: str | None = None
    limits: Pair | None = None
    speed: Quantity | None = None
    acceleration: Quantity | None = None
    torque: Quantity | None = None
    force: Quantity | None = None
    damping: float = 0.0
    friction: float = 0.0


class Mate(Strict, frozen=True):
    """One instance put onto another: two ends face to face, rigid unless a joint is given.

    An end is `instance.port`; `instance.item#subitem.face`, the centre of a face; or `instance` alone, the
    part's own frame, which is not turned round to face the other.
    """

    at: str
    put: str
    turn: Quantity = 0.0
    """About the z axis of the end that it stands on."""
    flip: bool = False
    """Upside down: z axes the same way instead of opposed."""
    offset: Quantity | Triple = 0.0
    """Away from the end along its z axis, or along its x, y and z axes."""
    rpy: Triple | None = None
    """Turned further by roll, pitch and yaw, for a mate by explicit pose."""
    joint: MateJoint | None = None
    force: bool = False
    """Mated although the kinds of the ports are unlike."""


class JointSetting(Strict, frozen=True):
    """What the user changed about a joint."""

    position: Quantity | None = None
    limits: Pair | None = None
    speed: Quantity | None = None
    torque: Quantity | None = None
    force: Quantity | None = None


class Tool(Strict, frozen=True):
    """A tool frame: where work is done, on an end of an instance."""

    on: str
    offset: Triple = (0.0, 0.0, 0.0)
    rpy: Triple | None = None


class View(Strict, frozen=True):
    """Where the assembly is looked at from."""

    eye: Triple
    target: Triple = (0.0, 0.0, 0.0)
    parallel: bool = False


class ContactRule(Strict, frozen=True):
    """Whether two things are tested for collision against each other."""

    between: tuple[str, str]
    """Two items by their full names, such as `shoulder/horn`; an instance or a group stands for all of its items."""
    test: bool
    why: Literal["user", "never", "always", "default"] = "user"
    """Who decided it: the user, or random samples, in which the two touch never, always, or as they were drawn."""
    friction: Annotated[float, msgspec.Meta(ge=0)] | None = None
    """Coefficient of friction of this pair, where it is not that of the two items."""


class Assembly(Strict, frozen=True):
    """A whole assembly. Never changed: each edit makes another one."""

    name: str
    rck: int = VERSION
    units: Units = Units()
    parts: dict[str, Instance] = {}
    mates: list[Mate] = []
    joints: dict[str, JointSetting] = {}
    """Settings of joints by their full name, such as `shoulder/axis`."""
    poses: dict[str, dict[str, Quantity]] = {}
    """Named poses: positions of joints by their full name."""
    tools: dict[str, Tool] = {}
    views: dict[str, View] = {}
    ports: dict[str, str] = {}
    """The ports that the whole offers when it is used as one piece; without any, all free ports are."""
    groups: dict[str, list[str]] = {}
    """Items and instances under one name, for rules about contacts."""
    contacts: list[ContactRule] = []
    """Of several about the same items, what the user decided counts most; then what is said about items, about
    instances, about groups."""
    pieces: dict[str, Piece] = {}
    notes: str = ""


def replaced(assembly: Assembly, **changes: object) -> Assembly:
    """The assembly with some fields replaced."""
    return msgspec.structs.replace(assembly, **changes)
