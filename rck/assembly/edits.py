"""Edits: pure functions that return a changed assembly, or raise :class:`RckError` with the reason."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec

from rck.assembly.collision_rules import renamed_instance, without_instances
from rck.assembly.document import Assembly, Instance, JointSetting, LocalPart, Mate, Tool, replaced
from rck.assembly.local_parts import loop_spec
from rck.assembly.mate_ends import parse_end
from rck.assembly.mates import joint_name
from rck.assembly.native_file import normalised
from rck.assembly.shared_elements import (
    referring_elements,
    renamed_references,
    without_leader,
    without_references,
)
from rck.model import Loop, RckError
from rck.model.quantities import PoseSpec, Quantity
from rck.parts.manifest import PartJoint
from rck.support.names import did_you_mean, name_findings


def add_instance(assembly: Assembly, name: str, instance: Instance) -> Assembly:
    """Return the assembly with another instance, at the origin."""
    require_new_name(assembly, name)
    return replaced(assembly, parts={**assembly.parts, name: instance})


def require_new_name(assembly: Assembly, name: str) -> None:
    """Refuse a name that is used or not valid."""
    if name in assembly.parts:
        raise RckError(f"there is already an instance {name}; choose another name, or omit it")
    _require_name(name, scoped=False)


def _require_name(name: str, *, scoped: bool) -> None:
    """Refuse an invalid name, and one with a scope if `scoped` is False."""
    if name_findings(name, "") or ("/" in name and not scoped):
        raise RckError(f"{name!r} is not a valid name; use letters, digits, - and _")


def new_name(assembly: Assembly, wanted: str, taken: Iterable[str] = ()) -> str:
    """Return the wanted name, with a number if it is already used."""
    used = {*assembly.parts, *taken}
    if wanted not in used:
        return wanted
    # `leg-2` is the second `leg`; the 85 of `2f-85` belongs to the name.
    stem, dash, counter = wanted.rpartition("-")
    if not dash or not counter.isdigit() or stem not in used:
        stem = wanted
    number = 2
    while f"{stem}-{number}" in used:
        number += 1
    return f"{stem}-{number}"


def instance(assembly: Assembly, name: str) -> Instance:
    """Return the instance of that name."""
    if name not in assembly.parts:
        raise RckError(f"there is no instance {name!r}{did_you_mean(name, assembly.parts)}")
    return assembly.parts[name]


def set_instance(assembly: Assembly, name: str, **changes: Any) -> Assembly:
    """Return the assembly with fields of one instance changed."""
    changed = msgspec.structs.replace(instance(assembly, name), **changes)
    return replaced(assembly, parts={**assembly.parts, name: changed})


def mate_putting(assembly: Assembly, name: str) -> Mate | None:
    """Return the mate that attaches the instance, if any."""
    return next((mate for mate in assembly.mates if parse_end(mate.put).instance == name), None)


def mates_on(assembly: Assembly, name: str) -> list[Mate]:
    """Return the mates of the instances attached to the instance."""
    return [mate for mate in assembly.mates if parse_end(mate.at).instance == name]


def add_mate(assembly: Assembly, mate: Mate) -> Assembly:
    """Return the assembly with a mate; the attached instance loses its place."""
    at, put = parse_end(mate.at), parse_end(mate.put)
    instance(assembly, at.instance)
    instance(assembly, put.instance)
    other = mate_putting(assembly, put.instance)
    if other is not None:
        raise RckError(
            f"{put.instance} is already attached by {other.at} {other.put}; detach {put.instance} first, or add --loop "
            "connect (or revolute, prismatic, weld) to close a loop"
        )
    if put.instance == at.instance or at.instance in branch(assembly, put.instance):
        raise RckError(
            f"{at.instance} is attached to {put.instance}; they cannot be attached to each other; add --loop connect "
            "(or revolute, prismatic, weld) to close a loop"
        )
    mated = replaced(assembly, mates=[*assembly.mates, mate])
    if assembly.parts[put.instance].place is not None:
        mated = set_instance(mated, put.instance, place=None)
    return normalised(mated)


def add_loop(assembly: Assembly, loop: Loop) -> Assembly:
    """Return the assembly with a loop between items of two instances, by full name."""
    _require_new_entry(assembly, "loops", loop.name)
    spec = loop_spec(loop, {item: item for item in loop.items}, assembly.units)
    return normalised(replaced(assembly, loops={**assembly.loops, loop.name: spec}))


def change_mate(assembly: Assembly, put: str, /, **changes: Any) -> Assembly:
    """Return the assembly with the mate that attaches an instance changed."""
    old = mate_putting(assembly, put)
    if old is None:
        instance(assembly, put)
        raise RckError(f"{put} is not mated")
    new = msgspec.structs.replace(old, **changes)
    return normalised(replaced(assembly, mates=[new if mate is old else mate for mate in assembly.mates]))


def detach(assembly: Assembly, name: str, place: PoseSpec | None) -> Assembly:
    """Return the assembly without the mate that attaches an instance, which gets a place in the world."""
    old = mate_putting(assembly, name)
    if old is None:
        instance(assembly, name)
        raise RckError(f"{name} is not mated")
    apart = replaced(assembly, mates=[mate for mate in assembly.mates if mate is not old])
    return set_instance(_without_stale_joint(apart, name, old), name, place=place)


def _without_stale_joint(assembly: Assembly, name: str, mate: Mate) -> Assembly:
    """Return the assembly without the settings of the joint of a removed mate."""
    gone = joint_name(mate, name)
    return without_joints(assembly, lambda joint: joint == gone)


def without_joints(assembly: Assembly, gone: Callable[[str], bool]) -> Assembly:
    """Return the assembly without the settings and saved positions of some joints."""
    joints = {name: setting for name, setting in assembly.joints.items() if not gone(name)}
    poses = {
        name: {joint: position for joint, position in pose.items() if not gone(joint)}
        for name, pose in assembly.poses.items()
    }
    # Drop poses that become empty, but keep poses that were empty before.
    kept = {name: pose for name, pose in poses.items() if pose or not assembly.poses[name]}
    extensions = {name: one for name, one in assembly.pose_extensions.items() if name in kept}
    left = replaced(assembly, joints=joints, poses=kept, pose_extensions=extensions)
    return without_references(left, lambda item: False, gone)


def branch(assembly: Assembly, name: str) -> list[str]:
    """Return the instance and everything attached to it, directly or indirectly, nearest first."""
    on: dict[str, list[str]] = {}
    for mate in assembly.mates:
        on.setdefault(parse_end(mate.at).instance, []).append(parse_end(mate.put).instance)
    found = [name]
    for one in found:
        found.extend(child for child in on.get(one, ()) if child not in found)
    return found


def referrers(assembly: Assembly, names: Iterable[str]) -> list[str]:
    """Return descriptions of the mates, tools, ports and poses that refer to the named instances."""
    going = set(names)
    found = [
        f"{parse_end(mate.put).instance} (mated at {mate.at})"
        for mate in assembly.mates
        if parse_end(mate.at).instance in going and parse_end(mate.put).instance not in going
    ]
    found += [f"tool {name}" for name, tool in assembly.tools.items() if parse_end(tool.on).instance in going]
    found += [f"port {name}" for name, end in assembly.ports.items() if parse_end(end).instance in going]
    found += referring_elements(assembly, lambda item: item.partition("/")[0] in going, _joint_of(assembly, going))
    return found + pose_referrers(assembly, _joint_of(assembly, going))


def pose_referrers(assembly: Assembly, matches: Callable[[str], bool]) -> list[str]:
    """Return the saved poses with a position for a joint that matches."""
    return [f"pose {name}" for name, pose in assembly.poses.items() if any(matches(joint) for joint in pose)]


def _joint_of(assembly: Assembly, going: set[str]) -> Callable[[str], bool]:
    """Return a predicate: True for joints inside the named instances and joints of mates at them."""
    named = {
        joint_name(mate, parse_end(mate.put).instance)
        for mate in assembly.mates
        if parse_end(mate.put).instance in going or parse_end(mate.at).instance in going
    }
    return lambda joint: joint.partition("/")[0] in going or joint in named


def remove(assembly: Assembly, names: Iterable[str]) -> Assembly:
    """Return the assembly without instances and everything that refers to them: mates, tools, ports, settings."""
    going = set(names)
    for name in going:
        instance(assembly, name)
    goes = _joint_of(assembly, going)
    left = replaced(
        without_references(assembly, lambda item: item.partition("/")[0] in going, goes),
        parts={name: one for name, one in assembly.parts.items() if name not in going},
        order=[name for name in assembly.order if name not in going],
        mates=[
            without_leader(mate, goes)
            for mate in assembly.mates
            if parse_end(mate.put).instance not in going and parse_end(mate.at).instance not in going
        ],
        tools={name: one for name, one in assembly.tools.items() if parse_end(one.on).instance not in going},
        ports={name: end for name, end in assembly.ports.items() if parse_end(end).instance not in going},
    )
    return without_joints(without_instances(left, going), goes)


def rename(assembly: Assembly, old: str, new: str) -> Assembly:
    """Return the assembly with an instance and all references to it renamed."""
    instance(assembly, old)
    require_new_name(assembly, new)

    def end(text: str) -> str:
        parsed = parse_end(text)
        return text.replace(old, new, 1) if parsed.instance == old else text

    def joint(name: str) -> str:
        scope, slash, rest = name.partition("/")
        return f"{new}/{rest}" if slash and scope == old else name

    renamed = renamed_references(renamed_instance(assembly, old, new), joint, joint)
    return normalised(
        replaced(
            renamed,
            parts={new if name == old else name: one for name, one in assembly.parts.items()},
            order=[new if name == old else name for name in assembly.order],
            mates=[msgspec.structs.replace(mate, at=end(mate.at), put=end(mate.put)) for mate in renamed.mates],
            joints={joint(name): one for name, one in assembly.joints.items()},
            poses={pose: {joint(name): x for name, x in one.items()} for pose, one in assembly.poses.items()},
            tools={name: msgspec.structs.replace(one, on=end(one.on)) for name, one in assembly.tools.items()},
            ports={name: end(one) for name, one in assembly.ports.items()},
        )
    )


def at_home(assembly: Assembly) -> Assembly:
    """Return the assembly with all joints at their home positions."""
    for joint in list(assembly.joints):
        assembly = set_joint_setting(assembly, joint, position=None)
    return assembly


def set_joint_setting(assembly: Assembly, name: str, **changes: Any) -> Assembly:
    """Return the assembly with settings of a joint changed; an empty setting is dropped."""
    old = assembly.joints.get(name, JointSetting())
    new = msgspec.structs.replace(old, **changes)
    joints = {**assembly.joints, name: new}
    if new == JointSetting():
        del joints[name]
    return replaced(assembly, joints=joints)


def set_pose(assembly: Assembly, name: str, positions: Mapping[str, Quantity]) -> Assembly:
    """Return the assembly with joint positions saved under a name."""
    return replaced(assembly, poses={**assembly.poses, name: dict(positions)})


def set_tool(assembly: Assembly, name: str, tool: Tool) -> Assembly:
    """Return the assembly with a tool frame added or changed."""
    instance(assembly, parse_end(tool.on).instance)
    return replaced(assembly, tools={**assembly.tools, name: tool})


def set_port(assembly: Assembly, name: str, end: str) -> Assembly:
    """Return the assembly with a port of an instance as a port of the whole assembly."""
    instance(assembly, parse_end(end).instance)
    return replaced(assembly, ports={**assembly.ports, name: end})


def set_local_part(assembly: Assembly, name: str, piece: LocalPart) -> Assembly:
    """Return the assembly with a local part added or changed."""
    _require_name(name, scoped=False)
    return replaced(assembly, local_parts={**assembly.local_parts, name: piece})


def add_local_part(assembly: Assembly, name: str, piece: LocalPart) -> Assembly:
    """Return the assembly with a new local part and one instance of it, of the same name."""
    if name in assembly.local_parts:
        raise RckError(f"there is already a local part {name}; choose another name, or omit it")
    return add_instance(set_local_part(assembly, name, piece), name, Instance(name))


def without(assembly: Assembly, section: str, name: str) -> Assembly:
    """Return the assembly without an entry of a section such as `tools` or `poses`."""
    entries = dict(entries_with(assembly, section, name))
    del entries[name]
    return replaced(assembly, **{section: entries})


def renamed_entry(assembly: Assembly, section: str, old: str, new: str) -> Assembly:
    """Return the assembly with an entry of a section renamed."""
    _require_new_entry(assembly, section, new)
    entries = {new if name == old else name: one for name, one in entries_with(assembly, section, old).items()}
    renamed = replaced(assembly, **{section: entries})
    if section != "local_parts":
        return renamed
    users = {
        name: msgspec.structs.replace(one, part=new) if one.part == old else one for name, one in renamed.parts.items()
    }
    return replaced(renamed, parts=users)


def copied_entry(assembly: Assembly, section: str, old: str, new: str) -> Assembly:
    """Return the assembly with a copy of an entry of a section under another name."""
    _require_new_entry(assembly, section, new)
    entries = entries_with(assembly, section, old)
    return replaced(assembly, **{section: {**entries, new: entries[old]}})


def rename_joint(assembly: Assembly, old: str, new: str) -> Assembly:
    """Return the assembly with the joint of a mate renamed; joints inside parts cannot be renamed."""
    _require_name(new, scoped=True)
    mate = next(
        (one for one in assembly.mates if one.joint and joint_name(one, parse_end(one.put).instance) == old), None
    )
    if mate is None or mate.joint is None:
        raise RckError(f"{old} is not the joint of a mate; joints inside parts cannot be renamed")
    named = msgspec.structs.replace(mate.joint, name=new)
    changed = change_mate(assembly, parse_end(mate.put).instance, joint=named)
    changed = renamed_references(changed, lambda item: item, lambda joint: new if joint == old else joint)
    return replaced(
        changed,
        joints={new if name == old else name: one for name, one in assembly.joints.items()},
        poses={
            pose: {new if name == old else name: x for name, x in one.items()} for pose, one in assembly.poses.items()
        },
    )


def entries_with(assembly: Assembly, section: str, name: str) -> dict[str, Any]:
    """Return a section; refuse a name that has no entry in it."""
    entries: dict[str, Any] = getattr(assembly, section)
    if name not in entries:
        raise RckError(f"there is no {_noun(section)} {name!r}{did_you_mean(name, entries)}")
    return entries


def _noun(section: str) -> str:
    return section.removesuffix("s").replace("_", " ")


def _require_new_entry(assembly: Assembly, section: str, name: str) -> None:
    _require_name(name, scoped=section != "local_parts")
    if name in getattr(assembly, section):
        raise RckError(f"there is already a {_noun(section)} {name}; choose another name")


def item_referrers(piece: LocalPart, item: str) -> list[str]:
    """Return the joints, ports and frames of a local part that are on an item."""
    joints = [f"joint {name}" for name, one in piece.joints.items() if item in (one.base, *_moved(one))]
    ports = [f"port {name}" for name, one in piece.ports.items() if one.on == item]
    return joints + ports + [f"frame {name}" for name, one in piece.frames.items() if one.on == item]


def without_item(piece: LocalPart, item: str) -> LocalPart:
    """Return the local part without an item, the items that its joints carry, and everything fixed to these."""
    going = [item]
    for base in going:
        carried = (moved for one in piece.joints.values() if one.base == base for moved in _moved(one))
        going += [moved for moved in dict.fromkeys(carried) if moved not in going]
    left = {name: one for name, one in piece.items.items() if name not in going}
    if not left:
        raise RckError(f"nothing is left without {item}; remove the local part instead")
    joints = {}
    for name, one in piece.joints.items():
        moves = [other for other in _moved(one) if other not in going]
        if one.base not in going and moves:
            joints[name] = msgspec.structs.replace(one, moves=moves)
    for name, one in joints.items():
        if one.follows is not None and one.follows.joint not in joints:
            joints[name] = msgspec.structs.replace(one, follows=None)
    ports = {name: one for name, one in piece.ports.items() if one.on not in going}
    frames = {name: one for name, one in piece.frames.items() if one.on not in going}
    devices = {
        name: one
        for name, one in piece.devices.items()
        if (not one.port or one.port in ports) and joints.keys() >= set(one.joints)
    }
    return msgspec.structs.replace(piece, items=left, joints=joints, ports=ports, frames=frames, devices=devices)


def _moved(joint: PartJoint) -> list[str]:
    return [joint.moves] if isinstance(joint.moves, str) else joint.moves
