"""Joints proposed for shafts in holes of other components."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rck.geometry.arrays import Floats, as_point, lengths
from rck.model import Item, Joint, JointKind
from rck_importers.step.solids import RoundPlace

_SAME_DIRECTION = 1e-4
_OFF_AXIS = 0.02
"""Maximum distance of the axes, as a fraction of the radius."""
_LARGEST_PLAY = 0.1
"""Maximum play of a shaft in its hole, as a fraction of its radius."""
_LEAST_OVERLAP = 0.2
"""Minimum length of the shaft in the hole, in radii."""
_FASTENER = re.compile(
    r"bolt|screw|nut|washer|rivet|pin|dowel|schraube|mutter|scheibe|(?:^|[^a-z])(?:iso|din)[ _-]?\d+|m\d+x\d+",
    re.IGNORECASE,
)
"""Names of components that hold others together, in English and German; bearings and shafts are not among them."""


@dataclass(frozen=True, eq=False)
class CoaxialPair:
    """A shaft of one item in a hole of another."""

    holder: str
    """Item with the hole."""
    inner: str
    """Item with the shaft."""
    start: Floats
    """Point at which the shaft enters the hole. Shape (3,)."""
    end: Floats
    """Point at which it leaves the hole. Shape (3,)."""
    radius: float


def coaxial_pairs(items: Mapping[str, Sequence[RoundPlace]]) -> list[CoaxialPair]:
    """Return the longest shaft in a hole for each pair of items, those with the largest radius first."""
    round_places = [(name, place) for name, places in items.items() for place in places if place.slot is None]
    holes = [(name, place) for name, place in round_places if place.is_hole]
    shafts = [(name, place) for name, place in round_places if not place.is_hole]
    best: dict[tuple[str, str], CoaxialPair] = {}
    if not holes or not shafts or len(holes) * len(shafts) > 4_000_000:
        return []
    for name, shaft in shafts:
        if _FASTENER.search(name.rpartition("/")[2]):
            continue
        for other, hole in holes:
            if other == name or _FASTENER.search(other.rpartition("/")[2]):
                continue
            pair = _pair(other, hole, name, shaft)
            if pair is not None:
                known = best.get((other, name))
                if known is None or _overlap(pair) > _overlap(known):
                    best[other, name] = pair
    return sorted(best.values(), key=lambda pair: (-pair.radius, pair.holder, pair.inner))


def _overlap(pair: CoaxialPair) -> float:
    return float(lengths((pair.end - pair.start)[None])[0])


def _pair(holder: str, hole: RoundPlace, inner: str, shaft: RoundPlace) -> CoaxialPair | None:
    play = hole.radius - shaft.radius
    if not -1e-4 * shaft.radius <= play <= _LARGEST_PLAY * shaft.radius:
        return None
    along = hole.end - hole.start
    depth = float(np.sqrt(along @ along))
    axis = along / depth
    ends = np.array([shaft.start, shaft.end]) - hole.start
    heights = ends @ axis
    off = lengths(ends - heights[:, None] * axis)
    if off.max() > _OFF_AXIS * hole.radius or abs(float(heights[1] - heights[0])) <= 0:
        return None
    turn = (shaft.end - shaft.start) / lengths((shaft.end - shaft.start)[None])[0]
    if float(lengths(np.cross(turn, axis)[None])[0]) > _SAME_DIRECTION:
        return None
    low, high = max(0.0, float(heights.min())), min(depth, float(heights.max()))
    if high - low < _LEAST_OVERLAP * shaft.radius:
        return None
    return CoaxialPair(holder, inner, hole.start + low * axis, hole.start + high * axis, shaft.radius)


def coaxial_joints(items: Sequence[Item], pairs: Sequence[CoaxialPair]) -> tuple[Joint, ...]:
    """Return joints about the axes of pairs, and a fixed joint for the items that none of them moves.

    Of joints that would close a loop, those of smaller radius are left out.
    """
    group = {item.name: item.name for item in items}

    def root_of(name: str) -> str:
        while group[name] != name:
            name = group[name]
        return name

    pairs_of_body: dict[str, list[tuple[str, CoaxialPair]]] = {}
    for pair in pairs:
        one, other = root_of(pair.holder), root_of(pair.inner)
        if one != other:
            group[other] = one
            pairs_of_body.setdefault(pair.holder, []).append((pair.inner, pair))
            pairs_of_body.setdefault(pair.inner, []).append((pair.holder, pair))
    joints, fixed = [], []
    reached: set[str] = set()
    for item in items:
        if item.name in reached:
            continue
        if reached:
            fixed.append(item.name)
        reached.add(item.name)
        waiting = [item.name]
        for base in waiting:
            for moved, pair in pairs_of_body.get(base, ()):
                if moved not in reached:
                    reached.add(moved)
                    waiting.append(moved)
                    name = f"{moved.replace('/', '-')}-axis"
                    ends = as_point(pair.start), as_point(pair.end)
                    joints.append(Joint(name, JointKind.CONTINUOUS, base, (moved,), *ends))
    if fixed:
        joints.append(Joint("fixed", JointKind.FIXED, items[0].name, tuple(fixed)))
    return tuple(joints)
