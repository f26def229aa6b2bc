"""The two ends of a robot's arm, where nobody names them."""

from rck.model.finding import RckError
from rck.model.robot import Robot


def default_tip(robot: Robot) -> str:
    """The only frame of a robot; else the last item of its longest chain of joints."""
    if len(robot.frames) == 1:
        return robot.frames[0].name
    if not robot.items:
        raise RckError(f"robot {robot.name} is empty: there is nothing to move yet")
    depths = [0] * len(robot.items)
    for joint in robot.tree.joint_order:
        for item in robot.tree.moves[joint]:
            depths[item] = depths[robot.item_index[robot.joints[joint].base]] + 1
    deepest = [item.name for item, depth in zip(robot.items, depths, strict=True) if depth == max(depths)]
    if len(deepest) > 1 or not robot.joints:
        names = [*(frame.name for frame in robot.frames), *deepest]
        raise RckError(f"robot {robot.name} has several ends; name one as the tip: {', '.join(names)}")
    return deepest[0]


def root_of(robot: Robot, place: str) -> str:
    """The item that carries an item or frame and is carried by none."""
    item = robot.item_index[robot.place(place).item]
    return robot.items[robot.tree.root_of_item[item]].name
