"""Look up the things that arguments name; errors point at the word."""

from rck.assembly import edits
from rck.assembly.document import Assembly
from rck.assembly.mate_ends import end_frame, parse_end
from rck.grammar import Arguments
from rck.language.argument_values import parse_value
from rck.language.document import Document
from rck.model import RckError
from rck.model.quantities import Quantity
from rck.parts.part import choose_parameters
from rck.support.names import did_you_mean

SECTIONS = {
    "tool": "tools",
    "port": "ports",
    "pose": "poses",
    "view": "views",
    "piece": "local_parts",
    "group": "groups",
    "loop": "loops",
}
"""The types of named entries in an assembly, and the section that contains each."""


def read_instance(document: Document, arguments: Arguments, name: str = "instance") -> str:
    """Return the name of an existing instance from an argument."""

    def parse(text: str) -> str:
        edits.instance(document.assembly, text)
        return text

    return arguments.read(name, parse)


def read_new_instance(document: Document, arguments: Arguments, default: str, name: str = "name") -> str:
    """Return an unused name from an argument; without one, the default, numbered if it is used."""

    def parse(text: str) -> str:
        edits.require_new_name(document.assembly, text)
        return text

    return arguments.read(name, parse) if arguments.text(name) else edits.new_name(document.assembly, default)


def read_end(document: Document, arguments: Arguments, name: str, scope: str = "") -> str:
    """Return an end from an argument: a port, face or instance that exists. `scope` is put before the text."""
    return arguments.read(name, lambda text: require_end(document, scope + text))


def require_end(document: Document, text: str) -> str:
    """Return the end if it exists on an instance."""
    end = parse_end(text)
    edits.instance(document.assembly, end.instance)
    body = document.body(end.instance)
    end_frame(end, body.robot, body.ports)
    return text


def read_parameters(document: Document, part: str, arguments: Arguments, name: str) -> dict[str, Quantity]:
    """Return the parameters of a part from the settings of a line."""
    parameters = {}
    for key, word in arguments.settings(name).items():
        with arguments.pointing(word):
            parameters[key] = parse_parameter(document, part, key, word.text)
    return parameters


def parse_parameter(document: Document, part: str, key: str, text: str) -> Quantity:
    """Parse the value of a parameter; refuse one that the part does not have."""
    value = parse_value(text)
    if part in document.catalogue.entries:
        choose_parameters(document.catalogue.file(part), {key: value}, document.units)
        return value
    raise RckError(f"{part} has no parameters")


def require_joint(document: Document, text: str) -> str:
    """Return the name of a joint of the robot; fixed joints are allowed."""
    known = [joint.name for joint in document.robot.joints]
    if text not in known:
        raise RckError(f"there is no joint {text}{did_you_mean(text, known)}; `show joints` lists them")
    return text


def require_free_joint(document: Document, text: str) -> str:
    """Return the name of a joint that moves independently."""
    known = [joint.name for joint in document.robot.free_joints]
    if text not in known:
        raise RckError(f"there is no movable joint {text}{did_you_mean(text, known)}; `show joints` lists them")
    return text


def require_port(document: Document, text: str) -> str:
    """Return a port of an instance; faces are refused."""
    known = document.compiled.ports
    if text not in known:
        raise RckError(f"there is no port {text}{did_you_mean(text, known)}; `show ports` lists them")
    return text


def local_part_item(assembly: Assembly, text: str) -> tuple[str, str]:
    """Return the local part and the item that `PART/ITEM` names; PART may also be an instance of the local part."""
    scope, _, item = text.partition("/")
    part = assembly.parts[scope].part if scope in assembly.parts else scope
    if part not in assembly.local_parts:
        if scope in assembly.parts:
            raise RckError(f"{scope} is an instance of {part}; only items of local parts can be changed")
        raise RckError(f"there is no local part {scope!r}{did_you_mean(scope, assembly.local_parts)}")
    items = assembly.local_parts[part].items
    if item not in items:
        raise RckError(f"{scope} has no item {item!r}{did_you_mean(item, items)}; its items: {', '.join(items)}")
    return part, item
