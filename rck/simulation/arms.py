"""The arms of a scene: which joints a program means when it names a robot."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rck.geometry.arrays import Floats
from rck.kinematics.chain import Chain, chain_between
from rck.kinematics.choice import largest_moves, nearest_turn
from rck.kinematics.tip import arm_tips, root_of
from rck.model.device import Device
from rck.model.finding import RckError
from rck.model.names import did_you_mean
from rck.model.robot import Robot

if TYPE_CHECKING:
    from rck.simulation.simulation import Simulation

SOLUTIONS = 16
"""How many solutions are looked for where the nearest brings the arm against something."""


@dataclass(frozen=True, eq=False, slots=True)
class Arm:
    """A chain of joints with a tool at its end, and the gripper that it carries."""

    name: str
    chain: Chain
    gripper: str
    """The device's name; empty where it carries none."""


def arms_of(robot: Robot) -> Mapping[str, Arm]:
    """The arms of a scene by every name that a program may call them.

    A tool frame names the arm that carries it; without one, the arm's default tip does. Besides, an arm has the name
    of the scope of its joints, and the only arm of a scene that of the robot.
    """
    found: dict[str, Arm] = {}
    arms = [arm for tip in arm_tips(robot) for arm in [_arm(robot, tip)] if arm is not None]
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


@dataclass(frozen=True, eq=False, slots=True)
class Way:
    """Where the joints of an arm go to bring its tip to a pose, all of them together."""

    joints: Floats
    """Shape (joints of the chain,), in radians and metres."""
    meets: tuple[str, str] | None = None
    """The items that come together on the way; None where the way is free."""


def nearest_way(simulation: "Simulation", chain: Chain, solutions: Floats, more: Callable[[], Floats]) -> Way:
    """The nearest of the solutions, shape (solutions, joints), that the arm gets to without meeting anything.

    Where there is none among them, `more` is asked for others. Where every way meets something, the nearest of the
    first is taken all the same: what is met may be pushed along, or be gone by the time.
    """
    ways = _ways(simulation, chain, solutions)
    nearest = ways[0]
    if ways[-1].meets is not None:
        # Only now: a search for many takes longer and ends by the clock, and runs are to be alike.
        ways += _ways(simulation, chain, more())
    return ways[-1] if ways[-1].meets is None else nearest


def _ways(simulation: "Simulation", chain: Chain, solutions: Floats) -> list[Way]:
    """The ways to solutions, the nearest first; the last one is free, or none is."""
    vector = simulation.vector
    here = chain.of_robot(vector)
    rows = np.array([nearest_turn(chain, row, here) for row in solutions]).reshape(-1, len(here))
    ways: list[Way] = []
    for row in rows[np.argsort(largest_moves(chain, rows, here), kind="stable")]:
        change = chain.in_robot(row, vector) - vector
        met = simulation.contacts.first_meeting(change) if simulation.collisions else None
        if met is None:
            return [*ways, Way(row)]
        one, other = (simulation.robot.items[number].name for number in met.items)
        ways.append(Way(row, (one, other)))
    return ways


def _arm(robot: Robot, tip: str) -> Arm | None:
    chain = chain_between(robot, root_of(robot, tip), tip)
    return Arm(tip, chain, _gripper(robot, chain)) if chain.joints else None


def _gripper(robot: Robot, chain: Chain) -> str:
    """The gripper that the last joint of a chain carries."""
    carried = robot.moved_by(chain.joints[-1])
    grippers: list[Device] = [device for device in robot.devices if device.kind.grips and device.item in carried]
    return grippers[0].name if grippers else ""


def _scope(joints: Sequence[str]) -> str:
    """What the names of joints have in common before the last slash."""
    scopes = [joint.split("/")[:-1] for joint in joints]
    common = []
    for words in zip(*scopes, strict=False):
        if len(set(words)) > 1:
            break
        common.append(words[0])
    return "/".join(common)
