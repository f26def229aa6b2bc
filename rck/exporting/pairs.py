"""Pairs of links that RCK never tests for collision, for formats that can say so."""

from collections.abc import Sequence

import numpy as np

from rck.collision.pairs import pairs_to_test
from rck.exporting.links import LinkTree
from rck.geometry.transforms import apply


def joined_pairs(tree: LinkTree) -> list[tuple[int, int]]:
    """The links on the two sides of each joint that moves, by number, the lower first, in order."""
    link_of_item = {placed.number: number for number, link in enumerate(tree.links) for placed in link.items}
    pairs = {(link_of_item[a], link_of_item[b]) for a, b in pairs_to_test(tree.robot).exempt}
    return sorted((min(pair), max(pair)) for pair in pairs)


def rigid_pairs(tree: LinkTree) -> list[tuple[int, int]]:
    """The links that never move against each other and are so near that they may touch, by number, the lower first."""
    members: dict[int, list[int]] = {}
    for number, link in enumerate(tree.links):
        if any(placed.item.subitems for placed in link.items):
            members.setdefault(link.group, []).append(number)
    return [pair for together in members.values() if len(together) > 1 for pair in _near(tree, together)]


def _near(tree: LinkTree, together: Sequence[int]) -> list[tuple[int, int]]:
    """Those pairs of a rigid group whose bounding spheres meet."""
    centres, radii = [], []
    for number in together:
        # Where a group has several links, each of them has one item.
        placed = tree.links[number].items[0]
        ball = placed.item.sphere
        assert ball is not None  # only links with subitems are looked at
        centres.append(apply(tree.world_from_link[number] @ placed.pose, ball.centre))
        radii.append(ball.radius)
    gaps = np.linalg.norm(np.array(centres)[:, None] - np.array(centres), axis=2) - np.add.outer(radii, radii)
    return [(together[i], together[j]) for i, j in np.argwhere(np.triu(gaps <= 1e-9, k=1)).tolist()]
