"""Do RCK, coal, python-fcl and MuJoCo agree on what touches? Random pairs of awkward polyhedra, by the million.

Each peer is asked in the way that is right for it: coal with tight tolerances and signed distances, python-fcl by
`collide` (its `distance` is wrong on some convex shapes), MuJoCo by `mj_geomDistance`. A verdict counts as different
only where RCK measures the pair to be farther from touching than what the peer can resolve.

Run ``python -m rck_bench.agreement 1000000`` for the full comparison.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from itertools import islice

import numpy as np

from rck.collision.shapes import Shapes, collision_shapes
from rck.geometry.arrays import Bools, Floats, Ints
from rck.geometry.polyhedron import Polyhedron
from rck.kernels import measure, touch
from rck.kernels.gjk import TOUCHING
from rck.kernels.hulls import BALL
from rck.kernels.memory import RECORD
from rck.model.arrays import robot_arrays
from rck.testing.awkward import Pair, awkward_pairs, awkward_shapes
from rck.testing.collision import loose_robot
from rck.testing.separation import separation
from rck_bench.collision_peers import fcl_convex

SHAPES = 160
AT_A_TIME = 10_000
RESOLUTION = 1e-7
"""Farther from touching than this, in metres, all must agree."""
SAME_DISTANCE = 1e-6
"""Distances that differ by less, in metres, are the same; or by less than this share of them."""

Peer = Callable[[int, Floats, int, Floats], tuple[bool, float | None]]
"""Whether two shapes, by number and pose, touch, and their distance where the peer tells it and they are apart."""


@dataclass
class Tally:
    """What was found about one peer."""

    pairs: int = 0
    verdicts: list[tuple[int, int, float]] = field(default_factory=list)
    """Seed, number and our signed distance of every pair on which the verdicts differ."""
    distances: int = 0
    """How many distances were compared."""
    worst: float = 0.0
    """The largest difference of distances, in metres, beyond a share of 1e-9 of them."""
    off: int = 0
    """How many distances differ."""


def compare(count: int, peers: Sequence[str], *, seed: int = 1) -> dict[str, Tally]:
    """Compare so many random pairs with those of the peers that are installed."""
    tallies: dict[str, Tally] = {}
    done = 0
    while done < count:
        number = min(AT_A_TIME, count - done)
        chunk_seed = seed + done
        shapes = awkward_shapes(SHAPES, chunk_seed)
        pairs = list(awkward_pairs(shapes, number, chunk_seed))
        verdicts, distances = ours(shapes, pairs)
        # The quick verdict and the measurement come from different walks.
        assert np.array_equal(verdicts, distances <= TOUCHING), "RCK disagrees with itself"
        for name in peers:
            peer, coarseness = PEERS[name](shapes)
            tally = tallies.setdefault(name, Tally())
            for place, pair in enumerate(pairs):
                _compare_one(
                    tally,
                    peer(*pair),
                    bool(verdicts[place]),
                    float(distances[place]),
                    coarseness(pair),
                    place,
                    chunk_seed,
                )
        done += number
    return tallies


def _compare_one(
    tally: Tally,
    answer: tuple[bool, float | None],
    verdict: bool,
    distance: float,
    coarse: float,
    place: int,
    seed: int,
) -> None:
    touches, theirs = answer
    tally.pairs += 1
    if touches != verdict and abs(distance) > coarse:
        tally.verdicts.append((seed, place, distance))
    elif theirs is not None and distance > coarse and theirs > coarse:
        tally.distances += 1
        difference = abs(theirs - distance)
        tally.worst = max(tally.worst, difference - 1e-9 * distance)
        tally.off += difference > max(SAME_DISTANCE, coarse) + 1e-9 * distance


def ours(shapes: Sequence[Polyhedron], pairs: Sequence[Pair]) -> tuple[Bools, Floats]:
    """RCK's verdicts, and its signed distances in metres. Shapes (pairs,)."""
    tables = tables_of(shapes)
    sides = np.array([(a, b) for a, _, b, _ in pairs]).ravel()
    poses = np.ascontiguousarray([pose for _, one, _, other in pairs for pose in (one, other)])
    hulls = tables.hulls[sides]
    hulls["item"] = np.arange(len(sides))
    balls = np.zeros(len(sides), BALL)
    balls["first"] = np.arange(len(sides))
    balls["last"] = balls["first"] + 1
    balls["centre"], balls["radius"] = hulls["centre"], hulls["radius"]
    rows: Ints = np.arange(len(sides), dtype=np.int64).reshape(-1, 2)
    anything = np.zeros(0, dtype=bool)
    found = np.empty((len(pairs), 3), dtype=np.int64)
    measured = np.empty((len(pairs), measure.COLUMNS))
    memory = np.zeros(0, RECORD)
    count = touch.touching(poses, balls, hulls, tables.corners, rows, anything, len(pairs) + 1, memory, found)
    verdicts = np.zeros(len(pairs), dtype=bool)
    verdicts[found[:count, 0]] = True
    count = measure.measure(poses, balls, hulls, tables.corners, rows, anything, np.inf, False, found, measured)
    assert count == len(pairs), "every pair has a distance"
    assert np.isfinite(measured).all(), "RCK measures only finite numbers"
    return verdicts, measured[:, measure.DISTANCE].copy()


def tables_of(shapes: Sequence[Polyhedron]) -> Shapes:
    """The tables of the collision kernels for shapes, each a hull of its own."""
    return collision_shapes(robot_arrays(loose_robot(shapes, [np.eye(4)] * len(shapes))).solids)


def _coal(shapes: Sequence[Polyhedron]) -> tuple[Peer, Callable[[Pair], float]]:
    import coal
    from rck_collision_coal.scene import convex

    bodies = [convex(shape) for shape in shapes]
    request = coal.DistanceRequest()
    request.enable_signed_distance = True
    request.gjk_tolerance = request.epa_tolerance = 1e-10
    request.gjk_max_iterations = request.epa_max_iterations = 500

    def ask(a: int, one: Floats, b: int, other: Floats) -> tuple[bool, float | None]:
        result = coal.DistanceResult()
        places = (coal.Transform3s(pose[:3, :3], pose[:3, 3]) for pose in (one, other))
        distance = coal.distance(bodies[a], next(places), bodies[b], next(places), request, result)
        return distance <= TOUCHING, distance

    return ask, lambda pair: RESOLUTION


def _fcl(shapes: Sequence[Polyhedron]) -> tuple[Peer, Callable[[Pair], float]]:
    import fcl

    bodies = [fcl_convex(shape) for shape in shapes]
    request = fcl.CollisionRequest()

    def ask(a: int, one: Floats, b: int, other: Floats) -> tuple[bool, float | None]:
        pair = [
            fcl.CollisionObject(bodies[number], fcl.Transform(pose[:3, :3], pose[:3, 3]))
            for number, pose in ((a, one), (b, other))
        ]
        return fcl.collide(*pair, request, fcl.CollisionResult()) > 0, None

    return ask, lambda pair: RESOLUTION


def _mujoco(shapes: Sequence[Polyhedron]) -> tuple[Peer, Callable[[Pair], float]]:
    import mujoco
    from rck_collision_mujoco.scene import build_model

    # Each shape twice, so that a pair may have the same one on both sides.
    robot = loose_robot([*shapes, *shapes], [np.eye(4)] * (2 * len(shapes)))
    model = build_model(robot, [])
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    turns, places = data.geom_xmat.reshape(-1, 3, 3).copy(), data.geom_xpos.copy()
    sizes = [float(np.abs(shape.vertices).max()) for shape in shapes]

    def ask(a: int, one: Floats, b: int, other: Floats) -> tuple[bool, float | None]:
        for geom, pose in ((a, one), (len(shapes) + b, other)):
            data.geom_xmat[geom] = (pose[:3, :3] @ turns[geom]).ravel()
            # Seen from the first, so that MuJoCo too works with small numbers.
            data.geom_xpos[geom] = pose[:3, :3] @ places[geom] + pose[:3, 3] - one[:3, 3]
        distance = mujoco.mj_geomDistance(model, data, a, len(shapes) + b, 1e9, None)
        return distance <= TOUCHING, distance

    def coarseness(pair: Pair) -> float:
        # Vertices are in single precision there.
        return RESOLUTION + 4.0 * float(np.finfo(np.float32).eps) * (sizes[pair[0]] + sizes[pair[2]])

    return ask, coarseness


PEERS: dict[str, Callable[[Sequence[Polyhedron]], tuple[Peer, Callable[[Pair], float]]]] = {
    "coal": _coal,
    "fcl": _fcl,
    "mujoco": _mujoco,
}
"""By name of the module; each gives how to ask, and how far from touching the verdict on a pair must be right."""


def explain(seed: int, place: int) -> str:
    """What is special about a pair, and what plain means say about it."""
    shapes = awkward_shapes(SHAPES, seed)
    a, one, b, other = next(islice(awkward_pairs(shapes, place + 1, seed), place, None))
    gap = separation(shapes[a], one, shapes[b], other)
    return f"{len(shapes[a].vertices)} and {len(shapes[b].vertices)} vertices, widest gap {gap:.9g} m"


def main(count: int) -> int:
    """Print what was found; 1 where RCK is alone with a verdict."""
    installed = [name for name in PEERS if find_spec(name)]
    tallies = compare(count, installed)
    for name, tally in tallies.items():
        print(
            f"{name}: {tally.pairs:,} pairs, {len(tally.verdicts)} other verdicts; {tally.distances:,} distances, "
            f"{tally.off} of them differ, by {tally.worst:.2e} m at most"
        )
        for seed, place, distance in tally.verdicts[:10]:
            print(f"  RCK measures {distance:.9g} m; {explain(seed, place)}")
    shared = [set(tally.verdicts) for tally in tallies.values()]
    return int(len(shared) > 1 and bool(set.intersection(*shared)))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
