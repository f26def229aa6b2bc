"""Which chains of a robot are written: those that lead to its tools or, without any, to the ends of its branches."""

from dataclasses import dataclass

from rck.exporting.branches import branch_ends
from rck.kinematics.denavit_hartenberg import DHChain, dh_of_robot, modified
from rck.kinematics.ends import root_of
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
    tips = [tip] if tip else [frame.name for frame in robot.frames] or _ends(robot)
    chains = []
    for one in tips:
        base = root_of(robot, one)
        table = dh_of_robot(robot, base, one)
        joints = tuple(robot.joint(name) for name in table.joints)
        if joints:
            chains.append(Chain(base, one, modified(table) if craig else table, joints))
    return chains


def _ends(robot: Robot) -> list[str]:
    """The first item at the end of every branch."""
    return [robot.items[robot.tree.rigid_groups[end].items[0]].name for end in branch_ends(robot)]
