"""Keyframes of MJCF as named poses."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from types import MappingProxyType

from rck.geometry.transforms import from_quaternion, to_euler, to_quaternion
from rck.importing.xml_file import Element
from rck.model import NamedPose
from rck.model.extensions import extension
from rck_importers.mjcf.bodies import BodyJoint, MjcfBody
from rck_importers.mjcf.extension_data import FORMAT, rest
from rck_importers.mjcf.source import Source

_NUMBERS = {"free": 7, "ball": 4, "hinge": 1, "slide": 1}
_SPEEDS = {"free": 6, "ball": 3, "hinge": 1, "slide": 1}


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


def attached_keyframes(other: Source, bodies: Sequence[MjcfBody], actuators: Sequence[Source]) -> Iterator[Element]:
    """Yield the keyframes of an attached model as those of the whole one, whose other joints are at their reference.

    `actuators` has the source of each actuator of the whole model.
    """
    all_joints = [(body, joint) for body in bodies for joint in body.joints]
    default: dict[str, Sequence[list[float]]] = {
        "qpos": [_reference(body, joint) for body, joint in all_joints],
        "qvel": [[0.0] * _SPEEDS[joint.kind] for _, joint in all_joints],
        "ctrl": [[0.0] for _ in actuators],
    }
    owners = {name: [body.source for body, _ in all_joints] for name in ("qpos", "qvel")} | {"ctrl": list(actuators)}
    for key in other.sections("keyframe"):
        attributes = {"name": f"{other.prefix}{key.get('name')}"} if key.get("name") else {}
        for name, text in key.attributes.items():
            if name in ("name", "class", "time"):
                attributes.setdefault(name, text)
                continue
            numbers = key.numbers_of(text, name).tolist()
            places = [owner is other for owner in owners.get(name, ())]
            wanted = sum(len(one) for one, own in zip(default.get(name, ()), places, strict=True) if own)
            if len(numbers) != wanted:
                other.reading.report.left_out(f"{name} of a keyframe of an attached model", key.where)
                continue
            whole: list[float] = []
            for one, own in zip(default[name], places, strict=True):
                whole += numbers[: len(one)] if own else one
                numbers = numbers[len(one) :] if own else numbers
            attributes[name] = " ".join(map(repr, whole))
        yield replace(key, attributes=attributes)


def _reference(body: MjcfBody, joint: BodyJoint) -> list[float]:
    """Return the numbers of a joint in MuJoCo's initial configuration."""
    if joint.kind == "free":
        return [*body.pose[:3, 3].tolist(), *to_quaternion(body.pose).tolist()]
    return [1.0, 0.0, 0.0, 0.0] if joint.kind == "ball" else [joint.reference]


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
