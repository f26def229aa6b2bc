"""Writing the drawing with ezdxf, in millimetres, and the recipe that tells the importer the rest."""

import io
import re
from collections.abc import Iterator
from typing import Any

from rck.exporting import lost, some
from rck.exporting.losses import lost_by_all, moving_joints
from rck.geometry.mesh import faces_of
from rck.geometry.transforms import apply
from rck.hooks import Exported, Job, Recipe, RecipeJoint, Values
from rck.hooks.recipe import ENDING, recipe_bytes
from rck.model import Colour, Finding, Joint, JointKind, Robot, Severity, Subitem
from rck.model.units import format_quantity, position_unit
from rck_export_dxf.plan import DrawnJoint, Plan, plan_of

_MILLIMETRES = 1000.0
_INSUNITS_MM = 4

# What ezdxf writes of the hour and the file would make every export another.
_HOURS = re.compile(r"(\$TDU?(?:CREATE|UPDATE)\n 40\n)[^\n]*")
_IDENTITIES = re.compile(r"(\$(?:FINGERPRINT|VERSION)GUID\n  2\n)[^\n]*")
_STAMPS = re.compile(r"(?<=\d) @ \d{4}-\d\d-\d\dT[^\n]*")


def write(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    """The drawing and its recipe, and what they could not hold."""
    plan = plan_of(robot)
    if not plan.layers:
        return Exported(findings=(Finding(507, Severity.ERROR, name, "there is no shape to draw"),))
    if plan.adrift:
        message = f"nothing on one side of a joint has a shape: {some(plan.adrift)}"
        return Exported(findings=(Finding(507, Severity.ERROR, name, message, "give the item a shape"),))
    job.progress(0.3, "shapes")
    files = {name: _drawing(plan, values.get("faces", "mesh")).encode()}
    if values.get("recipe", True):
        files[f"{name}{ENDING}"] = recipe_bytes(name, _recipe(plan))
    return Exported(files, tuple(_losses(plan, name, recipe=len(files) > 1)))


def _drawing(plan: Plan, faces: str) -> str:
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
        for piece in item.subitems:
            corners = (_MILLIMETRES * apply(item.pose, piece.shape.vertices)).tolist()
            _add_piece(space, piece, corners, layer, faces)
    for drawn in plan.joints:
        document.layers.add(drawn.layer, color=1)
        start, end = (_MILLIMETRES * drawn.line).tolist()
        space.add_line(start, end, dxfattribs={"layer": drawn.layer})
    text = io.StringIO()
    document.write(text)
    return _STAMPS.sub("", _IDENTITIES.sub(rf"\g<1>{{{'0' * 8}}}", _HOURS.sub(r"\g<1>2451544.5", text.getvalue())))


def _add_piece(space: Any, piece: Subitem, corners: list[list[float]], layer: str, faces: str) -> None:
    look: dict[str, Any] = {"layer": layer, "true_color": _rgb(piece.colour)}
    if faces == "mesh":
        mesh = space.add_mesh(dxfattribs=look)
        with mesh.edit_data() as data:
            data.vertices, data.faces = corners, list(faces_of(piece.shape))
        made = [mesh]
    else:
        made = [space.add_3dface([corners[i] for i in face], dxfattribs=look) for face in _small_faces(piece)]
    if piece.colour[3] < 1.0:
        for entity in made:
            entity.transparency = 1.0 - piece.colour[3]


def _small_faces(piece: Subitem) -> Iterator[list[int]]:
    """The faces in pieces of three or four corners."""
    for face in faces_of(piece.shape):
        corners = list(face)
        for first in range(1, len(corners) - 1, 2):
            yield [corners[0], *corners[first : first + 3]]


def _rgb(colour: Colour) -> int:
    red, green, blue = (round(255 * channel) for channel in colour[:3])
    return red << 16 | green << 8 | blue


def _recipe(plan: Plan) -> Recipe:
    """What the drawing cannot say: which items a joint connects, its range, and what items weigh."""
    return Recipe(
        options={"group": "layer", "gap": "0.001 mm", "hole-ports": False},
        joints={drawn.name: _recipe_joint(drawn) for drawn in plan.joints},
        masses={plan.layers[item.name]: _mass(item.mass) for item in plan.robot.items if item.name in plan.layers},
    )


def _mass(kilograms: float) -> str:
    return format_quantity(kilograms, "mass", "kg", digits=12)


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


def _losses(plan: Plan, where: str, *, recipe: bool) -> Iterator[Finding]:
    """What neither the drawing nor its recipe has a place for."""
    robot = plan.robot
    moving = moving_joints(robot)
    if not recipe:
        yield lost(where, "masses, and the items and limits of joints, are left out: they stand in the recipe")
    elif any(item.given_mass is not None for item in robot.items):
        yield lost(where, "centres of mass and inertias are left out; those of the shapes take their place")
    if shapeless := [item.name for item in robot.items if not item.subitems]:
        yield lost(where, f"items without a shape are left out: {some(shapeless)}", matters=True)
    if looks := [item.name for item in robot.items if item.visuals]:
        yield lost(where, f"of items that look otherwise than they collide, only what collides is drawn: {some(looks)}")
    if not recipe and (shifted := [joint.name for joint in moving if joint.position != 0.0]):
        yield lost(where, f"positions are counted from where joints are drawn: {some(shifted)}", matters=True)
    if followers := [joint.name for joint in moving if joint.mimic is not None]:
        yield lost(where, f"joints that follow others are free: {some(followers)}", matters=True)
    if endless := [joint.name for joint in moving if joint.kind is JointKind.PRISMATIC and joint.limits is None]:
        yield lost(
            where, f"joints that slide without limits get the length of their line: {some(endless)}", matters=True
        )
    if any(joint.speed is not None or joint.effort is not None for joint in moving):
        yield lost(where, "speeds and efforts of joints are left out")
    if any(joint.damping or joint.friction for joint in moving):
        yield lost(where, "damping and friction of joints are left out")
    if robot.frames:
        yield lost(where, f"frames are left out: {some(frame.name for frame in robot.frames)}")
    if robot.devices:
        yield lost(where, f"sensors and grippers are left out: {some(device.name for device in robot.devices)}")
    if loose := [item.name for item in robot.items if item.mobile]:
        yield lost(where, f"what may be pushed along stands fast: {some(loose)}")
    yield from lost_by_all(robot, where)
