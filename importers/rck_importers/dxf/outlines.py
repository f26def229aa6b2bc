"""Outlines in a plane: the arrangement of its curves, with small gaps closed and annotation lines removed."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from rck.geometry.arrays import Floats, lengths
from rck.geometry.contour import points_inside
from rck.geometry.transforms import apply
from rck.geometry.vertex_merge import clusters
from rck_importers.dxf.arrangement import Arrangement, Boundary, Component, Edge, PlanarPath, arrange, components_of
from rck_importers.dxf.planes import DrawingPlane, DrawnPath

_CLOSED_GAP = 1e-3
"""Gap of an outline in metres that is always closed."""
_CLOSED_SHARE = 0.01
"""Gap of an outline, relative to its size, that is always closed."""
_MOST_OF_LENGTH = 0.05
"""Maximum gap relative to the length of the open curves that it joins."""
_SHORT_LINES = 0.3
"""Maximum gap relative to the length of the shorter curves: larger gaps would join both ends of a curve."""
_FEWEST_HATCH_LINES = 5
_CURVES_OF_OUTLINE = 2
"""Number of curves above which an open chain round other curves counts as an outline with a gap."""
_CORNER = 0.5
"""Minimum turn at a corner of a polyline, in radians."""
_HALF_ROUND = 3.0
"""Minimum sum of the turns at the corners of a polyline that is an outline without its last side."""


@dataclass(frozen=True, eq=False)
class OpenOutline:
    """An outline with a gap too large to be closed."""

    sources: tuple[int, ...]
    ends: Floats
    """The closest pair of free ends. Shape (2, 2)."""
    points: Floats
    """Shape (N, 2)."""

    @property
    def gap(self) -> float:
        """Distance between the ends in metres."""
        return float(lengths(self.ends[1:] - self.ends[:1])[0])


@dataclass(frozen=True, eq=False)
class Outlines:
    """Closed outlines of a plane, and the curves that form none."""

    plane: DrawingPlane
    paths: tuple[PlanarPath, ...]
    """Flat curves: those of the plane, then segments that close gaps."""
    edges: tuple[Edge, ...]
    components: tuple[Component, ...]
    closed_gaps: tuple[Floats, ...] = ()
    """Ends of each gap that was closed. Shapes (2, 2)."""
    stray: tuple[int, ...] = ()
    """Curves that form no outline."""
    dividing: Mapping[int, str] = field(default_factory=dict)
    """Curves across outlines that are annotations, with the reason."""
    unclosed: tuple[OpenOutline, ...] = ()

    def source(self, number: int) -> DrawnPath:
        """Return the drawn curve of a path; that next to it for a segment that closes a gap."""
        return self.plane.paths[min(number, len(self.plane.paths) - 1)]

    def sources_of(self, boundary: Boundary) -> list[DrawnPath]:
        """Return the drawn curves of a boundary in drawing order."""
        numbers = {source for edge, _ in boundary.walk for source in self.edges[edge].sources}
        return [self.source(number) for number in sorted(numbers) if number < len(self.plane.paths)]

    def in_space(self, points: Floats) -> Floats:
        """Return points of the plane, shape (N, 2), in space. Shape (N, 3)."""
        return apply(self.plane.world_from_plane, np.c_[points, np.zeros(len(points))])


def outlines_of(plane: DrawingPlane, gap: float, deviation: float, *, chosen_gap: bool) -> Outlines:
    """Return the outlines that the curves of a plane form.

    With `chosen_gap`, only gaps up to `gap` are closed.
    """
    flat = [
        PlanarPath(plane.flat(path.points), path.coarse, number, path.simple) for number, path in enumerate(plane.paths)
    ]
    if not flat:
        return Outlines(plane, (), (), ())
    fine = _fine_tolerance(flat, deviation)
    joined = gap if chosen_gap else max(fine, min(gap, _SHORT_LINES * _short_length(flat, gap)))
    found = arrange(flat, joined, fine)
    bridges: list[PlanarPath] = []
    if found.dangling and not chosen_gap:
        bridges = _bridges(found, len(flat), joined)
        if bridges:
            found = arrange([*flat, *bridges], joined, fine)
    components, dividing = _without_dividing_lines(found, plane.paths, flat, joined)
    used = {source for component in components for edge in _edges_of(found, component) for source in edge.sources}
    closed = tuple(bridge.points for bridge in bridges if bridge.source in used)
    lost = {source for edge in found.dangling for source in edge.sources if source < len(flat)} - used
    unclosed = _unclosed(found, lost, components, gap)
    stray = sorted(lost - dividing.keys() - {source for outline in unclosed for source in outline.sources})
    return Outlines(
        plane, (*flat, *bridges), found.edges, tuple(components), closed, tuple(stray), dividing, tuple(unclosed)
    )


def _fine_tolerance(flat: Sequence[PlanarPath], deviation: float) -> float:
    """Return the distance within which points lie on another curve: more than that of a curve from its segments."""
    low = np.min([path.points.min(axis=0) for path in flat], axis=0)
    high = np.max([path.points.max(axis=0) for path in flat], axis=0)
    return float(min(deviation / 32, 1e-4 * (high - low).max()) + 1e-9 * (high - low).max())


def _short_length(flat: Sequence[PlanarPath], gap: float) -> float:
    """Return the length of the shorter open curves; the gap if there are none."""
    found = [path.length for path in flat if not path.closed and path.length > 0.1 * gap]
    return float(np.percentile(found, 5)) if found else gap


def _edges_of(found: Arrangement, component: Component) -> list[Edge]:
    numbers = {number for face in (*component.faces, component.outer) for number, _ in face.walk}
    return [found.edges[number] for number in numbers]


# Gaps.


def _chains(edges: Iterable[Edge]) -> list[list[Edge]]:
    """Return the connected groups of edges."""
    label: dict[int, int] = {}

    def root(node: int) -> int:
        while label.setdefault(node, node) != node:
            label[node] = label[label[node]]
            node = label[node]
        return node

    listed = list(edges)
    for edge in listed:
        label[root(edge.start)] = root(edge.end)
    groups: dict[int, list[Edge]] = {}
    for edge in listed:
        groups.setdefault(root(edge.start), []).append(edge)
    return list(groups.values())


def _free_ends(found: Arrangement, chain: Sequence[Edge]) -> list[tuple[int, Floats]]:
    """Return node and position of the ends of a chain at which nothing continues."""
    degree = Counter(node for edge in found.edges for node in (edge.start, edge.end))
    ends = []
    for edge in chain:
        for node, point in ((edge.start, edge.points[0]), (edge.end, edge.points[-1])):
            if degree[node] == 1:
                ends.append((node, point))
    return ends


def _bridges(found: Arrangement, first: int, gap: float) -> list[PlanarPath]:
    """Return segments that close small gaps between free ends, or from a free end to another curve."""
    degree = Counter(node for edge in found.edges for node in (edge.start, edge.end))
    ends: list[tuple[Floats, float, float]] = []
    for chain in _chains(found.dangling):
        length = sum(edge.length for edge in chain)
        points = np.concatenate([edge.points for edge in chain])
        limit = max(_CLOSED_GAP, _CLOSED_SHARE * float(np.ptp(points, axis=0).max()))
        for edge in chain:
            for node, point in ((edge.start, edge.points[0]), (edge.end, edge.points[-1])):
                if degree[node] == 1:
                    ends.append((point, min(limit, _MOST_OF_LENGTH * length), length))
    if not ends:
        return []
    points = np.array([point for point, _, _ in ends])
    limits = np.array([limit for _, limit, _ in ends])
    pairs: list[tuple[float, int, int]] = []
    for number, point in enumerate(points):
        away = lengths(points - point)
        others = np.flatnonzero(away <= np.minimum(limits, limits[number])).tolist()
        pairs += [(float(away[other]), number, other) for other in others if other > number]
    taken: set[int] = set()
    segments: list[Floats] = []
    for _, one, other in sorted(pairs):
        if one not in taken and other not in taken:
            taken |= {one, other}
            segments.append(points[[one, other]])
    for number in range(len(ends)):
        if number not in taken:
            reached = _nearest_on_others(found, points[number], float(limits[number]), gap)
            if reached is not None:
                segments.append(np.array([points[number], reached]))
    return [
        PlanarPath(segment, np.ones(2, dtype=bool), first + number, simple=True)
        for number, segment in enumerate(segments)
        if (segment[0] != segment[1]).any()
    ]


def _nearest_on_others(found: Arrangement, point: Floats, limit: float, gap: float) -> Floats | None:
    """Return the nearest point of an edge that does not end at a point; None if it is farther than the limit."""
    best, best_distance = None, limit
    for edge in found.edges:
        if (edge.points.min(axis=0) > point + limit).any() or (edge.points.max(axis=0) < point - limit).any():
            continue
        if min(lengths(edge.points[[0, -1]] - point)) <= gap:
            continue
        starts, along = edge.points[:-1], np.diff(edge.points, axis=0)
        share = np.einsum("ij,ij->i", point - starts, along) / np.maximum(np.einsum("ij,ij->i", along, along), 1e-300)
        nearest = starts + np.clip(share, 0, 1)[:, None] * along
        away = lengths(nearest - point)
        if away.min() < best_distance:
            best, best_distance = nearest[away.argmin()], float(away.min())
    return best


def _unclosed(found: Arrangement, lost: set[int], components: Sequence[Component], gap: float) -> list[OpenOutline]:
    """Return the open chains that must be outlines: they go round others, or are larger than all closed outlines."""
    largest = max((component.area for component in components), default=0.0)
    outlines = []
    for chain in _chains(edge for edge in found.dangling if edge.sources & lost):
        ends = np.array([point for _, point in _free_ends(found, chain)]).reshape(-1, 2)
        if not 2 <= len(ends) <= 200:
            continue
        points = np.concatenate([edge.points for edge in chain])
        low, high = points.min(axis=0) - gap, points.max(axis=0) + gap
        inside = any(face.encloses(points[:1]).any() for component in components for face in component.faces)
        rounds = any(
            (component.outer.low >= low).all() and (component.outer.high <= high).all() for component in components
        )
        sources = sorted({source for edge in chain for source in edge.sources})
        away = lengths((ends[:, None] - ends[None]).reshape(-1, 2)).reshape(len(ends), -1)
        away[np.diag_indices(len(ends))] = np.inf
        pair = list(divmod(int(away.argmin()), len(ends)))
        length = sum(edge.length for edge in chain)
        meant = away.min() < 0.05 * length and float(np.prod(high - low)) > largest
        many = len(sources) > _CURVES_OF_OUTLINE
        if not inside and (meant or (rounds and (many or _has_only_holes_inside(chain, components)))):
            outlines.append(OpenOutline(tuple(sources), ends[pair], points))
    return outlines


def _has_only_holes_inside(chain: Sequence[Edge], components: Sequence[Component]) -> bool:
    """Return True for one polyline that turns round at least half, at corners, round outlines that hold no others."""
    if len(chain) != 1:
        return False
    ring = chain[0].points
    angles = np.unwrap(np.arctan2(*np.diff(ring, axis=0).T[::-1]))
    corners = np.diff(angles)
    corners = corners[np.abs(corners) > _CORNER]
    if len(corners) < 2 or abs(corners.sum()) < _HALF_ROUND:
        return False
    inside = [one for one in components if points_inside(one.outer.points[:1], ring).all()]
    holds = any(
        face.encloses(other.outer.points[:1]).any()
        for one in inside
        for face in one.faces
        for other in components
        if other is not one
    )
    return bool(inside) and not holds


# Annotations across outlines.


def _without_dividing_lines(
    found: Arrangement, drawn: Sequence[DrawnPath], flat: Sequence[PlanarPath], gap: float
) -> tuple[list[Component], dict[int, str]]:
    """Return the components without annotation lines that divide them, and the curves of these lines by reason."""
    overshooting = _overshooting(found, flat, gap)
    removed: dict[int, str] = {}
    components = []
    for component in found.components:
        reasons = _annotations(found, component, drawn, overshooting) if len(component.faces) > 1 else {}
        if not reasons:
            components.append(component)
            continue
        rest = {number for face in component.faces for number, _ in face.walk} - reasons.keys()
        components += components_of(found.edges, sorted(rest))
        removed |= {source: why for number, why in reasons.items() for source in found.edges[number].sources}
    return components, removed


def _overshooting(found: Arrangement, flat: Sequence[PlanarPath], gap: float) -> set[int]:
    """Return the open curves both of whose ends are free."""
    free: Counter[int] = Counter()
    for edge in found.dangling:
        for source in edge.sources:
            if source < len(flat) and not flat[source].closed:
                for end in flat[source].points[[0, -1]]:
                    free[source] += int(min(lengths(edge.points[[0, -1]] - end)) <= gap)
    return {source for source, count in free.items() if count >= 2}


def _annotations(
    found: Arrangement, component: Component, drawn: Sequence[DrawnPath], overshooting: set[int]
) -> dict[int, str]:
    """Return the edges inside a component that are annotations, with the reason."""
    outside = {number for number, _ in component.outer.walk}
    inner = sorted({number for face in component.faces for number, _ in face.walk} - outside)
    styles: Counter[tuple[object, ...]] = Counter()
    for number in outside:
        for source in found.edges[number].sources:
            if source < len(drawn):
                styles[_style(drawn[source])] += found.edges[number].length  # type: ignore[assignment]
    main = styles.most_common(1)[0][0] if styles else None
    reasons = {}
    for number in inner:
        sources = [source for source in found.edges[number].sources if source < len(drawn)]
        if sources and all(source in overshooting for source in sources):
            reasons[number] = "both ends overshoot the outline"
        elif sources and all(not drawn[source].closed and _style(drawn[source]) != main for source in sources):
            reasons[number] = "its layer, colour or line type differs from the outline"
    for number in _hatch(found, [number for number in inner if number not in reasons]):
        reasons[number] = "it belongs to a hatch"
    return reasons


def _style(path: DrawnPath) -> tuple[object, ...]:
    return path.look.layer, path.look.colour[:3], path.look.linetype


def _hatch(found: Arrangement, numbers: Sequence[int]) -> list[int]:
    """Return the straight, parallel, evenly spaced lines, oblique to the axes, of a hatch."""
    groups: dict[int, list[int]] = {}
    for number in numbers:
        edge = found.edges[number]
        if len(edge.points) == 2:
            x, y = edge.points[1] - edge.points[0]
            angle = round(float(np.degrees(np.arctan2(y, x))) % 180.0)
            if angle % 90:
                groups.setdefault(angle, []).append(number)
    hatch = []
    for angle, members in groups.items():
        across = np.array([-np.sin(np.radians(angle)), np.cos(np.radians(angle))])
        offsets = np.unique(np.round([float(found.edges[number].points[0] @ across) for number in members], 5))
        steps = np.diff(offsets)
        if len(offsets) >= _FEWEST_HATCH_LINES and steps.max() < 1.2 * steps.min():
            hatch += members
    return hatch


# Loops.


def drawn_loops(outlines: Outlines, gap: float) -> dict[int, frozenset[int]]:
    """Return for each curve that closes, alone or with others end to end, the curves of its loop."""
    loops = {path.source: frozenset({path.source}) for path in outlines.paths if path.closed}
    opened = [path for path in outlines.paths if not path.closed]
    if not opened:
        return loops
    ends = np.concatenate([path.points[[0, -1]] for path in opened])
    node = clusters(ends, gap).tolist()
    at: dict[int, set[int]] = {}
    for number, name in enumerate(node):
        at.setdefault(name, set()).add(number // 2)
    label = list(range(len(opened)))

    def root(number: int) -> int:
        while label[number] != number:
            number = label[number]
        return number

    for there in at.values():
        for one, other in pairwise(sorted(there)):
            label[root(one)] = root(other)
    counts = Counter(node)
    groups: dict[int, list[int]] = {}
    for number in range(len(opened)):
        groups.setdefault(root(number), []).append(number)
    for members in groups.values():
        if all(counts[node[2 * number + end]] == 2 for number in members for end in (0, 1)):
            loop = frozenset(opened[number].source for number in members)
            loops.update(dict.fromkeys(loop, loop))
    return loops
