"""The arms of a robot or scene, as programs name them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rck.kinematics.chain import Chain, chain_between
from rck.kinematics.tip import arm_tips, root_of
from rck.model.robot import Robot
from rck.support.finding import RckError
from rck.support.names import did_you_mean


@dataclass(frozen=True, eq=False, slots=True)
class Arm:
    """A chain of joints with a tool at its end, and the gripper that it carries."""

    name: str
    chain: Chain
    gripper: str
    """Name of the device; empty if the arm carries none."""


def arms_of(robot: Robot) -> Mapping[str, Arm]:
    """Return the arms of a scene by every name that a program may use.

    An arm has the name of its tool frame, or else of its default tip. It also has the name of the scope of its joints,
    unless other arms share that scope, and the only arm of a scene has the name of the robot.
    """
    found: dict[str, Arm] = {}
    arms = [arm for tip in arm_tips(robot) if (arm := _arm(robot, tip)).chain.joints]
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
    """Return the arm of that name, or the only arm if the name is empty."""
    arms = arms_of(robot)
    if not name and len(set(map(id, arms.values()))) == 1:
        return next(iter(arms.values()))
    if name not in arms:
        known = ", ".join(arms) or "none; give it joints and a tool frame"
        raise RckError(f"there is no robot arm {name!r}{did_you_mean(name, arms)}; known: {known}")
    return arms[name]


def _arm(robot: Robot, tip: str) -> Arm:
    chain = chain_between(robot, root_of(robot, tip), tip)
    # The gripper must be carried by the last joint.
    carried = robot.moved_by(chain.joints[-1]) if chain.joints else ()
    grippers = (device.name for device in robot.devices if device.kind.grips and device.item in carried)
    return Arm(tip, chain, next(grippers, ""))


def _scope(joints: Sequence[str]) -> str:
    """Return the scope that the names of joints have in common."""
    common = []
    for words in zip(*(joint.split("/")[:-1] for joint in joints), strict=False):
        if len(set(words)) > 1:
            break
        common.append(words[0])
    return "/".join(common)
