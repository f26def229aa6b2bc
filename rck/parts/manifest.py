"""Typed values of a part manifest; `docs/parts.md` describes the format."""

from typing import Any, Literal, TypeAlias

from rck.model.joint_spec import JointSpec
from rck.model.origin import Electrical, Price
from rck.model.quantities import Axis, Pair, PoseSpec, Quantity, Triple, Units
from rck.parts.assets import Asset
from rck.parts.interface_spec import InterfaceSpec
from rck.support.typed_yaml import Strict

Status: TypeAlias = Literal["published", "identified", "measured", "derived", "drawn"]
"""The origin of a figure: stated by a document, identified from motions of the real arm, measured, computed from other
figures, or computed from the drawn shapes."""

ExtensionSpec: TypeAlias = dict[str, dict[str, str]]
"""Data of a file format that RCK does not interpret, by format and attribute; exports to that format write it."""


class Parameter(Strict, frozen=True):
    """A number that the user can choose; `default`, `min`, `max` and `step` are in its unit."""

    default: float
    min: float
    max: float
    unit: str = ""
    """Empty for counts. It gives the dimension: numbers in an assembly are in the unit of the assembly."""
    step: float | None = None
    """Values must be multiples of it; counts have step 1."""
    summary: str = ""


class Hole(Strict, frozen=True):
    """A hole in a plate: round or a contour; single, in a grid, or on a circle."""

    diameter: Quantity | None = None
    contour: list[Pair] | None = None
    at: Pair = (0.0, 0.0)
    grid: tuple[float, float] | None = None
    """Columns and rows, centred on `at`."""
    pitch: Pair | None = None
    """Distance of columns and of rows."""
    ring: float | None = None
    """Number of holes, evenly spaced on a circle about `at`."""
    circle: Quantity | None = None
    """The diameter of that circle."""
    start: Quantity = 0.0
    """The angle of the first hole on the circle."""
    segments: int | None = None
    """Sides of a round hole (default: those of the shape)."""


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
    """A ring around z: diameter of the centre line, and diameter of the section."""

    diameter: Quantity
    section: Quantity


class Prism(Strict, frozen=True):
    """A contour extruded along z, centred, with holes."""

    height: Quantity
    contour: list[Pair] | None = None
    sides: float | None = None
    """Instead of a contour: number of sides of a regular polygon."""
    diameter: Quantity | None = None
    """Circumscribed circle of the polygon; without `sides`, diameter of a disc."""
    rectangle: Pair | None = None
    """Instead of a contour: a rectangle, centred."""
    corner: Quantity = 0.0
    """Radius of the rectangle's corners."""
    holes: list[Hole] = []


class Revolve(Strict, frozen=True):
    """A contour of (radius, height) points, revolved about z."""

    contour: list[Pair]
    angle: Quantity = 360.0


class Shape(PoseSpec, frozen=True):
    """One solid of an item. Give exactly one of the shape keys; all shapes are centred at `at`."""

    box: Triple | None = None
    cylinder: Cylinder | None = None
    cone: Cone | None = None
    sphere: Quantity | None = None
    """Its diameter."""
    ellipsoid: Triple | None = None
    """Its three diameters."""
    capsule: Cylinder | None = None
    """`length` includes both round ends."""
    torus: Torus | None = None
    tube: Tube | None = None
    wedge: Triple | None = None
    """A box whose height falls to 0 at +x."""
    prism: Prism | None = None
    revolve: Revolve | None = None
    hull: list[Triple] | None = None
    mesh: str | None = None
    """A mesh file, relative to the manifest."""
    pieces: Asset | None = None
    """Convex pieces, in the frame of the part and in metres, in a file next to the document."""
    scale: float = 1.0
    """Scale of the mesh: from units of the file to the length unit of the manifest."""
    segments: int = 24
    """Sides of round shapes."""
    colour: str | None = None
    name: str = ""
    friction: float | None = None
    """Coefficient of sliding friction (default: that of the item)."""
    groups: tuple[int, int] | None = None
    """Contact groups that it is in, and that it tests, as sums of powers of two (default: [1, 1])."""
    extensions: ExtensionSpec = {}
    repeat: float = 1
    """Number of copies in a row with step `by`, centred at `at`."""
    by: Triple = (0.0, 0.0, 0.0)


SHAPES = (
    "box", "cylinder", "cone", "sphere", "ellipsoid", "capsule", "torus", "tube", "wedge", "prism", "revolve",
    "hull", "mesh", "pieces",
)  # fmt: skip
"""The keys of :class:`Shape`; exactly one is given."""


class VisualShape(Shape, frozen=True):
    """A surface that is displayed: a shape, or the triangles of a file. Collision and mass do not use it."""

    surface: Asset | None = None
    """A surface, in the frame of the part and in metres, in a file next to the document."""
    texture: Asset | None = None
    """An image; the surface has the points of the image that its corners show."""
    roughness: float | None = None
    """From 0, a mirror, to 1, matt."""
    metallic: float | None = None
    """From 0, an insulator, to 1, a metal."""
    material: str = ""


class PartItem(Strict, frozen=True):
    """A rigid body of the part. Shapes are in the frame of the part, with all joints at `position`."""

    shapes: list[Shape] = []
    frame: PoseSpec | None = None
    """The frame of the item, in the frame of the part. Default: origin on the axis of the joint that moves the item,
    axes of the part; for an item that no joint moves, the frame of the part."""
    mass: Quantity | None = None
    """Mass, distributed evenly over the shapes; or give a material or a density."""
    material: str | None = None
    density: float | None = None
    """In kg/m3."""
    centre: Triple | None = None
    """Centre of mass, if the data sheet gives it."""
    inertia: tuple[float, float, float, float, float, float] | None = None
    """About the centre of mass: xx, yy, zz, xy, xz, yz in kg m2."""
    inertia_frame: Literal["part", "item"] = "part"
    """The frame that `centre` and `inertia` are given in; robot descriptions give them in that of the item."""
    mass_status: Status | None = None
    """The origin of its mass (default: that of the part)."""
    colour: str = "#b2b2b8"
    mobile: bool = False
    friction: float | None = None
    """Coefficient of sliding friction (default: that of the material)."""
    visuals: list[VisualShape] = []
    """Displayed instead of the shapes."""
    source_name: str = ""
    """The name in the file that it was imported from, which exports use again."""
    extensions: ExtensionSpec = {}


class Follow(Strict, frozen=True):
    """This joint's position = ratio * (that joint's) + offset."""

    joint: str
    ratio: float = 1.0
    offset: Quantity = 0.0


class PartJoint(JointSpec, frozen=True, kw_only=True):
    """A joint of the part."""

    base: str
    """The item that carries the joint."""
    moves: str | list[str]
    """The items that the joint moves."""
    fixed: Axis | None = None
    """Instead of the other kinds of joint."""
    at: Triple = (0.0, 0.0, 0.0)
    """A point of the axis, in the part's frame."""
    position: Quantity = 0.0
    """The joint position at which the shapes are drawn."""
    follows: Follow | None = None
    source_name: str = ""
    """The name in the file that it was imported from, which exports use again."""
    extensions: ExtensionSpec = {}


class ActuatorSpec(Strict, frozen=True):
    """A motor of the part; numbers without a unit are in SI units.

    Its force is gain * control + bias[0] + bias[1] * position + bias[2] * velocity. A position actuator with a torque
    and without a bias gets the gains of a servo.
    """

    kind: Literal["motor", "position", "velocity", "dcmotor", "general"] = "motor"
    joint: str = ""
    """The joint that it drives."""
    tendon: str = ""
    """Instead of a joint: the tendon that it drives."""
    frame: str = ""
    """Instead of a joint: the frame or item that it acts on, as a thruster does."""
    gear: float = 1.0
    gain: float = 1.0
    bias: tuple[float, float, float] = (0.0, 0.0, 0.0)
    force: tuple[float, float] | None = None
    """Range of the force before the gear, in N or N m."""
    control: tuple[float, float] | None = None
    """Range of the control signal."""
    figures: dict[str, float] = {}
    """Figures of the motor before `gear`, in SI units; those of the part apply to the first actuator."""
    extensions: ExtensionSpec = {}


class TendonSpec(Strict, frozen=True):
    """A fixed tendon: its length is a weighted sum of joint positions. Numbers are in SI units."""

    joints: dict[str, float]
    """The coefficient of each joint."""
    limits: tuple[float, float] | None = None
    stiffness: float = 0.0
    spring_length: float | None = None
    damping: float = 0.0
    friction: float = 0.0
    armature: float = 0.0
    extensions: ExtensionSpec = {}


class LoopSpec(Strict, frozen=True):
    """A constraint that closes a chain of joints."""

    kind: Literal["connect", "weld", "revolute", "prismatic"]
    items: tuple[str, str]
    frames: tuple[PoseSpec, PoseSpec]
    """The frames that are held together, each in the frame of its item."""
    extensions: ExtensionSpec = {}


class PartPort(PoseSpec, frozen=True):
    """A mechanical interface, where another part can be attached; its z axis points out of the part."""

    on: str = ""
    """The item that it is on; optional if there is only one."""
    type: str = "any"
    """The port type; ports of the same type fit, and `any` fits all."""
    gender: Literal["male", "female"] | None = None
    note: str = ""
    """The reason, if the port is not on the surface."""
    interface: InterfaceSpec | None = None
    """The geometry of this port (default: that of its type)."""


class PartFrame(PoseSpec, frozen=True):
    """A named frame on an item, such as a flange or a tool centre point; it moves with the item."""

    on: str = ""
    """The item that it is on; optional if there is only one."""
    source_name: str = ""
    """The name in the file that it was imported from, which exports use again."""
    extensions: ExtensionSpec = {}


class DeviceSpec(Strict, frozen=True):
    """A sensor or gripper of the part."""

    sensor: str | None = None
    """The kind of sensor: one of `rck.model.DeviceKind`, or that of a plugin."""
    gripper: str | None = None
    """The kind of gripper, without the ending `-gripper`."""
    port: str = ""
    """The port at which it senses or grips, along z."""
    on: str = ""
    """Instead of a port: the item that it is on."""
    pose: PoseSpec | None = None
    """Its pose in the frame of that item."""
    joints: list[str] = []
    """The joints that close a gripper, leading joint first, or that a sensor measures."""
    figures: dict[str, Quantity] = {}
    """Figures of this device; those of the part apply to the first device."""
    settings: dict[str, float | str | bool] = {}
    """Options of the plugin for its kind, by name, as the user would type them."""
    source_name: str = ""
    """The name in the file that it was imported from, which exports use again."""
    extensions: ExtensionSpec = {}


class DHRowSpec(Strict, frozen=True):
    """One row of a Denavit-Hartenberg table; the joint variable is added to theta or d."""

    joint: str
    theta: Quantity = 0.0
    d: Quantity = 0.0
    a: Quantity = 0.0
    alpha: Quantity = 0.0


class DHTable(Strict, frozen=True):
    """The published Denavit-Hartenberg parameters of a whole arm."""

    convention: Literal["standard", "modified"]
    rows: list[DHRowSpec]
    tip: str
    """The port whose frame the last row reaches."""
    source: str
    base: PoseSpec = PoseSpec()
    """The first frame of the table in the part's frame."""
    tool: PoseSpec = PoseSpec()
    """The tip port in the last frame of the table."""


class PartSpec(Strict, frozen=True):
    """Items, joints, ports, frames and devices of a part, as manifests and assemblies state them."""

    items: dict[str, PartItem]
    units: Units = Units()
    joints: dict[str, PartJoint] = {}
    ports: dict[str, PartPort] = {}
    frames: dict[str, PartFrame] = {}
    devices: dict[str, DeviceSpec] = {}
    actuators: dict[str, ActuatorSpec] = {}
    tendons: dict[str, TendonSpec] = {}
    loops: dict[str, LoopSpec] = {}
    poses: dict[str, dict[str, Quantity]] = {}
    """Named poses: positions of joints."""
    pose_extensions: dict[str, ExtensionSpec] = {}
    """Data of a file format about a pose beyond the positions, by pose."""
    extensions: ExtensionSpec = {}
    """Data of a file format about the whole model, such as the options of a simulator."""


class SourceSpec(Strict, frozen=True):
    """A document that figures of a part come from."""

    document: str
    publisher: str = ""
    revision: str = ""
    date: str = ""
    """Such as `2024-05` or `2024-05-31`; of the document, or of the day on which it was read."""
    address: str = ""
    """Web address, such as that of the repository."""
    figures: list[str] = []
    """The figures that it gives, as in `status`."""

    @property
    def title(self) -> str:
        """Publisher, document, revision and date, as far as they are known."""
        about = [self.publisher, self.document, self.revision and f"revision {self.revision}", self.date]
        return ", ".join(text for text in about if text)


class Manifest(PartSpec, frozen=True, kw_only=True):
    """A part of the catalogue."""

    part: str
    """Its id: `vendor-or-family/name`."""
    name: str
    category: str
    summary: str
    source: str | list[str] = []
    """Source of the figures as text; `sources` says more."""
    sources: list[SourceSpec] = []
    """The documents that the figures come from."""
    status: dict[str, Status] = {}
    """The origin of figures, by name: those of the data sheet, and `mass`, `centre`, `inertia`, `limits` and so on."""
    vendor: str = ""
    approximate: bool = False
    """True if the shape is simplified."""
    parameters: dict[str, Parameter] = {}
    values: dict[str, float] = {}
    """Numbers that other expressions use by name; each may use the parameters and the values before it."""
    figures: dict[str, Quantity] = {}
    electrical: Electrical = Electrical()
    """Supply, currents, bus and connectors."""
    price: Price | None = None
    """List price when the data was taken."""
    brakes: bool | None = None
    """True if the joints hold without power; None if the source does not say."""
    tags: list[str] = []
    dh: DHTable | None = None
    notes: str = ""

    @property
    def first_source(self) -> str:
        """The first source in one line, also where only `sources` states it; empty without sources."""
        texts = [self.source] if isinstance(self.source, str) else self.source
        return next((text for text in (*texts, *(source.title for source in self.sources)) if text), "")


def upgrade_ports(part: Any) -> None:
    """Rename the `kind` of ports to `type` in the data of a part, as older files have it."""
    ports = part.get("ports") if isinstance(part, dict) else None
    for port in ports.values() if isinstance(ports, dict) else ():
        if isinstance(port, dict) and "kind" in port and "type" not in port:
            port["type"] = port.pop("kind")


def upgrade_price(part: Any) -> None:
    """Move the figure `price` of a manifest, in USD, to the key `price`, as older files have it."""
    figures = part.get("figures")
    if isinstance(figures, dict) and "price" in figures and "price" not in part:
        part["price"] = {"amount": figures.pop("price")}
