"""What a part manifest says, as typed values; `docs/parts.md` describes the same for people who write them."""

from typing import Literal, TypeAlias

from rck.model.typed_yaml import Strict

Quantity: TypeAlias = float | str
"""A number in the manifest's units, or a text with its own unit, such as ``30 rpm``."""
Triple: TypeAlias = tuple[Quantity, Quantity, Quantity]
Pair: TypeAlias = tuple[Quantity, Quantity]
Axis: TypeAlias = Literal["x", "y", "z", "-x", "-y", "-z"] | tuple[float, float, float]


class Units(Strict, frozen=True):
    """What bare numbers in this file mean."""

    length: str = "mm"
    angle: str = "deg"
    mass: str = "kg"
    torque: str = "N m"
    force: str = "N"
    angular_speed: str = "rpm"
    speed: str = "mm/s"

    def of(self, dimension: str) -> str | None:
        """Return the unit of a dimension such as `angular speed`; None for those that files have no unit of."""
        unit: str | None = getattr(self, dimension.replace(" ", "_"), None)
        return unit

    def position_unit(self, turns: bool) -> tuple[str, str]:
        """Dimension and unit of the positions of a joint: angles where it turns, lengths where it slides."""
        return ("angle", self.angle) if turns else ("length", self.length)


class Parameter(Strict, frozen=True):
    """A number that the user chooses when placing the part; `default`, `min`, `max` and `step` are in its unit."""

    default: float
    min: float
    max: float
    unit: str = ""
    """Empty for counts. It tells the dimension: a bare number in an assembly is in the assembly's unit of that."""
    step: float | None = None
    """Values must be whole multiples of it; counts have step 1."""
    summary: str = ""


class Place(Strict, frozen=True):
    """A frame in the part: a point, and either three angles or the directions of its z and x axes."""

    at: Triple = (0.0, 0.0, 0.0)
    rpy: Triple | None = None
    """Roll, pitch, yaw: turns about the fixed x, y, z axes, in that order."""
    z: Axis | None = None
    x: Axis | None = None


class Hole(Strict, frozen=True):
    """A hole in a plate: round or a contour, once, in a grid, or round a circle."""

    diameter: Quantity | None = None
    contour: list[Pair] | None = None
    at: Pair = (0.0, 0.0)
    grid: tuple[float, float] | None = None
    """Columns and rows, centred on `at`."""
    pitch: Pair | None = None
    """Distance of columns and of rows."""
    ring: float | None = None
    """So many, evenly round a circle about `at`."""
    circle: Quantity | None = None
    """The diameter of that circle."""
    start: Quantity = 0.0
    """The angle of the first."""
    segments: int | None = None
    """Sides of a round hole; by default those of the shape."""


class Cylinder(Strict, frozen=True):
    """Along z, centred. Give the diameter."""

    diameter: Quantity
    length: Quantity


class Cone(Strict, frozen=True):
    """Along z, centred; `top` is the diameter at the upper end, 0 for a point."""

    diameter: Quantity
    length: Quantity
    top: Quantity = 0.0


class Tube(Strict, frozen=True):
    """A hollow cylinder along z, centred."""

    diameter: Quantity
    inner: Quantity
    length: Quantity


class Torus(Strict, frozen=True):
    """Round z: the diameter of the ring's centre line, and of the ring's own section."""

    diameter: Quantity
    section: Quantity


class Prism(Strict, frozen=True):
    """A contour extruded along z, centred in height, holes cut out."""

    height: Quantity
    contour: list[Pair] | None = None
    sides: float | None = None
    """Instead of a contour: a regular polygon with so many sides..."""
    diameter: Quantity | None = None
    """...whose corners lie on a circle of this diameter; without sides, a disc of this diameter."""
    rectangle: Pair | None = None
    """Instead of a contour: a rectangle, centred."""
    corner: Quantity = 0.0
    """Radius of the rectangle's corners."""
    holes: list[Hole] = []


class Revolve(Strict, frozen=True):
    """A contour of (radius, height) points turned about z."""

    contour: list[Pair]
    angle: Quantity = 360.0


class Shape(Place, frozen=True):
    """One solid of an item. Exactly one of the shape keys is given; all are centred on the place."""

    box: Triple | None = None
    cylinder: Cylinder | None = None
    cone: Cone | None = None
    sphere: Quantity | None = None
    """Its diameter."""
    ellipsoid: Triple | None = None
    """Its three diameters."""
    capsule: Cylinder | None = None
    """`length` counts both round ends."""
    torus: Torus | None = None
    tube: Tube | None = None
    wedge: Triple | None = None
    """A box whose upper edge at +x has come down to nothing."""
    prism: Prism | None = None
    revolve: Revolve | None = None
    hull: list[Triple] | None = None
    mesh: str | None = None
    """A mesh file beside the manifest."""
    scale: float = 1.0
    """Of the mesh: file units to the manifest's length unit."""
    segments: int = 24
    """Sides of what is round."""
    colour: str | None = None
    repeat: float = 1
    """So many, each moved on by `by`, centred on the place."""
    by: Triple = (0.0, 0.0, 0.0)


SHAPES = (
    "box", "cylinder", "cone", "sphere", "ellipsoid", "capsule", "torus", "tube", "wedge", "prism", "revolve",
    "hull", "mesh",
)  # fmt: skip
"""The keys of :class:`Shape` of which exactly one is given."""


class PartItem(Strict, frozen=True):
    """A rigid body of the part. Shapes are placed in the part's frame, with all joints at their position."""

    shapes: list[Shape] = []
    frame: Place | None = None
    """The item's own frame, in the part's frame. Default: the origin on the axis of the joint that moves the item
    and the axes of the part; for an item that no joint moves, the part's frame."""
    mass: Quantity | None = None
    """Spread evenly over the shapes; or give a material or density."""
    material: str | None = None
    density: float | None = None
    """In kg/m3."""
    centre: Triple | None = None
    """Centre of mass where the data sheet gives it."""
    inertia: tuple[float, float, float, float, float, float] | None = None
    """About the centre of mass: xx, yy, zz, xy, xz, yz in kg m2."""
    colour: str = "#b2b2b8"
    mobile: bool = False
    friction: float | None = None
    """Coefficient of sliding friction; without it, that of the material."""


class Follow(Strict, frozen=True):
    """This joint's position = ratio * (that joint's) + offset."""

    joint: str
    ratio: float = 1.0
    offset: Quantity = 0.0


class PartJoint(Strict, frozen=True):
    """A joint of the part. Exactly one of the first four keys is given: the kind and its axis."""

    base: str
    moves: str | list[str]
    revolute: Axis | None = None
    continuous: Axis | None = None
    prismatic: Axis | None = None
    fixed: Axis | None = None
    at: Triple = (0.0, 0.0, 0.0)
    """A point of the axis, in the part's frame."""
    limits: Pair | None = None
    position: Quantity = 0.0
    """Where the joint stands in the drawing that the shapes describe."""
    speed: Quantity | None = None
    acceleration: Quantity | None = None
    """In the angle or length unit of the file, per second squared."""
    torque: Quantity | None = None
    force: Quantity | None = None
    damping: float = 0.0
    friction: float = 0.0
    follows: Follow | None = None


class PartPort(Place, frozen=True):
    """A place where another part can be fastened; its z axis points out of the part."""

    on: str = ""
    """The item it is on; may be left out when there is only one."""
    kind: str = "any"
    """The mechanical interface; ports of the same kind fit, and `any` fits all."""
    gender: Literal["male", "female"] | None = None
    note: str = ""
    """Why the port is not on the surface, where it is not."""


class PartFrame(Place, frozen=True):
    """A named frame on an item, such as a flange or a tool centre point; it moves with the item."""

    on: str = ""
    """The item it is on; may be left out when there is only one."""


class Device(Strict, frozen=True):
    """What the part can do besides move: sense or grip."""

    sensor: str | None = None
    """A kind of `rck.model.DeviceKind`, or one that a plugin knows."""
    gripper: str | None = None
    """The same without its ending `-gripper`."""
    port: str = ""
    """The port that it looks or grips from, along z."""
    joints: list[str] = []
    """The joints that close a gripper, the leading one first, or whose position a sensor tells."""
    figures: dict[str, Quantity] = {}
    """Its own, where they are not those of the part, which describe the first device."""
    settings: dict[str, float | str | bool] = {}
    """Options of the plugin that serves its kind, by name, as users would type them."""


class DHRow(Strict, frozen=True):
    """One row of a Denavit-Hartenberg table; the joint's own variable is added to theta or d."""

    joint: str
    theta: Quantity = 0.0
    d: Quantity = 0.0
    a: Quantity = 0.0
    alpha: Quantity = 0.0


class DHTable(Strict, frozen=True):
    """The published Denavit-Hartenberg parameters of a whole arm."""

    convention: Literal["standard", "modified"]
    rows: list[DHRow]
    tip: str
    """The port whose frame the last row reaches."""
    source: str
    base: Place = Place()
    """The first frame of the table in the part's frame."""
    tool: Place = Place()
    """The tip port in the last frame of the table."""


class Manifest(Strict, frozen=True):
    """A part."""

    part: str
    """Its id: `vendor-or-family/name`."""
    name: str
    category: str
    summary: str
    source: str | list[str]
    """Where the figures are from."""
    items: dict[str, PartItem]
    vendor: str = ""
    approximate: bool = False
    """Whether the shape is simplified."""
    units: Units = Units()
    parameters: dict[str, Parameter] = {}
    joints: dict[str, PartJoint] = {}
    ports: dict[str, PartPort] = {}
    frames: dict[str, PartFrame] = {}
    devices: dict[str, Device] = {}
    figures: dict[str, Quantity] = {}
    brakes: bool | None = None
    """Whether joints hold still without power; left out where the source does not say."""
    tags: list[str] = []
    dh: DHTable | None = None
    notes: str = ""
