"""Changing properties of what is there: parameters, mates, joints, names, units."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from rck.assembly import edit
from rck.assembly.document import Assembly, replaced
from rck.catalogue.manifest import Units
from rck.catalogue.shapes import colour_of
from rck.language import values
from rck.language.grammar import Argument, Arguments, CommandSpec, Kind
from rck.language.session import Session
from rck.model import RckError
from rck.model.names import did_you_mean, name_findings

Edited = tuple[Assembly, str]


def _colour(text: str) -> str:
    colour_of(text)
    return text


_OF_INSTANCE: dict[str, Callable[[str], Any]] = {
    "colour": _colour,
    "loose": values.flag,
    "notes": str,
}
_OF_MATE: dict[str, Callable[[str], Any]] = {
    "turn": values.angle,
    "flip": values.flag,
    "offset": lambda text: values.vector(text) if "," in text else values.length(text),
    "rpy": lambda text: values.vector(text, values.angle),
    "force": values.flag,
}
_OF_JOINT: dict[str, Callable[[str], Any]] = {
    "position": values.position,
    "limits": values.span,
    "speed": values.quantity,
    "torque": values.quantity,
    "force": values.quantity,
}
_OF_TOOL: dict[str, Callable[[str], Any]] = {
    "on": str,
    "offset": values.vector,
    "rpy": lambda text: values.vector(text, values.angle),
}
_UNSET = ("default", "none")
LEVELS = ("mate", "joint", "tool", "assembly", "units")


def _set(session: Session, arguments: Arguments) -> Edited:
    names = arguments.texts("what")
    given = values.settings(arguments.texts("settings"))
    level = names[0] if len(names) == 2 or names[0] in ("assembly", "units") else "part"
    if level == "part" and len(names) == 1:
        return _set_instance(session.assembly, names[0], given), f"changed {names[0]}"
    if level not in LEVELS or len(names) > 2:
        raise arguments.refuse(f"say what to change: an instance, or one of {', '.join(LEVELS)} and its name", "what")
    if level in ("assembly", "units"):
        return _set_whole(session.assembly, level, given), f"changed the {level}"
    return _SETTERS[level](session, names[1], given), f"changed {level} {names[1]}"


def _set_instance(assembly: Assembly, name: str, given: Any) -> Assembly:
    old = edit.instance(assembly, name)
    changes: dict[str, Any] = {}
    chosen = dict(old.with_)
    for key, text in given.items():
        if key in _OF_INSTANCE:
            changes[key] = _default(key) if text in _UNSET else _OF_INSTANCE[key](text)
        elif text in _UNSET:
            chosen.pop(key, None)
        else:
            chosen[key] = values.quantity(text)
    return edit.set_instance(assembly, name, with_=chosen, **changes)


def _default(key: str) -> Any:
    return {"colour": None, "loose": False, "notes": ""}[key]


def _read(given: Any, known: Mapping[str, Callable[[str], Any]], what: str, unset: Any = None) -> dict[str, Any]:
    changes = {}
    for key, text in given.items():
        if key not in known:
            raise RckError(f"a {what} has no {key}{did_you_mean(key, known)}; it has {', '.join(known)}")
        changes[key] = unset if text in _UNSET else known[key](text)
    return changes


def _set_mate(session: Session, name: str, given: Any) -> Assembly:
    changes = _read(given, _OF_MATE, "mate")
    empty = {"turn": 0.0, "flip": False, "offset": 0.0, "rpy": None, "force": False}
    return edit.change_mate(
        session.assembly, name, **{key: empty[key] if value is None else value for key, value in changes.items()}
    )


def _set_joint(session: Session, name: str, given: Any) -> Assembly:
    known = {joint.name for joint in session.compile().unwrap().robot.joints}
    if name not in known:
        raise RckError(f"there is no joint {name}{did_you_mean(name, known)}; `show joints` lists them")
    return edit.set_joint_setting(session.assembly, name, **_read(given, _OF_JOINT, "joint"))


def _set_tool(session: Session, name: str, given: Any) -> Assembly:
    if name not in session.assembly.tools:
        raise RckError(f"there is no tool {name}{did_you_mean(name, session.assembly.tools)}")
    changes = _read(given, _OF_TOOL, "tool")
    if changes.get("offset", ...) is None:
        changes["offset"] = (0.0, 0.0, 0.0)
    return edit.set_tool(session.assembly, name, msgspec.structs.replace(session.assembly.tools[name], **changes))


_SETTERS: dict[str, Callable[[Session, str, Any], Assembly]] = {
    "mate": _set_mate,
    "joint": _set_joint,
    "tool": _set_tool,
}


def _set_whole(assembly: Assembly, level: str, given: Any) -> Assembly:
    if level == "assembly":
        changes = _read(given, {"name": _assembly_name, "notes": str}, "assembly", "")
        return replaced(assembly, **changes)
    known = dict.fromkeys(msgspec.structs.asdict(Units()), str)
    spelled = {key.replace("-", "_"): text for key, text in given.items()}
    return replaced(assembly, units=msgspec.structs.replace(assembly.units, **_read(spelled, known, "file's units")))


def _assembly_name(text: str) -> str:
    if name_findings(text, "assembly"):
        raise RckError(f"{text!r} is not a name; use letters, digits, - and _")
    return text


def _rename(session: Session, arguments: Arguments) -> Edited:
    old, new = arguments.text("old"), arguments.text("new")
    return edit.rename(session.assembly, old, new), f"{old} is now {new}"


COMMANDS = (
    CommandSpec(
        "set",
        "change properties: parameters of a part, a mate, a joint, a tool, the units",
        _set,
        (Argument("what", Kind.INSTANCE, many=True), Argument("settings", Kind.SETTING)),
        details="`set PIECE name=value` changes parameters, colour, loose (yes/no), notes; attachments stay."
        " `set mate PIECE` changes the mate that puts the piece in place: turn, flip, offset, rpy, force."
        " `set joint NAME`: position, limits (-90..90), speed, torque, force. `set tool NAME`: on, offset, rpy."
        " `set assembly`: name, notes. `set units length=in`: what bare numbers mean from now on, also those that"
        " are there. The value `default` takes a setting back.",
        examples=(
            "set upper length=250",
            "set mate shoulder turn=90",
            "set joint shoulder/axis limits=-90..90 position=30",
            "set cube loose=yes colour=#cc3333",
        ),
        aliases=("modify",),
    ),
    CommandSpec(
        "rename",
        "give a piece another name, everywhere",
        _rename,
        (Argument("old", Kind.INSTANCE), Argument("new", Kind.NAME)),
        examples=("rename xm540-w270 shoulder",),
    ),
)
