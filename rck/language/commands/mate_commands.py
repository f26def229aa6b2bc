"""Commands that attach instances to each other: mate, detach, replace."""

from collections.abc import Callable

import msgspec

from rck.assembly import edits
from rck.assembly.collision_rules import without_unknown_items
from rck.assembly.definitions import InstanceBody
from rck.assembly.document import Mate, MateJoint
from rck.assembly.mate_ends import end_frame, parse_end
from rck.assembly.mate_fit import find_misfit
from rck.assembly.mates import at_from_put, fitting_ports, is_tool_tip
from rck.assembly.shared_elements import dropped_note, without_references
from rck.geometry.transforms import invert
from rck.grammar import Argument, Arguments, CommandOption, ValueKind
from rck.hooks import Command
from rck.language.argument_values import parse_angle, parse_angles, parse_axis, parse_offset, parse_range
from rck.language.document import Document
from rck.language.instance_placement import present_place
from rck.language.lookup import read_end, read_instance, read_parameters
from rck.model import Loop, LoopKind, Port, RckError
from rck.model.port_fit import PortLike, port_mismatch
from rck.model.quantities import Quantities
from rck.parts.adaptors import find_adaptors

_LISTED = 3
"""Largest number of suggestions in a refusal."""
_PLAIN = Port("", "")
"""A plain face, which fits all ports."""

LOOP_KINDS = tuple(kind.value for kind in LoopKind)

MATE_OPTIONS = (
    CommandOption("turn", "rotation about the z axis of the end that stays", ValueKind.ANGLE),
    CommandOption("flip", "mount upside down"),
    CommandOption("offset", "distance from the end, or x,y,z in its frame", ValueKind.VECTOR),
    CommandOption("rpy", "additional rotation as roll,pitch,yaw", ValueKind.VECTOR),
    CommandOption("joint", "type of the joint", ValueKind.CHOICE, ("revolute", "continuous", "prismatic")),
    CommandOption("axis", "joint axis in the frame of the end (default: z)", ValueKind.AXIS),
    CommandOption("limits", "joint limits, such as -90..90", ValueKind.RANGE),
    CommandOption("name", "name of the joint", ValueKind.NAME),
    CommandOption("loop", "close a loop between two connected instances", ValueKind.CHOICE, LOOP_KINDS),
    CommandOption("force", "accept ports that do not fit or are occupied"),
)


def mate_of(at: str, put: str, arguments: Arguments) -> Mate:
    """Return the mate that the options of a line describe."""
    return Mate(
        at,
        put,
        turn=arguments.read_option("turn", parse_angle, 0.0),
        flip=arguments.has("flip"),
        offset=arguments.read_option("offset", parse_offset, 0.0),
        rpy=arguments.read_option("rpy", parse_angles, None),
        joint=_joint_of(arguments),
        force=arguments.has("force"),
    )


def _joint_of(arguments: Arguments) -> MateJoint | None:
    kind = arguments.option("joint")
    if kind is None:
        for name in ("axis", "limits", "name"):
            if arguments.has(name):
                raise arguments.refuse(f"--{name} needs a joint: add --joint revolute or --joint prismatic", name)
        return None
    if kind == "revolute" and not arguments.has("limits"):
        raise arguments.refuse("a revolute joint needs --limits, such as --limits -90..90", "joint")
    if kind == "continuous" and arguments.has("limits"):
        raise arguments.refuse("a continuous joint has no limits; use a revolute joint", "limits")
    return MateJoint(
        **{kind: arguments.read_option("axis", parse_axis, "z")},  # type: ignore[arg-type]
        limits=arguments.read_option("limits", parse_range, None),
        name=arguments.option("name"),
    )


def fitting_port(document: Document, instance: str, at: str) -> str:
    """Return the best port of an instance that fits an end of another instance; refuse if none fits."""
    end = parse_end(at)
    port = document.body(end.instance).ports.get(end.place)
    body = document.body(instance)
    if not body.ports:
        raise RckError(f"{instance} has no ports; attach it by a face, such as {instance}.ITEM#0.0")
    target = _PLAIN if port is None else port
    fitting = fitting_ports(body, target)
    if fitting:
        return fitting[0]
    own = ", ".join(_with_type(one.name, one.type, one.gender) for one in body.ports.values())
    raise RckError(
        f"no port of {instance} fits {_with_type(at, target.type, target.gender)}; its ports: {own}; "
        f"{_fitting_ends(document, instance, body)}{_adaptors(document, target, body)}"
        f"; to mount it by another port, name that port, such as {instance}.{next(iter(body.ports))}"
    )


def _with_type(name: str, kind: str, gender: str | None) -> str:
    return f"{name} ({kind} {gender})" if gender else f"{name} ({kind})"


def _fitting_ends(document: Document, instance: str, body: InstanceBody) -> str:
    """Return which unoccupied ports of the assembly would take an instance."""
    assembly = document.assembly
    occupied = {end for mate in assembly.mates for end in (mate.at, mate.put)}
    ends = [
        f"{other}.{port.name}"
        for other in assembly.parts
        if other != instance
        for port in document.body(other).ports.values()
        if port.type != "floor" and not is_tool_tip(port) and fitting_ports(body, port)
    ]
    free = [end for end in ends if end not in occupied]
    return f"ports that fit it: {', '.join(free[:_LISTED])}" if free else "no free port of the assembly fits it"


def _adaptors(document: Document, target: PortLike, body: InstanceBody) -> str:
    """Return which parts of the catalogue can be mounted on a port and have a port that takes a body."""
    mounting = [port for port in body.ports.values() if fitting_ports(body, port) or port.type != "any"]
    parts = find_adaptors(document.catalogue, [target], mounting, most=_LISTED)
    return f"; adaptors in the catalogue: {', '.join(adaptor.part for adaptor in parts)}" if parts else ""


def refuse_misfit(document: Document, mate: Mate) -> None:
    """Refuse a new mate whose ends do not fit; the message says what would fit."""
    at_end, put_end = parse_end(mate.at), parse_end(mate.put)
    if at_end.instance not in document.assembly.parts or put_end.instance not in document.assembly.parts:
        return  # reported by the compiler
    at_body, put_body = document.body(at_end.instance), document.body(put_end.instance)
    at = end_frame(at_end, at_body.robot, at_body.ports)
    put = end_frame(put_end, put_body.robot, put_body.ports)
    misfit = find_misfit(mate, at, put, at_from_put(mate, at, put, Quantities(document.units)))
    if misfit is None:
        return
    if misfit.code != 805:
        raise RckError(f"{misfit.message}; {misfit.fix}")
    others = [name for name in fitting_ports(put_body, at) if name != put_end.place]
    hints = [f"{put_end.instance}.{others[0]} fits there"] if others else []
    hints.append(_fitting_ends(document, put_end.instance, put_body))
    hints.append(_adaptors(document, at, put_body).removeprefix("; "))
    raise RckError("; ".join(filter(None, (misfit.message, *hints, misfit.fix))))


def _mate(document: Document, arguments: Arguments) -> tuple[Document, str]:
    at, put = read_end(document, arguments, "at"), read_end(document, arguments, "put")
    if "." not in put and not arguments.has("rpy") and "." in at:
        with arguments.pointing("put"):
            put = f"{put}.{fitting_port(document, put, at)}"
    if arguments.has("loop"):
        return _close_loop(document, at, put, arguments)
    mate = mate_of(at, put, arguments)
    joint = arguments.option("joint") or "rigid"
    with arguments.pointing("put"):
        refuse_misfit(document, mate)
        mated = edits.add_mate(document.assembly, mate)
    return document.with_assembly(mated), f"attached {parse_end(put).instance} at {at} ({joint})"


def _new_loop_name(document: Document) -> str:
    number = 1
    while f"loop-{number}" in document.assembly.loops:
        number += 1
    return f"loop-{number}"


def _close_loop(document: Document, at: str, put: str, arguments: Arguments) -> tuple[Document, str]:
    """Add a loop that holds two ends together; both instances keep their mates."""
    for name in ("joint", "axis", "limits"):
        if arguments.has(name):
            raise arguments.refuse(f"--{name} is not for loops; the kind of a loop says how it moves", name)
    kind = LoopKind(arguments.option("loop"))
    mate = Mate(
        at,
        put,
        turn=arguments.read_option("turn", parse_angle, 0.0),
        flip=arguments.has("flip"),
        offset=arguments.read_option("offset", parse_offset, 0.0),
        rpy=arguments.read_option("rpy", parse_angles, None),
    )
    ends = parse_end(at), parse_end(put)
    with arguments.pointing("put"):
        if ends[0].instance == ends[1].instance:
            raise RckError(f"{at} and {put} are on the same instance; give its part a loop instead")
        bodies = [document.body(end.instance) for end in ends]
        frames = [end_frame(end, body.robot, body.ports) for end, body in zip(ends, bodies, strict=True)]
        reason = port_mismatch(frames[0], frames[1])
        if reason and not arguments.has("force"):
            raise RckError(f"{at} and {put}: {reason}; --force accepts it")
        relation = at_from_put(mate, frames[0], frames[1], Quantities(document.assembly.units))
        name = arguments.option("name") or _new_loop_name(document)
        loop = Loop(
            name,
            kind,
            (f"{ends[0].instance}/{frames[0].item}", f"{ends[1].instance}/{frames[1].item}"),
            (
                invert(bodies[0].robot.item(frames[0].item).pose) @ frames[0].pose @ relation,
                invert(bodies[1].robot.item(frames[1].item).pose) @ frames[1].pose,
            ),
        )
        changed = edits.add_loop(document.assembly, loop)
    return document.with_assembly(changed), f"closed loop {name} between {at} and {put} ({kind.value})"


def _detach(document: Document, arguments: Arguments) -> tuple[Document, str]:
    name = read_instance(document, arguments)
    place = present_place(document, name)
    with arguments.pointing("instance"):
        detached = edits.detach(document.assembly, name, place)
    note = dropped_note(document.assembly, detached)
    return document.with_assembly(detached), f"detached {name}; it keeps its pose{note}"


def _replace(document: Document, arguments: Arguments) -> tuple[Document, str]:
    assembly = document.assembly
    name = read_instance(document, arguments)
    part = arguments.text("part")
    renamed: dict[str, str] = arguments.read_option("port", _parse_renamed_ports, {})
    changed = edits.set_instance(assembly, name, part=part, with_={})
    with arguments.pointing("part"):
        new = document.with_assembly(changed).body(name)
        end_of = _ends_after_replacement(name, part, _old_ports(document, name), new, renamed)
        mates = [msgspec.structs.replace(mate, at=end_of(mate.at), put=end_of(mate.put)) for mate in assembly.mates]
        tools = {key: msgspec.structs.replace(tool, on=end_of(tool.on)) for key, tool in assembly.tools.items()}
        ports = {key: end_of(end) for key, end in assembly.ports.items()}
    joints = {f"{name}/{joint.name}" for joint in new.robot.joints} | {f"{name}/mate"}
    places = {f"{name}/{place}" for place in (*new.robot.item_index, *(one.name for one in new.robot.frames))}
    changed = edits.set_instance(changed, name, with_=read_parameters(document, part, arguments, "parameters"))
    changed = edits.without_joints(changed, _goes(name, joints))
    changed = without_references(changed, _goes(name, places), lambda joint: False)
    changed = without_unknown_items(changed, name, places)
    result = document.with_assembly(changed).with_changes(mates=mates, tools=tools, ports=ports)
    with arguments.pointing("part"):
        for old_mate, mate in zip(assembly.mates, mates, strict=True):
            if name in (parse_end(mate.at).instance, parse_end(mate.put).instance):
                _refuse_new_misfit(document, old_mate, result, mate)
    note = dropped_note(assembly, result.assembly)
    return result, f"replaced {name} by {part}; its mates are unchanged{note}"


def _goes(name: str, kept: set[str]) -> Callable[[str], bool]:
    """Return a predicate: True for full names of what is in an instance and is not kept."""
    return lambda full: full.partition("/")[0] == name and full not in kept


def _refuse_new_misfit(before: Document, old: Mate, after: Document, new: Mate) -> None:
    """Refuse a mate that does not fit, unless it did not fit before either."""
    try:
        refuse_misfit(before, old)
    except RckError:
        return
    refuse_misfit(after, new)


def _parse_renamed_ports(text: str) -> dict[str, str]:
    pairs = [pair.partition("=") for pair in text.split(",")]
    renamed = {old.strip(): new.strip() for old, _, new in pairs}
    if not all(renamed) or not all(renamed.values()):
        raise RckError(f"{text!r} is not OLD=NEW")
    return renamed


def _old_ports(document: Document, name: str) -> dict[str, tuple[str, str | None]]:
    """Return the type and gender of each port of the part to be replaced; empty if it cannot be built any more."""
    try:
        body = document.body(name)
    except RckError:
        return {}
    return {port.name: (port.type, port.gender) for port in body.ports.values()}


def _ends_after_replacement(
    name: str, part: str, old: dict[str, tuple[str, str | None]], new: InstanceBody, renamed: dict[str, str]
) -> Callable[[str], str]:
    """Return a function that maps an end to the same end after its instance has got another part."""

    def end_of(text: str) -> str:
        end = parse_end(text)
        if end.instance != name or not end.place or "#" in end.place:
            return text
        port = renamed.get(end.place, end.place)
        if port in new.ports:
            return f"{name}.{port}"
        kind = old.get(end.place, ("any", None))
        alike = [one.name for one in new.ports.values() if (one.type, one.gender) == kind]
        if not alike or end.place in renamed:
            raise RckError(f"{part} has no port like {port} ({kind[0]}); choose one with --port {end.place}=NEW")
        return f"{name}.{alike[0]}"

    return end_of


COMMANDS = (
    Command(
        "mate",
        "attach one instance to another, by ports, by faces, or with an explicit pose",
        (Argument("at", ValueKind.END), Argument("put", ValueKind.END)),
        MATE_OPTIONS,
        "AT is the end that stays, PUT the end of the instance that is moved. Two ports or two faces are joined face to"
        " face: same origin, opposite z axes. For two instances without ports, the frames of the instances are"
        " aligned, then moved by --offset and --rpy. If PUT is only an instance, RCK uses its first port that fits."
        " The mate is rigid without --joint. Ports of different types are refused without --force. Two instances that"
        " are already connected are held together with --loop, which closes a chain of joints: connect holds the"
        " origins of the ends together, weld the whole ends, revolute and prismatic their z axes. --name names the"
        " loop; `remove loop NAME` removes it.",
        (
            "mate base.top shoulder.back --turn 90",
            "mate upper.b hand.mount --joint revolute --limits -90..90",
            "mate table.top#0.5 cube.body#0.4",
            "mate base camera --offset 0,0,200 --rpy 0,90,0",
            "mate coupler.end rocker.end --loop revolute",
        ),
        aliases=("attach", "create mate"),
        run=_mate,
    ),
    Command(
        "detach",
        "remove the mate that attaches an instance; the instance keeps its pose",
        (Argument("instance", ValueKind.INSTANCE),),
        details="Instances that are attached to it stay attached.",
        examples=("detach hand",),
        run=_detach,
    ),
    Command(
        "replace",
        "replace the part of an instance and keep its mates",
        (
            Argument("instance", ValueKind.INSTANCE),
            Argument("part", ValueKind.PART),
            Argument("parameters", ValueKind.SETTING, optional=True),
        ),
        (CommandOption("port", "ports with another name on the new part, OLD=NEW,OLD=NEW", ValueKind.SETTING),),
        "A mate uses the port of the same name on the new part, or else the first port of the same type. Settings of"
        " joints that the new part does not have are removed.",
        ("replace elbow robotis/xm540-w270", "replace hand ./two-finger.rck --port mount=back"),
        run=_replace,
    ),
)
