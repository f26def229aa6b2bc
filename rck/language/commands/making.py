"""Making pieces: from the catalogue, from files, from basic shapes."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from rck.assembly import edit
from rck.assembly.document import Assembly, Instance, Piece
from rck.assembly.mates import lengths_in
from rck.catalogue.manifest import Axis, Cone, Cylinder, PartItem, PartPort, Prism, Quantity, Shape, Torus, Tube
from rck.catalogue.quantities import Quantities, direction
from rck.catalogue.shapes import MOST_SEGMENTS, colour_of
from rck.geometry.arrays import Floats
from rck.language import values
from rck.language.commands.mating import MATE_OPTIONS, fitting_port, mate_of
from rck.language.grammar import Argument, Arguments, CommandSpec, Kind, Option
from rck.language.lookup import chosen_parameters, new_instance_in, require_end
from rck.language.session import Edited, Session
from rck.language.words import Word
from rck.model import RckError
from rck.model.materials import DENSITY
from rck.model.names import did_you_mean, nearest_name


def _create(session: Session, arguments: Arguments) -> Edited:
    assembly = session.assembly
    part = arguments.text("part")
    stem = nearest_name(part.rpartition("/")[2].removesuffix(".rck"), "piece")
    name = new_instance_in(assembly, arguments, stem)
    with arguments.pointing("part"):
        plain = edit.add_instance(assembly, name, Instance(part))
        session.body(plain, name)  # refuse an unknown part before anything else
    chosen = chosen_parameters(session, part, arguments, "parameters")
    added = edit.set_instance(plain, name, with_=chosen)
    if not arguments.has("at"):
        for option in ("by", *(one.name for one in MATE_OPTIONS)):
            if arguments.has(option):
                raise arguments.refuse(f"--{option} needs --at: what shall it stand on?", option)
        return added, f"created {name}"
    at = arguments.read("at", lambda text: require_end(session, assembly, text))
    if arguments.has("by"):
        put = arguments.read("by", lambda text: require_end(session, added, f"{name}.{text}"))
    else:
        with arguments.pointing("at"):
            put = f"{name}.{fitting_port(session, added, name, at)}"
    return edit.add_mate(added, mate_of(at, put, arguments)), f"created {name} at {at}"


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
"""The sizes of each shape that `make` makes."""


def material(text: str) -> str:
    """A material whose density is known."""
    if text not in DENSITY:
        raise RckError(f"there is no material {text}{did_you_mean(text, DENSITY)}; known: {', '.join(DENSITY)}")
    return text


def colour(text: str) -> str:
    """A colour such as #2b2b2b."""
    colour_of(text)
    return text


def _segments(text: str) -> int:
    segments = values.count(text)
    if not 3 <= segments <= MOST_SEGMENTS:
        raise RckError(f"segments are 3 to {MOST_SEGMENTS}, not {segments}")
    return segments


LOOKS: Mapping[str, Callable[[str], Any]] = {
    "material": material,
    "mass": values.mass,
    "density": values.density,
    "colour": colour,
    "friction": values.friction,
}
"""What else can be said of a piece, and how it is read."""

_READERS: Mapping[str, Callable[[str], Any]] = {
    "size": values.vector,
    "sides": values.count,
    "segments": _segments,
    **LOOKS,
}
_OPTIONAL = {"top"}


def _make(session: Session, arguments: Arguments) -> Edited:
    assembly = session.assembly
    kind = arguments.text("shape")
    name = arguments.text("name") or edit.new_name(assembly, kind, assembly.pieces)
    known = (*SIZES[kind], *LOOKS, "segments")
    words = arguments.settings("sizes")
    given: dict[str, Any] = {}
    for key, word in words.items():
        with arguments.pointing(word):
            if key not in known:
                raise RckError(f"a {kind} has no {key}{did_you_mean(key, known)}; it has {', '.join(known)}")
            given[key] = _READERS.get(key, values.length)(word.text)
    missing = [key for key in SIZES[kind] if key not in given and key not in _OPTIONAL]
    if missing:
        raise arguments.refuse(f"a {kind} needs {' and '.join(f'{key}=' for key in missing)}", "shape")
    _refuse_two_masses(arguments, words)
    heavy = {key: given[key] for key in ("material", "mass", "density") if key in given} or {"material": "aluminium"}
    looks = {key: given[key] for key in ("colour", "friction") if key in given}
    item = PartItem(shapes=[_shape(kind, given)], **looks, **heavy)
    piece = Piece({"body": item}, summary=f"a {kind}", units=assembly.units, ports=_face_ports(kind, given, assembly))
    with arguments.pointing("name"):
        return edit.add_piece(assembly, name, piece), f"made {name}"


def _refuse_two_masses(arguments: Arguments, words: Mapping[str, Word]) -> None:
    said = [word for key, word in words.items() if key in ("material", "mass", "density")]
    for second in said[1:]:
        with arguments.pointing(second):
            raise RckError("give one of material, mass and density")


def _shape(kind: str, given: Mapping[str, Any]) -> Shape:
    sizes = {key: given[key] for key in SIZES[kind] if key in given}
    segments = given.get("segments", Shape().segments)
    if kind in ("box", "wedge", "ellipsoid"):
        return Shape(**{kind: sizes["size"]}, segments=segments)
    if kind == "sphere":
        return Shape(sphere=sizes["diameter"], segments=segments)
    record = {"cone": Cone, "tube": Tube, "torus": Torus, "prism": Prism}.get(kind, Cylinder)
    return Shape(**{kind: record(**sizes)}, segments=segments)


def _face_ports(kind: str, given: Mapping[str, Any], assembly: Assembly) -> dict[str, PartPort]:
    """A port in the middle of each flat face of a box, and at both ends of what has two."""
    read = Quantities(assembly.units)
    if kind == "box":
        half = read.point(given["size"]) / 2
        faces: dict[str, Axis] = {"right": "x", "left": "-x", "back": "y", "front": "-y", "top": "z", "bottom": "-z"}
        return {name: _port(direction(axis) * half, axis, assembly) for name, axis in faces.items()}
    height: Quantity | None = given.get("length", given.get("height"))
    if height is None or kind in ("capsule", "torus", "tube"):
        return {}
    reach = np.array([0.0, 0.0, read.length(height) / 2])
    ends = {"bottom": _port(-reach, "-z", assembly)}
    if kind != "cone" or read.length(given.get("top", 0.0)) > 0:
        ends["top"] = _port(reach, "z", assembly)
    return ends


def _port(at: Floats, axis: Axis, assembly: Assembly) -> PartPort:
    return PartPort(at=lengths_in(at, assembly.units), z=axis)


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
        "Without --at it stands free, at the origin. Parameters are given as name=value; `rck parts show ID` lists"
        " them. `create mate`, `create tool`, `create port`, `create pose`, `create view` and `create piece` are the"
        " commands `mate`, `tool`, `port`, `pose`, `view` and `make`.",
        (
            "create structure/round-base base diameter=160",
            "create robotis/xm540-w270 shoulder --at base.top --by back --turn 90",
            "create ./two-finger.rck hand --at wrist.horn",
        ),
        aliases=("add", "create part"),
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
        + ". Also material= (aluminium unless said), mass=, density= in kg/m3, colour=, friction=,"
        " segments=.",
        examples=("make box foot size=120,120,8 material=steel", "make cylinder post diameter=40 length=300"),
        aliases=("create piece",),
    ),
)
