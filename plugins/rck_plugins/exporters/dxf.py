"""Exporter of DXF drawings, in millimetres: a layer per item, a line per joint, and an import recipe.

RCK's DXF importer reads the drawing and its recipe as the same robot.
"""

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rck.exporting.losses import list_names, loss
from rck.geometry.arrays import Floats
from rck.geometry.mesh import faces_of
from rck.geometry.transforms import apply
from rck.hooks import Exported, Exporter, Job, Option, Recipe, RecipeJoint, Values, hookimpl
from rck.hooks.recipe import ENDING, recipe_bytes
from rck.model import Colour, Feature, Finding, Gap, Item, Joint, JointKind, Robot, Severity, Subitem
from rck.support.names import legal_names
from rck.support.units import format_quantity, position_unit

FACES = ("mesh", "3dface")
"""The entities that shapes can be written as."""

SHORTEST = 1e-3
"""The shortest line that is drawn for an axis, in metres; a shorter one would be invisible."""

_LETTERS = {JointKind.REVOLUTE: "R", JointKind.CONTINUOUS: "C", JointKind.PRISMATIC: "P", JointKind.FIXED: "F"}
_MILLIMETRES = 1000.0
_INSUNITS_MM = 4

# ezdxf writes times and random identifiers, which would make the bytes of every export different.
_TIMES = re.compile(r"(\$TDU?(?:CREATE|UPDATE)\n 40\n)[^\n]*")
_IDENTIFIERS = re.compile(r"(\$(?:FINGERPRINT|VERSION)GUID\n  2\n)[^\n]*")
_STAMPS = re.compile(r"(?<=\d) @ \d{4}-\d\d-\d\dT[^\n]*")

_KEEPS = frozenset({
    Feature.SHAPES, Feature.COLLISION_SHAPES, Feature.COLOURS, Feature.OPACITY, Feature.SUBITEM_COLOURS, Feature.NAMES,
    Feature.MASSES, Feature.JOINTS, Feature.JOINT_LIMITS, Feature.JOINT_POSITIONS,
})  # fmt: skip
_IN_RECIPE: Mapping[Feature | Gap, tuple[str, ...]] = dict.fromkeys(
    (Feature.MASSES, Feature.JOINT_LIMITS, Feature.JOINT_POSITIONS), ("recipe=yes",)
)
_FILLS = {Gap.PRISMATIC_LIMITS: "get the length of their line as range"}


@hookimpl
def rck_exporters() -> list[Exporter]:
    """Return the exporter of DXF drawings."""
    options = (
        Option("faces", "entities for shapes: MESH, or the more common 3DFACE", "choice", "mesh", FACES),
        Option("recipe", "write the import recipe, which RCK needs to read the same robot", "flag", True),
    )
    summary = "AutoCAD drawing: a layer per item, joints on JOINT layers"
    return [Exporter("dxf", summary, (".dxf",), write, "robot", options, _KEEPS, "DXF", _IN_RECIPE, _FILLS)]


@dataclass(frozen=True, eq=False)
class DrawnJoint:
    """A joint that is drawn as a line on a layer of its own."""

    layer: str
    """Such as JOINT_R_elbow."""
    name: str
    """The name that the importer gives it."""
    joint: Joint
    base: str
    """The layer of the base item."""
    moves: tuple[str, ...]
    """The layers of the moved items."""
    line: Floats
    """The two ends of the axis, in metres. Shape (2, 3)."""


@dataclass(frozen=True, eq=False)
class DrawingPlan:
    """The layers of a robot."""

    robot: Robot
    layers: Mapping[str, str]
    """The layer of each item that has a shape."""
    joints: tuple[DrawnJoint, ...]
    undrawable: tuple[str, ...]
    """The joints that cannot be drawn because nothing on one of their sides has a shape."""


def write(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    """Write the drawing and its import recipe."""
    plan = plan_drawing(robot)
    if not plan.layers:
        return Exported(findings=(Finding(507, Severity.ERROR, name, "the robot has no shape to draw"),))
    if plan.undrawable:
        message = f"nothing on one side of these joints has a shape: {list_names(plan.undrawable)}"
        return Exported(findings=(Finding(507, Severity.ERROR, name, message, "give the item a shape"),))
    job.progress(0.3, "shapes")
    files = {name: _drawing(plan, values.get("faces", "mesh")).encode()}
    if values.get("recipe", True):
        files[f"{name}{ENDING}"] = recipe_bytes(name, _recipe(plan))
    shapeless = [item.name for item in robot.items if item.name not in plan.layers]
    message = f"items without a shape are not exported: {list_names(shapeless)}"
    return Exported(files, (loss(name, message, changes_behaviour=True),) if shapeless else ())


def plan_drawing(robot: Robot) -> DrawingPlan:
    """Assign layers to the items and joints of a robot."""
    item_layers = _item_layers([item for item in robot.items if item.subitems])
    wanted = [f"JOINT_{_LETTERS[joint.kind]}_{joint.name}" for joint in robot.joints]
    joint_layers = legal_names(wanted, taken=item_layers.values(), any_case=True)
    joints, undrawable = [], []
    for joint, layer in zip(robot.joints, joint_layers, strict=True):
        base = _substitute(robot, joint.base, item_layers)
        moves = tuple(name for name in joint.moves if name in item_layers)
        moves = moves or tuple(filter(None, [_substitute(robot, joint.moves[0], item_layers)]))
        if base is None or not moves:
            undrawable.append(joint.name)
            continue
        if base in moves:
            # The joint only holds items without a shape.
            continue
        line = _axis_line(joint, [robot.item(name) for name in moves], robot.item(base))
        name = layer.split("_", 2)[2]
        name = f"joint{name}" if name.isdigit() else name
        joints.append(DrawnJoint(layer, name, joint, item_layers[base], tuple(item_layers[one] for one in moves), line))
    return DrawingPlan(robot, item_layers, tuple(joints), tuple(undrawable))


def _item_layers(items: Sequence[Item]) -> dict[str, str]:
    """Return the layer of each item; the importer would read a layer named like a joint or port as one."""
    names = [f"item_{one.name}" if one.name.lower().startswith(("joint", "port")) else one.name for one in items]
    # On layer 0, the entities of a block take the layer of its insert.
    layers = legal_names(names, taken=("0", "Defpoints"), any_case=True)
    return {item.name: layer for item, layer in zip(items, layers, strict=True)}


def _substitute(robot: Robot, name: str, layers: Mapping[str, str]) -> str | None:
    """Return the item, or if it has no shape, an item of its rigid group that has one, its carriers first."""
    tree = robot.tree
    number: int | None = robot.item_index[name]
    group = tree.group_of_item[robot.item_index[name]]
    carriers: list[int] = []
    while number is not None and tree.group_of_item[number] == group:
        carriers.append(number)
        number = tree.parent_of_item[number]
    together = (robot.items[one].name for one in (*carriers, *tree.rigid_groups[group].items))
    return next((one for one in together if one in layers), None)


def _axis_line(joint: Joint, moves: Sequence[Item], base: Item) -> Floats:
    """Return the two ends of the line of a joint, in metres. Shape (2, 3).

    It is as long as the moved items, or as the range of a prismatic joint. That of a fixed joint connects the items.
    """
    corners = np.concatenate([_corners(item) for item in moves])
    if not joint.kind.moves:
        ends = np.array([_corners(base).mean(axis=0), corners.mean(axis=0)])
        if np.linalg.norm(ends[1] - ends[0]) < SHORTEST:
            ends[1] = ends[0] + (0.0, 0.0, SHORTEST)
        return ends
    start, direction = np.array(joint.start), joint.direction
    heights = (corners - start) @ direction
    low, high = float(heights.min()), float(heights.max())
    if joint.kind is JointKind.PRISMATIC and joint.limits is not None:
        high = low + joint.limits.upper - joint.limits.lower
    return np.array([start + low * direction, start + max(high, low + SHORTEST) * direction])


def _corners(item: Item) -> Floats:
    return apply(item.pose, np.concatenate([subitem.shape.vertices for subitem in item.subitems]))


def _drawing(plan: DrawingPlan, faces: str) -> str:
    import ezdxf

    document = ezdxf.new("R2010")
    document.header["$INSUNITS"] = _INSUNITS_MM
    document.header["$MEASUREMENT"] = 1
    space = document.modelspace()
    for item in plan.robot.items:
        if item.name not in plan.layers:
            continue
        layer = plan.layers[item.name]
        document.layers.add(layer, true_color=_rgb(item.subitems[0].colour))
        for subitem in item.subitems:
            corners = (_MILLIMETRES * apply(item.pose, subitem.shape.vertices)).tolist()
            _add_subitem(space, subitem, corners, layer, faces)
    for drawn in plan.joints:
        document.layers.add(drawn.layer, color=1)
        start, end = (_MILLIMETRES * drawn.line).tolist()
        space.add_line(start, end, dxfattribs={"layer": drawn.layer})
    text = io.StringIO()
    document.write(text)
    return _STAMPS.sub("", _IDENTIFIERS.sub(rf"\g<1>{{{'0' * 8}}}", _TIMES.sub(r"\g<1>2451544.5", text.getvalue())))


def _add_subitem(space: Any, subitem: Subitem, corners: list[list[float]], layer: str, faces: str) -> None:
    attributes: dict[str, Any] = {"layer": layer, "true_color": _rgb(subitem.colour)}
    if faces == "mesh":
        mesh = space.add_mesh(dxfattribs=attributes)
        with mesh.edit_data() as data:
            data.vertices, data.faces = corners, list(faces_of(subitem.shape))
        entities = [mesh]
    else:
        entities = [
            space.add_3dface([corners[i] for i in face], dxfattribs=attributes) for face in _small_faces(subitem)
        ]
    if subitem.colour[3] < 1.0:
        for entity in entities:
            entity.transparency = 1.0 - subitem.colour[3]


def _small_faces(subitem: Subitem) -> Iterator[list[int]]:
    """Yield the faces, divided into triangles and quadrilaterals."""
    for face in faces_of(subitem.shape):
        corners = list(face)
        for first in range(1, len(corners) - 1, 2):
            yield [corners[0], *corners[first : first + 3]]


def _rgb(colour: Colour) -> int:
    red, green, blue = (round(255 * channel) for channel in colour[:3])
    return red << 16 | green << 8 | blue


def _recipe(plan: DrawingPlan) -> Recipe:
    """Return what a drawing cannot store: the items and limits of joints, and the masses."""
    return Recipe(
        options={"group": "layer", "gap": "0.001 mm", "hole-ports": False},
        joints={drawn.name: _recipe_joint(drawn) for drawn in plan.joints},
        masses={
            plan.layers[item.name]: format_quantity(item.mass, "mass", "kg", digits=12)
            for item in plan.robot.items
            if item.name in plan.layers
        },
    )


def _recipe_joint(drawn: DrawnJoint) -> RecipeJoint:
    moves: str | list[str] = drawn.moves[0] if len(drawn.moves) == 1 else list(drawn.moves)
    joint = drawn.joint
    position = _quantity(joint, joint.position) if joint.position != 0.0 else 0.0
    return RecipeJoint(kind=joint.kind.value, base=drawn.base, moves=moves, limits=_limits(joint), position=position)


def _limits(joint: Joint) -> tuple[str, str] | None:
    if joint.limits is None or joint.kind is JointKind.CONTINUOUS:
        return None
    return _quantity(joint, joint.limits.lower), _quantity(joint, joint.limits.upper)


def _quantity(joint: Joint, position: float) -> str:
    return format_quantity(position, *position_unit(joint.kind.turns), digits=15)
