"""Random heaps of solids, for tests of rendering and collision checking."""

from collections.abc import Sequence

import numpy as np

from rck.geometry.polyhedron import Polyhedron, convex_hull
from rck.geometry.primitives import box, cylinder
from rck.geometry.transforms import from_euler, translation
from rck.model.item import Item, build_item
from rck.model.robot import Robot, build_robot
from rck.model.subitem import GREY, Colour, subitem_of


def heap(items: int, *, seed: int = 0, size: float = 0.2) -> Robot:
    """Return boxes, cylinders and hulls of 30 points, randomly rotated, in a cube of 1 m; `size` is the maximum length.

    Every fourth item has two subitems.
    """
    chance = np.random.default_rng(seed)
    built = []
    for number in range(items):
        pose = translation(chance.uniform(-0.5, 0.5, 3)) @ from_euler(chance.uniform(-np.pi, np.pi, 3).tolist())
        shapes = [_shape(number + extra, chance, size) for extra in range(2 if number % 4 == 3 else 1)]
        subitems = [subitem_of(shape).unwrap() for shape in shapes]
        built.append(build_item(f"item-{number}", subitems, pose=pose).unwrap())
    return build_robot("heap", built).unwrap()


def _shape(number: int, chance: np.random.Generator, size: float) -> Polyhedron:
    if number % 3 == 0:
        return box(*chance.uniform(0.15 * size, 0.57 * size, 3).tolist())
    if number % 3 == 1:
        return cylinder(*(chance.uniform(0.15, 0.35, 2) * size).tolist())
    points = chance.normal(size=(30, 3))
    return convex_hull(points * (size / 2 / np.abs(points).max() / np.sqrt(3)))


def block(name: str, centre: Sequence[float], sides: Sequence[float] = (1.0, 1.0, 1.0), colour: Colour = GREY) -> Item:
    """Return an item with one axis-aligned box."""
    x, y, z = sides
    return build_item(name, [subitem_of(box(x, y, z), colour=colour).unwrap()], pose=translation(centre)).unwrap()
