"""The chains of a robot that are written: those that lead to the tips of its arms."""

from dataclasses import dataclass

from rck.kinematics.denavit_hartenberg import DHChain, dh_of_robot, modified
from rck.kinematics.tip import arm_tips, root_of
from rck.model import Joint, Robot


@dataclass(frozen=True, eq=False)
class Chain:
    """A chain with its rows, and the joints that they are of."""

    base: str
    """The item that it stands on."""
    tip: str
    """The item or frame that it ends at."""
    table: DHChain
    joints: tuple[Joint, ...]


def chains_of(robot: Robot, *, tip: str = "", craig: bool = False) -> list[Chain]:
    """The chains in which something moves."""
    tips = [tip] if tip else arm_tips(robot)
    chains = []
    for one in tips:
        base = root_of(robot, one)
        table = dh_of_robot(robot, base, one)
        joints = tuple(robot.joint(name) for name in table.joints)
        if joints:
            chains.append(Chain(base, one, modified(table) if craig else table, joints))
    return chains
