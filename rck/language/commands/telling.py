"""Telling what there is: show, check, help, searching the catalogue."""

from collections.abc import Iterator

from rck.assembly import edit
from rck.assembly.compile import Compiled
from rck.assembly.ends import parse_end
from rck.catalogue.search import parse_query, search
from rck.hooks import Check
from rck.language.grammar import Argument, Arguments, CommandSpec, Kind
from rck.language.help import command_help, overview
from rck.language.session import Session
from rck.model import Joint
from rck.model.units import format_quantity

WHAT = ("tree", "parts", "joints", "ports", "mates", "tools", "poses", "pieces", "figures")


def _show(session: Session, arguments: Arguments) -> str:
    what = arguments.text("what") or "tree"
    if what in session.assembly.parts or what not in WHAT:
        edit.instance(session.assembly, what)
        return "\n".join(_instance_lines(session, what))
    return "\n".join(_SHOWN[what](session)) or f"there are no {what}"


def _tree_lines(session: Session) -> Iterator[str]:
    assembly = session.assembly
    mated = {parse_end(mate.put).instance: mate for mate in assembly.mates}
    yield f"{assembly.name}: {len(assembly.parts)} pieces"

    def below(name: str, indent: str) -> Iterator[str]:
        mate = mated.get(name)
        where = "" if mate is None else f"  at {mate.at}" + ("" if mate.joint is None else " (joint)")
        yield f"{indent}• {name}  {assembly.parts[name].part}{where}"
        for child, one in mated.items():
            if parse_end(one.at).instance == name:
                yield from below(child, indent + "  ")

    for name in sorted(assembly.parts):
        if name not in mated:
            yield from below(name, "  ")


def _part_lines(session: Session) -> Iterator[str]:
    for name, one in sorted(session.assembly.parts.items()):
        chosen = " ".join(f"{key}={value}" for key, value in one.with_.items())
        yield f"{name}  {one.part}  {chosen}".rstrip()


def joint_text(joint: Joint) -> str:
    """A joint in one line, in degrees and millimetres."""

    def shown(value: float) -> str:
        return (
            format_quantity(value, "angle", "deg", 6) if joint.kind.turns else format_quantity(value, "length", "mm", 6)
        )

    limits = "" if joint.limits is None else f"  {shown(joint.limits.lower)} .. {shown(joint.limits.upper)}"
    follows = f"  follows {joint.mimic.joint}" if joint.mimic else ""
    return f"{joint.name}  {joint.kind.value}  at {shown(joint.position)}{limits}{follows}"


def _joint_lines(session: Session) -> Iterator[str]:
    for joint in session.compile().unwrap().robot.joints:
        if joint.kind.moves:
            yield joint_text(joint)


def _port_lines(session: Session) -> Iterator[str]:
    compiled: Compiled = session.compile().unwrap()
    for end, port in sorted(compiled.ports.items()):
        gender = f" {port.gender}" if port.gender else ""
        taken = "free"
        if port.mate is not None:
            mate = session.assembly.mates[port.mate]
            taken = f"mated with {mate.put if mate.at == end else mate.at}"
        yield f"{end}  {port.kind}{gender}  {taken}"


def _mate_lines(session: Session) -> Iterator[str]:
    for mate in session.assembly.mates:
        extra = "".join(
            f"  {name} {value}"
            for name, value in (("turn", mate.turn), ("offset", mate.offset), ("rpy", mate.rpy))
            if value and value != 0.0
        )
        yield f"{mate.at} ← {mate.put}{'  flipped' if mate.flip else ''}{extra}" + (
            "" if mate.joint is None else f"  {_joint_kind(mate.joint)}"
        )


def _joint_kind(joint: object) -> str:
    return next(kind for kind in ("revolute", "continuous", "prismatic") if getattr(joint, kind) is not None)


def _tool_lines(session: Session) -> Iterator[str]:
    for name, tool in sorted(session.assembly.tools.items()):
        yield f"{name}  on {tool.on}"


def _pose_lines(session: Session) -> Iterator[str]:
    for name, pose in sorted(session.assembly.poses.items()):
        yield f"{name}  " + " ".join(f"{joint}={value}" for joint, value in pose.items())


def _piece_lines(session: Session) -> Iterator[str]:
    for name, piece in sorted(session.assembly.pieces.items()):
        yield f"{name}  {piece.summary}"


def _figure_lines(session: Session) -> Iterator[str]:
    robot = session.compile().unwrap().robot
    mass = robot.mass_properties
    yield f"{len(robot.items)} items, {sum(len(item.subitems) for item in robot.items)} subitems"
    yield f"{len(robot.joints)} joints, {len(robot.free_joints)} free"
    yield f"mass {mass.mass:.4g} kg"
    x, y, z = (1000 * mass.centre).tolist()
    yield f"centre of mass {x:.1f} {y:.1f} {z:.1f} mm"


_SHOWN = {
    "tree": _tree_lines,
    "parts": _part_lines,
    "joints": _joint_lines,
    "ports": _port_lines,
    "mates": _mate_lines,
    "tools": _tool_lines,
    "poses": _pose_lines,
    "pieces": _piece_lines,
    "figures": _figure_lines,
}


def _instance_lines(session: Session, name: str) -> Iterator[str]:
    one = session.assembly.parts[name]
    yield f"{name}  {one.part}" + "".join(f"  {key}={value}" for key, value in one.with_.items())
    if one.notes:
        yield f"  {one.notes}"
    compiled = session.compile().unwrap()
    for item in compiled.robot.items:
        if compiled.instance_of_item[item.name] == name:
            yield f"  • {item.name}  {len(item.subitems)} subitems, {item.mass:.4g} kg"
    for joint in compiled.robot.joints:
        if joint.name.startswith(f"{name}/") and joint.kind.moves:
            yield f"  ↻ {joint_text(joint)}"
    for line in _port_lines(session):
        if line.startswith(f"{name}."):
            yield f"  ◇ {line}"


def _check(session: Session, arguments: Arguments) -> str:
    built = session.compile()
    findings = list(built.findings)
    if built.value is not None:
        for plugin, check in session.plugins.named(Check):
            try:
                findings += check.run(built.value.robot)
            except Exception as error:
                session.plugins.fail(plugin, error)
    findings += session.plugins.findings
    return "\n".join(str(finding) for finding in findings) or "nothing is wrong"


def _help(session: Session, arguments: Arguments) -> str:
    words = arguments.words.get("command", ())
    if not words:
        return overview(session.grammar)
    return command_help(session.grammar.command(words[0], arguments.line))


def _search(session: Session, arguments: Arguments) -> str:
    found = search(session.catalogue.entries.values(), parse_query(arguments.texts("words")))
    shown = [f"{entry.id}  {entry.summary}" for entry in found[:40]]
    more = [f"... and {len(found) - 40} more"] if len(found) > 40 else []
    return "\n".join(shown + more) or "no part is like that"


COMMANDS = (
    CommandSpec(
        "show",
        f"tell what there is: {', '.join(WHAT)}, or one piece",
        _show,
        (Argument("what", Kind.INSTANCE, optional=True),),
        edits=False,
        examples=("show", "show ports", "show shoulder"),
    ),
    CommandSpec("check", "list what is wrong", _check, edits=False, examples=("check",)),
    CommandSpec(
        "search",
        "search the catalogue by words and figures",
        _search,
        (Argument("words", Kind.TEXT, many=True),),
        edits=False,
        examples=("search servo stall-torque>=5", "search gripper opening>=80mm"),
    ),
    CommandSpec(
        "help",
        "explain a command, or list all",
        _help,
        (Argument("command", Kind.COMMAND, optional=True),),
        edits=False,
        examples=("help mate",),
        aliases=("?",),
    ),
)
