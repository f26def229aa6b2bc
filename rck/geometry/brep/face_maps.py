"""Maps from faces to the plane, in which their boundaries are simple rings and can be triangulated.

The parameters of a surface serve where the face does not go round it. A face that goes round, such as the side of a
cylinder, is mapped to a ring about the origin, so that it needs no seam. A face of a sphere is projected from a point
outside of the face.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isfinite, pi, tau

import numpy as np

from rck.geometry.arrays import Floats, Ints, lengths
from rck.geometry.brep.errors import BrepError
from rck.geometry.brep.surfaces import ConeSurface, FaceSurface, SphereSurface, SplineSurface, TorusSurface
from rck.geometry.contour import points_inside, ring_area

SHARES = 4
"""Number of fine segments in one segment of an edge."""
_OFF_SURFACE = 0.02
"""Maximum distance of a boundary from its surface, as a fraction of its size."""
_MOST_GROWTH = 40.0
"""Maximum logarithm of the ratio of the radii of a ring."""
_CANDIDATES = 400
"""Number of points of a sphere among which the centre of projection is chosen."""


@dataclass(frozen=True, eq=False)
class BoundaryLoop:
    """Points of a loop with the face on the left: SHARES fine ones for each segment; the first is not repeated."""

    nodes: Ints
    """Indices of the points in the body. Shape (N,)."""
    points: Floats
    """Shape (N, 3)."""


@dataclass(frozen=True, eq=False)
class FaceMap:
    """The boundary of a face in the plane, and the way back to the surface."""

    loops: tuple[tuple[Ints, Floats], ...]
    """Nodes, shape (N,), and places in the plane, shape (N, 2), of each loop."""
    to_space: Callable[[Floats], Floats]
    """Return the points of the surface for places of shape (M, 2). Shape (M, 3)."""
    surface: FaceSurface
    inner: Floats
    """Places that must become corners of triangles, such as the apex of a cone. Shape (K, 2)."""

    def nearest(self, points: Floats, spots: Floats) -> Floats:
        """Return points of the surface near others, shape (N, 3), whose approximate places are known."""
        if isinstance(self.surface, SplineSurface):
            return self.to_space(spots)
        return self.surface.evaluate(self.surface.invert(points))


def map_face(
    surface: FaceSurface, faces_inward: bool, loops: Sequence[BoundaryLoop], deviation: float, label: str
) -> FaceMap:
    """Return the map of a face with at least one loop; `faces_inward` inverts the normal of u times v."""
    _require_on_surface(surface, loops, label)
    if isinstance(surface, SphereSurface):
        return _sphere_map(surface, faces_inward, loops, deviation)
    steps = surface.steps(deviation)
    places = [_unwrapped(surface, loop) for loop in loops]
    turns = [_turns(surface, place, loop.points) for (_, place), loop in zip(places, loops, strict=True)]
    rounds_u, rounds_v = ({turn[k] for turn in turns} != {0} for k in (0, 1))
    if rounds_u and rounds_v:
        raise BrepError(f"{label} goes round its surface both ways")
    if rounds_u or rounds_v:
        turned = [turn[1 if rounds_v else 0] * (-1 if faces_inward else 1) for turn in turns]
        return _ring_map(surface, places, turned, steps, rounds_v, label)
    return _plane_map(surface, faces_inward, places, steps, label)


def _require_on_surface(surface: FaceSurface, loops: Sequence[BoundaryLoop], label: str) -> None:
    """Raise an error for a boundary that is off its surface: in damaged data, its map would have no sense."""
    points = np.concatenate([loop.points[::SHARES] for loop in loops])
    away = float(lengths(surface.evaluate(surface.invert(points)) - points).max())
    if not away <= _OFF_SURFACE * float(np.ptp(points, axis=0).max()):
        raise BrepError(f"the boundary of {label} is {away:.3g} away from its surface")


def _unwrapped(surface: FaceSurface, loop: BoundaryLoop) -> tuple[Ints, Floats]:
    """Return nodes and continuous parameters of a loop; a point without angle, such as an apex, becomes two."""
    nodes, places = loop.nodes, surface.invert(loop.points)
    if isinstance(surface, ConeSurface) and surface.apex is not None:
        size = float(np.abs(places[:, 1] - surface.apex).max())
        nodes, places = _split_apexes(nodes, places, np.abs(places[:, 1] - surface.apex) <= 1e-9 * size, 0, tau)
    elif isinstance(surface, TorusSurface) and surface.pole < pi:
        nodes, places = _split_apexes(nodes, places, np.abs(np.abs(places[:, 1]) - surface.pole) <= 1e-9, 0, tau)
    elif isinstance(surface, SplineSurface):
        nodes, places = _split_poles(surface, nodes, places, loop.points)
    columns = [
        np.unwrap(places[:, k], period=period) if period else places[:, k] for k, period in enumerate(surface.periods)
    ]
    return nodes, np.stack(columns, axis=1)


def _split_poles(surface: SplineSurface, nodes: Ints, places: Floats, points: Floats) -> tuple[Ints, Floats]:
    """Replace each point at a pole of a spline by a segment of points there."""
    size = float(np.ptp(points, axis=0).max())
    for across_k, value in surface.poles:
        corner = np.array([[surface.grid.u.low, surface.grid.v.low]])
        corner[0, across_k] = value
        is_pole = lengths(points - surface.evaluate(corner)) <= 1e-6 * size
        places[is_pole, across_k] = value
        count = len(nodes)
        nodes, places = _split_apexes(nodes, places, is_pole, 1 - across_k, surface.periods[1 - across_k])
        if len(nodes) > count:
            # The further pole is found among the points as they are now.
            points = surface.evaluate(places)
    return nodes, places


def _split_apexes(nodes: Ints, places: Floats, is_apex: np.ndarray, round_k: int, period: float) -> tuple[Ints, Floats]:
    """Replace each point at an apex by a segment of points there, from the angle before it to the angle after it."""
    across_k = 1 - round_k
    for number in np.flatnonzero(is_apex)[::-1].tolist():
        before, after = places[number - 1, round_k], places[(number + 1) % len(places), round_k]
        if period:
            after = before + (after - before + period / 2) % period - period / 2
        rows = np.full((SHARES + 1, 2), places[number, across_k])
        rows[:, round_k] = np.linspace(before, after, SHARES + 1)
        nodes = np.concatenate([nodes[:number], np.full(SHARES + 1, nodes[number]), nodes[number + 1 :]])
        places = np.concatenate([places[:number], rows, places[number + 1 :]])
    return nodes, places


def _turns(surface: FaceSurface, places: Floats, points: Floats) -> tuple[int, int]:
    """Return how often a loop goes round along u and v, with its sign."""
    turns = []
    for k, period in enumerate(surface.periods):
        if not period:
            turns.append(0)
            continue
        back = places[0, k] - places[-1, k]
        turns.append(round((back - (back + period / 2) % period + period / 2) / -period))
    return turns[0], turns[1]


def _scaled(step: float, extent: float, share: float) -> float:
    """Return the length that becomes 1 in the plane: the step, or without a useful one a share of the extent."""
    return step if isfinite(step) and step > 0 else max(extent * share, 1e-300)


def _plane_map(
    surface: FaceSurface,
    faces_inward: bool,
    places: Sequence[tuple[Ints, Floats]],
    steps: tuple[float, float],
    label: str,
) -> FaceMap:
    everything = np.concatenate([place for _, place in places])
    extent = np.ptp(everything, axis=0)
    share = 1.0
    if not any(isfinite(step) for step in steps):
        share, extent = 1.0, np.full(2, float(extent.max()))
    elif isfinite(steps[0]) and not isfinite(steps[1]):
        # Straight lines along v: a face of few steps stays as wide as high.
        share = 1.0 / max(2.0, float(extent[0]) / steps[0])
    scale = np.array([_scaled(step, float(size), share) for step, size in zip(steps, extent, strict=True)])
    centre = everything.mean(axis=0)
    flat = [((place - centre) / scale) for _, place in places]
    areas = [ring_area(ring) for ring in flat]
    outer = int(np.abs(areas).argmax())
    if isinstance(surface, TorusSurface) and (areas[outer] < 0) != faces_inward:
        raise BrepError(f"{label} is a whole torus with holes")
    periods = np.array(surface.periods) / scale
    for number in range(len(flat)):
        if number != outer and periods.any():
            flat[number] = flat[number] + _shift_inside(flat[number], flat[outer], periods)
    loops = tuple((nodes, ring) for (nodes, _), ring in zip(places, flat, strict=True))
    return FaceMap(loops, lambda spots: surface.evaluate(spots * scale + centre), surface, np.empty((0, 2)))


def _shift_inside(ring: Floats, outer: Floats, periods: Floats) -> Floats:
    """Return the multiple of the periods that moves a ring into the outer one."""
    ranges = [range(-2, 3) if period else range(1) for period in periods.tolist()]
    shifts = np.array([(i * periods[0], j * periods[1]) for i in ranges[0] for j in ranges[1]])
    shifts = shifts[np.argsort(np.abs(shifts).sum(axis=1), kind="stable")]
    probe = ring[:: max(1, len(ring) // 8)]
    shares = [float(points_inside(probe + shift, outer).mean()) for shift in shifts]
    return np.asarray(shifts[int(np.argmax(shares))])


def _ring_map(
    surface: FaceSurface,
    places: Sequence[tuple[Ints, Floats]],
    turns: Sequence[int],
    steps: tuple[float, float],
    swapped: bool,
    label: str,
) -> FaceMap:
    """Return the map to a ring about the origin, by angle and distance; turns are seen from outside of the face."""
    round_k, across_k = (1, 0) if swapped else (0, 1)
    period, across_period = surface.periods[round_k], surface.periods[across_k]
    columns = [(place[:, round_k], place[:, across_k]) for _, place in places]
    round_loops = [number for number, turn in enumerate(turns) if turn]
    if len(round_loops) > 2 or any(abs(turn) > 1 for turn in turns):
        raise BrepError(f"{label} goes round its surface more than once")
    apex = _apex_for(surface, swapped, columns, round_loops)
    if apex is None and (len(round_loops) != 2 or sum(turns) != 0):
        raise BrepError(f"{label} goes round its surface, but has only one boundary")
    if across_period:
        columns = _stack_across(columns, turns, round_loops, across_period, swapped)
    heights = np.concatenate([across for _, across in columns])
    low, high = float(heights.min()), float(heights.max())
    growth = tau * steps[round_k] / period
    if apex is None:
        # The logarithmic map keeps the shape of small triangles.
        step = _scaled(steps[across_k], high - low, 1.0)
        growth = min(growth, _MOST_GROWTH * step / max(high - low, 1e-300))
        inner = np.empty((0, 2))
    else:
        step, inner = max(abs(high - apex), abs(low - apex)), np.zeros((1, 2))
    side = 1.0 if apex is None or high > apex else -1.0

    def to_plane(angle: Floats, across: Floats) -> Floats:
        distance = np.exp((across - low) * (growth / step)) if apex is None else np.abs(across - apex) / step
        turn = angle * (tau / period)
        return np.stack([distance * np.cos(turn), distance * np.sin(turn)], axis=1)

    def to_space(spots: Floats) -> Floats:
        angle = np.arctan2(spots[:, 1], spots[:, 0]) * (period / tau)
        distance = np.hypot(spots[:, 0], spots[:, 1])
        across = low + np.log(distance) * (step / growth) if apex is None else apex + side * step * distance
        return surface.evaluate(np.stack([across, angle] if swapped else [angle, across], axis=1))

    loops = tuple((nodes, to_plane(*column)) for (nodes, _), column in zip(places, columns, strict=True))
    return FaceMap(loops, to_space, surface, inner)


def _apex_for(
    surface: FaceSurface, swapped: bool, columns: Sequence[tuple[Floats, Floats]], round_loops: Sequence[int]
) -> float | None:
    """Return where the surface shrinks to a point inside the face; None for a face between two loops."""
    if len(round_loops) != 1:
        return None
    across = columns[round_loops[0]][1]
    if isinstance(surface, SplineSurface):
        return _pole_for(surface, 0 if swapped else 1, across)
    if swapped:
        return None
    if isinstance(surface, ConeSurface):
        return surface.apex
    if isinstance(surface, TorusSurface) and surface.pole < pi:
        return surface.pole if float(across.mean()) > 0 else -surface.pole
    return None


def _pole_for(surface: SplineSurface, across_k: int, across: Floats) -> float | None:
    """Return the nearest pole of a spline, on the side that the face can only be on."""
    values = [value for k, value in surface.poles if k == across_k]
    return min(values, key=lambda value: abs(value - float(across.mean())), default=None)


def _stack_across(
    columns: Sequence[tuple[Floats, Floats]],
    turns: Sequence[int],
    round_loops: Sequence[int],
    period: float,
    swapped: bool,
) -> list[tuple[Floats, Floats]]:
    """Shift the loops by periods so that the face lies between the two that go round."""
    moved = list(columns)
    if len(round_loops) != 2:
        return moved
    first, second = round_loops
    # Of two parameters in right-handed order, a loop that goes round along the first has larger ones on its left.
    lower, upper = (first, second) if (turns[first] > 0) != swapped else (second, first)
    floor = float(moved[lower][1].mean())
    rise = (float(moved[upper][1].mean()) - floor) % period
    moved[upper] = (moved[upper][0], moved[upper][1] + (floor + (rise or period) - float(moved[upper][1].mean())))
    for number, (angle, across) in enumerate(columns):
        if number not in round_loops:
            shift = (float(across.mean()) - floor) % period - (float(across.mean()) - floor)
            moved[number] = (angle, across + shift)
    return moved


def _sphere_map(sphere: SphereSurface, faces_inward: bool, loops: Sequence[BoundaryLoop], deviation: float) -> FaceMap:
    """Return the stereographic projection from the point of the sphere that is farthest outside of the face."""
    directions = [(loop.points - sphere.centre) / sphere.radius for loop in loops]
    directions = [one / lengths(one)[:, None] for one in directions]
    pole = _outside_point(directions, -1.0 if faces_inward else 1.0)
    x = np.cross(np.eye(3)[int(np.abs(pole).argmin())], pole)
    x = x / np.sqrt(x @ x)
    axes = np.array([x, np.cross(-pole, x)])
    scale = 2.0 / sphere.steps(deviation)[0]

    def to_plane(unit: Floats) -> Floats:
        return np.asarray(unit @ axes.T / np.maximum(1.0 - unit @ pole, 1e-12)[:, None] * scale)

    def to_space(spots: Floats) -> Floats:
        flat = spots / scale
        square = (flat * flat).sum(axis=1, keepdims=True)
        unit = (2.0 * flat @ axes + (square - 1.0) * pole) / (1.0 + square)
        return np.asarray(sphere.centre + sphere.radius * unit)

    mapped = tuple((loop.nodes, to_plane(unit)) for loop, unit in zip(loops, directions, strict=True))
    return FaceMap(mapped, to_space, sphere, np.empty((0, 2)))


def _outside_point(loops: Sequence[Floats], outward: float) -> Floats:
    """Return the point of the unit sphere outside of the face that is farthest from its boundary. Shape (3,)."""
    points = np.concatenate(loops)
    along = np.concatenate([np.roll(loop, -1, axis=0) - np.roll(loop, 1, axis=0) for loop in loops])
    left = np.cross(points, along) * outward
    # Vogel 1979: points in a spiral cover the sphere evenly.
    number = np.arange(_CANDIDATES)
    height = 1.0 - (2.0 * number + 1.0) / _CANDIDATES
    angle = number * pi * (3.0 - np.sqrt(5.0))
    flat = np.sqrt(1.0 - height**2)
    spiral = np.stack([flat * np.cos(angle), flat * np.sin(angle), height], axis=1)
    spots = np.concatenate([spiral, [-loop.mean(axis=0) for loop in loops], [loop.mean(axis=0) for loop in loops]])
    spots = spots[lengths(spots) > 1e-6]
    spots /= lengths(spots)[:, None]
    nearest = (spots @ points.T).argmax(axis=1)
    away = spots - points[nearest]
    outside = (away * left[nearest]).sum(axis=1) < 0
    if outside.any():
        chosen = np.flatnonzero(outside)
        return np.asarray(spots[chosen[int(lengths(away[chosen]).argmax())]])
    number_at = int(lengths(along).argmax())
    step = points[number_at] - 0.25 * left[number_at]
    return np.asarray(step / np.sqrt(step @ step))
