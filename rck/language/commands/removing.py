"""Removing instances and entries; what something else refers to is not removed unasked."""

from collections.abc import Callable

from rck.assembly import edit
from rck.assembly.document import Assembly
from rck.assembly.ends import parse_end
from rck.assembly.mates import joint_name
from rck.language.commands.joints import without_joint
from rck.language.grammar import Argument, Arguments, CommandSpec, Kind, Option
from rck.language.lookup import SECTIONS, piece_item
from rck.language.placing import place_of, world_pose
from rck.language.session import Edited, Session
from rck.language.words import Word
from rck.model import RckError


def _remove(session: Session, arguments: Arguments) -> Edited:
    words = arguments.words["names"]
    level = words[0].text
    if len(words) > 1 and level == "part" and level not in session.assembly.parts:
        return _remove_instances(session, words[1:], arguments)
    if len(words) == 1 or level not in LEVELS or level in session.assembly.parts:
        return _remove_instances(session, words, arguments)
    assembly = session.assembly
    for word in words[1:]:
        with arguments.pointing(word):
            assembly = LEVELS[level](session, assembly, word.text, arguments.has("with-dependents"))
    return assembly, f"removed {level} {', '.join(word.text for word in words[1:])}"


def _remove_instances(session: Session, words: tuple[Word, ...], arguments: Arguments) -> Edited:
    assembly = session.assembly
    going = [word.text for word in words]
    for word in words:
        with arguments.pointing(word):
            edit.instance(assembly, word.text)
    if arguments.has("keep"):
        for mate in [mate for name in going for mate in edit.mates_on(assembly, name)]:
            child = parse_end(mate.put).instance
            if child not in going:
                place = place_of(world_pose(session, assembly, child), assembly)
                assembly = edit.detach(assembly, child, place)
    if arguments.has("with-dependents"):
        going = [one for name in going for one in edit.branch(assembly, name)]
    else:
        with arguments.pointing(words[0]):
            _refuse_referred(
                ", ".join(going), edit.referrers(assembly, going), ", or --keep to leave what stands on it"
            )
    return edit.remove(assembly, going), f"removed {', '.join(dict.fromkeys(going))}"


def _refuse_referred(what: str, referrers: list[str], otherwise: str = "") -> None:
    if referrers:
        named = ", ".join(referrers)
        raise RckError(f"{what} is referred to by {named}; add --with-dependents to remove that too{otherwise}")


def _remove_mate(session: Session, assembly: Assembly, name: str, with_dependents: bool) -> Assembly:
    edit.instance(assembly, name)
    mate = edit.mate_putting(assembly, name)
    if mate is not None and not with_dependents:
        gone = joint_name(mate, name)
        _refuse_referred(f"the mate of {name}", edit.pose_referrers(assembly, lambda joint: joint == gone))
    return edit.detach(assembly, name, place_of(world_pose(session, assembly, name), assembly))


def _remove_joint(session: Session, assembly: Assembly, name: str, with_dependents: bool) -> Assembly:
    changed = without_joint(assembly, name)
    if changed.mates != assembly.mates and not with_dependents:
        _refuse_referred(f"joint {name}", edit.pose_referrers(assembly, lambda joint: joint == name))
    return changed


def _remove_piece(session: Session, assembly: Assembly, name: str, with_dependents: bool) -> Assembly:
    users = [key for key, one in assembly.parts.items() if one.part == name]
    if not with_dependents:
        _refuse_referred(f"the piece {name}", users)
    going = [one for user in users for one in edit.branch(assembly, user)]
    return edit.without(edit.remove(assembly, going), "pieces", name)


def _remove_item(session: Session, assembly: Assembly, name: str, with_dependents: bool) -> Assembly:
    piece, item = piece_item(assembly, name)
    if not with_dependents:
        _refuse_referred(f"item {name}", edit.item_referrers(assembly.pieces[piece], item))
    before, after = assembly.pieces[piece], edit.without_item(assembly.pieces[piece], item)
    users = [name for name, one in assembly.parts.items() if one.part == piece]
    gone = {f"{user}/{joint}" for user in users for joint in before.joints.keys() - after.joints.keys()}
    return edit.without_joints(edit.set_piece(assembly, piece, after), gone.__contains__)


def _remove_entry(section: str) -> Callable[[Session, Assembly, str, bool], Assembly]:
    return lambda session, assembly, name, with_dependents: edit.without(assembly, section, name)


LEVELS: dict[str, Callable[[Session, Assembly, str, bool], Assembly]] = {
    **{level: _remove_entry(section) for level, section in SECTIONS.items()},
    "piece": _remove_piece,
    "item": _remove_item,
    "joint": _remove_joint,
    "mate": _remove_mate,
}
"""What can be removed: the words for it, and what removes one by name."""

COMMANDS = (
    CommandSpec(
        "remove",
        f"remove instances, or by its name a {', '.join(LEVELS)}",
        _remove,
        (Argument("names", Kind.LEVEL, many=True),),
        (
            Option("with-dependents", "with everything that stands on it or refers to it"),
            Option("keep", "what stands on it stays where it is"),
        ),
        "`remove NAME...` removes instances; `remove tool NAME`, `remove pose NAME` and so on remove other things. A"
        " mate is named by the instance that it puts in place, which stays where it is; a mate without its joint is"
        " rigid; an item is one of a piece of this assembly, PIECE/ITEM. What something else refers to is refused, and"
        " the referrers are named.",
        (
            "remove hand",
            "remove shoulder --with-dependents",
            "remove base --keep",
            "remove tool grip",
            "remove joint hand/mate",
            "remove item panda/panda_hand --with-dependents",
        ),
        aliases=("delete",),
    ),
)
