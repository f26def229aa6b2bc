"""Removing pieces and entries; what something else refers to is not removed unasked."""

from rck.assembly import edit
from rck.assembly.document import Assembly
from rck.assembly.ends import parse_end
from rck.language.grammar import Argument, Arguments, CommandSpec, Kind, Option
from rck.language.placing import place_of, world_pose
from rck.language.session import Session

Edited = tuple[Assembly, str]
LEVELS = {
    "part": "",
    "tool": "tools",
    "port": "ports",
    "pose": "poses",
    "view": "views",
    "joint": "joints",
    "piece": "pieces",
    "mate": "",
}


def _remove(session: Session, arguments: Arguments) -> Edited:
    names = arguments.texts("names")
    level = names[0] if names[0] in LEVELS and len(names) > 1 and names[0] not in session.assembly.parts else "part"
    if level != "part" or names[0] == "part":
        names = names[1:]
    if level == "mate":
        assembly = session.assembly
        for name in names:
            place = place_of(world_pose(session, assembly, name), assembly)
            assembly = edit.detach(assembly, name, place)
        return assembly, f"detached {', '.join(names)}"
    if level == "piece":
        return _remove_pieces(session.assembly, names, arguments), f"removed {', '.join(names)}"
    if level != "part":
        assembly = session.assembly
        for name in names:
            assembly = edit.without(assembly, LEVELS[level], name)
        return assembly, f"removed {level} {', '.join(names)}"
    return _remove_instances(session, names, arguments)


def _remove_instances(session: Session, names: list[str], arguments: Arguments) -> Edited:
    assembly = session.assembly
    for name in names:
        edit.instance(assembly, name)
    if arguments.has("with-dependents"):
        going = [one for name in names for one in edit.branch(assembly, name)]
    else:
        going = list(names)
        if arguments.has("keep"):
            for mate in [mate for name in names for mate in edit.mates_on(assembly, name)]:
                child = parse_end(mate.put).instance
                if child not in going:
                    place = place_of(world_pose(session, assembly, child), assembly)
                    assembly = edit.detach(assembly, child, place)
        left = edit.referrers(assembly, going)
        if left:
            message = f"{', '.join(names)} is referred to by {', '.join(left)}"
            raise arguments.refuse(
                f"{message}; add --with-dependents to remove them too, or --keep to leave them", "names"
            )
    return edit.remove(assembly, going), f"removed {', '.join(dict.fromkeys(going))}"


def _remove_pieces(assembly: Assembly, names: list[str], arguments: Arguments) -> Assembly:
    for name in names:
        users = [key for key, one in assembly.parts.items() if one.part == name]
        if users and not arguments.has("with-dependents"):
            raise arguments.refuse(f"the piece {name} is used by {', '.join(users)}; add --with-dependents", "names")
        going = [one for user in users for one in edit.branch(assembly, user)]
        assembly = edit.without(edit.remove(assembly, going), "pieces", name)
    return assembly


COMMANDS = (
    CommandSpec(
        "remove",
        "remove pieces, or a tool, port, pose, mate, joint setting or piece definition",
        _remove,
        (Argument("names", Kind.INSTANCE, many=True),),
        (
            Option("with-dependents", "with everything that stands on it or refers to it"),
            Option("keep", "what stands on it stays where it is"),
        ),
        "`remove NAME...` removes pieces; `remove tool NAME`, `remove pose NAME` and so on remove other things."
        " What something else refers to is refused, and the referrers are named.",
        ("remove hand", "remove shoulder --with-dependents", "remove base --keep", "remove tool grip"),
        aliases=("delete",),
    ),
)
