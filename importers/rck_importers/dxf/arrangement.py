"""Planar arrangements: curves split where they meet, without duplicates, and the faces that they enclose."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import atan2

import numpy as np

from rck.geometry.arrays import Bools, Floats, Ints, lengths
from rck.geometry.contour import overlapping_boxes, points_inside, ring_area
from rck.geometry.near_points import nearest_points
from rck.geometry.vertex_merge import clusters, linked_groups

_CHUNK = 8
"""Number of consecutive segments that share a bounding box."""
_LONG = 0.01
"""Share of the size of the drawing above which a segment has a bounding box of its own."""
_AT_A_TIME = 2_000_000
"""Maximum number of pairs of segments compared at a time."""
_END_WEIGHT = 1e-9
"""Weight of the end of a curve in the position of a node, so that ends move and crossed curves stay."""


@dataclass(frozen=True, eq=False)
class PlanarPath:
    """A curve of straight segments in the plane; a closed one repeats its first point at the end."""

    points: Floats
    """Shape (N, 2), in metres."""
    coarse: Bools
    """Points of the coarse approximation. Shape (N,)."""
    source: int
    """Index of the drawn curve."""
    simple: bool = False
    """True if it cannot meet itself, such as a line or an arc."""

    @cached_property
    def closed(self) -> bool:
        """True if it ends where it starts."""
        return len(self.points) > 3 and bool((self.points[0] == self.points[-1]).all())

    @cached_property
    def along(self) -> Floats:
        """Distance of each point from the start, along the path. Shape (N,)."""
        return np.append(0.0, np.cumsum(lengths(np.diff(self.points, axis=0))))

    @property
    def length(self) -> float:
        """Length in metres."""
        return float(self.along[-1])


@dataclass(frozen=True, eq=False)
class Edge(PlanarPath):
    """A path between two nodes of an arrangement that meets other edges only there."""

    start: int = 0
    end: int = 0
    sources: frozenset[int] = frozenset()
    """Indices of all curves drawn here."""


Walk = tuple[tuple[int, bool], ...]
"""Consecutive edges by index, each with True if it is passed backward."""


@dataclass(frozen=True, eq=False)
class Boundary:
    """A closed walk along edges, with the enclosed area on its left; the outer one of a component is clockwise."""

    walk: Walk
    points: Floats
    """Each corner once. Shape (N, 2)."""
    coarse: Bools
    """Shape (N,)."""
    pinched: tuple[int, ...] = ()
    """Indices of the points where the walk visits a node for the second time or has done so."""

    @cached_property
    def area(self) -> float:
        """Signed area in m2; negative for a clockwise walk."""
        return ring_area(self.points)

    @cached_property
    def low(self) -> Floats:
        """Minimum x and y. Shape (2,)."""
        return np.asarray(self.points.min(axis=0))

    @cached_property
    def high(self) -> Floats:
        """Maximum x and y. Shape (2,)."""
        return np.asarray(self.points.max(axis=0))

    @property
    def size(self) -> Floats:
        """Width and height. Shape (2,)."""
        return self.high - self.low

    def encloses(self, points: Floats) -> Bools:
        """Return for each point, shape (K, 2), True if it is inside."""
        inside: Bools = np.asarray(((self.low <= points) & (points <= self.high)).all(axis=1))
        inside[inside] = points_inside(points[inside], self.points)
        return inside


@dataclass(frozen=True, eq=False)
class Component:
    """Connected edges, the faces that they enclose, and the walk round all of them."""

    faces: tuple[Boundary, ...]
    outer: Boundary
    """Clockwise."""

    @cached_property
    def area(self) -> float:
        """Area inside the outer boundary in m2."""
        return -self.outer.area


@dataclass(frozen=True, eq=False)
class Arrangement:
    """Edges in the plane and the faces that they enclose."""

    edges: tuple[Edge, ...]
    components: tuple[Component, ...]
    """Their walks refer to the edges by index."""
    dangling: tuple[Edge, ...]
    """Edges that enclose nothing."""


def arrange(paths: Sequence[PlanarPath], gap: float, fine: float) -> Arrangement:
    """Return the arrangement of the paths.

    Ends within `gap` of each other, or of another path, are joined. Points within `fine` of another path lie on it:
    it must exceed the distance of the segments of a curve from the curve, so that overlapping arcs coincide.
    """
    edges = split_paths(paths, gap, fine)
    kept, dangling = _prune(edges, range(len(edges)))
    components = tuple(_components(edges, kept))
    return Arrangement(tuple(edges), components, tuple(edges[number] for number in dangling))


def components_of(edges: Sequence[Edge], members: Iterable[int]) -> list[Component]:
    """Return the components that some of the edges form."""
    return _components(edges, _prune(edges, members)[0])


def _components(edges: Sequence[Edge], members: Sequence[int]) -> list[Component]:
    return [component for some in _connected(edges, members) for component in _trace(edges, some)]


# Splitting.


@dataclass(frozen=True, eq=False)
class _Segments:
    """All segments of some paths."""

    starts: Floats
    ends: Floats
    path: Ints
    index: Ints
    """Index of the segment in its path."""
    count: Ints
    """Number of segments of the path of each segment."""
    closed: Bools
    simple: Bools
    """Shape (number of paths,)."""
    along: Floats
    """Distance of each segment's start from the start of its path."""
    total: Floats
    """Length of the path of each segment."""


def _segments_of(paths: Sequence[PlanarPath]) -> _Segments:
    sizes = np.array([len(path.points) - 1 for path in paths])
    number = np.repeat(np.arange(len(paths)), sizes)
    first = np.cumsum(sizes) - sizes
    return _Segments(
        np.concatenate([path.points[:-1] for path in paths]),
        np.concatenate([path.points[1:] for path in paths]),
        number,
        np.arange(len(number)) - first[number],
        sizes[number],
        np.array([path.closed for path in paths]),
        np.array([path.simple for path in paths]),
        np.concatenate([path.along[:-1] for path in paths]),
        np.array([path.length for path in paths])[number],
    )


@dataclass(frozen=True, eq=False)
class _Cuts:
    """Places where paths are split; each is a row of all arrays."""

    path: Ints
    parameter: Floats
    """Index of the segment plus the share of its length."""
    points: Floats
    strong: Bools
    """True for a crossing or the end of a curve, which attracts points within the gap."""


_NO_CUTS = _Cuts(np.empty(0, dtype=np.int64), np.empty(0), np.empty((0, 2)), np.empty(0, dtype=bool))


def split_paths(paths: Sequence[PlanarPath], gap: float, fine: float) -> list[Edge]:
    """Return the edges between the nodes where paths end or meet, without duplicates."""
    paths = _without_copies([path for path in paths if path.length > 0], fine)
    if not paths:
        return []
    cuts = _cuts(_segments_of(paths), gap, fine)
    node, centre, cuts = _nodes(paths, cuts, gap, fine)
    order = np.lexsort((cuts.parameter, cuts.path))
    bounds = np.searchsorted(cuts.path[order], np.arange(len(paths) + 1))
    edges: list[Edge] = []
    for number, path in enumerate(paths):
        mine = order[bounds[number] : bounds[number + 1]]
        if not len(mine):
            lone = len(centre) + number
            edges.append(Edge(path.points, path.coarse, path.source, path.simple, lone, lone, frozenset({path.source})))
        else:
            edges += _pieces(path, cuts.parameter[mine], node[mine], cuts.strong[mine], centre, gap)
    return _without_duplicates(edges, gap, fine)


def _without_copies(paths: Sequence[PlanarPath], fine: float) -> list[PlanarPath]:
    """Return the paths without those that repeat another one point by point, in either direction."""
    known: dict[tuple[int, ...], list[PlanarPath]] = {}
    kept = []
    for path in paths:
        box = np.concatenate([path.points.min(axis=0), path.points.max(axis=0)])
        twins = known.setdefault((len(path.points), *np.round(box / (4 * fine)).astype(np.int64).tolist()), [])
        if not any(
            lengths(path.points - twin.points).max() <= fine or lengths(path.points - twin.points[::-1]).max() <= fine
            for twin in twins
        ):
            twins.append(path)
            kept.append(path)
    return kept


def _cuts(segments: _Segments, gap: float, fine: float) -> _Cuts:
    found: list[_Cuts] = []
    outermost = ~segments.closed[segments.path] & ((segments.index == 0) | (segments.index == segments.count - 1))
    reach = np.where(outermost, gap, fine)[:, None]
    low = np.minimum(segments.starts, segments.ends) - reach
    high = np.maximum(segments.starts, segments.ends) + reach
    # The box of several long segments would contain most of the drawing.
    long = lengths(segments.ends - segments.starts) > _LONG * np.ptp(segments.starts, axis=0).max()
    chunk_start = np.flatnonzero((segments.index % _CHUNK == 0) | long | np.append(False, long[:-1]))
    chunk_size = np.diff(np.append(chunk_start, len(segments.path)))
    chunk_path = segments.path[chunk_start]
    boxes = np.minimum.reduceat(low, chunk_start), np.maximum.reduceat(high, chunk_start)
    chosen = _chunks_near_others(chunk_path, *boxes, ~segments.simple[chunk_path])
    if not len(chosen):
        return _NO_CUTS
    own = chosen[~segments.simple[chunk_path[chosen]] & (chunk_size[chosen] > 2)]
    batches = [(own, own)] if len(own) else []
    pairs = overlapping_boxes(boxes[0][chosen], boxes[1][chosen])
    for first, second in [*batches, *((chosen[one], chosen[other]) for one, other in pairs)]:
        wanted = (chunk_path[first] != chunk_path[second]) | ~segments.simple[chunk_path[first]]
        one, other = first[wanted], second[wanted]
        counts = chunk_size[one] * chunk_size[other]
        batch = np.cumsum(counts) // _AT_A_TIME
        for number in range(int(batch[-1]) + 1 if len(batch) else 0):
            some = batch == number
            found += _cuts_of_pairs(
                segments, *_segment_pairs(one[some], other[some], chunk_start, chunk_size, low, high), gap, fine
            )
    if not found:
        return _NO_CUTS
    return _Cuts(
        np.concatenate([cuts.path for cuts in found]),
        np.concatenate([cuts.parameter for cuts in found]),
        np.concatenate([cuts.points for cuts in found]),
        np.concatenate([cuts.strong for cuts in found]),
    )


def _chunks_near_others(path: Ints, low: Floats, high: Floats, always: Bools) -> Ints:
    """Return the chunks that overlap the box of another path, and those that are always needed."""
    first = np.flatnonzero(np.append(True, np.diff(path) > 0))
    size = np.diff(np.append(first, len(path)))
    path_low, path_high = np.minimum.reduceat(low, first), np.maximum.reduceat(high, first)
    near = always.copy()

    def in_box(one: Ints, other: Ints) -> tuple[Ints, Ints]:
        """Return the chunks of a path that overlap the box of another, and the index of their pair."""
        found, pairs = [], []
        for some in np.array_split(np.arange(len(one)), 1 + int(size[one].sum()) // _AT_A_TIME):
            counts = size[one[some]]
            pair = np.repeat(some, counts)
            chunk = first[one[pair]] + np.arange(len(pair)) - np.repeat(np.cumsum(counts) - counts, counts)
            box = other[pair]
            overlap = ((low[chunk] <= path_high[box]) & (path_low[box] <= high[chunk])).all(axis=1)
            found.append(chunk[overlap])
            pairs.append(pair[overlap])
        return np.concatenate(found), np.concatenate(pairs)

    for one, other in overlapping_boxes(path_low, path_high):
        # A path inside another overlaps its box, but the other has no chunk near it.
        chunks, pair = in_box(one, other)
        others, other_pair = in_box(other, one)
        near[chunks[np.isin(pair, other_pair)]] = True
        near[others[np.isin(other_pair, pair)]] = True
    return np.flatnonzero(near)


def _segment_pairs(one: Ints, other: Ints, start: Ints, size: Ints, low: Floats, high: Floats) -> tuple[Ints, Ints]:
    """Return the pairs of segments of pairs of chunks whose boxes overlap, each once."""
    counts = size[one] * size[other]
    pair = np.repeat(np.arange(len(one)), counts)
    place = np.arange(len(pair)) - np.repeat(np.cumsum(counts) - counts, counts)
    a = start[one[pair]] + place // size[other[pair]]
    b = start[other[pair]] + place % size[other[pair]]
    near = ((low[a] <= high[b]) & (low[b] <= high[a])).all(axis=1) & ((one != other)[pair] | (a < b))
    return a[near], b[near]


def _cuts_of_pairs(segments: _Segments, a: Ints, b: Ints, gap: float, fine: float) -> list[_Cuts]:
    same = segments.path[a] == segments.path[b]
    apart = np.abs(segments.index[a] - segments.index[b])
    last = segments.count[a] - 1
    neighbours = same & ((apart <= 1) | (segments.closed[segments.path[a]] & (apart >= last)))
    a, b = a[~neighbours], b[~neighbours]
    if not len(a):
        return []
    found = []
    touching = np.zeros(len(a), dtype=bool)
    for vertex, side, at_end in ((a, b, False), (a, b, True), (b, a, False), (b, a, True)):
        cuts, hit = _vertex_cuts(segments, vertex, side, at_end, gap, fine)
        touching |= hit
        found += cuts
    a, b = a[~touching], b[~touching]
    p, q, r, s = segments.starts[a], segments.ends[a], segments.starts[b], segments.ends[b]
    along, other = q - p, s - r
    with np.errstate(divide="ignore", invalid="ignore"):
        det = _cross(along, other)
        t, u = _cross(r - p, other) / det, _cross(r - p, along) / det
        crossing = (t > 0) & (t < 1) & (u > 0) & (u < 1)
    point = p[crossing] + t[crossing, None] * along[crossing]
    strong = np.ones(len(point), dtype=bool)
    for segment, share in ((a, t), (b, u)):
        some = segment[crossing]
        found.append(_Cuts(segments.path[some], segments.index[some] + share[crossing], point, strong))
    return found


def _vertex_cuts(
    segments: _Segments, vertex: Ints, side: Ints, at_end: bool, gap: float, fine: float
) -> tuple[list[_Cuts], Bools]:
    """Return the cuts where the start or end of one segment lies on another, and the pairs where it does."""
    points = (segments.ends if at_end else segments.starts)[vertex]
    index = segments.index[vertex] + at_end
    path = segments.path[vertex]
    is_end = ~segments.closed[path] & ((index == 0) | (index == segments.count[vertex]))
    limit = np.where(is_end, gap, fine)
    along = segments.ends[side] - segments.starts[side]
    share = np.einsum("ij,ij->i", points - segments.starts[side], along)
    share = np.clip(share / np.maximum(np.einsum("ij,ij->i", along, along), 1e-300), 0.0, 1.0)
    nearest = segments.starts[side] + share[:, None] * along
    hit = lengths(nearest - points) <= limit
    # A path turns back to itself only after a distance that is large against the tolerance.
    here = segments.along[vertex] + (lengths(segments.ends[vertex] - segments.starts[vertex]) if at_end else 0.0)
    there = segments.along[side] + share * lengths(along)
    away = np.abs(here - there)
    away = np.where(segments.closed[path], np.minimum(away, segments.total[vertex] - away), away)
    hit &= (path != segments.path[side]) | (away > 4 * limit)
    some = np.flatnonzero(hit)
    ends = is_end[some]
    cuts = [
        _Cuts(
            segments.path[side[some]],
            segments.index[side[some]] + share[some],
            np.where(ends[:, None], nearest[some], points[some]),
            ends,
        )
    ]
    inner = some[~ends]
    cuts.append(_Cuts(path[inner], index[inner].astype(float), points[inner], np.zeros(len(inner), dtype=bool)))
    return cuts, hit


def _cross(a: Floats, b: Floats) -> Floats:
    return np.asarray(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])


def _nodes(paths: Sequence[PlanarPath], cuts: _Cuts, gap: float, fine: float) -> tuple[Ints, Floats, _Cuts]:
    """Return the node of each cut, the positions of the nodes, and the cuts with the ends of open paths."""
    is_open = np.flatnonzero([not path.closed for path in paths])
    ends = np.array([paths[k].points[[0, -1]] for k in is_open.tolist()]).reshape(-1, 2)
    last = np.array([float(len(paths[k].points) - 1) for k in is_open.tolist()])
    parameter = np.stack([np.zeros(len(is_open)), last], axis=1).ravel()
    whole = _Cuts(
        np.concatenate([cuts.path, is_open.repeat(2)]),
        np.concatenate([cuts.parameter, parameter]),
        np.concatenate([cuts.points, ends]),
        np.concatenate([cuts.strong, np.ones(len(ends), dtype=bool)]),
    )
    weight = np.ones(len(whole.path))
    weight[len(cuts.path) :] = _END_WEIGHT
    node = np.empty(len(whole.path), dtype=np.int64)
    strong, weak = np.flatnonzero(whole.strong), np.flatnonzero(~whole.strong)
    node[strong] = strong[clusters(whole.points[strong], gap)] if len(strong) else strong
    if len(weak):
        node[weak] = weak[clusters(whole.points[weak], fine)]
        if len(strong):
            nearest = nearest_points(whole.points[weak], whole.points[strong], gap)
            near = nearest >= 0
            node[weak[near]] = node[strong[nearest[near]]]
            weight[weak[near]] = _END_WEIGHT
    _, node = np.unique(node, return_inverse=True)
    total = np.bincount(node, weight)
    centre = np.stack([np.bincount(node, weight * whole.points[:, axis]) / total for axis in (0, 1)], axis=1)
    return node.astype(np.int64), centre, whole


def _pieces(path: PlanarPath, parameter: Floats, node: Ints, strong: Bools, centre: Floats, gap: float) -> list[Edge]:
    """Return the pieces of a path between its cuts, which are in order."""
    points, coarse, last = path.points, path.coarse, len(path.points) - 1
    spots = list(zip(parameter.tolist(), node.tolist(), strong.tolist(), strict=True))
    if path.closed:
        # Continue past the start, up to the first cut.
        points, coarse = np.concatenate([points, points[1:]]), np.concatenate([coarse, coarse[1:]])
        spots.append((spots[0][0] + last, *spots[0][1:]))
    edges = []
    for (low, a, hard_a), (high, b, hard_b) in pairwise(spots):
        first, end = int(np.floor(low)) + 1, int(np.ceil(high))
        inner = points[first:end]
        if a == b and (high - low < 1e-9 or _is_short(centre[a], inner, gap)):
            continue
        corner_a = hard_a or (low == first - 1 and bool(coarse[first - 1]))
        corner_b = hard_b or (high == end and bool(coarse[end]))
        edges.append(
            Edge(
                np.concatenate([centre[a : a + 1], inner, centre[b : b + 1]]),
                np.concatenate([[corner_a], coarse[first:end], [corner_b]]),
                path.source,
                path.simple,
                a,
                b,
                frozenset({path.source}),
            )
        )
    return edges


def _is_short(node: Floats, inner: Floats, gap: float) -> bool:
    return len(inner) == 0 or bool(lengths(inner - node).max() <= gap)


def _without_duplicates(edges: Sequence[Edge], gap: float, fine: float) -> list[Edge]:
    """Return the edges, merging those between the same nodes that coincide."""
    groups: dict[tuple[int, ...], list[Edge]] = {}
    for edge in edges:
        key: tuple[int, ...] = (min(edge.start, edge.end), max(edge.start, edge.end))
        twins = groups.setdefault(key, [])
        for place, twin in enumerate(twins):
            if _coincide(edge, twin, gap, fine):
                merged = twin.sources | edge.sources
                twins[place] = Edge(twin.points, twin.coarse, twin.source, twin.simple, twin.start, twin.end, merged)
                break
        else:
            twins.append(edge)
    return [edge for twins in groups.values() for edge in twins]


def _coincide(one: Edge, other: Edge, gap: float, fine: float) -> bool:
    if abs(one.length - other.length) > 2 * gap + 0.01 * one.length:
        return False
    limit = max(fine, min(gap, 0.05 * one.length))
    if len(one.points) == len(other.points) == 2:
        return True
    return all(
        _distance(first.points[len(first.points) * k // 4], second) <= limit
        for first, second in ((one, other), (other, one))
        for k in (1, 2, 3)
    )


def _distance(point: Floats, path: PlanarPath) -> float:
    starts, along = path.points[:-1], np.diff(path.points, axis=0)
    share = np.einsum("ij,ij->i", point - starts, along) / np.maximum(np.einsum("ij,ij->i", along, along), 1e-300)
    return float(lengths(starts + np.clip(share, 0, 1)[:, None] * along - point).min())


# Faces.


def _prune(edges: Sequence[Edge], members: Iterable[int]) -> tuple[list[int], list[int]]:
    """Return the edges that can enclose something, and those with a free end, found repeatedly."""
    listed = list(members)
    at: dict[int, set[int]] = {}
    for number in listed:
        if edges[number].start != edges[number].end:
            at.setdefault(edges[number].start, set()).add(number)
            at.setdefault(edges[number].end, set()).add(number)
    looped = {edges[number].start for number in listed if edges[number].start == edges[number].end}
    waiting = [node for node, there in at.items() if len(there) == 1 and node not in looped]
    gone: set[int] = set()
    while waiting:
        node = waiting.pop()
        if len(at[node]) != 1 or node in looped:
            continue
        (number,) = at[node]
        gone.add(number)
        for end in (edges[number].start, edges[number].end):
            at[end].discard(number)
            waiting.append(end)
    return [number for number in listed if number not in gone], sorted(gone)


def _connected(edges: Sequence[Edge], members: Sequence[int]) -> list[list[int]]:
    """Return the edges of each connected component, in the order of their first edges."""
    if not members:
        return []
    names, ends = np.unique([(edges[number].start, edges[number].end) for number in members], return_inverse=True)
    ends = ends.reshape(-1, 2)
    group = linked_groups(ends[:, 0], ends[:, 1], len(names))[ends[:, 0]]
    found: dict[int, list[int]] = {}
    for number, name in zip(members, group.tolist(), strict=True):
        found.setdefault(name, []).append(number)
    return list(found.values())


def _trace(edges: Sequence[Edge], members: Sequence[int]) -> list[Component]:
    """Return the components of connected edges: edges with the same face on both sides separate them."""
    if len(members) == 1:
        return _lone_ring(edges[members[0]], members[0])
    walks = _walks(edges, members)
    face_of = {step: number for number, walk in enumerate(walks) for step in walk}
    bridges = {number for number in members if face_of[number, False] == face_of[number, True]}
    if bridges:
        return _components(edges, [number for number in members if number not in bridges])
    boundaries = [_boundary(edges, walk) for walk in walks]
    outer = min(boundaries, key=lambda boundary: boundary.area)
    faces = tuple(boundary for boundary in boundaries if boundary is not outer and boundary.area > 0)
    return [Component(faces, outer)] if faces and outer.area < 0 else []


def _lone_ring(edge: Edge, number: int) -> list[Component]:
    if edge.start != edge.end:
        return []
    inner = Boundary(((number, False),), edge.points[:-1], edge.coarse[:-1])
    outer = Boundary(((number, True),), edge.points[:0:-1], edge.coarse[:0:-1])
    if inner.area < 0:
        inner, outer = outer, inner
    return [Component((inner,), outer)] if inner.area > 0 else []


def _walks(edges: Sequence[Edge], members: Sequence[int]) -> list[Walk]:
    """Return the walks with a face on their left."""
    leaving: dict[int, list[tuple[int, bool]]] = {}
    for number in members:
        leaving.setdefault(edges[number].start, []).append((number, False))
        leaving.setdefault(edges[number].end, []).append((number, True))
    following: dict[tuple[int, bool], tuple[int, bool]] = {}
    for ways in leaving.values():
        for place, (number, back) in enumerate(ordered := _by_angle(edges, ways)):
            # A walk that arrives along this edge leaves along the next edge to the right.
            following[number, not back] = ordered[place - 1]
    walks = []
    while following:
        walk = []
        step = next(iter(following))
        while step in following:
            walk.append(step)
            step = following.pop(step)
        walks.append(tuple(walk))
    return walks


def _by_angle(edges: Sequence[Edge], ways: Sequence[tuple[int, bool]]) -> list[tuple[int, bool]]:
    """Return the edges that leave a node in counter-clockwise order.

    Directions are compared where the edges leave a common circle, which distinguishes an arc from its tangent.
    """
    if len(ways) < 3:
        return list(ways)
    lines = [edges[number].points[:: -1 if back else 1] for number, back in ways]
    spokes = [line - line[0] for line in lines]
    reaches = [np.hypot(*spoke.T) for spoke in spokes]
    radius = 0.5 * min(float(reach.max()) for reach in reaches)
    angles = []
    for spoke, reach in zip(spokes, reaches, strict=True):
        out = int((reach >= radius).argmax())
        share = (radius - reach[out - 1]) / max(float(reach[out] - reach[out - 1]), 1e-300)
        x, y = spoke[out - 1] + share * (spoke[out] - spoke[out - 1])
        angles.append(atan2(y, x))
    return [way for _, way in sorted(zip(angles, ways, strict=True))]


def _boundary(edges: Sequence[Edge], walk: Walk) -> Boundary:
    points, coarse, visits = [], [], []
    count = 0
    number, back = walk[-1]
    previous = edges[number]
    ends_in_corner = bool(previous.coarse[0] if back else previous.coarse[-1])
    for number, back in walk:
        edge = edges[number]
        points.append(edge.points[:0:-1] if back else edge.points[:-1])
        flags = edge.coarse[:0:-1].copy() if back else edge.coarse[:-1].copy()
        # A curve that is cut at a node has no corner there, but the boundary has one where it leaves the curve.
        flags[0] |= ends_in_corner or not (edge.sources & previous.sources)
        ends_in_corner, previous = bool(edge.coarse[0] if back else edge.coarse[-1]), edge
        coarse.append(flags)
        visits.append((edge.end if back else edge.start, count))
        count += len(edge.points) - 1
    seen: dict[int, list[int]] = {}
    for node, place in visits:
        seen.setdefault(node, []).append(place)
    pinched = tuple(place for places in seen.values() if len(places) > 1 for place in places)
    return Boundary(walk, np.concatenate(points), np.concatenate(coarse), pinched)


def opened(boundary: Boundary, width: float) -> Floats:
    """Return the points of a boundary, with the area on its left cut open by this width where it touches itself."""
    if not boundary.pinched:
        return boundary.points
    points = boundary.points.copy()
    for place in boundary.pinched:
        before = boundary.points[place - 1] - boundary.points[place]
        after = boundary.points[(place + 1) % len(points)] - boundary.points[place]
        angle = np.arctan2(*after[::-1])
        turn = (np.arctan2(*before[::-1]) - angle) % (2 * np.pi)
        middle = angle + turn / 2
        points[place] += width / 2 * np.array([np.cos(middle), np.sin(middle)])
    return points
