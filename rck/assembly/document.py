"""The Assembly value: what the native file says, typed and immutable."""

from typing import Annotated, Literal

import msgspec

from rck.model.joint_spec import JointRatings, JointSpec
from rck.model.quantities import PoseSpec, Quantity, Triple, Units
from rck.parts.manifest import PartSpec
from rck.support.typed_yaml import Strict

VERSION = 1


class LocalPart(PartSpec, frozen=True):
    """A part that is defined in the assembly: an import, or a part made of basic shapes."""

    summary: str = ""
    source: str = ""
    """The file that it was imported from."""


class Instance(Strict, frozen=True, rename={"with_": "with"}):
    """A part in the assembly."""

    part: str
    """An id of the catalogue, the name of a piece of this file, or `./file.rck` for a saved assembly."""
    with_: dict[str, Quantity] = {}
    """Its parameters, where they are not the defaults."""
    place: PoseSpec | None = None
    """Where it stands in the world; only for an instance that no mate puts somewhere."""
    scale: float | tuple[float, float, float] | None = None
    mirror: Literal["x", "y", "z"] | None = None
    """Its mirror image, seen along that axis of the part."""
    colour: str | None = None
    loose: bool = False
    """A loose object: it may be pushed and picked up."""
    notes: str = ""


class MateJoint(JointSpec, frozen=True):
    """A joint between two mated ports; the axis is given in the frame of the port that it stands on."""

    name: str | None = None


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


class JointSetting(JointRatings, frozen=True):
    """Changes that the user made to a joint."""

    position: Quantity | None = None


class Tool(Strict, frozen=True):
    """A tool frame: where work is done, on an end of an instance."""

    on: str
    offset: Triple = (0.0, 0.0, 0.0)
    rpy: Triple | None = None


class SavedView(Strict, frozen=True):
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


class Assembly(Strict, frozen=True, rename={"local_parts": "pieces"}):
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
    views: dict[str, SavedView] = {}
    ports: dict[str, str] = {}
    """The ports that the whole offers when it is used as one piece; without any, all free ports are."""
    groups: dict[str, list[str]] = {}
    """Items and instances under one name, for rules about contacts."""
    contacts: list[ContactRule] = []
    """Of several about the same items, what the user decided counts most; then what is said about items, about
    instances, about groups."""
    local_parts: dict[str, LocalPart] = {}
    notes: str = ""


def replaced(assembly: Assembly, **changes: object) -> Assembly:
    """Return the assembly with some fields replaced."""
    return msgspec.structs.replace(assembly, **changes)
