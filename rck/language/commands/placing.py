"""Moving, turning, scaling and mirroring pieces."""

from rck.assembly import edit
from rck.assembly.document import Assembly
from rck.catalogue.quantities import Quantities, direction
from rck.geometry.arrays import Floats
from rck.geometry.transforms import from_euler, from_point_pairs, rotation_about, translation
from rck.language import values
from rck.language.grammar import Argument, Arguments, CommandSpec, Kind, Option
from rck.language.placing import put_at, world_pose
from rck.language.session import Session
from rck.model import RckError

Edited = tuple[Assembly, str]


def _move(session: Session, arguments: Arguments) -> Edited:
    assembly, name = session.assembly, arguments.text("instance")
    edit.instance(assembly, name)
    step = Quantities(assembly.units).point(values.vector(arguments.text("vector")))
    pose = world_pose(session, assembly, name)
    if arguments.has("to"):
        pose[:3, 3] = step
    else:
        pose = translation(step) @ pose
    return put_at(session, assembly, name, pose), f"moved {name}"


def _rotate(session: Session, arguments: Arguments) -> Edited:
    assembly, name = session.assembly, arguments.text("instance")
    edit.instance(assembly, name)
    pose = world_pose(session, assembly, name)
    turn = _turning(arguments, Quantities(assembly.units), pose)
    return put_at(session, assembly, name, turn @ pose), f"turned {name}"


def _turning(arguments: Arguments, read: Quantities, pose: Floats) -> Floats:
    """The motion of the world that a line asks for: axis and angle, Euler angles, or three point pairs."""
    ways = [way for way in ("angle", "euler", "from") if arguments.has(way)]
    if len(ways) != 1:
        raise arguments.refuse("give --angle (with --axis), --euler, or --from and --to")
    about = arguments.option("about")
    point = read.point(values.vector(about)) if about else pose[:3, 3]
    if ways[0] == "angle":
        axis = direction(values.axis(arguments.option("axis") or "z"))
        return rotation_about(axis, read.angle(values.angle(arguments.option("angle") or "0")), point)
    if ways[0] == "euler":
        order = arguments.option("order") or "xyz"
        angles = [read.angle(one) for one in values.vector(arguments.option("euler") or "", values.angle)]
        return translation(point) @ from_euler(angles, order) @ translation(-point)
    sources = _three_points(arguments, "from", read)
    return from_point_pairs(sources, _three_points(arguments, "to", read))


def _three_points(arguments: Arguments, name: str, read: Quantities) -> list[Floats]:
    given = (arguments.option(name) or "").split(";")
    if len(given) != 3:
        raise arguments.refuse(f"--{name} is three points, such as '0,0,0; 1,0,0; 0,1,0'", name)
    return [read.point(values.vector(one)) for one in given]


def _scale(session: Session, arguments: Arguments) -> Edited:
    assembly, name = session.assembly, arguments.text("instance")
    text = arguments.text("factor")
    factor: float | tuple[float, float, float]
    if "," in text:
        factor = values.numbers(text)
        smallest = min(factor)
    else:
        try:
            factor = smallest = float(text)
        except ValueError:
            raise arguments.refuse("a factor is a number, or three with commas", "factor") from None
    if not smallest >= 1e-6:
        raise arguments.refuse("a factor is greater than zero", "factor")
    edit.instance(assembly, name)
    plain = factor in (1.0, (1.0, 1.0, 1.0))
    return edit.set_instance(assembly, name, scale=None if plain else factor), f"scaled {name}"


def _mirror(session: Session, arguments: Arguments) -> Edited:
    assembly, name = session.assembly, arguments.text("instance")
    axis = arguments.text("axis")
    was = edit.instance(assembly, name).mirror
    if was not in (None, axis):
        raise RckError(f"{name} is mirrored along {was}; mirror it along {was} again first")
    return edit.set_instance(assembly, name, mirror=None if was else axis), f"mirrored {name}"


COMMANDS = (
    CommandSpec(
        "move",
        "move a piece, with what stands on it",
        _move,
        (Argument("instance", Kind.INSTANCE), Argument("vector", Kind.VECTOR)),
        (Option("to", "to this place instead of by this much"),),
        "Along the axes of the world. A mated piece keeps its mate, with an offset.",
        ("move base 0,0,50", "move table 1000,0,0 --to"),
    ),
    CommandSpec(
        "rotate",
        "turn a piece, with what stands on it",
        _rotate,
        (Argument("instance", Kind.INSTANCE),),
        (
            Option("angle", "how far", Kind.ANGLE),
            Option("axis", "about this axis; z unless said", Kind.AXIS),
            Option("about", "through this point; the piece's origin unless said", Kind.VECTOR),
            Option("euler", "three angles", Kind.VECTOR),
            Option("order", "of the three: xyz about fixed axes unless said; capitals turn along", Kind.TEXT),
            Option("from", "three points, with semicolons between...", Kind.TEXT),
            Option("to", "...and where they go", Kind.TEXT),
        ),
        "By axis, point and angle; by Euler angles; or by three point pairs, which may also move it.",
        ("rotate base --angle 45", "rotate arm --angle 90deg --axis x --about 0,0,300", "rotate arm --euler 0,90,0"),
    ),
    CommandSpec(
        "scale",
        "make a piece larger or smaller",
        _scale,
        (Argument("instance", Kind.INSTANCE), Argument("factor", Kind.NUMBER)),
        details="One factor, or one for each axis of the piece; 1 is its own size. The density stays. What is fastened"
        " to its ports follows. For parametric parts, `set PIECE length=...` is the better way.",
        examples=("scale cube 2", "scale plate 1,1,0.5"),
    ),
    CommandSpec(
        "mirror",
        "turn a piece into its mirror image, or back",
        _mirror,
        (Argument("instance", Kind.INSTANCE), Argument("axis", Kind.CHOICE, choices=("x", "y", "z"))),
        details="Across an axis of the piece. `copy --branch --mirror` makes the mirror image of a whole limb.",
        examples=("mirror bracket x",),
    ),
)
