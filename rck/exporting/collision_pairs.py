"""Pairs of links that RCK never tests for collision, for formats that can store them."""

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np

from rck.collision.pairs import pairs_to_test
from rck.exporting.link_tree import LinkTree
from rck.geometry.transforms import apply
from rck.model.robot import Reason


def untested_pairs(tree: LinkTree) -> dict[tuple[int, int], Reason]:
    """Return the pairs of links that a moving joint connects or a rule exempts from collision tests, with the reason.

    Pairs are sorted, the lower number first. Links of several items are exempt if all pairs of their items are.
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
    """Yield the pairs of items with shapes of two links, the lower number first."""
    solid = ([placed.number for placed in tree.links[link].items if placed.item.subitems] for link in (one, other))
    return ((min(pair), max(pair)) for pair in product(*solid))


def rigid_pairs(tree: LinkTree) -> list[tuple[int, int]]:
    """Return the pairs of links of one rigid group whose bounding spheres overlap, the lower number first."""
    members: dict[int, list[int]] = {}
    for number, link in enumerate(tree.links):
        if any(placed.item.subitems for placed in link.items):
            members.setdefault(link.group, []).append(number)
    return [pair for links in members.values() if len(links) > 1 for pair in _overlapping(tree, links)]


def _overlapping(tree: LinkTree, links: Sequence[int]) -> list[tuple[int, int]]:
    """Return the pairs of links whose bounding spheres overlap."""
    centres, radii = [], []
    for number in links:
        # In a group of several links, each link has one item.
        placed = tree.links[number].items[0]
        sphere = placed.item.sphere
        assert sphere is not None  # only links with subitems are passed
        centres.append(apply(tree.world_from_link[number] @ placed.pose, sphere.centre))
        radii.append(sphere.radius)
    gaps = np.linalg.norm(np.array(centres)[:, None] - np.array(centres), axis=2) - np.add.outer(radii, radii)
    return [(links[i], links[j]) for i, j in np.argwhere(np.triu(gaps <= 1e-9, k=1)).tolist()]
