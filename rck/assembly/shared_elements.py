"""Elements of an assembly that belong to no single instance: motors of mate joints, tendons, loops and devices.

They refer to items and joints by full name, such as `hand/body` and `hand/mate`.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

import msgspec

from rck.assembly.document import Assembly, Mate, replaced
from rck.assembly.mate_ends import parse_end
from rck.assembly.mates import joint_name
from rck.model import Actuator, Device, Finding, Loop, RckError, Severity, Tendon
from rck.model.frame import IDENTITY
from rck.model.quantities import Quantities
from rck.parts.part_actuators import convert_actuator
from rck.parts.part_devices import convert_device
from rck.parts.spec_conversion import convert_loop, convert_tendon

NewName = Callable[[str], str]
"""A function from an old full name to a new one."""
Exists = Callable[[str], bool]
"""A predicate on full names."""


@dataclass(frozen=True, slots=True)
class SharedElements:
    """The elements of an assembly that belong to no single instance, not checked yet."""

    actuators: tuple[Actuator, ...]
    tendons: tuple[Tendon, ...]
    loops: tuple[Loop, ...]
    devices: tuple[Device, ...]


def shared_elements(assembly: Assembly, findings: list[Finding]) -> SharedElements:
    """Return the elements in SI units; add findings about those that cannot be converted."""
    read = Quantities(assembly.units)
    loops, devices = [], []
    for name, loop in assembly.loops.items():
        try:
            loops.append(convert_loop(name, loop, read))
        except (RckError, ValueError) as error:
            findings.append(Finding(104, Severity.ERROR, f"loop {name}", str(error)))
    for name, device in assembly.devices.items():
        devices.append(convert_device(name, device, (device.on, IDENTITY), read, findings))
    return SharedElements(
        tuple(convert_actuator(name, one) for name, one in assembly.actuators.items()),
        tuple(convert_tendon(name, one) for name, one in assembly.tendons.items()),
        tuple(loops),
        tuple(one for one in devices if one is not None),
    )


def renamed_references(assembly: Assembly, item: NewName, joint: NewName) -> Assembly:
    """Return the assembly with the references of these elements and of mimic joints to items and joints renamed.

    `item` is called for frames, too: both begin with the name of an instance.
    """
    return replaced(
        assembly,
        mates=[_renamed_leader(mate, joint) for mate in assembly.mates],
        actuators={
            name: msgspec.structs.replace(
                one, joint=one.joint and joint(one.joint), frame=one.frame and item(one.frame)
            )
            for name, one in assembly.actuators.items()
        },
        tendons={
            name: msgspec.structs.replace(one, joints={joint(key): factor for key, factor in one.joints.items()})
            for name, one in assembly.tendons.items()
        },
        loops={
            name: msgspec.structs.replace(one, items=(item(one.items[0]), item(one.items[1])))
            for name, one in assembly.loops.items()
        },
        devices={
            name: msgspec.structs.replace(one, on=item(one.on), joints=[joint(key) for key in one.joints])
            for name, one in assembly.devices.items()
        },
    )


def _renamed_leader(mate: Mate, joint: NewName) -> Mate:
    if mate.joint is None or mate.joint.follows is None:
        return mate
    follows = msgspec.structs.replace(mate.joint.follows, joint=joint(mate.joint.follows.joint))
    return msgspec.structs.replace(mate, joint=msgspec.structs.replace(mate.joint, follows=follows))


def referring_elements(assembly: Assembly, item_goes: Exists, joint_goes: Exists) -> list[str]:
    """Return descriptions of the elements that refer to items, frames or joints for which the predicates are True."""
    return [f"{what} {name}" for what, names in _referring(assembly, item_goes, joint_goes).items() for name in names]


def without_references(assembly: Assembly, item_goes: Exists, joint_goes: Exists) -> Assembly:
    """Return the assembly without the elements that refer to items, frames or joints that go.

    A mimic joint whose leader goes moves freely.
    """
    gone = _referring(assembly, item_goes, joint_goes)
    return replaced(
        assembly,
        mates=[without_leader(mate, joint_goes) for mate in assembly.mates],
        actuators=_left(assembly.actuators, gone["actuator"]),
        tendons=_left(assembly.tendons, gone["tendon"]),
        loops=_left(assembly.loops, gone["loop"]),
        devices=_left(assembly.devices, gone["device"]),
    )


def dropped_elements(before: Assembly, after: Assembly) -> list[str]:
    """Return descriptions of the elements, joint settings and saved positions that an edit dropped."""
    sections = {"motor": "actuators", "tendon": "tendons", "loop": "loops", "device": "devices", "pose": "poses"}
    found = [
        f"{what} {name}"
        for what, section in sections.items()
        for name in getattr(before, section)
        if name not in getattr(after, section)
    ]
    found += [f"the settings of joint {joint}" for joint in before.joints if joint not in after.joints]
    found += [
        f"{joint} in pose {name}"
        for name, pose in after.poses.items()
        for joint in before.poses.get(name, ())
        if joint not in pose
    ]
    followed = {mate.put: mate.joint.follows for mate in before.mates if mate.joint is not None}
    found += [
        f"the coupling of {joint_name(mate, parse_end(mate.put).instance)} to {leader.joint}"
        for mate in after.mates
        if mate.joint is not None and mate.joint.follows is None and (leader := followed.get(mate.put))
    ]
    return found


def dropped_note(before: Assembly, after: Assembly, named: Collection[str] = ()) -> str:
    """Return a line for the user about what an edit dropped besides what it names; empty if that is nothing."""
    found = [one for one in dropped_elements(before, after) if one.rpartition(" ")[2] not in named]
    return f"\ndropped, because they refer to what is gone: {', '.join(found)}" if found else ""


def without_leader(mate: Mate, joint_goes: Exists) -> Mate:
    """Return the mate with a joint that moves freely if its leader goes."""
    if mate.joint is None or mate.joint.follows is None or not joint_goes(mate.joint.follows.joint):
        return mate
    return msgspec.structs.replace(mate, joint=msgspec.structs.replace(mate.joint, follows=None))


def _referring(assembly: Assembly, item_goes: Exists, joint_goes: Exists) -> dict[str, list[str]]:
    """Return the names of the elements that refer to what goes, by the word for their type."""
    tendons = [name for name, one in assembly.tendons.items() if any(map(joint_goes, one.joints))]
    return {
        "tendon": tendons,
        "actuator": [
            name
            for name, one in assembly.actuators.items()
            if (one.joint and joint_goes(one.joint)) or (one.frame and item_goes(one.frame)) or one.tendon in tendons
        ],
        "loop": [name for name, one in assembly.loops.items() if any(map(item_goes, one.items))],
        "device": [
            name for name, one in assembly.devices.items() if item_goes(one.on) or any(map(joint_goes, one.joints))
        ],
    }


def _left(entries: Mapping[str, object], gone: Collection[str]) -> dict[str, object]:
    return {name: one for name, one in entries.items() if name not in gone}
