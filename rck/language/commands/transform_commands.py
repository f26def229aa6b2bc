"""Commands that move, rotate, scale and mirror instances."""

from rck.assembly import edits
from rck.assembly.modifiers import LARGEST, SMALLEST
from rck.geometry.arrays import Floats
from rck.geometry.transforms import from_euler, from_point_pairs, rotation_about, translation
from rck.grammar import Argument, Arguments, CommandOption, ValueKind
from rck.hooks import Command
from rck.language.argument_values import (
    parse_angle,
    parse_angles,
    parse_axis,
    parse_number,
    parse_numbers,
    parse_points,
    parse_vector,
)
from rck.language.document import Document
from rck.language.instance_placement import put_at
from rck.language.lookup import read_instance
from rck.model import RckError
from rck.model.quantities import Quantities, direction


def _move(document: Document, arguments: Arguments) -> tuple[Document, str]:
    name = read_instance(document, arguments)
    step = arguments.read("vector", lambda text: Quantities(document.units).point(parse_vector(text)))
    pose = document.poses.world_from_part(name)
    if arguments.has("to"):
        pose[:3, 3] = step
    else:
        pose = translation(step) @ pose
    return put_at(document, name, pose), f"moved {name}"


def _rotate(document: Document, arguments: Arguments) -> tuple[Document, str]:
    name = read_instance(document, arguments)
    pose = document.poses.world_from_part(name)
    motion = _rotation(arguments, Quantities(document.units), pose)
    return put_at(document, name, motion @ pose), f"rotated {name}"


_METHODS = {"angle": ("axis", "about"), "euler": ("order", "about"), "from": ("to",)}
"""The option that selects each way to specify a rotation, and the options that belong to it."""


def _rotation(arguments: Arguments, read: Quantities, pose: Floats) -> Floats:
    """Return the motion in the world, shape (4, 4): by axis and angle, Euler angles, or three point pairs."""
    methods = [method for method in _METHODS if arguments.has(method)]
    if len(methods) != 1:
        at = methods[-1] if methods else "instance"
        raise arguments.refuse("give one of: --angle (with --axis), --euler, or --from and --to", at)
    for option in ("axis", "about", "order", "to"):
        if arguments.has(option) and option not in _METHODS[methods[0]]:
            raise arguments.refuse(f"--{option} cannot be combined with --{methods[0]}", option)
    if methods[0] == "from":
        sources, targets = (
            [read.point(point) for point in arguments.read(name, parse_points)] for name in ("from", "to")
        )
        with arguments.pointing("from"):
            return from_point_pairs(sources, targets)
    point = arguments.read_option("about", lambda text: read.point(parse_vector(text)), pose[:3, 3])
    if methods[0] == "angle":
        axis = direction(arguments.read_option("axis", parse_axis, "z"))
        return rotation_about(axis, arguments.read("angle", lambda text: read.angle(parse_angle(text))), point)
    angles = arguments.read("euler", lambda text: [read.angle(angle) for angle in parse_angles(text)])
    with arguments.pointing("order"):
        turn = from_euler(angles, arguments.option("order") or "xyz")
    return translation(point) @ turn @ translation(-point)


def parse_scale(text: str) -> float | tuple[float, float, float] | None:
    """Parse a scale: one factor, or one for each axis; return None for 1."""
    scale = parse_numbers(text) if "," in text else parse_number(text)
    if not all(SMALLEST <= factor <= LARGEST for factor in (scale if isinstance(scale, tuple) else (scale,))):
        raise RckError(f"a scale factor must be between {SMALLEST:g} and {LARGEST:g}")
    return None if scale in (1.0, (1.0, 1.0, 1.0)) else scale


def _scale(document: Document, arguments: Arguments) -> tuple[Document, str]:
    name = read_instance(document, arguments)
    scale = arguments.read("factor", parse_scale)
    return document.with_assembly(edits.set_instance(document.assembly, name, scale=scale)), f"scaled {name}"


def _mirror(document: Document, arguments: Arguments) -> tuple[Document, str]:
    name = read_instance(document, arguments)
    axis = arguments.text("axis")
    present = document.assembly.parts[name].mirror
    if present not in (None, axis):
        message = f"{name} is already mirrored along {present}; undo that first: mirror {name} {present}"
        raise arguments.refuse(message, "axis")
    mirrored = edits.set_instance(document.assembly, name, mirror=None if present else axis)
    return document.with_assembly(mirrored), f"mirrored {name}"


COMMANDS = (
    Command(
        "move",
        "move an instance together with everything attached to it",
        (Argument("instance", ValueKind.INSTANCE), Argument("vector", ValueKind.VECTOR)),
        (CommandOption("to", "move to this position instead of by this distance"),),
        "The vector is in the world frame. A mated instance keeps its mate and gets an offset.",
        ("move base 0,0,50", "move table 1000,0,0 --to"),
        aliases=("translate",),
        run=_move,
    ),
    Command(
        "rotate",
        "rotate an instance together with everything attached to it",
        (Argument("instance", ValueKind.INSTANCE),),
        (
            CommandOption("angle", "rotation angle", ValueKind.ANGLE),
            CommandOption("axis", "rotation axis (default: z)", ValueKind.AXIS),
            CommandOption("about", "point on the axis (default: origin of the instance)", ValueKind.VECTOR),
            CommandOption("euler", "three Euler angles", ValueKind.VECTOR),
            CommandOption(
                "order",
                "axes of the Euler angles; lower case for fixed, upper case for rotating axes (default: xyz)",
                ValueKind.TEXT,
            ),
            CommandOption("from", "three source points, separated by semicolons", ValueKind.POINTS),
            CommandOption("to", "target points of --from", ValueKind.POINTS),
        ),
        "Specify the rotation by axis, point and angle, by Euler angles, or by three pairs of points. Point pairs may"
        " also move the instance.",
        (
            "rotate base --angle 45",
            "rotate arm --angle 90deg --axis x --about 0,0,300",
            "rotate arm --euler 0,90,0",
            "rotate plate --from '0,0,0; 1,0,0; 0,1,0' --to '5,0,0; 5,1,0; 4,0,0'",
        ),
        run=_rotate,
    ),
    Command(
        "scale",
        "scale an instance",
        (Argument("instance", ValueKind.INSTANCE), Argument("factor", ValueKind.NUMBER)),
        details="Give one factor, or one for each axis of the instance; 1 is the original size. The density stays the"
        " same, and attached instances follow the ports. For parametric parts, use `set INSTANCE length=...` instead.",
        examples=("scale cube 2", "scale plate 1,1,0.5"),
        run=_scale,
    ),
    Command(
        "mirror",
        "replace an instance by its mirror image, or a mirror image by the original",
        (Argument("instance", ValueKind.INSTANCE), Argument("axis", ValueKind.CHOICE, choices=("x", "y", "z"))),
        details="The axis is an axis of the instance, normal to the mirror plane. Use `copy --branch --mirror` to"
        " mirror a whole branch.",
        examples=("mirror bracket x",),
        run=_mirror,
    ),
)
