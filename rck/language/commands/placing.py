"""Moving, turning, scaling and mirroring instances."""

from rck.assembly import edit
from rck.assembly.changed import LARGEST, SMALLEST
from rck.catalogue.quantities import Quantities, direction
from rck.geometry.arrays import Floats
from rck.geometry.transforms import from_euler, from_point_pairs, rotation_about, translation
from rck.language import values
from rck.language.grammar import Argument, Arguments, CommandSpec, Kind, Option
from rck.language.lookup import instance_in
from rck.language.placing import put_at, world_pose
from rck.language.session import Edited, Session
from rck.model import RckError


def _move(session: Session, arguments: Arguments) -> Edited:
    assembly = session.assembly
    name = instance_in(assembly, arguments)
    step = arguments.read("vector", lambda text: Quantities(assembly.units).point(values.vector(text)))
    pose = world_pose(session, assembly, name)
    if arguments.has("to"):
        pose[:3, 3] = step
    else:
        pose = translation(step) @ pose
    return put_at(session, assembly, name, pose), f"moved {name}"


def _rotate(session: Session, arguments: Arguments) -> Edited:
    assembly = session.assembly
    name = instance_in(assembly, arguments)
    pose = world_pose(session, assembly, name)
    turn = _turning(arguments, Quantities(assembly.units), pose)
    return put_at(session, assembly, name, turn @ pose), f"turned {name}"


_WAYS = {"angle": ("axis", "about"), "euler": ("order", "about"), "from": ("to",)}
"""The ways of saying how to turn, and the options that belong to each."""


def _turning(arguments: Arguments, read: Quantities, pose: Floats) -> Floats:
    """The motion of the world that a line asks for: axis and angle, Euler angles, or three point pairs."""
    ways = [way for way in _WAYS if arguments.has(way)]
    if len(ways) != 1:
        raise arguments.refuse(
            "give --angle (with --axis), --euler, or --from and --to", ways[-1] if ways else "instance"
        )
    for option in ("axis", "about", "order", "to"):
        if arguments.has(option) and option not in _WAYS[ways[0]]:
            raise arguments.refuse(f"--{option} does not go with --{ways[0]}", option)
    if ways[0] == "from":
        sources, targets = (
            [read.point(point) for point in arguments.read(name, values.points)] for name in ("from", "to")
        )
        with arguments.pointing("from"):
            return from_point_pairs(sources, targets)
    point = arguments.read_option("about", lambda text: read.point(values.vector(text)), pose[:3, 3])
    if ways[0] == "angle":
        axis = direction(arguments.read_option("axis", values.axis, "z"))
        return rotation_about(axis, arguments.read("angle", lambda text: read.angle(values.angle(text))), point)
    angles = arguments.read("euler", lambda text: [read.angle(one) for one in values.angles(text)])
    with arguments.pointing("order"):
        turn = from_euler(angles, arguments.option("order") or "xyz")
    return translation(point) @ turn @ translation(-point)


def factor(text: str) -> float | tuple[float, float, float] | None:
    """A scale: one number, or one for each axis; None for 1."""
    given = values.numbers(text) if "," in text else values.number(text)
    if not all(SMALLEST <= one <= LARGEST for one in (given if isinstance(given, tuple) else (given,))):
        raise RckError(f"a factor lies between {SMALLEST:g} and {LARGEST:g}")
    return None if given in (1.0, (1.0, 1.0, 1.0)) else given


def _scale(session: Session, arguments: Arguments) -> Edited:
    name = instance_in(session.assembly, arguments)
    scale = arguments.read("factor", factor)
    return edit.set_instance(session.assembly, name, scale=scale), f"scaled {name}"


def _mirror(session: Session, arguments: Arguments) -> Edited:
    name = instance_in(session.assembly, arguments)
    axis = arguments.text("axis")
    was = session.assembly.parts[name].mirror
    if was not in (None, axis):
        raise arguments.refuse(f"{name} is mirrored along {was}; mirror it along {was} again first", "axis")
    return edit.set_instance(session.assembly, name, mirror=None if was else axis), f"mirrored {name}"


COMMANDS = (
    CommandSpec(
        "move",
        "move an instance, with what stands on it",
        _move,
        (Argument("instance", Kind.INSTANCE), Argument("vector", Kind.VECTOR)),
        (Option("to", "to this place instead of by this much"),),
        "Along the axes of the world. A mated instance keeps its mate, with an offset.",
        ("move base 0,0,50", "move table 1000,0,0 --to"),
        aliases=("translate",),
    ),
    CommandSpec(
        "rotate",
        "turn an instance, with what stands on it",
        _rotate,
        (Argument("instance", Kind.INSTANCE),),
        (
            Option("angle", "how far", Kind.ANGLE),
            Option("axis", "about this axis; z unless said", Kind.AXIS),
            Option("about", "through this point; the instance's origin unless said", Kind.VECTOR),
            Option("euler", "three angles", Kind.VECTOR),
            Option("order", "of the three: xyz about fixed axes unless said; capitals turn along", Kind.TEXT),
            Option("from", "three points, with semicolons between...", Kind.POINTS),
            Option("to", "...and where they go", Kind.POINTS),
        ),
        "By axis, point and angle; by Euler angles; or by three point pairs, which may also move it.",
        (
            "rotate base --angle 45",
            "rotate arm --angle 90deg --axis x --about 0,0,300",
            "rotate arm --euler 0,90,0",
            "rotate plate --from '0,0,0; 1,0,0; 0,1,0' --to '5,0,0; 5,1,0; 4,0,0'",
        ),
    ),
    CommandSpec(
        "scale",
        "make an instance larger or smaller",
        _scale,
        (Argument("instance", Kind.INSTANCE), Argument("factor", Kind.NUMBER)),
        details="One factor, or one for each axis of the instance; 1 is its own size. The density stays. What is"
        " fastened to its ports follows. For parametric parts, `set INSTANCE length=...` is the better way.",
        examples=("scale cube 2", "scale plate 1,1,0.5"),
    ),
    CommandSpec(
        "mirror",
        "turn an instance into its mirror image, or back",
        _mirror,
        (Argument("instance", Kind.INSTANCE), Argument("axis", Kind.CHOICE, choices=("x", "y", "z"))),
        details="Across an axis of the instance. `copy --branch --mirror` makes the mirror image of a whole limb.",
        examples=("mirror bracket x",),
    ),
)
