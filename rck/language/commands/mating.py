"""Fastening instances to one another: mate, attach, detach, replace."""

from collections.abc import Callable

import msgspec

from rck.assembly import edit
from rck.assembly.document import Assembly, Mate, MateJoint
from rck.assembly.ends import parse_end
from rck.assembly.mates import fitting_ports
from rck.assembly.pieces import Body
from rck.language import values
from rck.language.grammar import Argument, Arguments, CommandSpec, Kind, Option
from rck.language.lookup import chosen_parameters, instance_in, require_end
from rck.language.placing import place_of, world_pose
from rck.language.session import Edited, Session
from rck.model import RckError

MATE_OPTIONS = (
    Option("turn", "turn about the z axis of the end that it stands on", Kind.ANGLE),
    Option("flip", "upside down"),
    Option("offset", "away from the end, or x,y,z in its frame", Kind.VECTOR),
    Option("rpy", "turned further by roll,pitch,yaw", Kind.VECTOR),
    Option("joint", "a joint between them", Kind.CHOICE, ("revolute", "continuous", "prismatic")),
    Option("axis", "the joint's axis in the frame of the end; z unless said", Kind.AXIS),
    Option("limits", "the joint's range, such as -90..90", Kind.RANGE),
    Option("name", "the joint's name", Kind.NAME),
    Option("force", "although the ports do not fit or are taken"),
)


def mate_of(at: str, put: str, arguments: Arguments) -> Mate:
    """The mate that the options of a line describe."""
    return Mate(
        at,
        put,
        turn=arguments.read_option("turn", values.angle, 0.0),
        flip=arguments.has("flip"),
        offset=arguments.read_option("offset", values.offset, 0.0),
        rpy=arguments.read_option("rpy", values.angles, None),
        joint=_joint_of(arguments),
        force=arguments.has("force"),
    )


def _joint_of(arguments: Arguments) -> MateJoint | None:
    kind = arguments.option("joint")
    if kind is None:
        for name in ("axis", "limits", "name"):
            if arguments.has(name):
                raise arguments.refuse(f"--{name} belongs to a joint: add --joint revolute or prismatic", name)
        return None
    if kind == "revolute" and not arguments.has("limits"):
        raise arguments.refuse("a revolute joint needs --limits, such as --limits -90..90", "joint")
    if kind == "continuous" and arguments.has("limits"):
        raise arguments.refuse("a continuous joint has no limits; a revolute one has", "limits")
    return MateJoint(
        **{kind: arguments.read_option("axis", values.axis, "z")},  # type: ignore[arg-type]
        limits=arguments.read_option("limits", values.span, None),
        name=arguments.option("name"),
    )


def fitting_port(session: Session, assembly: Assembly, instance: str, at: str) -> str:
    """The likeliest port of an instance that fits the end it is to stand on."""
    end = parse_end(at)
    port = session.body(assembly, end.instance).ports.get(end.place)
    body = session.body(assembly, instance)
    if not body.ports:
        raise RckError(f"{instance} has no ports; fasten it by a face, such as {instance}.ITEM#0.0")
    fitting = fitting_ports(body, "any" if port is None else port.kind, None if port is None else port.gender)
    if fitting:
        return fitting[0]
    kinds = ", ".join(f"{one.name} ({one.kind})" for one in body.ports.values())
    raise RckError(f"no port of {instance} fits {at} ({port.kind if port else 'any'}); it has {kinds}")


def _mate(session: Session, arguments: Arguments) -> Edited:
    assembly = session.assembly
    at = arguments.read("at", lambda text: require_end(session, assembly, text))
    put = arguments.read("put", lambda text: require_end(session, assembly, text))
    if "." not in put and not arguments.has("rpy") and "." in at:
        with arguments.pointing("put"):
            put = f"{put}.{fitting_port(session, assembly, put, at)}"
    mate = mate_of(at, put, arguments)
    how = arguments.option("joint") or "rigid"
    with arguments.pointing("put"):
        return edit.add_mate(assembly, mate), f"attached {parse_end(put).instance} at {at} ({how})"


def _detach(session: Session, arguments: Arguments) -> Edited:
    assembly = session.assembly
    name = instance_in(assembly, arguments)
    place = place_of(world_pose(session, assembly, name), assembly)
    with arguments.pointing("instance"):
        return edit.detach(assembly, name, place), f"detached {name}; it stays where it is"


def _replace(session: Session, arguments: Arguments) -> Edited:
    assembly = session.assembly
    name = instance_in(assembly, arguments)
    part = arguments.text("part")
    renamed: dict[str, str] = arguments.read_option("port", _old_and_new, {})
    changed = edit.set_instance(assembly, name, part=part, with_={})
    with arguments.pointing("part"):
        new = session.body(changed, name)
        kept = _kept_ends(name, part, _old_ports(session, assembly, name), new, renamed)
        mates = [msgspec.structs.replace(mate, at=kept(mate.at), put=kept(mate.put)) for mate in assembly.mates]
        tools = {key: msgspec.structs.replace(tool, on=kept(tool.on)) for key, tool in assembly.tools.items()}
        ports = {key: kept(end) for key, end in assembly.ports.items()}
    joints = {f"{name}/{joint.name}" for joint in new.robot.joints} | {f"{name}/mate"}
    changed = edit.set_instance(changed, name, with_=chosen_parameters(session, part, arguments, "parameters"))
    changed = msgspec.structs.replace(
        edit.without_joints(changed, lambda joint: joint.partition("/")[0] == name and joint not in joints),
        mates=mates,
        tools=tools,
        ports=ports,
    )
    return changed, f"replaced {name} by {part}; its mates stay"


def _old_and_new(text: str) -> dict[str, str]:
    pairs = dict(values.settings(text.split(",")))
    if not all(pairs) or not all(pairs.values()):
        raise RckError(f"{text!r} does not say OLD=NEW")
    return pairs


def _old_ports(session: Session, assembly: Assembly, name: str) -> dict[str, tuple[str, str | None]]:
    """The kind and gender of each port that the part to be replaced has, as far as it can still be built."""
    try:
        body = session.body(assembly, name)
    except RckError:
        return {}
    return {port.name: (port.kind, port.gender) for port in body.ports.values()}


def _kept_ends(
    name: str, part: str, old: dict[str, tuple[str, str | None]], new: Body, renamed: dict[str, str]
) -> Callable[[str], str]:
    """What becomes of an end when the part of its instance is replaced."""

    def kept(text: str) -> str:
        end = parse_end(text)
        if end.instance != name or not end.place or "#" in end.place:
            return text
        port = renamed.get(end.place, end.place)
        if port in new.ports:
            return f"{name}.{port}"
        kind = old.get(end.place, ("any", None))
        alike = [one.name for one in new.ports.values() if (one.kind, one.gender) == kind]
        if not alike or end.place in renamed:
            raise RckError(f"{part} has no port like {port} ({kind[0]}); say which with --port {end.place}=NEW")
        return f"{name}.{alike[0]}"

    return kept


COMMANDS = (
    CommandSpec(
        "mate",
        "put one instance onto another, port to port, face to face, or by an explicit pose",
        _mate,
        (Argument("at", Kind.END), Argument("put", Kind.END)),
        MATE_OPTIONS,
        "AT is the end that stays, PUT the end of the instance that comes. Two ports, or two faces, are put face to"
        " face: same point, z axes opposed. With two bare instances their own frames are put together, moved by"
        " --offset and --rpy. When PUT names only an instance, its first port that fits is taken. Rigid unless"
        " --joint is given. Ports of unlike kinds are refused unless --force is given.",
        (
            "mate base.top shoulder.back --turn 90",
            "mate upper.b hand.mount --joint revolute --limits -90..90",
            "mate table.top#0.5 cube.body#0.4",
            "mate base camera --offset 0,0,200 --rpy 0,90,0",
        ),
        aliases=("attach", "create mate"),
    ),
    CommandSpec(
        "detach",
        "take an instance off what it stands on; it stays where it is",
        _detach,
        (Argument("instance", Kind.INSTANCE),),
        details="What stands on the instance comes along.",
        examples=("detach hand",),
    ),
    CommandSpec(
        "replace",
        "put another part in the place of an instance, keeping its mates",
        _replace,
        (
            Argument("instance", Kind.INSTANCE),
            Argument("part", Kind.PART),
            Argument("parameters", Kind.SETTING, optional=True),
        ),
        (Option("port", "OLD=NEW, where a port has another name on the new part; more with commas", Kind.SETTING),),
        "A mate keeps its port if the new part has one of that name, else the first of the same kind. What was set"
        " about joints that the new part does not have goes.",
        ("replace elbow robotis/xm540-w270", "replace hand ./two-finger.rck --port mount=back"),
    ),
)
