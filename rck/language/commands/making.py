"""Making pieces: from the catalogue, from basic shapes, as copies and patterns of what is there."""

from math import pi
from typing import Literal, cast

import msgspec
import numpy as np

from rck.assembly import edit
from rck.assembly.document import Assembly, Instance, Mate, MateJoint, Piece
from rck.assembly.ends import parse_end
from rck.catalogue.manifest import Axis, Cone, Cylinder, PartItem, PartPort, Prism, Quantity, Shape, Torus, Tube
from rck.catalogue.quantities import Quantities, direction
from rck.geometry.transforms import AXES, mirror, rotation_about, translation
from rck.language import values
from rck.language.commands.mating import MATE_OPTIONS, fitting_port, mate_of
from rck.language.grammar import Argument, Arguments, CommandSpec, Kind, Option
from rck.language.placing import place_of, world_pose
from rck.language.session import Session
from rck.model import RckError

Edited = tuple[Assembly, str]


def _create(session: Session, arguments: Arguments) -> Edited:
    assembly = session.assembly
    part = arguments.text("part")
    stem = part.rpartition("/")[2].removesuffix(".rck").replace(".", "-")
    name = arguments.text("name") or edit.new_name(assembly, stem)
    chosen = {key: values.quantity(value) for key, value in values.settings(arguments.texts("parameters")).items()}
    instance = Instance(part, with_=chosen)
    session.compiler.pieces.body(instance, assembly)  # refuse an unknown part before anything else
    at, by = arguments.option("at"), arguments.option("by")
    if at is None:
        for option in ("by", "turn", "flip", "offset", "joint", "force"):
            if arguments.has(option):
                raise arguments.refuse(f"--{option} needs --at: what shall it stand on?", option)
        return edit.add_instance(assembly, name, instance), f"created {name}"
    added = edit.add_instance(assembly, name, instance)
    port = by or fitting_port(session, added, name, at)
    return edit.add_mate(added, mate_of(at, f"{name}.{port}", arguments)), f"created {name} at {at}"


SIZES = {
    "box": ("size",),
    "wedge": ("size",),
    "ellipsoid": ("size",),
    "sphere": ("diameter",),
    "cylinder": ("diameter", "length"),
    "capsule": ("diameter", "length"),
    "cone": ("diameter", "length", "top"),
    "tube": ("diameter", "inner", "length"),
    "torus": ("diameter", "section"),
    "prism": ("sides", "diameter", "height"),
}
_OPTIONAL = {"top"}
_LOOKS = ("material", "mass", "density", "colour")


def _make(session: Session, arguments: Arguments) -> Edited:
    assembly = session.assembly
    kind = arguments.text("shape")
    given = dict(values.settings(arguments.texts("sizes")))
    name = arguments.text("name") or edit.new_name(assembly, kind, assembly.pieces)
    known = (*SIZES[kind], *_LOOKS, "segments")
    for key in given:
        if key not in known:
            raise arguments.refuse(f"a {kind} has no {key}; it has {', '.join(known)}", "sizes")
    missing = [key for key in SIZES[kind] if key not in given and key not in _OPTIONAL]
    if missing:
        raise arguments.refuse(f"a {kind} needs {' and '.join(f'{key}=' for key in missing)}", "sizes")
    item = PartItem(
        shapes=[_shape(kind, given)],
        material=given.get("material", None if "mass" in given or "density" in given else "aluminium"),
        mass=values.quantity(given["mass"]) if "mass" in given else None,
        density=float(given["density"]) if "density" in given else None,
        colour=given.get("colour", "#b2b2b8"),
    )
    piece = Piece({"body": item}, summary=f"a {kind}", units=assembly.units, ports=_face_ports(kind, given, assembly))
    changed = edit.set_piece(assembly, name, piece)
    return edit.add_instance(changed, name, Instance(name)), f"made {name}"


def _shape(kind: str, given: dict[str, str]) -> Shape:
    def size(key: str) -> Quantity:
        return values.length(given.get(key, "0"))

    segments = int(given.get("segments", "24"))
    if kind in ("box", "wedge", "ellipsoid"):
        return Shape(**{kind: values.vector(given["size"])}, segments=segments)  # type: ignore[arg-type]
    if kind == "sphere":
        return Shape(sphere=size("diameter"), segments=segments)
    if kind == "cone":
        return Shape(cone=Cone(size("diameter"), size("length"), size("top")), segments=segments)
    if kind == "tube":
        return Shape(tube=Tube(size("diameter"), size("inner"), size("length")), segments=segments)
    if kind == "torus":
        return Shape(torus=Torus(size("diameter"), size("section")), segments=segments)
    if kind == "prism":
        return Shape(prism=Prism(size("height"), sides=float(given["sides"]), diameter=size("diameter")))
    round_bar = Cylinder(size("diameter"), size("length"))
    return (
        Shape(capsule=round_bar, segments=segments)
        if kind == "capsule"
        else Shape(cylinder=round_bar, segments=segments)
    )


def _face_ports(kind: str, given: dict[str, str], assembly: Assembly) -> dict[str, PartPort]:
    """A port in the middle of each flat face of a box, and at both ends of what has two."""
    read = Quantities(assembly.units)
    if kind == "box":
        half = [read.length(one) / 2 for one in values.vector(given["size"])]
        faces = {"right": "x", "left": "-x", "back": "y", "front": "-y", "top": "z", "bottom": "-z"}
        return {
            name: PartPort(at=_metres(direction(cast(Axis, axis)) * half), z=cast(Axis, axis))
            for name, axis in faces.items()
        }
    height = given.get("length", given.get("height"))
    if height is None or kind in ("capsule", "torus", "tube"):
        return {}
    reach = read.length(values.length(height)) / 2
    ends: dict[str, PartPort] = {"bottom": PartPort(at=_metres(np.array([0, 0, -reach])), z="-z")}
    if kind != "cone" or "top" in given:
        ends["top"] = PartPort(at=_metres(np.array([0, 0, reach])), z="z")
    return ends


def _metres(point: np.ndarray[tuple[int], np.dtype[np.float64]]) -> tuple[Quantity, Quantity, Quantity]:
    x, y, z = (f"{float(one) * 1000 + 0.0:.9g} mm" for one in point)
    return x, y, z


def _copy(session: Session, arguments: Arguments) -> Edited:
    assembly, name = session.assembly, arguments.text("instance")
    edit.instance(assembly, name)
    new = arguments.text("name") or edit.new_name(assembly, name)
    changed, fresh = edit.copy_branch(assembly, name, new, whole=arguments.has("branch"))
    pose = world_pose(session, assembly, name)
    plane = arguments.option("mirror")
    if plane is not None:
        changed = _mirrored(changed, list(fresh.values()), arguments)
        pose = mirror(AXES[plane]) @ pose @ mirror(AXES["x"])
    at = arguments.option("at")
    if at is not None:
        old = edit.mate_putting(assembly, name)
        port = parse_end(old.put).place if old is not None else fitting_port(session, changed, new, at)
        turned = old if old is not None else Mate("", "")
        mate = msgspec.structs.replace(turned, at=at, put=f"{new}.{port}", joint=_without_name(turned.joint))
        changed = edit.add_mate(changed, mate)
    else:
        by = arguments.option("by")
        if by is not None:
            pose = translation(Quantities(assembly.units).point(values.vector(by))) @ pose
        changed = edit.set_instance(changed, new, place=place_of(pose, assembly))
    return changed, f"copied {name} to {new}" + (f" ({len(fresh)} pieces)" if len(fresh) > 1 else "")


def _without_name(joint: MateJoint | None) -> MateJoint | None:
    return None if joint is None else msgspec.structs.replace(joint, name=None)


def _mirrored(assembly: Assembly, names: list[str], arguments: Arguments) -> Assembly:
    """The named instances as mirror images, and the mates between them likewise.

    A part is mirrored along its own x axis, and a port's frame keeps its x and z axes, so that its y axis
    comes out the other way: offsets and axes change their sign in y, turns the other way round.
    """
    for name in names:
        side = assembly.parts[name].mirror
        if side not in (None, "x"):
            raise arguments.refuse(
                f"{name} is mirrored along {side} already; mirror it along x or not at all", "instance"
            )
        turned: Literal["x"] | None = "x" if side is None else None
        assembly = edit.set_instance(assembly, name, mirror=turned)
    mates = [
        _mirrored_mate(mate) if parse_end(mate.put).instance in names and parse_end(mate.at).instance in names else mate
        for mate in assembly.mates
    ]
    return msgspec.structs.replace(assembly, mates=mates)


def _negative(quantity: Quantity) -> Quantity:
    if isinstance(quantity, str):
        return quantity[1:] if quantity.startswith("-") else f"-{quantity}"
    return -quantity + 0.0


def _mirrored_mate(mate: Mate) -> Mate:
    offset = mate.offset
    if isinstance(offset, tuple):
        offset = (offset[0], _negative(offset[1]), offset[2])
    rpy = mate.rpy
    if rpy is not None:
        rpy = (_negative(rpy[0]), rpy[1], _negative(rpy[2]))
    joint = mate.joint
    if joint is not None:
        joint = msgspec.structs.replace(
            joint,
            **{
                kind: _mirrored_axis(axis, turns=kind != "prismatic")
                for kind in ("revolute", "continuous", "prismatic")
                if (axis := getattr(joint, kind)) is not None
            },
        )
    return msgspec.structs.replace(mate, offset=offset, rpy=rpy, turn=_negative(mate.turn), joint=joint)


def _mirrored_axis(axis: Axis, *, turns: bool) -> Axis:
    """Directions change their sign in y; axes of turning in x and z, as a mirror turns the other way round."""
    x, y, z = direction(axis).tolist()
    return (-x + 0.0, y, -z + 0.0) if turns else (x, -y + 0.0, z)


def _pattern(session: Session, arguments: Arguments) -> Edited:
    assembly, name = session.assembly, arguments.text("instance")
    edit.instance(assembly, name)
    try:
        count = int(arguments.text("count"))
    except ValueError:
        raise arguments.refuse("the count is a whole number", "count") from None
    if not 2 <= count <= 1000:
        raise arguments.refuse("a pattern has 2 to 1000 pieces", "count")
    read = Quantities(assembly.units)
    pose = world_pose(session, assembly, name)
    step = _line_step(arguments, read) if arguments.text("shape") == "line" else _circle_step(arguments, read, count)
    motion = np.eye(4)
    for _ in range(count - 1):
        motion = step @ motion
        new = edit.new_name(assembly, name)
        assembly, _ = edit.copy_branch(assembly, name, new, whole=not arguments.has("alone"))
        assembly = edit.set_instance(assembly, new, place=place_of(motion @ pose, assembly))
    return assembly, f"{count} of {name} in a {arguments.text('shape')}"


def _line_step(arguments: Arguments, read: Quantities) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    by = arguments.option("by")
    if by is None:
        raise arguments.refuse("a line needs --by x,y,z: from one to the next", "shape")
    return translation(read.point(values.vector(by)))


def _circle_step(
    arguments: Arguments, read: Quantities, count: int
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    given = arguments.option("angle")
    whole = read.angle(values.angle(given)) if given else 2 * pi
    # A whole circle has its last piece one step before the first; an arc ends with the last piece.
    turn = whole / count if abs(abs(whole) - 2 * pi) < 1e-9 else whole / (count - 1)
    about = read.point(values.vector(arguments.option("about") or "0,0,0"))
    return rotation_about(direction(values.axis(arguments.option("axis") or "z")), turn, about)


def _tool(session: Session, arguments: Arguments) -> Edited:
    from rck.assembly.document import Tool

    offset, rpy = arguments.option("offset"), arguments.option("rpy")
    tool = Tool(
        arguments.text("end"),
        offset=values.vector(offset) if offset else (0.0, 0.0, 0.0),
        rpy=values.vector(rpy, values.angle) if rpy else None,
    )
    name = arguments.text("name")
    return edit.set_tool(session.assembly, name, tool), f"tool {name} on {tool.on}"


def _port(session: Session, arguments: Arguments) -> Edited:
    name, end = arguments.text("name"), arguments.text("end")
    compiled = session.compile().unwrap()
    if end not in compiled.ports:
        raise RckError(f"there is no port {end}; `show ports` lists them")
    return edit.set_port(session.assembly, name, end), f"{end} is offered as {name}"


COMMANDS = (
    CommandSpec(
        "create",
        "place a part of the catalogue, a piece of this assembly, or a saved assembly",
        _create,
        (
            Argument("part", Kind.PART),
            Argument("name", Kind.NAME, optional=True),
            Argument("parameters", Kind.SETTING, optional=True),
        ),
        (
            Option("at", "the end that it stands on", Kind.END),
            Option("by", "its own port; the first that fits unless said", Kind.PORT),
            *MATE_OPTIONS,
        ),
        "Without --at it stands free, at the origin. Parameters are given as name=value; `parts show` lists them.",
        (
            "create structure/round-base base diameter=160",
            "create robotis/xm540-w270 shoulder --at base.top --by back --turn 90",
            "create ./two-finger.rck hand --at wrist.horn",
        ),
        aliases=("add",),
    ),
    CommandSpec(
        "make",
        "make a piece from a basic shape",
        _make,
        (
            Argument("shape", Kind.CHOICE, choices=tuple(SIZES)),
            Argument("name", Kind.NAME, optional=True),
            Argument("sizes", Kind.SETTING),
        ),
        details="Sizes: "
        + "; ".join(f"{kind}: {' '.join(f'{size}=' for size in sizes)}" for kind, sizes in SIZES.items())
        + ". Also material= (aluminium unless said), mass=, density= in kg/m3, colour=, segments=.",
        examples=("make box foot size=120,120,8 material=steel", "make cylinder post diameter=40 length=300"),
    ),
    CommandSpec(
        "copy",
        "copy a piece, alone or with what stands on it",
        _copy,
        (Argument("instance", Kind.INSTANCE), Argument("name", Kind.NAME, optional=True)),
        (
            Option("branch", "with everything that stands on it"),
            Option("at", "the end that the copy stands on", Kind.END),
            Option("by", "how far the copy is moved, x,y,z", Kind.VECTOR),
            Option(
                "mirror", "the mirror image in the plane across this axis of the world", Kind.CHOICE, ("x", "y", "z")
            ),
        ),
        "A copy without --at stands free.",
        ("copy upper lower --at elbow.horn", "copy shoulder left-shoulder --branch --mirror y"),
    ),
    CommandSpec(
        "pattern",
        "copies in a line or round a circle",
        _pattern,
        (
            Argument("instance", Kind.INSTANCE),
            Argument("shape", Kind.CHOICE, choices=("line", "circle")),
            Argument("count", Kind.NUMBER),
        ),
        (
            Option("by", "from one to the next, x,y,z (line)", Kind.VECTOR),
            Option("axis", "the circle's axis; z unless said", Kind.AXIS),
            Option("about", "the circle's centre, x,y,z", Kind.VECTOR),
            Option("angle", "the whole angle; 360 unless said", Kind.ANGLE),
            Option("alone", "without what stands on it"),
        ),
        "The count includes the piece that is there already.",
        ("pattern leg line 4 --by 200,0,0", "pattern post circle 6 --about 0,0,0"),
    ),
    CommandSpec(
        "tool",
        "add or change a tool frame, where the work is done",
        _tool,
        (Argument("name", Kind.NAME), Argument("end", Kind.END)),
        (Option("offset", "x,y,z in the frame of the end", Kind.VECTOR), Option("rpy", "roll,pitch,yaw", Kind.VECTOR)),
        examples=("tool grip hand.tip --offset 0,0,20",),
    ),
    CommandSpec(
        "port",
        "offer a port of a piece as a port of the whole assembly",
        _port,
        (Argument("name", Kind.NAME), Argument("end", Kind.END)),
        details="When the saved assembly is used as one piece, these are its ports; without any, all free ports are.",
        examples=("port mount palm.back",),
    ),
)
