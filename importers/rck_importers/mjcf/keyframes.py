"""Keyframes of MJCF as named poses."""

from collections.abc import Sequence
from types import MappingProxyType

from rck.geometry.transforms import from_quaternion, to_euler
from rck.importing.xml_file import Element
from rck.model import NamedPose
from rck.model.extensions import extension
from rck_importers.mjcf.bodies import BodyJoint
from rck_importers.mjcf.extension_data import FORMAT, rest
from rck_importers.mjcf.source import Source

_NUMBERS = {"free": 7, "ball": 4, "hinge": 1, "slide": 1}


def poses_of(source: Source, joints: Sequence[BodyJoint]) -> tuple[NamedPose, ...]:
    """Return a pose for each keyframe."""
    found = []
    for number, key in enumerate(source.sections("keyframe")):
        positions = joint_numbers(key, joints) if "qpos" in key.attributes else {}
        data = rest(key, {"qpos"})
        for joint in joints:
            if joint.kind in ("free", "ball") and joint.name in positions:
                data[f"qpos of {joint.name}"] = " ".join(map(repr, positions[joint.name]))
        singles = {name: numbers[0] for name, numbers in hinge_numbers(joints, positions).items() if len(numbers) == 1}
        name = key.get("name") or f"pose-{number + 1}"
        found.append(NamedPose(name, MappingProxyType(singles), extension(FORMAT, data)))
    return tuple(found)


def keyframe_positions(source: Source, name: str, joints: Sequence[BodyJoint]) -> dict[str, Sequence[float]]:
    """Return the joint positions of the named keyframe, three for a ball joint; nothing without a name."""
    if not name:
        return {}
    for key in source.sections("keyframe"):
        if key.get("name") == name:
            return hinge_numbers(joints, joint_numbers(key, joints))
    known = ", ".join(key.get("name") for key in source.sections("keyframe")) or "none"
    raise source.root.refusal(f"there is no keyframe {name!r}; known: {known}", code=104)


def joint_numbers(key: Element, joints: Sequence[BodyJoint]) -> dict[str, Sequence[float]]:
    """Return the numbers of each joint in a keyframe."""
    numbers = key.numbers_of(key.get("qpos"), "qpos").tolist()
    wanted = sum(_NUMBERS[joint.kind] for joint in joints)
    if len(numbers) != wanted:
        name = key.get("name")
        raise key.refusal(f"keyframe {name} has {len(numbers)} positions; the joints take {wanted}", code=506)
    positions: dict[str, Sequence[float]] = {}
    for joint in joints:
        count = _NUMBERS[joint.kind]
        positions[joint.name], numbers = numbers[:count], numbers[count:]
    return positions


def hinge_numbers(joints: Sequence[BodyJoint], positions: dict[str, Sequence[float]]) -> dict[str, Sequence[float]]:
    """Return the positions with three hinges instead of each ball joint."""
    found: dict[str, Sequence[float]] = {}
    for joint in joints:
        if joint.name not in positions:
            continue
        own = positions[joint.name]
        if joint.kind == "ball":
            turned = to_euler(from_quaternion(own), "XYZ")
            found |= {f"{joint.name}-{letter}": (angle,) for letter, angle in zip("xyz", turned, strict=True)}
        else:
            found[joint.name] = own
    return found
