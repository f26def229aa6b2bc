"""The arms of a scene: which joints a program means when it names a robot."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rck.kinematics.chain import Chain, chain_between
from rck.kinematics.ends import default_tip, root_of
from rck.model.device import Device
from rck.model.finding import RckError
from rck.model.names import did_you_mean
from rck.model.robot import Robot
from rck.model.world import split


@dataclass(frozen=True, eq=False, slots=True)
class Arm:
    """A chain of joints with a tool at its end, and the gripper that it carries."""

    name: str
    chain: Chain
    gripper: str
    """The device's name; empty where it carries none."""


def arms_of(robot: Robot) -> Mapping[str, Arm]:
    """The arms of a scene by every name that a program may call them.

    A tool frame names the arm that carries it. Besides, an arm has the name of the scope of its joints, and the only
    arm of a scene that of the robot. Without tool frames, a robot's arm ends at its last item.
    """
    found: dict[str, Arm] = {}
    tips = [frame.name for frame in robot.frames] or _last_items(robot)
    arms = [arm for tip in tips for arm in [_arm(robot, tip)] if arm is not None]
    for arm in arms:
        found[arm.name] = arm
    for arm in arms:
        scope = _scope(arm.chain.joints)
        if scope and scope not in found and sum(_scope(other.chain.joints) == scope for other in arms) == 1:
            found[scope] = arm
    if len(arms) == 1:
        found.setdefault(robot.name, arms[0])
    return found


def arm_named(robot: Robot, name: str) -> Arm:
    """The arm of that name, or the only one where no name is given."""
    arms = arms_of(robot)
    if not name and len(set(map(id, arms.values()))) == 1:
        return next(iter(arms.values()))
    if name not in arms:
        known = ", ".join(arms) or "none; give it joints and a tool frame"
        raise RckError(f"there is no robot arm {name!r}{did_you_mean(name, arms)}; known: {known}")
    return arms[name]


def _arm(robot: Robot, tip: str) -> Arm | None:
    chain = chain_between(robot, root_of(robot, tip), tip)
    return Arm(tip, chain, _gripper(robot, chain)) if chain.joints else None


def _gripper(robot: Robot, chain: Chain) -> str:
    """The gripper that the last joint of a chain carries."""
    carried = robot.moved_by(chain.joints[-1])
    grippers: list[Device] = [device for device in robot.devices if device.kind.grips and device.item in carried]
    return grippers[0].name if grippers else ""


def _last_items(robot: Robot) -> list[str]:
    """The end of each robot of a scene that has one end."""
    ends = []
    for one in split(robot).robots:
        try:
            ends.append(default_tip(one))
        except RckError:
            # Several ends: which is meant, only a tool frame can tell.
            continue
    return ends


def _scope(joints: Sequence[str]) -> str:
    """What the names of joints have in common before the last slash."""
    scopes = [joint.split("/")[:-1] for joint in joints]
    common = []
    for words in zip(*scopes, strict=False):
        if len(set(words)) > 1:
            break
        common.append(words[0])
    return "/".join(common)
