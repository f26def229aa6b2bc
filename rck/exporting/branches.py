"""Where the branches of a robot end: what one without tool frames reaches with."""

from rck.model.robot import Robot


def branch_ends(robot: Robot) -> tuple[int, ...]:
    """The rigid groups, of those in `Tree.rigid_groups`, that a joint moves and on which none that moves stands."""
    tree = robot.tree
    carriers = {tree.group_of_item[robot.item_index[joint.base]] for joint in robot.joints if joint.kind.moves}
    return tuple(
        number for number, group in enumerate(tree.rigid_groups) if group.joint is not None and number not in carriers
    )
