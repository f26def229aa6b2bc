"""Commands that report: show, check, loads, search and help."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from rck.assembly import edits
from rck.assembly.document import LocalPart, Mate, SavedView, Tool
from rck.assembly.mate_ends import parse_end
from rck.assembly.suppressions import split_findings
from rck.geometry.arrays import Floats
from rck.geometry.transforms import to_euler
from rck.grammar import Argument, Arguments, CommandOption, ValueKind
from rck.hooks import Command
from rck.kinematics.loads import carrying_frame, load_lines, worst_loads
from rck.language.assembly_checks import check_assembly
from rck.language.document import Document
from rck.language.help import command_help, overview
from rck.language.lookup import SECTIONS, require_joint, require_port
from rck.language.robot_checks import check_robot, effort_figures
from rck.language.session_command import CommandOutcome, SessionCommand
from rck.model import Item, Joint, RckError
from rck.model.joint_spec import joint_axis
from rck.model.quantities import Quantities, Quantity, Triple
from rck.parts.search import parse_query, search
from rck.support.units import counted, format_quantity, position_unit, rounded

if TYPE_CHECKING:
    from rck.language.session import Session


def _show(document: Document, arguments: Arguments) -> tuple[Document, str]:
    words = arguments.words.get("what", ())
    what = words[0].text if words else "tree"
    if len(words) > 2:
        raise arguments.refuse("show takes one name at a time", "what")
    if len(words) == 2:
        if what not in ONE:
            raise arguments.refuse(f"{what} is not one of {', '.join(ONE)}", "what")
        if arguments.has("vertices") and what != "item":
            raise arguments.refuse("--vertices needs an item: show item NAME --vertices", "vertices")
        describe = partial(_item_details, vertices=True) if arguments.has("vertices") else ONE[what]
        with arguments.pointing(words[1]):
            return document, "\n".join(describe(document, words[1].text))
    if what in document.assembly.parts or what not in ALL:
        with arguments.pointing("what"):
            return document, "\n".join(_instance_lines(document, what))
    return document, "\n".join(ALL[what](document)) or f"there are no {what}"


def _tree_lines(document: Document) -> Iterator[str]:
    assembly = document.assembly
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


def _part_lines(document: Document) -> Iterator[str]:
    for name, instance in sorted(document.assembly.parts.items()):
        parameters = " ".join(f"{key}={format_value(value)}" for key, value in instance.with_.items())
        yield f"{name}  {instance.part}  {parameters}".rstrip()


def format_value(value: Quantity | Triple) -> str:
    """Format a value as the user types it."""
    if isinstance(value, tuple):
        return ",".join(format_value(one) for one in value)
    return value if isinstance(value, str) else f"{value:.10g}"


def _item_text(item: Item) -> str:
    return (
        f"{item.name}  {counted(len(item.subitems), 'subitem')}, {item.mass:.4g} kg{', mobile' if item.mobile else ''}"
    )


def _item_lines(document: Document) -> Iterator[str]:
    for item in document.robot.items:
        yield _item_text(item)


def joint_text(joint: Joint) -> str:
    """Describe a joint in one line, in degrees and millimetres."""

    def position(value: float) -> str:
        return format_quantity(value, *position_unit(joint.kind.turns), digits=6)

    limits = "" if joint.limits is None else f"  {position(joint.limits.lower)} .. {position(joint.limits.upper)}"
    follows = f"  follows {joint.mimic.joint}" if joint.mimic else ""
    return f"{joint.name}  {joint.kind.value}  at {position(joint.position)}{limits}{follows}"


def _joint_lines(document: Document) -> Iterator[str]:
    for joint in document.robot.joints:
        if joint.kind.moves:
            yield joint_text(joint)


def _port_text(document: Document, end: str) -> str:
    port = document.compiled.ports[end]
    gender = f" {port.gender}" if port.gender else ""
    if port.mate is None:
        return f"{end}  {port.type}{gender}  free"
    mate = document.assembly.mates[port.mate]
    return f"{end}  {port.type}{gender}  mated with {mate.put if mate.at == end else mate.at}"


def _port_lines(document: Document) -> Iterator[str]:
    for end in sorted(document.compiled.ports):
        yield _port_text(document, end)


def _mate_text(mate: Mate) -> str:
    extra = [f"{name} {format_value(value)}" for name, value in (("turn", mate.turn), ("offset", mate.offset)) if value]
    if mate.rpy is not None:
        extra.append(f"rpy {format_value(mate.rpy)}")
    if mate.flip:
        extra.append("flipped")
    if mate.joint is not None:
        try:
            extra.append(joint_axis(mate.joint)[0].value)
        except RckError as error:
            extra.append(str(error))
    return "  ".join([f"{mate.at} ← {mate.put}", *extra])


def _mate_lines(document: Document) -> Iterator[str]:
    for mate in document.assembly.mates:
        yield _mate_text(mate)


def _tool_text(tool: Tool) -> str:
    return f"on {tool.on}  offset {format_value(tool.offset)}" + (f"  rpy {format_value(tool.rpy)}" if tool.rpy else "")


def _pose_text(pose: Mapping[str, Quantity]) -> str:
    return " ".join(f"{joint}={format_value(value)}" for joint, value in pose.items())


def _view_text(view: SavedView) -> str:
    return f"eye {format_value(view.eye)}  target {format_value(view.target)}{'  parallel' if view.parallel else ''}"


def _local_part_text(part: LocalPart) -> str:
    return part.summary


_TEXT_OF_ENTRY: Mapping[str, Callable[[Any], str]] = {
    "tool": _tool_text,
    "pose": _pose_text,
    "view": _view_text,
    "piece": _local_part_text,
    "group": " ".join,
}
"""The description of an entry, for each type of named entries."""


def _entry_lines(level: str, document: Document) -> Iterator[str]:
    for name, entry in sorted(getattr(document.assembly, SECTIONS[level]).items()):
        yield f"{name}  {_TEXT_OF_ENTRY[level](entry)}"


def _contact_lines(document: Document) -> Iterator[str]:
    for rule in document.assembly.contacts:
        why = "" if rule.why == "user" else f"  ({rule.why})"
        yield f"{' and '.join(rule.between)}  {'checked' if rule.test else 'allowed'}{why}"


def _suppression_lines(document: Document) -> Iterator[str]:
    for rule in document.assembly.suppressions:
        yield f"{rule.code}{f' at {rule.where}' if rule.where else ''}: {rule.reason}"


def _figure_lines(document: Document) -> Iterator[str]:
    robot = document.robot
    yield f"{len(robot.items)} items, {sum(len(item.subitems) for item in robot.items)} subitems"
    yield f"{len(robot.joints)} joints, {len(robot.free_joints)} free"
    mass = robot.mass_properties
    yield f"mass {mass.mass:.4g} kg"
    x, y, z = (1000 * mass.centre).tolist()
    yield f"centre of mass {x:.1f} {y:.1f} {z:.1f} mm"


ALL: Mapping[str, Callable[[Document], Iterator[str]]] = {
    "tree": _tree_lines,
    "parts": _part_lines,
    "items": _item_lines,
    "joints": _joint_lines,
    "ports": _port_lines,
    "mates": _mate_lines,
    **{f"{level}s": partial(_entry_lines, level) for level in _TEXT_OF_ENTRY},
    "contacts": _contact_lines,
    "suppressions": _suppression_lines,
    "figures": _figure_lines,
}
"""The lists that `show` prints, by name."""


def _instance_lines(document: Document, name: str) -> Iterator[str]:
    one = edits.instance(document.assembly, name)
    yield f"{name}  {one.part}" + "".join(f"  {key}={format_value(value)}" for key, value in one.with_.items())
    if one.notes:
        yield f"  {one.notes}"
    mate = edits.mate_putting(document.assembly, name)
    if mate is not None:
        yield f"  {_mate_text(mate)}"
    compiled = document.compiled
    for item in compiled.robot.items:
        if compiled.instance_of_item[item.name] == name:
            yield f"  • {_item_text(item)}"
    for joint in compiled.robot.joints:
        if joint.name.startswith(f"{name}/") and joint.kind.moves:
            yield f"  ↻ {joint_text(joint)}"
    for end in sorted(compiled.ports):
        if parse_end(end).instance == name:
            yield f"  ◇ {_port_text(document, end)}"
    yield from _reference_lines(edits.referrers(document.assembly, [name]))


def _joint_details(document: Document, name: str) -> Iterator[str]:
    joint = document.robot.joint(require_joint(document, name))
    yield joint_text(joint)
    yield f"  {joint.base} → {', '.join(joint.moves)}"
    if joint.speed is not None:
        yield "  speed " + format_quantity(joint.speed, *_speed_unit(joint), 6)
    if joint.effort is not None:
        yield "  effort " + format_quantity(
            joint.effort, *(("torque", "N m") if joint.kind.turns else ("force", "N")), 6
        )


def _speed_unit(joint: Joint) -> tuple[str, str]:
    return ("angular speed", "rpm") if joint.kind.turns else ("speed", "mm/s")


def _item_details(document: Document, name: str, *, vertices: bool = False) -> Iterator[str]:
    item = document.robot.item(name)
    yield _item_text(item)
    roll, pitch, yaw = np.degrees(to_euler(item.pose)).tolist()
    yield f"  at {_triple(1000 * item.pose[:3, 3])} mm, roll {roll:.6g} pitch {pitch:.6g} yaw {yaw:.6g} deg"
    mass = item.mass_properties
    yield f"  centre of mass {_triple(1000 * mass.centre)} mm in the frame of the item"
    # Rounding errors of a symmetric body are not shown as products of inertia.
    exact = np.where(abs(mass.inertia) > 1e-12 * np.trace(mass.inertia), mass.inertia, 0.0)
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = exact.tolist()
    yield f"  inertia about it xx {xx:.4g} yy {yy:.4g} zz {zz:.4g} xy {xy:.4g} xz {xz:.4g} yz {yz:.4g} kg m2"
    for number, subitem in enumerate(item.subitems):
        solid = subitem.shape
        yield (
            f"  #{number}  {len(solid.vertices)} vertices, {len(solid.faces)} faces,"
            f" {1e4 * solid.moments.area:.4g} cm2, {1e6 * solid.volume:.4g} cm3, {subitem.mass:.4g} kg"
        )
        if vertices:
            yield from (f"    {_triple(1000 * vertex)} mm" for vertex in solid.vertices)
    joints = [f"joint {one.name}" for one in document.robot.joints if name == one.base or name in one.moves]
    instance = document.compiled.instance_of_item[name]
    yield from _reference_lines([*joints, *edits.referrers(document.assembly, [instance])])


def _triple(numbers: Floats) -> str:
    return " ".join(f"{rounded(number, 6):.6g}" for number in numbers.tolist())


def _reference_lines(found: Sequence[str]) -> Iterator[str]:
    if found:
        yield f"  {counted(len(found), 'reference')}: {', '.join(found)}"


def _port_details(document: Document, end: str) -> Iterator[str]:
    yield _port_text(document, require_port(document, end))
    compiled = document.compiled
    pose = compiled.ports[end].world_pose(compiled.robot)
    x, y, z = (1000 * pose[:3, 3]).tolist()
    dx, dy, dz = (pose[:3, 2] + 0.0).tolist()
    yield f"  at {x:.6g} {y:.6g} {z:.6g} mm, facing {dx:.4g} {dy:.4g} {dz:.4g}"


def _mate_details(document: Document, name: str) -> Iterator[str]:
    edits.instance(document.assembly, name)
    mate = edits.mate_putting(document.assembly, name)
    if mate is None:
        raise RckError(f"{name} is not mated")
    yield _mate_text(mate)


def _entry_details(level: str, document: Document, name: str) -> Iterator[str]:
    entry = edits.entries_with(document.assembly, SECTIONS[level], name)[name]
    yield f"{name}  {_TEXT_OF_ENTRY[level](entry)}"


ONE: Mapping[str, Callable[[Document, str], Iterator[str]]] = {
    "part": _instance_lines,
    "item": _item_details,
    "joint": _joint_details,
    "port": _port_details,
    "mate": _mate_details,
    **{level: partial(_entry_details, level) for level in _TEXT_OF_ENTRY},
}
"""The descriptions that `show` prints, by type."""


def _check(document: Document, arguments: Arguments) -> tuple[Document, str]:
    built = document.compile()
    findings = list(built.findings)
    if built.value is not None:
        findings += check_assembly(document.assembly, built.value)
        findings += check_robot(built.value.robot, document.plugins, document.job)
    split = split_findings([*findings, *document.plugins.findings], document.assembly)
    lines = [str(finding) for finding in split.shown] or ["no problems found"]
    if split.suppressed:
        lines.append(f"{len(split.suppressed)} suppressed: `show suppressions`")
    return document, "\n".join(lines)


def _loads(document: Document, arguments: Arguments) -> tuple[Document, str]:
    robot = document.robot
    if arguments.text("payload") and arguments.has("payload"):
        raise arguments.refuse("give the payload only once", "payload")
    given = arguments.text("payload") or arguments.has("payload")
    mass = arguments.read("payload", Quantities(document.units).mass) if given else 0.0
    with arguments.pointing("payload"):
        frame = carrying_frame(robot, arguments.option("at")) if mass else None
    figures = effort_figures(document, robot)
    lines = load_lines(robot, worst_loads(robot, mass, frame), figures, mass, frame)
    return document, "\n".join(lines) or "no joint moves"


def _help(session: "Session", arguments: Arguments) -> CommandOutcome:
    words = arguments.words.get("command", ())
    if not words:
        return CommandOutcome(overview(session.grammar))
    return CommandOutcome(command_help(session.grammar.find(words, arguments.line)[0]))


def _search(document: Document, arguments: Arguments) -> tuple[Document, str]:
    with arguments.pointing("words"):
        query = parse_query(arguments.texts("words"))
    found = search(document.catalogue.entries.values(), query)
    lines = [f"{entry.id}  {entry.summary}" for entry in found[:40]]
    more = [f"... and {len(found) - 40} more"] if len(found) > 40 else []
    return document, "\n".join(lines + more) or "no part matches"


COMMANDS = (
    Command(
        "show",
        f"list {', '.join(ALL)}, or describe one instance",
        (Argument("what", ValueKind.LEVEL, optional=True, many=True),),
        (CommandOption("vertices", "also list the vertices of an item, in its frame"),),
        details=f"`show INSTANCE` describes an instance; `show TYPE NAME` describes one {', '.join(ONE)}. A mate is"
        " named by the instance that it attaches. An item is described with its pose, centre of mass, inertia, surface"
        " and volume; an item and an instance with what refers to them.",
        edits=False,
        examples=("show", "show ports", "show shoulder", "show joint shoulder/axis", "show item base/base --vertices"),
        run=_show,
    ),
    Command(
        "check", "check the assembly and list the findings", edits=False, examples=("check",), slow=True, run=_check
    ),
    Command(
        "loads",
        "report the largest static load of each joint and the margin of its motor",
        (Argument("payload", ValueKind.TEXT, optional=True),),
        (
            CommandOption("payload", "the payload, as in `rck loads`", ValueKind.TEXT),
            CommandOption("at", "frame, gripper or item that carries the payload (default: the tip)", ValueKind.TEXT),
        ),
        details="The load is the largest static load against gravity over all positions within the joint limits.",
        edits=False,
        examples=("loads", "loads 300g", "loads --payload 0.5 --at grip"),
        run=_loads,
    ),
    Command(
        "search",
        "search the catalogue by words and figures",
        (Argument("words", ValueKind.QUERY, many=True),),
        edits=False,
        examples=("search servo stall-torque>=5", "search gripper opening>=80mm"),
        run=_search,
    ),
    SessionCommand(
        "help",
        "explain a command, or list all commands",
        (Argument("command", ValueKind.COMMAND, optional=True, many=True),),
        examples=("help mate",),
        aliases=("?",),
        run=_help,
    ),
)
