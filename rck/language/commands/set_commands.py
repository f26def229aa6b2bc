"""Commands that change properties and names."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from rck.assembly import edits
from rck.assembly.unit_conversion import with_units
from rck.grammar import Argument, Arguments, ValueKind, Word
from rck.hooks import Command
from rck.language.argument_values import (
    parse_angle,
    parse_angles,
    parse_flag,
    parse_offset,
    parse_position,
    parse_range,
    parse_speed,
    parse_value,
    parse_vector,
)
from rck.language.basic_shapes import basic_sizes, parse_size, resized, size_names
from rck.language.commands.create_commands import ITEM_PROPERTIES, parse_colour
from rck.language.commands.transform_commands import parse_scale
from rck.language.document import Document
from rck.language.lookup import SECTIONS, local_part_item, parse_parameter, require_end, require_joint, require_port
from rck.model import RckError
from rck.model.quantities import Units, restate
from rck.parts.manifest import PartItem
from rck.support.names import did_you_mean, name_findings
from rck.support.units import si_from

Parsers = Mapping[str, Callable[[str], Any]]
"""The parser of each property."""
Settings = Mapping[str, Word]

_UNSET = ("default", "none")


def _parse_assembly_name(text: str) -> str:
    if name_findings(text, "assembly"):
        raise RckError(f"{text!r} is not a valid name; use letters, digits, - and _")
    return text


def _parse_unit(dimension: str) -> Callable[[str], str]:
    def parse(text: str) -> str:
        si_from(1.0, dimension, text)
        return text

    return parse


OF_INSTANCE: Parsers = {"colour": parse_colour, "loose": parse_flag, "notes": str, "scale": parse_scale}
PROPERTIES: Mapping[str, Parsers] = {
    "mate": {
        "turn": parse_angle,
        "flip": parse_flag,
        "offset": parse_offset,
        "rpy": parse_angles,
        "force": parse_flag,
    },
    "joint": {
        "position": parse_position,
        "limits": parse_range,
        "speed": parse_speed,
        "torque": parse_value,
        "force": parse_value,
    },
    "tool": {"on": str, "offset": parse_vector, "rpy": parse_angles},
    "port": {"on": str},
    "view": {"eye": parse_vector, "target": parse_vector, "parallel": parse_flag},
    "piece": {"summary": str, "source": str},
    "item": {**ITEM_PROPERTIES, "mobile": parse_flag},
    "assembly": {"name": _parse_assembly_name, "notes": str},
    "units": {field.encode_name: _parse_unit(field.name.replace("_", " ")) for field in msgspec.structs.fields(Units)},
}
"""The properties of each type of thing."""


def _set(document: Document, arguments: Arguments) -> tuple[Document, str]:
    words = arguments.words["what"]
    level = words[0].text
    settings = arguments.settings("settings")
    parts = document.assembly.parts
    if len(words) == 1 and level in parts:
        return _set_instance(document, arguments, level, settings), f"changed {level}"
    if len(words) == 1 and level in _WHOLE:
        return _WHOLE[level](document, arguments, settings), f"changed the {level}"
    if len(words) == 1:
        with arguments.pointing(words[0]):
            edits.instance(document.assembly, level)
    if level == "part" and len(words) == 2:
        with arguments.pointing(words[1]):
            edits.instance(document.assembly, words[1].text)
        return _set_instance(document, arguments, words[1].text, settings), f"changed {words[1].text}"
    if level not in LEVELS or len(words) > 2:
        known = ", ".join((*LEVELS, *_WHOLE))
        raise arguments.refuse(f"give an instance, or one of {known} with its name", "what")
    with arguments.pointing(words[1]):
        return LEVELS[level](document, arguments, words[1].text, settings), f"changed {level} {words[1].text}"


def _read(arguments: Arguments, settings: Settings, known: Parsers, what: str) -> dict[str, Any]:
    """Parse the settings; None stands for one that is reset to its default."""
    changes = {}
    for key, word in settings.items():
        with arguments.pointing(word):
            if key not in known:
                raise RckError(f"{what} has no {key}{did_you_mean(key, known)}; its properties: {', '.join(known)}")
            changes[key] = None if word.text in _UNSET else known[key](word.text)
    return changes


def _apply(record: Any, changes: Mapping[str, Any]) -> Any:
    """Return the record with some fields replaced; None restores the default."""
    defaults = {field.name: field.default for field in msgspec.structs.fields(record)}
    reset = {key: defaults[key] for key, value in changes.items() if value is None}
    required = [key for key, value in reset.items() if value is msgspec.NODEFAULT]
    if required:
        raise RckError(f"{required[0]} has no default")
    return msgspec.structs.replace(record, **{**changes, **reset})


def _set_instance(document: Document, arguments: Arguments, name: str, settings: Settings) -> Document:
    old = document.assembly.parts[name]
    local = document.assembly.local_parts.get(old.part)
    basic = None if local is None else basic_sizes(local)
    parameters = dict(old.with_)
    properties = {}
    sizes = {}
    for key, word in settings.items():
        if key in OF_INSTANCE:
            properties[key] = word
        elif basic is not None:
            with arguments.pointing(word):
                known = size_names(basic[0])
                if key not in known:
                    raise RckError(f"{name} has no {key}{did_you_mean(key, known)}; its dimensions: {', '.join(known)}")
                sizes[key] = parse_size(key, word.text)
        elif word.text in _UNSET:
            parameters.pop(key, None)
        else:
            with arguments.pointing(word):
                parameters[key] = parse_parameter(document, old.part, key, word.text)
    if local is not None and sizes:
        with arguments.pointing("settings"):
            new = resized(local, sizes, document.units)
        document = document.with_assembly(edits.set_local_part(document.assembly, old.part, new))
    changed = _apply(old, _read(arguments, properties, OF_INSTANCE, "an instance"))
    changes = {**msgspec.structs.asdict(changed), "with_": parameters}
    return document.with_assembly(edits.set_instance(document.assembly, name, **changes))


def _set_mate(document: Document, arguments: Arguments, name: str, settings: Settings) -> Document:
    mate = edits.mate_putting(document.assembly, name)
    changes = {}
    if mate is not None:
        changes = msgspec.structs.asdict(_apply(mate, _read(arguments, settings, PROPERTIES["mate"], "a mate")))
    return document.with_assembly(edits.change_mate(document.assembly, name, **changes))


def _set_joint(document: Document, arguments: Arguments, name: str, settings: Settings) -> Document:
    require_joint(document, name)
    changes = _read(arguments, settings, PROPERTIES["joint"], "a joint")
    return document.with_assembly(edits.set_joint_setting(document.assembly, name, **changes))


def _set_tool(document: Document, arguments: Arguments, name: str, settings: Settings) -> Document:
    parsers = {**PROPERTIES["tool"], "on": lambda text: require_end(document, text)}
    return _set_entry(document, "tools", name, _read(arguments, settings, parsers, "a tool"))


def _set_view(document: Document, arguments: Arguments, name: str, settings: Settings) -> Document:
    return _set_entry(document, "views", name, _read(arguments, settings, PROPERTIES["view"], "a view"))


def _set_local_part(document: Document, arguments: Arguments, name: str, settings: Settings) -> Document:
    return _set_entry(document, "local_parts", name, _read(arguments, settings, PROPERTIES["piece"], "a local part"))


def _set_entry(document: Document, section: str, name: str, changes: Mapping[str, Any]) -> Document:
    entries = edits.entries_with(document.assembly, section, name)
    return document.with_changes(**{section: {**entries, name: _apply(entries[name], changes)}})


def _set_port(document: Document, arguments: Arguments, name: str, settings: Settings) -> Document:
    edits.entries_with(document.assembly, "ports", name)
    changes = _read(arguments, settings, {"on": lambda text: require_port(document, text)}, "a port")
    if changes["on"] is None:
        raise RckError("on has no default")
    return document.with_assembly(edits.set_port(document.assembly, name, changes["on"]))


def _set_item(document: Document, arguments: Arguments, name: str, settings: Settings) -> Document:
    part_name, item = local_part_item(document.assembly, name)
    part = document.assembly.local_parts[part_name]
    changes = _read(arguments, settings, PROPERTIES["item"], "an item")
    if changes.get("mass") is not None:
        # The units of the local part may differ from those of the assembly.
        changes["mass"] = restate(changes["mass"], "mass", document.units.mass, part.units.mass)
    if inertial := {"material", "mass", "density"} & changes.keys():
        # Only one of the three may be set; the centre and the inertia belong to the previous mass.
        changes = {**dict.fromkeys(("material", "mass", "density", "centre", "inertia")), **changes}
        if len(inertial) > 1:
            raise RckError("give only one of material, mass and density")
    changed: PartItem = _apply(part.items[item], changes)
    new = msgspec.structs.replace(part, items={**part.items, item: changed})
    return document.with_assembly(edits.set_local_part(document.assembly, part_name, new))


LEVELS: dict[str, Callable[[Document, Arguments, str, Settings], Document]] = {
    "mate": _set_mate,
    "joint": _set_joint,
    "tool": _set_tool,
    "port": _set_port,
    "view": _set_view,
    "piece": _set_local_part,
    "item": _set_item,
}


def _set_assembly(document: Document, arguments: Arguments, settings: Settings) -> Document:
    changes = _read(arguments, settings, PROPERTIES["assembly"], "the assembly")
    with arguments.pointing("settings"):
        return document.with_assembly(_apply(document.assembly, changes))


def _set_units(document: Document, arguments: Arguments, settings: Settings) -> Document:
    changes = _read(arguments, settings, PROPERTIES["units"], "the unit system")
    units: Units = _apply(document.units, {key.replace("-", "_"): unit for key, unit in changes.items()})

    def turns(joint: str) -> bool:
        return document.robot.joint(joint).kind.turns

    return document.with_assembly(with_units(document.assembly, units, document.catalogue.file, turns))


_WHOLE: dict[str, Callable[[Document, Arguments, Settings], Document]] = {
    "assembly": _set_assembly,
    "units": _set_units,
}


def _rename(document: Document, arguments: Arguments) -> tuple[Document, str]:
    words = arguments.words["what"]
    assembly = document.assembly
    names = [word.text for word in words]
    with arguments.pointing(words[-1] if names[0] in (*RENAMED, *assembly.parts) else words[0]):
        if len(names) == 2:
            names.insert(0, "part")
        if len(names) != 3 or names[0] not in RENAMED:
            raise RckError(f"give OLD and NEW, or one of {', '.join(RENAMED)} with OLD and NEW")
        level, old, new = names
        if level == "part":
            return document.with_assembly(edits.rename(assembly, old, new)), f"renamed {old} to {new}"
        if level == "joint":
            return document.with_assembly(edits.rename_joint(assembly, old, new)), f"renamed {old} to {new}"
        renamed = edits.renamed_entry(assembly, SECTIONS[level], old, new)
        return document.with_assembly(renamed), f"renamed {level} {old} to {new}"


RENAMED = ("part", "joint", *SECTIONS)

COMMANDS = (
    Command(
        "set",
        "change properties of an instance, a mate, a joint, a tool, the units and so on",
        (Argument("what", ValueKind.LEVEL, many=True), Argument("settings", ValueKind.SETTING)),
        details="`set INSTANCE name=value` changes parameters, colour, scale, loose (yes/no) and notes; mates stay."
        " `set mate INSTANCE` changes the mate that attaches the instance: turn, flip, offset, rpy, force."
        " `set joint NAME`: position, limits (-90..90), speed, torque, force. `set tool NAME`: on, offset, rpy."
        " `set port NAME`: on. `set item PART/ITEM`, for an item of a local part: material, mass, density, colour,"
        " friction, mobile. `set piece NAME`, for a local part: summary, source. `set view NAME`: eye, target,"
        " parallel. `set assembly`: name, notes. `set units`: length, angle, mass, torque, force, angular-speed, speed;"
        " existing numbers are converted, so the model stays the same. The value `default` resets a setting.",
        examples=(
            "set upper length=250",
            "set mate shoulder turn=90",
            "set joint shoulder/axis limits=-90..90 position=30",
            "set cube loose=yes colour=#cc3333",
            "set item foot/body material=steel",
            "set units length=in mass=lb",
        ),
        aliases=("modify",),
        run=_set,
    ),
    Command(
        "rename",
        "rename an instance and all references to it",
        (Argument("what", ValueKind.LEVEL, many=True),),
        details=f"`rename OLD NEW`, or with the type before the names: {', '.join(RENAMED)}. Only joints of mates can"
        " be renamed.",
        examples=("rename xm540-w270 shoulder", "rename tool grip tip", "rename joint hand/mate wrist"),
        run=_rename,
    ),
)
