"""Which chains of a robot are written: those that lead to its tools or, without any, to the ends of its branches."""

from dataclasses import dataclass

from rck.kinematics.denavit_hartenberg import DHChain, dh_of_robot, modified
from rck.model import Joint, RckError, Robot
from rck.model.names import did_you_mean


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
    items = {frame.name: frame.item for frame in robot.frames}
    if tip and tip not in items and tip not in robot.item_index:
        known = [*items, *robot.item_index]
        raise RckError(f"there is no item or frame {tip!r}{did_you_mean(tip, known)}")
    tips = [tip] if tip else list(items) or _ends(robot)
    chains = []
    for one in tips:
        base = _base(robot, items.get(one, one))
        table = dh_of_robot(robot, base, one)
        joints = tuple(robot.joint(name) for name in table.joints)
        if joints:
            chains.append(Chain(base, one, modified(table) if craig else table, joints))
    return chains


def _base(robot: Robot, item: str) -> str:
    """What an item stands on in the end."""
    number = robot.item_index[item]
    while (parent := robot.tree.parent_of_item[number]) is not None:
        number = parent
    return robot.items[number].name


def _ends(robot: Robot) -> list[str]:
    """The first item of every rigid group that a joint moves and that carries no other."""
    tree = robot.tree
    carriers = {tree.group_of_item[robot.item_index[joint.base]] for joint in robot.joints if joint.kind.moves}
    return [
        robot.items[group.items[0]].name
        for number, group in enumerate(tree.rigid_groups)
        if group.joint is not None and number not in carriers
    ]
