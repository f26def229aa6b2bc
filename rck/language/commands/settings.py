"""Changing properties of what is there: parameters, mates, joints, items, names, units."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from rck.assembly import edit
from rck.assembly.document import Assembly, replaced
from rck.assembly.units import with_units
from rck.catalogue.manifest import PartItem, Units
from rck.catalogue.quantities import restate
from rck.language import values
from rck.language.commands.making import LOOKS, colour
from rck.language.commands.placing import factor
from rck.language.grammar import Argument, Arguments, CommandSpec, Kind
from rck.language.lookup import SECTIONS, checked_parameter, piece_item, require_end, require_joint, require_port
from rck.language.session import Edited, Session
from rck.language.words import Word
from rck.model import RckError
from rck.model.names import did_you_mean, name_findings
from rck.model.units import si_from

Readers = Mapping[str, Callable[[str], Any]]
"""The properties of something, and how their values are read."""

_UNSET = ("default", "none")

OF_INSTANCE: Readers = {"colour": colour, "loose": values.flag, "notes": str, "scale": factor}
OF_MATE: Readers = {
    "turn": values.angle,
    "flip": values.flag,
    "offset": values.offset,
    "rpy": values.angles,
    "force": values.flag,
}
OF_JOINT: Readers = {
    "position": values.position,
    "limits": values.span,
    "speed": values.speed,
    "torque": values.quantity,
    "force": values.quantity,
}
OF_TOOL: Readers = {"on": str, "offset": values.vector, "rpy": values.angles}
OF_PORT: Readers = {"on": str}
OF_ITEM: Readers = {**LOOKS, "mobile": values.flag}
OF_PIECE: Readers = {"summary": str, "source": str}
OF_VIEW: Readers = {"eye": values.vector, "target": values.vector, "parallel": values.flag}


def _assembly_name(text: str) -> str:
    if name_findings(text, "assembly"):
        raise RckError(f"{text!r} is not a name; use letters, digits, - and _")
    return text


OF_ASSEMBLY: Readers = {"name": _assembly_name, "notes": str}


def _unit(dimension: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        si_from(1.0, dimension, text)
        return text

    return read


OF_UNITS: Readers = {field.encode_name: _unit(field.name.replace("_", " ")) for field in msgspec.structs.fields(Units)}


def _set(session: Session, arguments: Arguments) -> Edited:
    words = arguments.words["what"]
    level = words[0].text
    settings = arguments.settings("settings")
    assembly = session.assembly
    if len(words) == 1 and level in assembly.parts:
        return _set_instance(session, arguments, level, settings), f"changed {level}"
    if len(words) == 1 and level in _WHOLE:
        return _WHOLE[level](session, arguments, settings), f"changed the {level}"
    if len(words) == 1:
        with arguments.pointing(words[0]):
            edit.instance(assembly, level)
    if level == "part" and len(words) == 2:
        with arguments.pointing(words[1]):
            edit.instance(assembly, words[1].text)
        return _set_instance(session, arguments, words[1].text, settings), f"changed {words[1].text}"
    if level not in LEVELS or len(words) > 2:
        known = ", ".join((*LEVELS, *_WHOLE))
        raise arguments.refuse(f"say what to change: an instance, or one of {known} and its name", "what")
    with arguments.pointing(words[1]):
        return LEVELS[level](session, arguments, words[1].text, settings), f"changed {level} {words[1].text}"


def _read(arguments: Arguments, settings: Mapping[str, Word], known: Readers, what: str) -> dict[str, Any]:
    """The settings as values; None for one that is taken back."""
    changes = {}
    for key, word in settings.items():
        with arguments.pointing(word):
            if key not in known:
                raise RckError(f"{what} has no {key}{did_you_mean(key, known)}; it has {', '.join(known)}")
            changes[key] = None if word.text in _UNSET else known[key](word.text)
    return changes


def _changed(record: Any, changes: Mapping[str, Any]) -> Any:
    """The record with some fields replaced; None brings the default back."""
    defaults = {field.name: field.default for field in msgspec.structs.fields(record)}
    back = {key: defaults[key] for key, value in changes.items() if value is None}
    needed = [key for key, value in back.items() if value is msgspec.NODEFAULT]
    if needed:
        raise RckError(f"{needed[0]} has no default")
    return msgspec.structs.replace(record, **{**changes, **back})


def _set_instance(session: Session, arguments: Arguments, name: str, settings: Mapping[str, Word]) -> Assembly:
    old = session.assembly.parts[name]
    chosen = dict(old.with_)
    own = {}
    for key, word in settings.items():
        if key in OF_INSTANCE:
            own[key] = word
        elif word.text in _UNSET:
            chosen.pop(key, None)
        else:
            with arguments.pointing(word):
                chosen[key] = checked_parameter(session, old.part, key, word.text)
    changed = _changed(old, _read(arguments, own, OF_INSTANCE, "an instance"))
    return edit.set_instance(session.assembly, name, **{**msgspec.structs.asdict(changed), "with_": chosen})


def _set_mate(session: Session, arguments: Arguments, name: str, settings: Mapping[str, Word]) -> Assembly:
    mate = edit.mate_putting(session.assembly, name)
    if mate is None:
        return edit.change_mate(session.assembly, name)
    changed = _changed(mate, _read(arguments, settings, OF_MATE, "a mate"))
    return edit.change_mate(session.assembly, name, **msgspec.structs.asdict(changed))


def _set_joint(session: Session, arguments: Arguments, name: str, settings: Mapping[str, Word]) -> Assembly:
    require_joint(session, name)
    return edit.set_joint_setting(session.assembly, name, **_read(arguments, settings, OF_JOINT, "a joint"))


def _set_tool(session: Session, arguments: Arguments, name: str, settings: Mapping[str, Word]) -> Assembly:
    readers = {**OF_TOOL, "on": lambda text: require_end(session, session.assembly, text)}
    return _set_entry(session, "tools", name, _read(arguments, settings, readers, "a tool"))


def _set_view(session: Session, arguments: Arguments, name: str, settings: Mapping[str, Word]) -> Assembly:
    return _set_entry(session, "views", name, _read(arguments, settings, OF_VIEW, "a view"))


def _set_piece(session: Session, arguments: Arguments, name: str, settings: Mapping[str, Word]) -> Assembly:
    return _set_entry(session, "pieces", name, _read(arguments, settings, OF_PIECE, "a piece"))


def _set_entry(session: Session, section: str, name: str, changes: Mapping[str, Any]) -> Assembly:
    entries = edit.entries_with(session.assembly, section, name)
    return replaced(session.assembly, **{section: {**entries, name: _changed(entries[name], changes)}})


def _set_port(session: Session, arguments: Arguments, name: str, settings: Mapping[str, Word]) -> Assembly:
    edit.entries_with(session.assembly, "ports", name)
    readers = {**OF_PORT, "on": lambda text: require_port(session, text)}
    changes = _read(arguments, settings, readers, "a port")
    if changes["on"] is None:
        raise RckError("on has no default")
    return edit.set_port(session.assembly, name, changes["on"])


def _set_item(session: Session, arguments: Arguments, name: str, settings: Mapping[str, Word]) -> Assembly:
    piece_name, item = piece_item(session.assembly, name)
    piece = session.assembly.pieces[piece_name]
    changes = _read(arguments, settings, OF_ITEM, "an item")
    if changes.get("mass") is not None:
        # The piece has its own units, which need not be those of the assembly.
        changes["mass"] = restate(changes["mass"], "mass", session.assembly.units.mass, piece.units.mass)
    if heavy := {"material", "mass", "density"} & changes.keys():
        # They say the same thing in three ways; a centre and an inertia belong to the mass they came with.
        changes = {**dict.fromkeys(("material", "mass", "density", "centre", "inertia")), **changes}
        if len(heavy) > 1:
            raise RckError("give one of material, mass and density")
    changed: PartItem = _changed(piece.items[item], changes)
    return edit.set_piece(
        session.assembly, piece_name, msgspec.structs.replace(piece, items={**piece.items, item: changed})
    )


LEVELS: dict[str, Callable[[Session, Arguments, str, Mapping[str, Word]], Assembly]] = {
    "mate": _set_mate,
    "joint": _set_joint,
    "tool": _set_tool,
    "port": _set_port,
    "view": _set_view,
    "piece": _set_piece,
    "item": _set_item,
}
"""What has properties to set besides instances: the words for it, and what sets them."""

PROPERTIES: Mapping[str, Readers] = {
    "mate": OF_MATE,
    "joint": OF_JOINT,
    "tool": OF_TOOL,
    "port": OF_PORT,
    "view": OF_VIEW,
    "piece": OF_PIECE,
    "item": OF_ITEM,
    "assembly": OF_ASSEMBLY,
    "units": OF_UNITS,
}


def _set_assembly(session: Session, arguments: Arguments, settings: Mapping[str, Word]) -> Assembly:
    changes = _read(arguments, settings, OF_ASSEMBLY, "the assembly")
    with arguments.pointing("settings"):
        changed: Assembly = _changed(session.assembly, changes)
    return changed


def _set_units(session: Session, arguments: Arguments, settings: Mapping[str, Word]) -> Assembly:
    changes = _read(arguments, settings, OF_UNITS, "the file's units")
    units: Units = _changed(session.assembly.units, {key.replace("-", "_"): one for key, one in changes.items()})

    def turns(joint: str) -> bool:
        return session.compile().unwrap().robot.joint(joint).kind.turns

    return with_units(session.assembly, units, session.catalogue.file, turns)


_WHOLE: dict[str, Callable[[Session, Arguments, Mapping[str, Word]], Assembly]] = {
    "assembly": _set_assembly,
    "units": _set_units,
}


def _rename(session: Session, arguments: Arguments) -> Edited:
    words = arguments.words["what"]
    assembly = session.assembly
    names = [word.text for word in words]
    with arguments.pointing(words[-1] if names[0] in (*RENAMED, *assembly.parts) else words[0]):
        if len(names) == 2:
            return edit.rename(assembly, *names), f"{names[0]} is now {names[1]}"
        if len(names) != 3 or names[0] not in RENAMED:
            raise RckError(f"rename OLD NEW, or rename and one of {', '.join(RENAMED)}, OLD and NEW")
        level, old, new = names
        if level == "part":
            return edit.rename(assembly, old, new), f"{old} is now {new}"
        if level == "joint":
            return edit.rename_joint(assembly, old, new), f"{old} is now {new}"
        return edit.renamed_entry(assembly, SECTIONS[level], old, new), f"{level} {old} is now {new}"


RENAMED = ("part", "joint", *SECTIONS)

COMMANDS = (
    CommandSpec(
        "set",
        "change properties: parameters of a part, a mate, a joint, a tool, the units",
        _set,
        (Argument("what", Kind.LEVEL, many=True), Argument("settings", Kind.SETTING)),
        details="`set INSTANCE name=value` changes parameters, colour, scale, loose (yes/no), notes; attachments stay."
        " `set mate INSTANCE` changes the mate that puts the instance in place: turn, flip, offset, rpy, force."
        " `set joint NAME`: position, limits (-90..90), speed, torque, force. `set tool NAME`: on, offset, rpy."
        " `set port NAME`: on. `set item PIECE/ITEM`, of a piece of this assembly: material, mass, density, colour,"
        " friction, mobile. `set piece NAME`: summary, source. `set view NAME`: eye, target, parallel."
        " `set assembly`: name, notes. `set units`: length, angle, mass, torque, force, angular-speed, speed; the"
        " numbers that are there are converted, so the model stays the same. The value `default` takes a setting"
        " back.",
        examples=(
            "set upper length=250",
            "set mate shoulder turn=90",
            "set joint shoulder/axis limits=-90..90 position=30",
            "set cube loose=yes colour=#cc3333",
            "set item foot/body material=steel",
            "set units length=in mass=lb",
        ),
        aliases=("modify",),
    ),
    CommandSpec(
        "rename",
        "give an instance another name, everywhere",
        _rename,
        (Argument("what", Kind.LEVEL, many=True),),
        details=f"`rename OLD NEW`; or with the kind of thing before the names: {', '.join(RENAMED)}. Of joints, those"
        " of mates can be named.",
        examples=("rename xm540-w270 shoulder", "rename tool grip tip", "rename joint hand/mate wrist"),
    ),
)
