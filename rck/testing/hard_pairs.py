"""Pairs of polyhedra that are difficult for collision detection: almost in contact, or barely overlapping."""

from collections.abc import Iterator, Sequence

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.polyhedron import Polyhedron, convex_hull
from rck.geometry.primitives import box, cylinder
from rck.geometry.transforms import from_quaternion, translation

Pair = tuple[int, Floats, int, Floats]
"""Two shapes by number, each followed by world from shape, shape (4, 4)."""

# Gaps between two shapes, in metres; negative ones are overlaps.
_GAPS = (0.0, 1e-9, -1e-9, 1e-8, -1e-8, 2e-7, -2e-7, 1e-6, -1e-6, 1e-5, -1e-5, 1e-4, -1e-4, 1e-3, -1e-3)

FARTHEST = 1e4
"""Approximate limit of coordinates, in metres."""


def awkward_shapes(count: int, seed: int = 0, *, most_vertices: int = 500) -> list[Polyhedron]:
    """Return boxes, cylinders, hulls, needles and plates 0.1 mm thick, from a centimetre to several metres."""
    chance = np.random.default_rng(seed)
    return [_shape(number, chance, most_vertices) for number in range(count)]


def awkward_pairs(shapes: Sequence[Polyhedron], count: int, seed: int = 0) -> Iterator[Pair]:
    """Yield pairs of the shapes: almost touching, barely overlapping, nested, near or far, rotated or not."""
    chance = np.random.default_rng(seed)
    for _ in range(count):
        a, b = chance.integers(0, len(shapes), 2).tolist()
        aligned = chance.random() < 0.15
        turns = [np.eye(4) if aligned else _turn(chance) for _ in range(2)]
        one, other = (shapes[number].vertices @ turn[:3, :3].T for number, turn in zip((a, b), turns, strict=True))
        offset = _offset(one, other, chance, aligned=aligned)
        # Three in ten are far from the world origin, where coordinates are less precise.
        origin = chance.uniform(-FARTHEST, FARTHEST, 3) if chance.random() < 0.3 else np.zeros(3)
        yield a, translation(origin) @ turns[0], b, translation(origin + offset) @ turns[1]


def _shape(number: int, chance: np.random.Generator, most_vertices: int) -> Polyhedron:
    size = 10 ** chance.uniform(-2, 0.5)
    kind = number % 8
    if kind == 0:
        return box(*(size * chance.uniform(0.2, 2.0, 3)).tolist())
    if kind == 1:
        segments = int(chance.integers(3, min(64, most_vertices // 2) + 1))
        return cylinder(size, size * chance.uniform(0.2, 6.0), segments)
    if kind == 2:
        return convex_hull(size * chance.normal(size=(int(chance.integers(4, 12)), 3)))
    if kind == 3:
        return _on_ball(size, int(chance.integers(12, 101)), most_vertices, chance)
    if kind == 4:
        return _on_ball(size, int(chance.integers(100, 501)), most_vertices, chance)
    if kind == 5:
        needle = chance.normal(size=(int(chance.integers(4, 30)), 3)) * (1e-4, 1e-4, 1.0)
        return convex_hull(size * needle)
    if kind == 6:
        return box(2 * size, 2 * size * chance.uniform(0.1, 1.0), 1e-4)
    return convex_hull(size * chance.normal(size=(int(chance.integers(8, 60)), 3)) * chance.uniform(0.05, 1.0, 3))


def _on_ball(radius: float, vertices: int, most: int, chance: np.random.Generator) -> Polyhedron:
    points = chance.normal(size=(min(vertices, most), 3))
    return convex_hull(radius * points / np.linalg.norm(points, axis=1)[:, None])


def _turn(chance: np.random.Generator) -> Floats:
    return from_quaternion(chance.normal(size=4))


def _offset(one: Floats, other: Floats, chance: np.random.Generator, *, aligned: bool) -> Floats:
    """Return the position of the second relative to the first; both have rotated vertices, shapes (N, 3)."""
    direction: Floats = chance.normal(size=3)
    if aligned and chance.random() < 0.7:
        direction = np.eye(3)[chance.integers(0, 3)]
    direction = direction / np.linalg.norm(direction)
    reach = float(np.abs(one).max()), float(np.abs(other).max())
    kind = chance.integers(0, 6)
    if kind < 3:
        # Side by side along the direction, and shifted across it.
        gap = float(chance.choice(_GAPS))
        across: Floats = np.cross(direction, chance.normal(size=3))
        apart = float((one @ direction).max() - (other @ direction).min()) + gap
        return apart * direction + across * chance.uniform(0.0, 0.3) * min(reach)
    if kind == 3:
        return direction * chance.uniform(0.0, 0.3) * max(reach)
    if kind == 4:
        return direction * chance.uniform(0.2, 1.2) * sum(reach)
    return direction * float(10 ** chance.uniform(-1.0, np.log10(FARTHEST)))
