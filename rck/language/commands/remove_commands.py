"""The command remove. It refuses to remove something that is still referred to."""

from collections.abc import Callable

from rck.assembly import edits
from rck.assembly.mate_ends import parse_end
from rck.assembly.mates import joint_name
from rck.assembly.shared_elements import dropped_note
from rck.grammar import Argument, Arguments, CommandOption, ValueKind, Word
from rck.hooks import Command
from rck.language.commands.joint_commands import without_joint
from rck.language.document import Document
from rck.language.instance_placement import present_place
from rck.language.lookup import SECTIONS, local_part_item
from rck.model import RckError


def _remove(document: Document, arguments: Arguments) -> tuple[Document, str]:
    before = document.assembly
    changed, message = _removed(document, arguments)
    note = dropped_note(before, changed.assembly, {word.text for word in arguments.words["names"]})
    return changed, message + note


def _removed(document: Document, arguments: Arguments) -> tuple[Document, str]:
    words = arguments.words["names"]
    level = words[0].text
    if len(words) > 1 and level == "part" and level not in document.assembly.parts:
        return _remove_instances(document, words[1:], arguments)
    if len(words) == 1 or level not in LEVELS or level in document.assembly.parts:
        return _remove_instances(document, words, arguments)
    for word in words[1:]:
        with arguments.pointing(word):
            document = LEVELS[level](document, word.text, arguments.has("with-dependents"))
    return document, f"removed {level} {', '.join(word.text for word in words[1:])}"


def _remove_instances(document: Document, words: tuple[Word, ...], arguments: Arguments) -> tuple[Document, str]:
    removed = [word.text for word in words]
    for word in words:
        with arguments.pointing(word):
            edits.instance(document.assembly, word.text)
    if arguments.has("keep"):
        for mate in [mate for name in removed for mate in edits.mates_on(document.assembly, name)]:
            child = parse_end(mate.put).instance
            if child not in removed:
                document = _detach(document, child)
    if arguments.has("with-dependents"):
        removed = [one for name in removed for one in edits.branch(document.assembly, name)]
    else:
        with arguments.pointing(words[0]):
            referrers = edits.referrers(document.assembly, removed)
            _refuse_referred(", ".join(removed), referrers, ", or --keep to detach instances and leave them in place")
    left = edits.remove(document.assembly, removed)
    return document.with_assembly(left), f"removed {', '.join(dict.fromkeys(removed))}"


def _detach(document: Document, name: str) -> Document:
    return document.with_assembly(edits.detach(document.assembly, name, present_place(document, name)))


def _refuse_referred(what: str, referrers: list[str], alternative: str = "") -> None:
    if referrers:
        named = ", ".join(referrers)
        raise RckError(f"{what} is referred to by {named}; add --with-dependents to remove these too{alternative}")


def _remove_mate(document: Document, name: str, with_dependents: bool) -> Document:
    edits.instance(document.assembly, name)
    mate = edits.mate_putting(document.assembly, name)
    if mate is not None and not with_dependents:
        gone = joint_name(mate, name)
        _refuse_referred(f"the mate of {name}", edits.pose_referrers(document.assembly, lambda joint: joint == gone))
    return _detach(document, name)


def _remove_joint(document: Document, name: str, with_dependents: bool) -> Document:
    changed = without_joint(document.assembly, name)
    if changed.mates != document.assembly.mates and not with_dependents:
        _refuse_referred(f"joint {name}", edits.pose_referrers(document.assembly, lambda joint: joint == name))
    return document.with_assembly(changed)


def _remove_local_part(document: Document, name: str, with_dependents: bool) -> Document:
    users = [key for key, one in document.assembly.parts.items() if one.part == name]
    if not with_dependents:
        _refuse_referred(f"the local part {name}", users)
    removed = [one for user in users for one in edits.branch(document.assembly, user)]
    return document.with_assembly(edits.without(edits.remove(document.assembly, removed), "local_parts", name))


def _remove_item(document: Document, name: str, with_dependents: bool) -> Document:
    assembly = document.assembly
    part, item = local_part_item(assembly, name)
    before = assembly.local_parts[part]
    if not with_dependents:
        _refuse_referred(f"item {name}", edits.item_referrers(before, item))
    after = edits.without_item(before, item)
    users = [name for name, one in assembly.parts.items() if one.part == part]
    gone = {f"{user}/{joint}" for user in users for joint in before.joints.keys() - after.joints.keys()}
    changed = edits.without_joints(edits.set_local_part(assembly, part, after), gone.__contains__)
    return document.with_assembly(changed)


def _remove_entry(section: str) -> Callable[[Document, str, bool], Document]:
    return lambda document, name, _: document.with_assembly(edits.without(document.assembly, section, name))


LEVELS: dict[str, Callable[[Document, str, bool], Document]] = {
    **{level: _remove_entry(section) for level, section in SECTIONS.items()},
    "piece": _remove_local_part,
    "item": _remove_item,
    "joint": _remove_joint,
    "mate": _remove_mate,
}
"""The types of things that can be removed by name, and the function that removes one."""

COMMANDS = (
    Command(
        "remove",
        f"remove instances, or a {', '.join(list(LEVELS)[:-1])} or {list(LEVELS)[-1]} by name",
        (Argument("names", ValueKind.LEVEL, many=True),),
        (
            CommandOption("with-dependents", "also remove everything that is attached or refers to it"),
            CommandOption("keep", "detach instances that are attached to it and leave them in place"),
        ),
        "`remove NAME...` removes instances; `remove tool NAME`, `remove pose NAME` and so on remove other things. A"
        " mate is named by the instance that it attaches, which keeps its pose. A mate without its joint is rigid. An"
        " item belongs to a local part and is named PART/ITEM. Something that is still referred to is not removed; the"
        " message lists the references.",
        (
            "remove hand",
            "remove shoulder --with-dependents",
            "remove base --keep",
            "remove tool grip",
            "remove joint hand/mate",
            "remove item panda/panda_hand --with-dependents",
        ),
        aliases=("delete",),
        run=_remove,
    ),
)
