"""Pairs of links that touch by construction, so that no collision between them means anything."""

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np

from rck.exporting.links import LinkTree
from rck.geometry.transforms import apply


def neighbours(tree: LinkTree) -> Iterator[tuple[int, int]]:
    """Pairs of links, by number, the lower first, that cannot help touching.

    They are on the two sides of a joint that moves or, within a rigid group, so near that they may touch always.
    """
    members: dict[int, list[int]] = {}
    for number, link in enumerate(tree.links):
        if any(placed.item.subitems for placed in link.items):
            members.setdefault(link.group, []).append(number)
    for together in members.values():
        yield from _near(tree, together)
    robot = tree.robot
    for carried, group in enumerate(robot.tree.rigid_groups):
        if group.joint is not None:
            carrier = robot.tree.group_of_item[robot.item_index[robot.joints[group.joint].base]]
            for pair in product(members.get(carrier, ()), members.get(carried, ())):
                yield min(pair), max(pair)


def _near(tree: LinkTree, together: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Those pairs of a rigid group whose bounding spheres meet."""
    if len(together) < 2:
        return
    # Where a group has several links, each of them has one item.
    centres, radii = [], []
    for number in together:
        placed = tree.links[number].items[0]
        ball = placed.item.sphere
        assert ball is not None  # only links with subitems are looked at
        centres.append(apply(tree.world_from_link[number] @ placed.pose, ball.centre))
        radii.append(ball.radius)
    gaps = np.linalg.norm(np.array(centres)[:, None] - np.array(centres), axis=2) - np.add.outer(radii, radii)
    for i, j in np.argwhere(np.triu(gaps <= 1e-9, k=1)).tolist():
        yield together[i], together[j]
