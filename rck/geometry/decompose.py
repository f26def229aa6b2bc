"""Solids of any shape cut into convex pieces, approximately, with CoACD."""

from dataclasses import dataclass

import numpy as np

from rck.geometry.mass import moments
from rck.geometry.mesh import Mesh, is_closed, triangles
from rck.geometry.polyhedron import Polyhedron, convex_hull


@dataclass(frozen=True, eq=False)
class Decomposition:
    """Convex pieces that stand for a solid."""

    pieces: tuple[Polyhedron, ...]
    volume_error: float
    """The volume of the pieces over that of the solid, less one: 0.02 is two percent too much."""


class DecomposerMissingError(ImportError):
    """CoACD, which cuts solids into convex pieces, is not installed."""

    def __init__(self) -> None:
        """Says what to install."""
        super().__init__("cutting a solid into convex pieces needs CoACD: pip install 'rck[decompose]'")


def decompose(mesh: Mesh, tolerance: float = 0.05, seed: int = 0) -> Decomposition:
    """Convex pieces for a closed surface; one piece, exact, if it is convex already.

    `tolerance`, 0.01 to 1, is how deep a dent the pieces may fill, as a share of half the size of the
    solid: CoACD's concavity threshold. The same seed gives the same pieces.
    """
    if not 0.01 <= tolerance <= 1:
        raise ValueError(f"the tolerance of a decomposition is 0.01 to 1, not {tolerance:g}")
    volume = moments(mesh).volume if is_closed(mesh) else 0.0
    if not volume > 0:
        raise ValueError("only a closed surface, seen from outside, can be cut into convex pieces")
    hull = convex_hull(mesh.vertices)
    if hull.volume <= volume * (1 + 1e-9):
        return Decomposition((hull,), hull.volume / volume - 1)
    pieces = _coacd(mesh, tolerance, seed)
    return Decomposition(pieces, sum(piece.volume for piece in pieces) / volume - 1)


def _coacd(mesh: Mesh, tolerance: float, seed: int) -> tuple[Polyhedron, ...]:
    try:
        import coacd
    except ImportError as error:
        raise DecomposerMissingError from error
    coacd.set_log_level("off")
    solid = coacd.Mesh(mesh.vertices, triangles(mesh).astype(np.int32))
    pieces = []
    for vertices, _ in coacd.run_coacd(solid, threshold=tolerance, seed=seed):
        try:
            pieces.append(convex_hull(vertices))
        except ValueError:
            # A flat shaving fills nothing; what it leaves out is in the volume error.
            continue
    return tuple(pieces)
