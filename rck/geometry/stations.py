"""Sections of a contour along a curve."""

from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from rck.geometry.arrays import Floats, cross, dot, lengths
from rck.geometry.transforms import frame


def sections_along(
    outline: Floats,
    positions: ArrayLike,
    directions: ArrayLike | None = None,
    *,
    scale: ArrayLike = 1.0,
    twist: ArrayLike = 0.0,
    x_axis: ArrayLike | None = None,
) -> Floats:
    """Return the points of the outline, shape (P, 2), at each of S stations. Shape (S, P, 3), in metres.

    The origin of the outline is at the position of the station, shape (S, 3). The outline is perpendicular to the
    `directions`, shape (S, 3). By default it is perpendicular to the straight lines between the stations, with mitred
    corners: a bar keeps its profile around every corner. `scale` and `twist`, in radians, apply to all stations or have
    shape (S,). The x axis of the outline starts as close to `x_axis` as possible, and rotates about the curve only by
    `twist`.
    """
    places = _rows(positions, "position")
    if len(places) < 2:
        raise ValueError("a sweep needs at least two stations")
    scales, twists = _per_station(scale, "scale", len(places)), _per_station(twist, "twist", len(places))
    if not (scales > 0).all():
        raise ValueError(f"a scale must be positive, not {scales.min():g}")
    if directions is None:
        lines = _units(np.diff(places, axis=0), "step")
        ahead = np.concatenate([lines[:1], lines])
        normals = _mitres(lines)
    else:
        ahead = normals = _units(_rows(directions, "direction"), "direction")
    if len(ahead) != len(places):
        raise ValueError(f"{len(places)} positions need the same number of directions, not {len(ahead)}")
    sideways = _carried(frame((0.0, 0.0, 0.0), z=ahead[0], x=x_axis)[:3, 0], ahead)
    upward = cross(ahead, sideways)
    cosines, sines = (scales * np.cos(twists))[:, None], (scales * np.sin(twists))[:, None]
    x, y = outline.T
    square = (cosines * x - sines * y)[:, :, None] * sideways[:, None]
    square += (sines * x + cosines * y)[:, :, None] * upward[:, None]
    # Move each point along the line to the plane that bisects the bend.
    slide = (square @ normals[:, :, None]) / dot(ahead, normals)[:, None, None]
    return np.asarray(places[:, None] + square - slide * ahead[:, None])


def _rows(given: ArrayLike, what: str) -> Floats:
    rows = np.asarray(given, dtype=float)
    if rows.ndim != 2 or rows.shape[1] != 3 or not np.isfinite(rows).all():
        raise ValueError(f"each {what} of a sweep must be three finite numbers (x, y, z)")
    return rows


def _per_station(given: ArrayLike, what: str, count: int) -> Floats:
    numbers = np.asarray(given, dtype=float)
    if numbers.shape not in ((), (count,)) or not np.isfinite(numbers).all():
        raise ValueError(f"a sweep of {count} stations needs one finite {what}, or {count} of them")
    return np.broadcast_to(numbers, (count,))


def _units(rows: Floats, what: str) -> Floats:
    sizes = lengths(rows)
    if not sizes.min() > 1e-12:
        raise ValueError(f"{what} {int(sizes.argmin())} of a sweep has no length")
    return np.asarray(rows / sizes[:, None])


def _mitres(lines: Floats) -> Floats:
    """Return at each station the direction halfway between the incoming and the outgoing line."""
    halves = np.concatenate([2.0 * lines[:1], lines[:-1] + lines[1:], 2.0 * lines[-1:]])
    sizes = lengths(halves)
    if not sizes.min() > 0.01:
        raise ValueError(f"the curve turns back on itself at station {int(sizes.argmin())}")
    return np.asarray(halves / sizes[:, None])


def _carried(first: Floats, ahead: Floats) -> Floats:
    """Return a vector perpendicular to the first direction, carried along by the smallest rotations."""
    vectors = [first]
    for station, (old, new) in enumerate(pairwise(ahead), 1):
        cosine = float(old @ new)
        if cosine < -0.999:
            raise ValueError(f"the curve turns back on itself between stations {station - 1} and {station}")
        vectors.append(vectors[-1] - (vectors[-1] @ new) / (1.0 + cosine) * (old + new))
    return np.array(vectors)
