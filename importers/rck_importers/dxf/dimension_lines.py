"""Lines of exploded dimensions and leaders: they end at an arrowhead, which is a filled triangle."""

from collections.abc import Sequence

import numpy as np

from rck.geometry.arrays import Floats, lengths
from rck_importers.dxf.content import ArrowHead, PlacedEntity
from rck_importers.dxf.curves import DrawingCurve

_NEAR = 0.02
"""Maximum distance of the end of a line from its arrowhead, relative to the length of the arrowhead."""
_PARALLEL = 0.99
_SLENDER = 2.0, 12.0
"""Length of an arrowhead relative to its width."""


def arrow_head(corners: Floats) -> ArrowHead | None:
    """Return the arrowhead with these corners, shape (N, 3); None if it is no slender isosceles triangle."""
    if len(corners) != 3:
        return None
    sides = lengths(corners - np.roll(corners, -1, axis=0))
    base = int(sides.argmin())
    legs = np.delete(sides, base)
    foot = (corners[base] + corners[(base + 1) % 3]) / 2
    tip = corners[(base + 2) % 3]
    length = float(lengths((tip - foot)[None])[0])
    if (
        abs(legs[0] - legs[1]) > 0.01 * legs.max()
        or not _SLENDER[0] * sides[base] <= length <= _SLENDER[1] * sides[base]
    ):
        return None
    return ArrowHead(np.array([tip, foot]))


def dimension_lines(curves: Sequence[PlacedEntity], heads: Sequence[ArrowHead]) -> list[PlacedEntity]:
    """Return the lines that end at the tip or at the foot of an arrowhead, and are parallel to it."""
    if not heads:
        return []
    ends = np.array([head.ends for head in heads])
    along = ends[:, 0] - ends[:, 1]
    size = lengths(along)
    found = []
    for one in curves:
        curve = one.shape
        if not isinstance(curve, DrawingCurve) or curve.closed or curve.sweep.any():
            continue
        points, _ = curve.divided(1.0)
        if len(points) < 2:
            continue
        for point, other in ((points[0], points[1]), (points[-1], points[-2])):
            line = (other - point) / max(float(lengths((other - point)[None])[0]), 1e-300)
            near = np.minimum(lengths(ends[:, 0] - point), lengths(ends[:, 1] - point)) <= _NEAR * size
            if (near & (np.abs(along @ line) >= _PARALLEL * size)).any():
                found.append(one)
                break
    return found
