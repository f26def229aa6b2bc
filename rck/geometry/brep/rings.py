"""Boundaries of faces as connected rings of coedges."""

from collections.abc import Iterable, Sequence

from rck.geometry.brep.topology import Coedge, Vertex


def find_seams(coedges: Iterable[Coedge]) -> set[int]:
    """Return the ids of edges that have the face on both sides."""
    ways = {(id(one.edge), one.is_reversed) for one in coedges}
    return {edge for edge, is_reversed in ways if not is_reversed and (edge, True) in ways}


def reversed_ring(coedges: Sequence[Coedge]) -> list[Coedge]:
    """Return the same edges in the other direction."""
    return [Coedge(one.edge, not one.is_reversed) for one in reversed(coedges)]


def is_ring(coedges: Sequence[Coedge]) -> bool:
    """Return True if each coedge ends where the next one starts."""
    return all(_end(one) is other.start for one, other in zip(coedges, [*coedges[1:], coedges[0]], strict=True))


def chained(coedges: Sequence[Coedge], either_way: bool) -> list[list[Coedge]] | None:
    """Return the rings that coedges form; None if one ends. Either way, those against the majority are reversed."""
    left = list(coedges)
    rings = []
    while left:
        ring = [left.pop(0)]
        changed = 0
        while _end(ring[-1]) is not ring[0].start:
            end = _end(ring[-1])
            place = next((place for place, one in enumerate(left) if one.start is end), None)
            if place is not None:
                ring.append(left.pop(place))
                continue
            place = next((place for place, one in enumerate(left) if _end(one) is end), None) if either_way else None
            if place is None:
                return None
            changed += 1
            ring += reversed_ring([left.pop(place)])
        rings.append(reversed_ring(ring) if 2 * changed > len(ring) else ring)
    return rings


def _end(coedge: Coedge) -> Vertex:
    return coedge.edge.start if coedge.is_reversed else coedge.edge.end
