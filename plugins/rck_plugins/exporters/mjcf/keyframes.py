"""Keyframes of MJCF: named poses, and the positions of the joints of the model."""

from collections.abc import Iterator, Mapping
from xml.etree.ElementTree import Element

from rck.exporting.file_text import add, element
from rck.geometry.transforms import from_euler, to_quaternion
from rck.model import Joint, NamedPose
from rck.model.joint_positions import joint_positions
from rck_plugins.exporters.mjcf.bodies import Body, reference
from rck_plugins.exporters.mjcf.model import MjcfModel
from rck_plugins.exporters.mjcf.names import FORMAT, assign_names, data_of, scope_of
from rck_plugins.exporters.mjcf.numbers import exact

KEYFRAME = "reference"
"""The name of the keyframe with the joint positions of the robot."""

_SAME = 1e-12
"""Positions that differ by less, in radians or metres, are the same: units were converted."""

_COUNTED = ("qvel", "act", "ctrl", "mpos", "mquat")
"""Numbers of the whole model; they are only right if the model is what it was in the file."""


def add_keyframes(root: Element, model: MjcfModel) -> list[str]:
    """Add the poses, and the positions of the joints; return the names of poses that were kept only in part."""
    robot = model.robot
    positions = joint_positions(robot, robot.positions)
    names = assign_names([(pose.name, _source_name(pose, model)) for pose in robot.poses], taken=[KEYFRAME])
    section = Element("keyframe")
    actuators = root.find("actuator")
    motors = 0 if actuators is None else len(actuators)
    from_mjcf = FORMAT in robot.extensions
    partial = []
    for pose, name in zip(robot.poses, names, strict=True):
        data = data_of(pose.extensions)
        numbers = exact(_numbers(model, positions | dict(pose.positions), data, scope_of(pose.name)))
        further = {key: text for key, text in data.items() if key != "name" and not key.startswith("qpos of ")}
        has_other_motors = not from_mjcf and "ctrl" not in further
        if any(key in further for key in _COUNTED) and not _is_whole(model, pose, further, motors):
            partial.append(pose.name)
            has_other_motors = True
            further = {key: text for key, text in further.items() if key not in _COUNTED}
        # A keyframe of a file that states no positions has those of the model.
        if numbers and (pose.positions or data.keys() - {"name"} != further.keys() or FORMAT not in pose.extensions):
            further["qpos"] = numbers
        if has_other_motors:
            further |= _controls(root, model, positions | dict(pose.positions))
        add(section, "key", **({"name": name} if name else {}), **further)
    numbers = exact(_numbers(model, positions, {}, ""))
    # Joints that loops move follow the free ones, in MuJoCo as here.
    moved = any(abs(positions[one.name] - _initial(one)) > _SAME for one in robot.free_joints)
    moved = moved and not any(_is_at(model, positions, pose) for pose in robot.poses)
    if numbers and (moved or not from_mjcf):
        # The numbers of the keyframes of a file stay.
        controls = {} if from_mjcf else _controls(root, model, positions)
        section.insert(len(section) if from_mjcf else 0, element("key", name=KEYFRAME, qpos=numbers, **controls))
    if len(section):
        root.append(section)
    return partial


def _is_at(model: MjcfModel, positions: Mapping[str, float], pose: NamedPose) -> bool:
    """Return True if the joints are at a pose, as far as their limits allow; that needs no keyframe of its own."""
    near = {joint.name: joint.limits for joint in model.robot.free_joints}
    for name, limits in near.items():
        wanted = pose.positions.get(name, positions[name])
        allowed = wanted if limits is None else min(max(wanted, limits.lower), limits.upper)
        if abs(positions[name] - allowed) > _SAME:
            return False
    return True


def _controls(root: Element, model: MjcfModel, positions: Mapping[str, float]) -> dict[str, str]:
    """Return the control signals that hold the positions; none without position actuators, which alone hold them."""
    names = {exported: name for name, exported in model.tree.joint_names.items()}
    actuators = root.find("actuator")
    signals = []
    for one in () if actuators is None else actuators:
        joint = names.get(one.get("joint", "")) if one.tag == "position" else None
        signals.append(None if joint is None else float(one.get("gear", "1").split()[0]) * positions[joint])
    held = [0.0 if signal is None else signal for signal in signals]
    return {"ctrl": exact(held)} if any(signal is not None for signal in signals) else {}


def _initial(joint: Joint) -> float:
    """Return the position of the joint in MuJoCo's initial configuration, or the nearest that its limits allow."""
    limits = joint.limits
    return reference(joint) if limits is None else min(max(reference(joint), limits.lower), limits.upper)


def _source_name(pose: NamedPose, model: MjcfModel) -> str:
    return data_of(pose.extensions).get("name", "")


def _is_whole(model: MjcfModel, pose: NamedPose, data: Mapping[str, str], motors: int) -> bool:
    """Return True if all actuators come from the file that the pose comes from, and its numbers fit the model."""
    scope = scope_of(pose.name)
    speeds = sum(6 if body.floats else len(list(body.movers)) for body in model.bodies)
    counts = {"ctrl": len(model.robot.actuators), "qvel": speeds}
    # Motors that the export invents, or that belong to grippers, are not in the file.
    if motors != len(model.robot.actuators) or any(
        len(data[key].split()) != count for key, count in counts.items() if key in data
    ):
        return False
    return all(scope_of(actuator.name) == scope for actuator in model.robot.actuators)


def _numbers(model: MjcfModel, positions: Mapping[str, float], data: Mapping[str, str], scope: str) -> Iterator[float]:
    """Yield the positions of all joints, in MuJoCo's order."""
    free = {
        found: text
        for key, text in data.items()
        if key.startswith("qpos of ")
        and (found := model.references.find("joint", key.removeprefix("qpos of "), scope)) is not None
    }
    for body in model.bodies:
        yield from _body_numbers(model, body, positions, free)


def _body_numbers(
    model: MjcfModel, body: Body, positions: Mapping[str, float], free: Mapping[str, str]
) -> Iterator[float]:
    if body.floats:
        name = model.free_joints[body.links[0].items[0].item.name]
        if name in free:
            yield from map(float, free[name].split())
        else:
            yield from (*body.pose[:3, 3], *to_quaternion(body.pose))
        return
    turned: list[float] = []
    ball = ""
    for _, joint in body.movers:
        ball = model.balls.get(joint.name, ball)
        if joint.name not in model.ball_hinges:
            yield positions[joint.name]
            continue
        turned.append(positions[joint.name])
        if len(turned) == 3:
            text = free.get(ball)
            yield from map(float, text.split()) if text else to_quaternion(from_euler(turned, "XYZ"))
            turned = []
