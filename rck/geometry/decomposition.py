"""Approximate convex decomposition of solids, with CoACD."""

from dataclasses import dataclass
from importlib.util import find_spec

import numpy as np

from rck.geometry.arrays import Floats, Ints
from rck.geometry.mass_properties import moments
from rck.geometry.mesh import Mesh, is_closed, triangles
from rck.geometry.polyhedron import Polyhedron, convex_hull
from rck.support.job import UNOBSERVED, Job
from rck.support.worker import MEMORY_LIMIT, TIME_LIMIT, run_in_child

ALMOST_CONVEX = 0.01
"""Maximum excess of the hull over a solid, as a fraction of its volume, up to which the hull replaces it."""
_SEARCH = {"mcts_max_depth": 2, "mcts_nodes": 10, "mcts_iterations": 40, "resolution": 500}
"""Settings of CoACD's search for cuts: as good as its defaults on rings and brackets, and three times as fast.

One level of search alone gives four times the pieces."""


@dataclass(frozen=True, eq=False)
class Decomposition:
    """Convex pieces that approximate a solid."""

    pieces: tuple[Polyhedron, ...]
    volume_error: float
    """Excess volume of the pieces, as a fraction of that of the solid: 0.02 is two percent."""


class DecomposerMissingError(ImportError):
    """CoACD, which splits solids into convex pieces, is not installed."""

    def __init__(self) -> None:
        """Set the message with the install command."""
        super().__init__("cutting a solid into convex pieces needs CoACD: pip install 'rck[decompose]'")


def decompose(
    mesh: Mesh,
    tolerance: float = 0.05,
    seed: int = 0,
    job: Job = UNOBSERVED,
    limits: tuple[float, int] = (TIME_LIMIT, MEMORY_LIMIT),
) -> Decomposition:
    """Return convex pieces for a closed surface; its hull if it is convex, or almost.

    `tolerance`, 0.01 to 1, is CoACD's concavity threshold: the maximum depth of a dent that the pieces may fill,
    relative to half the size of the solid. The same seed gives the same pieces. `limits` are the seconds and bytes that
    CoACD may use.
    """
    if not 0.01 <= tolerance <= 1:
        raise ValueError(f"the tolerance of a decomposition must be from 0.01 to 1, not {tolerance:g}")
    volume = moments(mesh).volume if is_closed(mesh) else 0.0
    if not volume > 0:
        raise ValueError("only a closed surface with outward faces can be cut into convex pieces")
    hull = convex_hull(mesh.vertices)
    if hull.volume <= volume * (1 + ALMOST_CONVEX):
        return Decomposition((hull,), hull.volume / volume - 1)
    pieces = _coacd(mesh, tolerance, seed, job, limits)
    return Decomposition(pieces, sum(piece.volume for piece in pieces) / volume - 1)


def _coacd(mesh: Mesh, tolerance: float, seed: int, job: Job, limits: tuple[float, int]) -> tuple[Polyhedron, ...]:
    if find_spec("coacd") is None:
        raise DecomposerMissingError
    # In a child process: CoACD cannot be cancelled, and aborts on some surfaces.
    clouds = run_in_child(
        run_coacd, mesh.vertices, triangles(mesh), tolerance, seed,
        library="CoACD", subject=f"a surface of {len(mesh.vertices)} vertices", job=job,
        time_limit=limits[0], memory_limit=limits[1],
    )  # fmt: skip
    pieces = []
    for vertices in clouds:
        try:
            pieces.append(convex_hull(vertices))
        except ValueError:
            # A flat piece has no volume; the volume error includes it.
            continue
    return tuple(pieces)


def run_coacd(_job: Job, vertices: Floats, faces: Ints, tolerance: float, seed: int) -> list[Floats]:
    """Return the vertices of each convex piece, shape (vertices, 3); called in the child process."""
    import coacd

    coacd.set_log_level("off")
    solid = coacd.Mesh(vertices, faces.astype(np.int32))
    return [vertices for vertices, _ in coacd.run_coacd(solid, threshold=tolerance, seed=seed, **_SEARCH)]
