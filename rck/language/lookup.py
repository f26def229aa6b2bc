"""Looking up what the words of a line name; a refusal points at the word."""

from rck.assembly import edit
from rck.assembly.document import Assembly
from rck.assembly.ends import end_frame, parse_end
from rck.catalogue.manifest import Quantity
from rck.catalogue.part import choose_parameters
from rck.language import values
from rck.language.grammar import Arguments
from rck.language.session import Session
from rck.model import RckError
from rck.model.names import did_you_mean

SECTIONS = {
    "tool": "tools",
    "port": "ports",
    "pose": "poses",
    "view": "views",
    "piece": "pieces",
    "group": "groups",
}
"""The kinds of things that an assembly keeps by name, and the section that holds them."""


def instance_in(assembly: Assembly, arguments: Arguments, name: str = "instance") -> str:
    """The instance that an argument names."""

    def read(text: str) -> str:
        edit.instance(assembly, text)
        return text

    return arguments.read(name, read)


def new_instance_in(assembly: Assembly, arguments: Arguments, otherwise: str, name: str = "name") -> str:
    """The new name that an argument gives, or else the wish with a number that makes it new."""

    def read(text: str) -> str:
        edit.require_new_name(assembly, text)
        return text

    return arguments.read(name, read) if arguments.text(name) else edit.new_name(assembly, otherwise)


def require_end(session: Session, assembly: Assembly, text: str) -> str:
    """An end that exists on an instance of the assembly."""
    end = parse_end(text)
    edit.instance(assembly, end.instance)
    body = session.body(assembly, end.instance)
    end_frame(end, body.robot, body.ports)
    return text


def chosen_parameters(session: Session, part: str, arguments: Arguments, name: str) -> dict[str, Quantity]:
    """The parameters that the settings of a line give to a part."""
    chosen = {}
    for key, word in arguments.settings(name).items():
        with arguments.pointing(word):
            chosen[key] = checked_parameter(session, part, key, word.text)
    return chosen


def checked_parameter(session: Session, part: str, key: str, text: str) -> Quantity:
    """The value of one parameter of a part, if the part takes it."""
    value = values.quantity(text)
    if part in session.catalogue.entries:
        choose_parameters(session.catalogue.file(part), {key: value}, session.assembly.units)
        return value
    raise RckError(f"{part} has no parameters")


def require_joint(session: Session, text: str) -> str:
    """A joint of the robot, fixed ones too."""
    known = [joint.name for joint in session.compile().unwrap().robot.joints]
    if text not in known:
        raise RckError(f"there is no joint {text}{did_you_mean(text, known)}; `show joints` lists them")
    return text


def require_free_joint(session: Session, text: str) -> str:
    """A joint that can be moved by itself."""
    known = [joint.name for joint in session.compile().unwrap().robot.free_joints]
    if text not in known:
        raise RckError(f"there is no joint {text} that moves{did_you_mean(text, known)}; `show joints` lists them")
    return text


def require_port(session: Session, text: str) -> str:
    """A port of an instance; faces are not offered."""
    known = session.compile().unwrap().ports
    if text not in known:
        raise RckError(f"there is no port {text}{did_you_mean(text, known)}; `show ports` lists them")
    return text


def piece_item(assembly: Assembly, text: str) -> tuple[str, str]:
    """The piece and the item of it that `PIECE/ITEM` names; the name of an instance of the piece will do."""
    scope, _, item = text.partition("/")
    piece = assembly.parts[scope].part if scope in assembly.parts else scope
    if piece not in assembly.pieces:
        made = f"{scope} is a {piece}, whose items are as its maker made them" if scope in assembly.parts else ""
        raise RckError(made or f"there is no piece {scope!r}{did_you_mean(scope, assembly.pieces)}")
    items = assembly.pieces[piece].items
    if item not in items:
        raise RckError(f"{scope} has no item {item!r}{did_you_mean(item, items)}; it has {', '.join(items)}")
    return piece, item
