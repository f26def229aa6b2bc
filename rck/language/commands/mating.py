"""Fastening pieces to one another: mate, attach, detach, replace."""

from typing import cast

import msgspec

from rck.assembly import edit
from rck.assembly.compile import misfit
from rck.assembly.document import Assembly, Mate, MateJoint
from rck.assembly.ends import parse_end
from rck.language import values
from rck.language.grammar import Argument, Arguments, CommandSpec, Kind, Option
from rck.language.placing import place_of, world_pose
from rck.language.session import Session
from rck.model import RckError

Edited = tuple[Assembly, str]

MATE_OPTIONS = (
    Option("turn", "turn about the z axis of the end that it stands on", Kind.ANGLE),
    Option("flip", "upside down"),
    Option("offset", "away from the end, or x,y,z in its frame", Kind.VECTOR),
    Option("rpy", "turned further by roll,pitch,yaw", Kind.VECTOR),
    Option("joint", "a joint between them", Kind.CHOICE, ("revolute", "continuous", "prismatic")),
    Option("axis", "the joint's axis in the frame of the end; z unless said", Kind.AXIS),
    Option("limits", "the joint's range, such as -90..90", Kind.TEXT),
    Option("name", "the joint's name", Kind.NAME),
    Option("force", "although the ports do not fit or are taken"),
)  # fmt: skip


def mate_of(at: str, put: str, arguments: Arguments) -> Mate:
    """The mate that the options of a line describe."""
    offset = arguments.option("offset") or "0"
    turn, rpy = arguments.option("turn"), arguments.option("rpy")
    return Mate(
        at,
        put,
        turn=values.angle(turn) if turn else 0.0,
        flip=arguments.has("flip"),
        offset=values.vector(offset) if "," in offset else values.length(offset),
        rpy=values.vector(rpy, values.angle) if rpy else None,
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
    limits = arguments.option("limits")
    if kind == "revolute" and limits is None:
        raise arguments.refuse("a revolute joint needs --limits, such as --limits -90..90", "joint")
    return MateJoint(
        **{kind: values.axis(arguments.option("axis") or "z")},  # type: ignore[arg-type]
        limits=values.span(limits) if limits else None,
        name=arguments.option("name"),
    )


def fitting_port(session: Session, assembly: Assembly, instance: str, at: str) -> str:
    """The first port of an instance that fits the end it is to stand on.

    Ports of what stays come before those of what moves, and a kind that fits before a plain face: a servo is
    put on its back, not on its horn.
    """
    end = parse_end(at)
    edit.instance(assembly, end.instance)
    stand = session.compiler.pieces.body(assembly.parts[end.instance], assembly)
    port = stand.ports.get(end.place)
    body = session.compiler.pieces.body(edit.instance(assembly, instance), assembly)
    if not body.ports:
        raise RckError(f"{instance} has no ports; fasten it by a face, such as {instance}.ITEM#0.0")
    staying = {body.robot.items[root].name for root in body.robot.tree.roots}
    for candidate in sorted(body.ports.values(), key=lambda one: (one.item not in staying, one.kind == "any")):
        if port is None or not misfit(port.kind, port.gender, candidate.kind, candidate.gender):
            return candidate.name
    kinds = ", ".join(f"{one.name} ({one.kind})" for one in body.ports.values())
    raise RckError(f"no port of {instance} fits {at} ({port.kind if port else 'any'}); it has {kinds}")


def _mate(session: Session, arguments: Arguments) -> Edited:
    at, put = arguments.text("at"), arguments.text("put")
    if "." not in put and not arguments.has("rpy") and "." in at:
        put = f"{put}.{fitting_port(session, session.assembly, put, at)}"
    mate = mate_of(at, put, arguments)
    how = "rigid" if mate.joint is None else cast(str, arguments.option("joint"))
    return edit.add_mate(session.assembly, mate), f"attached {parse_end(put).instance} at {at} ({how})"


def _detach(session: Session, arguments: Arguments) -> Edited:
    name = arguments.text("instance")
    edit.instance(session.assembly, name)
    place = place_of(world_pose(session, session.assembly, name), session.assembly)
    return edit.detach(session.assembly, name, place), f"detached {name}; it stays where it is"


def _replace(session: Session, arguments: Arguments) -> Edited:
    assembly, name = session.assembly, arguments.text("instance")
    part = arguments.text("part")
    chosen = {key: values.quantity(value) for key, value in values.settings(arguments.texts("parameters")).items()}
    old = session.compiler.pieces.body(edit.instance(assembly, name), assembly)
    changed = edit.set_instance(assembly, name, part=part, with_=chosen)
    new = session.compiler.pieces.body(changed.parts[name], changed)
    renamed = values.settings(filter(None, [arguments.option("port")]))

    def kept(text: str) -> str:
        end = parse_end(text)
        if end.instance != name or not end.place or "#" in end.place:
            return text
        port = renamed.get(end.place, end.place)
        if port in new.ports:
            return f"{name}.{port}"
        was = old.ports[end.place]
        alike = [one.name for one in new.ports.values() if (one.kind, one.gender) == (was.kind, was.gender)]
        if not alike:
            raise RckError(f"{part} has no port like {end.place} ({was.kind}); say which with --port {end.place}=NEW")
        return f"{name}.{alike[0]}"

    mates = [msgspec.structs.replace(mate, at=kept(mate.at), put=kept(mate.put)) for mate in assembly.mates]
    tools = {key: msgspec.structs.replace(tool, on=kept(tool.on)) for key, tool in assembly.tools.items()}
    ports = {key: kept(end) for key, end in assembly.ports.items()}
    joints = {joint.name for joint in new.robot.joints}
    settings = {
        joint: setting
        for joint, setting in assembly.joints.items()
        if joint.partition("/")[0] != name or joint.partition("/")[2] in {*joints, "mate"}
    }
    changed = msgspec.structs.replace(changed, mates=mates, tools=tools, ports=ports, joints=settings)
    return changed, f"replaced {name} by {part}; its mates stay"


COMMANDS = (
    CommandSpec(
        "mate",
        "put one piece onto another, port to port, face to face, or by an explicit pose",
        _mate,
        (Argument("at", Kind.END), Argument("put", Kind.END)),
        MATE_OPTIONS,
        "AT is the end that stays, PUT the end of the piece that comes. Two ports, or two faces, are put face to face:"
        " same point, z axes opposed. With two bare instances their own frames are put together, moved by --offset and"
        " --rpy. When PUT names only an instance, its first port that fits is taken. Rigid unless --joint is given."
        " Ports of unlike kinds are refused unless --force is given.",
        (
            "mate base.top shoulder.back --turn 90",
            "mate upper.b hand.mount --joint revolute --limits -90..90",
            "mate table.top#0.5 cube.body#0.4",
            "mate base camera --offset 0,0,200 --rpy 0,90,0",
        ),
        aliases=("attach",),
    ),
    CommandSpec(
        "detach",
        "take a piece off what it stands on; it stays where it is",
        _detach,
        (Argument("instance", Kind.INSTANCE),),
        details="What stands on the piece comes along.",
        examples=("detach hand",),
    ),
    CommandSpec(
        "replace",
        "put another part in the place of a piece, keeping its mates",
        _replace,
        (
            Argument("instance", Kind.INSTANCE),
            Argument("part", Kind.PART),
            Argument("parameters", Kind.SETTING, optional=True),
        ),
        (Option("port", "OLD=NEW, where a port has another name on the new part", Kind.SETTING),),
        "A mate keeps its port if the new part has one of that name, else the first of the same kind.",
        ("replace elbow robotis/xm540-w270",),
    ),
)
