"""Telling what there is: show, check, help, searching the catalogue."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from rck.assembly import edit
from rck.assembly.document import Mate, Piece, Tool, View
from rck.assembly.ends import parse_end
from rck.assembly.mates import joint_axis
from rck.catalogue.manifest import Quantity, Triple
from rck.catalogue.quantities import Quantities
from rck.catalogue.search import parse_query, search
from rck.language.checks import check_robot
from rck.language.grammar import Argument, Arguments, CommandSpec, Kind, Option
from rck.language.help import command_help, overview
from rck.language.lookup import require_joint, require_port
from rck.language.session import Session
from rck.model import Item, Joint, RckError
from rck.model.units import counted, format_quantity, position_unit


def _show(session: Session, arguments: Arguments) -> str:
    words = arguments.words.get("what", ())
    what = words[0].text if words else "tree"
    if len(words) > 2:
        raise arguments.refuse("show one thing at a time", "what")
    if len(words) == 2:
        if what not in ONE:
            raise arguments.refuse(f"there is no such kind of thing; it is one of {', '.join(ONE)}", "what")
        with arguments.pointing(words[1]):
            return "\n".join(ONE[what](session, words[1].text))
    if what in session.assembly.parts or what not in ALL:
        with arguments.pointing("what"):
            return "\n".join(_instance_lines(session, what))
    return "\n".join(ALL[what](session)) or f"there are no {what}"


def _tree_lines(session: Session) -> Iterator[str]:
    assembly = session.assembly
    mated = {parse_end(mate.put).instance: mate for mate in assembly.mates}
    on: dict[str, list[str]] = {}
    for name, mate in mated.items():
        on.setdefault(parse_end(mate.at).instance, []).append(name)
    yield f"{assembly.name}: {counted(len(assembly.parts), 'instance')}"
    waiting = [(name, "  ") for name in sorted(assembly.parts, reverse=True) if name not in mated]
    while waiting:
        name, indent = waiting.pop()
        where = f"  at {mated[name].at}{' (joint)' if mated[name].joint else ''}" if name in mated else ""
        yield f"{indent}• {name}  {assembly.parts[name].part}{where}"
        waiting.extend((child, indent + "  ") for child in sorted(on.get(name, ()), reverse=True))


def _part_lines(session: Session) -> Iterator[str]:
    for name, one in sorted(session.assembly.parts.items()):
        chosen = " ".join(f"{key}={shown(value)}" for key, value in one.with_.items())
        yield f"{name}  {one.part}  {chosen}".rstrip()


def shown(value: Quantity | Triple) -> str:
    """A value as users type it."""
    if isinstance(value, tuple):
        return ",".join(shown(one) for one in value)
    return value if isinstance(value, str) else f"{value:.10g}"


def _item_text(item: Item) -> str:
    return f"{item.name}  {len(item.subitems)} subitems, {item.mass:.4g} kg{', mobile' if item.mobile else ''}"


def _item_lines(session: Session) -> Iterator[str]:
    for item in session.compile().unwrap().robot.items:
        yield _item_text(item)


def joint_text(joint: Joint) -> str:
    """A joint in one line, in degrees and millimetres."""

    def position(value: float) -> str:
        return format_quantity(value, *position_unit(joint.kind.turns), digits=6)

    limits = "" if joint.limits is None else f"  {position(joint.limits.lower)} .. {position(joint.limits.upper)}"
    follows = f"  follows {joint.mimic.joint}" if joint.mimic else ""
    return f"{joint.name}  {joint.kind.value}  at {position(joint.position)}{limits}{follows}"


def _joint_lines(session: Session) -> Iterator[str]:
    for joint in session.compile().unwrap().robot.joints:
        if joint.kind.moves:
            yield joint_text(joint)


def _port_text(session: Session, end: str) -> str:
    port = session.compile().unwrap().ports[end]
    gender = f" {port.gender}" if port.gender else ""
    if port.mate is None:
        return f"{end}  {port.kind}{gender}  free"
    mate = session.assembly.mates[port.mate]
    return f"{end}  {port.kind}{gender}  mated with {mate.put if mate.at == end else mate.at}"


def _port_lines(session: Session) -> Iterator[str]:
    for end in sorted(session.compile().unwrap().ports):
        yield _port_text(session, end)


def _mate_text(mate: Mate) -> str:
    extra = [f"{name} {shown(value)}" for name, value in (("turn", mate.turn), ("offset", mate.offset)) if value]
    if mate.rpy is not None:
        extra.append(f"rpy {shown(mate.rpy)}")
    if mate.flip:
        extra.append("flipped")
    if mate.joint is not None:
        try:
            extra.append(joint_axis(mate.joint)[0].value)
        except RckError as error:
            extra.append(str(error))
    return "  ".join([f"{mate.at} ← {mate.put}", *extra])


def _mate_lines(session: Session) -> Iterator[str]:
    for mate in session.assembly.mates:
        yield _mate_text(mate)


def _tool_text(tool: Tool) -> str:
    return f"on {tool.on}  offset {shown(tool.offset)}" + (f"  rpy {shown(tool.rpy)}" if tool.rpy else "")


def _pose_text(pose: Mapping[str, Quantity]) -> str:
    return " ".join(f"{joint}={shown(value)}" for joint, value in pose.items())


def _view_text(view: View) -> str:
    return f"eye {shown(view.eye)}  target {shown(view.target)}{'  parallel' if view.parallel else ''}"


def _piece_text(piece: Piece) -> str:
    return piece.summary


_TEXT_OF_ENTRY: Mapping[str, Callable[[Any], str]] = {
    "tools": _tool_text,
    "poses": _pose_text,
    "views": _view_text,
    "pieces": _piece_text,
    "groups": " ".join,
}
"""What is told of an entry, for the sections of an assembly whose entries have names."""


def _entry_lines(section: str, session: Session) -> Iterator[str]:
    for name, entry in sorted(getattr(session.assembly, section).items()):
        yield f"{name}  {_TEXT_OF_ENTRY[section](entry)}"


def _contact_lines(session: Session) -> Iterator[str]:
    for rule in session.assembly.contacts:
        why = "" if rule.why == "user" else f"  ({rule.why})"
        yield f"{' and '.join(rule.between)}  {'tested' if rule.test else 'may touch'}{why}"


def _figure_lines(session: Session) -> Iterator[str]:
    robot = session.compile().unwrap().robot
    yield f"{len(robot.items)} items, {sum(len(item.subitems) for item in robot.items)} subitems"
    yield f"{len(robot.joints)} joints, {len(robot.free_joints)} free"
    mass = robot.mass_properties
    yield f"mass {mass.mass:.4g} kg"
    x, y, z = (1000 * mass.centre).tolist()
    yield f"centre of mass {x:.1f} {y:.1f} {z:.1f} mm"


ALL: Mapping[str, Callable[[Session], Iterator[str]]] = {
    "tree": _tree_lines,
    "parts": _part_lines,
    "items": _item_lines,
    "joints": _joint_lines,
    "ports": _port_lines,
    "mates": _mate_lines,
    **{section: partial(_entry_lines, section) for section in _TEXT_OF_ENTRY},
    "contacts": _contact_lines,
    "figures": _figure_lines,
}
"""What `show` lists, by the word for it."""


def _instance_lines(session: Session, name: str) -> Iterator[str]:
    one = edit.instance(session.assembly, name)
    yield f"{name}  {one.part}" + "".join(f"  {key}={shown(value)}" for key, value in one.with_.items())
    if one.notes:
        yield f"  {one.notes}"
    mate = edit.mate_putting(session.assembly, name)
    if mate is not None:
        yield f"  {_mate_text(mate)}"
    compiled = session.compile().unwrap()
    for item in compiled.robot.items:
        if compiled.instance_of_item[item.name] == name:
            yield f"  • {_item_text(item)}"
    for joint in compiled.robot.joints:
        if joint.name.startswith(f"{name}/") and joint.kind.moves:
            yield f"  ↻ {joint_text(joint)}"
    for end in sorted(compiled.ports):
        if parse_end(end).instance == name:
            yield f"  ◇ {_port_text(session, end)}"


def _joint_details(session: Session, name: str) -> Iterator[str]:
    joint = session.compile().unwrap().robot.joint(require_joint(session, name))
    yield joint_text(joint)
    yield f"  {joint.base} → {', '.join(joint.moves)}"
    if joint.speed is not None:
        yield "  speed " + format_quantity(joint.speed, *_speed(joint), 6)
    if joint.effort is not None:
        yield "  effort " + format_quantity(
            joint.effort, *(("torque", "N m") if joint.kind.turns else ("force", "N")), 6
        )


def _speed(joint: Joint) -> tuple[str, str]:
    return ("angular speed", "rpm") if joint.kind.turns else ("speed", "mm/s")


def _item_details(session: Session, name: str) -> Iterator[str]:
    item = session.compile().unwrap().robot.item(name)
    yield _item_text(item)
    x, y, z = (1000 * item.pose[:3, 3]).tolist()
    yield f"  at {x:.6g} {y:.6g} {z:.6g} mm"
    for number, subitem in enumerate(item.subitems):
        yield f"  #{number}  {len(subitem.shape.faces)} faces, {subitem.mass:.4g} kg"


def _port_details(session: Session, end: str) -> Iterator[str]:
    yield _port_text(session, require_port(session, end))
    compiled = session.compile().unwrap()
    pose = compiled.ports[end].world_pose(compiled.robot)
    x, y, z = (1000 * pose[:3, 3]).tolist()
    dx, dy, dz = (pose[:3, 2] + 0.0).tolist()
    yield f"  at {x:.6g} {y:.6g} {z:.6g} mm, facing {dx:.4g} {dy:.4g} {dz:.4g}"


def _mate_details(session: Session, name: str) -> Iterator[str]:
    edit.instance(session.assembly, name)
    mate = edit.mate_putting(session.assembly, name)
    if mate is None:
        raise RckError(f"{name} is not mated; it stands free")
    yield _mate_text(mate)


def _entry_details(section: str, session: Session, name: str) -> Iterator[str]:
    entry = edit.entries_with(session.assembly, section, name)[name]
    yield f"{name}  {_TEXT_OF_ENTRY[section](entry)}"


ONE: Mapping[str, Callable[[Session, str], Iterator[str]]] = {
    "part": _instance_lines,
    "item": _item_details,
    "joint": _joint_details,
    "port": _port_details,
    "mate": _mate_details,
    **{section.removesuffix("s"): partial(_entry_details, section) for section in _TEXT_OF_ENTRY},
}
"""What `show` tells of one thing, by the word for its kind."""


def _check(session: Session, arguments: Arguments) -> str:
    built = session.compile()
    findings = list(built.findings)
    if built.value is not None:
        findings += check_robot(built.value.robot, session.plugins)
    findings += session.plugins.findings
    return "\n".join(str(finding) for finding in findings) or "nothing is wrong"


def _loads(session: Session, arguments: Arguments) -> str:
    from rck.kinematics.loads import carrying_frame, load_lines, worst_loads
    from rck.language.motors import effort_figures

    robot = session.compile().unwrap().robot
    read = Quantities(session.assembly.units)
    mass = arguments.read("payload", read.mass) if arguments.text("payload") else 0.0
    with arguments.pointing("payload"):
        frame = carrying_frame(robot, arguments.option("at")) if mass else None
    return (
        "\n".join(load_lines(robot, worst_loads(robot, mass, frame), effort_figures(session, robot), mass))
        or "no joint moves"
    )


def _help(session: Session, arguments: Arguments) -> str:
    words = arguments.words.get("command", ())
    if not words:
        return overview(session.grammar)
    return command_help(session.grammar.find(words, arguments.line)[0])


def _search(session: Session, arguments: Arguments) -> str:
    with arguments.pointing("words"):
        query = parse_query(arguments.texts("words"))
    found = search(session.catalogue.entries.values(), query)
    lines = [f"{entry.id}  {entry.summary}" for entry in found[:40]]
    more = [f"... and {len(found) - 40} more"] if len(found) > 40 else []
    return "\n".join(lines + more) or "no part is like that"


COMMANDS = (
    CommandSpec(
        "show",
        f"tell what there is: {', '.join(ALL)}, or one instance",
        _show,
        (Argument("what", Kind.LEVEL, optional=True, many=True),),
        details=f"`show INSTANCE`, or by its kind and name: {', '.join(ONE)}. A mate is named by the instance that it"
        " puts in place.",
        edits=False,
        examples=("show", "show ports", "show shoulder", "show joint shoulder/axis"),
    ),
    CommandSpec("check", "list what is wrong", _check, edits=False, examples=("check",)),
    CommandSpec(
        "loads",
        "tell the most that each joint must hold, and whether its motor can",
        _loads,
        (Argument("payload", Kind.TEXT, optional=True),),
        (Option("at", "the tool or gripper that carries it; the first one unless said", Kind.TEXT),),
        details="Against gravity, standing still, where it is hardest within the limits of all joints.",
        edits=False,
        examples=("loads", "loads 300g", "loads 0.5 --at grip"),
    ),
    CommandSpec(
        "search",
        "search the catalogue by words and figures",
        _search,
        (Argument("words", Kind.QUERY, many=True),),
        edits=False,
        examples=("search servo stall-torque>=5", "search gripper opening>=80mm"),
    ),
    CommandSpec(
        "help",
        "explain a command, or list all",
        _help,
        (Argument("command", Kind.COMMAND, optional=True, many=True),),
        edits=False,
        examples=("help mate",),
        aliases=("?",),
    ),
)
