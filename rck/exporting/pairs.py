"""Pairs of links that RCK never tests for collision, for formats that can say so."""

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np

from rck.collision.pairs import pairs_to_test
from rck.exporting.links import LinkTree
from rck.geometry.transforms import apply
from rck.model.pair_rule import Reason


def untested_pairs(tree: LinkTree) -> dict[tuple[int, int], Reason]:
    """The links on the two sides of each joint that moves, and those that rules let touch, with the reason.

    By number, the lower first, in order. Links of several items are let touch where all of these may.
    """
    robot = tree.robot
    link_of_item = {placed.number: number for number, link in enumerate(tree.links) for placed in link.items}
    ruled = {tuple(sorted(robot.item_index[name] for name in rule.items)): rule for rule in robot.rules}
    exempt = pairs_to_test(robot).exempt
    found: dict[tuple[int, int], Reason] = {}
    for a, b in exempt:
        one, other = sorted((link_of_item[a], link_of_item[b]))
        rule = ruled.get((a, b))
        if rule is None:
            found[one, other] = Reason.ADJACENT
        elif all(pair in exempt for pair in _item_pairs(tree, one, other)):
            found.setdefault((one, other), rule.reason)
    return dict(sorted(found.items()))


def _item_pairs(tree: LinkTree, one: int, other: int) -> Iterator[tuple[int, int]]:
    """The items with shapes of two links, by number, the lower first."""
    solid = ([placed.number for placed in tree.links[link].items if placed.item.subitems] for link in (one, other))
    return ((min(pair), max(pair)) for pair in product(*solid))


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
