"""Commands that add instances: of parts, of saved assemblies, and of local parts made from basic shapes."""

from collections.abc import Callable, Mapping
from typing import Any

from rck.assembly import edits
from rck.assembly.document import Instance, LocalPart
from rck.grammar import Argument, Arguments, CommandOption, ValueKind, Word
from rck.hooks import Command
from rck.language.argument_values import (
    parse_density,
    parse_friction,
    parse_mass,
)
from rck.language.basic_shapes import SIZES, face_ports, make_shape, missing_sizes, parse_size
from rck.language.commands.mate_commands import MATE_OPTIONS, fitting_port, mate_of, refuse_misfit
from rck.language.document import Document
from rck.language.lookup import read_end, read_new_instance, read_parameters
from rck.model import RckError
from rck.model.materials import DENSITY
from rck.parts.manifest import PartItem
from rck.parts.part_shapes import colour_of
from rck.support.names import did_you_mean, nearest_name


def _create(document: Document, arguments: Arguments) -> tuple[Document, str]:
    part = arguments.text("part")
    stem = nearest_name(part.rpartition("/")[2].removesuffix(".rck"), "piece")
    name = read_new_instance(document, arguments, stem)
    with arguments.pointing("part"):
        added = document.with_assembly(edits.add_instance(document.assembly, name, Instance(part)))
        added.body(name)  # refuse an unknown part before anything else
    parameters = read_parameters(document, part, arguments, "parameters")
    added = added.with_assembly(edits.set_instance(added.assembly, name, with_=parameters))
    if not arguments.has("at"):
        for option in ("by", *(option.name for option in MATE_OPTIONS)):
            if arguments.has(option):
                raise arguments.refuse(f"--{option} needs --at, the end to attach the instance to", option)
        return added, f"created {name}"
    at = read_end(document, arguments, "at")
    if arguments.has("by"):
        put = read_end(added, arguments, "by", scope=f"{name}.")
    else:
        with arguments.pointing("at"):
            put = f"{name}.{fitting_port(added, name, at)}"
    mate = mate_of(at, put, arguments)
    with arguments.pointing("at"):
        refuse_misfit(added, mate)
    mated = edits.add_mate(added.assembly, mate)
    return added.with_assembly(mated), f"created {name} at {at}"


def parse_material(text: str) -> str:
    """Return the name of a material with a known density."""
    if text not in DENSITY:
        raise RckError(f"there is no material {text}{did_you_mean(text, DENSITY)}; known: {', '.join(DENSITY)}")
    return text


def parse_colour(text: str) -> str:
    """Return a colour such as #2b2b2b."""
    colour_of(text)
    return text


ITEM_PROPERTIES: Mapping[str, Callable[[str], Any]] = {
    "material": parse_material,
    "mass": parse_mass,
    "density": parse_density,
    "colour": parse_colour,
    "friction": parse_friction,
}
"""The properties of an item that are not dimensions, and their parsers."""


def _make(document: Document, arguments: Arguments) -> tuple[Document, str]:
    assembly = document.assembly
    kind = arguments.text("shape")
    name = arguments.text("name") or edits.new_name(assembly, kind, assembly.local_parts)
    known = (*SIZES[kind], *ITEM_PROPERTIES, "segments")
    words = arguments.settings("sizes")
    values: dict[str, Any] = {}
    for key, word in words.items():
        with arguments.pointing(word):
            if key not in known:
                raise RckError(f"a {kind} has no {key}{did_you_mean(key, known)}; its settings: {', '.join(known)}")
            values[key] = ITEM_PROPERTIES[key](word.text) if key in ITEM_PROPERTIES else parse_size(key, word.text)
    if missing := missing_sizes(kind, values):
        instead = ", or contour=" if kind == "prism" and "height" in values else ""
        raise arguments.refuse(f"a {kind} needs {' and '.join(f'{key}=' for key in missing)}{instead}", "shape")
    _refuse_two_masses(arguments, words)
    inertial = {key: values[key] for key in ("material", "mass", "density") if key in values}
    other = {key: values[key] for key in ("colour", "friction") if key in values}
    item = PartItem(shapes=[make_shape(kind, values)], **other, **(inertial or {"material": "aluminium"}))
    with arguments.pointing("sizes"):
        ports = face_ports(kind, values, document.units)
    part = LocalPart({"body": item}, summary=f"a {kind}", units=document.units, ports=ports)
    with arguments.pointing("name"):
        return document.with_assembly(edits.add_local_part(assembly, name, part)), f"made {name}"


def _refuse_two_masses(arguments: Arguments, words: Mapping[str, Word]) -> None:
    inertial = [word for key, word in words.items() if key in ("material", "mass", "density")]
    for second in inertial[1:]:
        with arguments.pointing(second):
            raise RckError("give only one of material, mass and density")


COMMANDS = (
    Command(
        "create",
        "add an instance of a part, a local part, or a saved assembly",
        (
            Argument("part", ValueKind.PART),
            Argument("name", ValueKind.NAME, optional=True),
            Argument("parameters", ValueKind.SETTING, optional=True),
        ),
        (
            CommandOption("at", "end to attach the instance to", ValueKind.END),
            CommandOption("by", "port of the new instance (default: the first that fits)", ValueKind.PORT),
            *MATE_OPTIONS,
        ),
        "Without --at the instance is placed at the origin. Parameters are given as name=value; `rck parts show ID`"
        " lists them. `create mate`, `create tool`, `create port`, `create pose`, `create view` and `create piece` are"
        " other names of `mate`, `tool`, `port`, `pose`, `view` and `make`.",
        (
            "create structure/round-base base diameter=160",
            "create robotis/xm540-w270 shoulder --at base.top --by back --turn 90",
            "create ./two-finger.rck hand --at wrist.horn",
        ),
        aliases=("add", "create part"),
        run=_create,
    ),
    Command(
        "make",
        "make a local part from a basic shape",
        (
            Argument("shape", ValueKind.CHOICE, choices=tuple(SIZES)),
            Argument("name", ValueKind.NAME, optional=True),
            Argument("sizes", ValueKind.SETTING),
        ),
        details="Dimensions: "
        + "; ".join(f"{kind}: {' '.join(f'{size}=' for size in sizes)}" for kind, sizes in SIZES.items())
        + ". A contour lists the corners x,y of a polygon, or radius,height of a body of revolution. Later,"
        " `set NAME SIZE=VALUE` changes the dimensions. Other settings: material= (default: aluminium), mass=, density="
        " in kg/m3, colour=, friction=, segments=.",
        examples=(
            "make box foot size=120,120,8 material=steel",
            "make cylinder post diameter=40 length=300",
            "make prism bracket height=5 contour=0,0;80,0;80,20;20,20;20,60;0,60",
            "make revolve knob contour=0,0;12,0;12,8;5,20;0,20",
        ),
        aliases=("create piece",),
        run=_make,
    ),
)
