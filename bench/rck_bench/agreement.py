"""Agreement of RCK, coal, python-fcl and MuJoCo on contacts, for millions of random pairs of difficult polyhedra.

Each peer is called with suitable settings: coal with tight tolerances and signed distances, python-fcl by `collide`
(its `distance` is wrong on some convex shapes), MuJoCo by `mj_geomDistance`. A verdict counts as different only if RCK
measures the pair to be farther from contact than the resolution of the peer. Disagreements are settled by brute force:
all separating directions are tried, and a distance must have a slab of that width between the two polyhedra, and two
points at that distance.

Run ``python -m rck_bench.agreement 1000000`` for the full comparison. A file name after the number stores finished
blocks, so that an interrupted run can continue.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter

import msgspec
import numpy as np

from rck.collision.hulls import build_hulls
from rck.geometry.arrays import Bools, Floats, Ints
from rck.geometry.polyhedron import Polyhedron
from rck.kernels import contact, hull_distance
from rck.kernels.body_tables import BODY, FRAME
from rck.kernels.contact_cache import no_cache
from rck.kernels.gjk import TOUCHING
from rck.kernels.hull_tables import ITEM_SPHERE, Hulls
from rck.model.robot_arrays import robot_arrays
from rck.testing.collision import loose_robot
from rck.testing.hard_pairs import Pair, awkward_pairs, awkward_shapes
from rck.testing.separation import separation
from rck_bench.collision_peers import fcl_convex
from rck_bench.machine import package_version
from rck_bench.report import Report, Row

SHAPES = 160
PAIRS = 10_000
"""The number of pairs that `rck bench` compares."""
AT_A_TIME = 10_000
RESOLUTION = 1e-7
"""All must agree on pairs farther from contact than this, in metres."""
SAME_DISTANCE = 1e-6
"""Distances that differ by less, in metres, are equal."""

Peer = Callable[[int, Floats, int, Floats], tuple[bool, float | None]]
"""Returns True if two shapes, by number and pose, are in contact, and their distance if the peer measures it."""

Block = tuple[int, int, tuple[str, ...]]
"""A block of pairs: the seed, the number of pairs, and the peers."""


@dataclass(frozen=True)
class Dispute:
    """A pair on which a peer and RCK differ; it is reproducible from the seed."""

    seed: int
    place: int
    """Its number among the pairs of that seed."""
    ours: float
    """The distance that RCK measures, in metres; negative where the two overlap."""
    theirs: str
    corners: tuple[int, int]
    gap: float
    """The widest gap along any separating direction, found by brute force, in metres."""
    mistaken: bool
    """True if RCK is wrong."""


@dataclass
class Tally:
    """The results for one peer."""

    pairs: int = 0
    distances: int = 0
    """The number of compared distances."""
    worst: float = 0.0
    """The largest difference of distances if neither is wrong, in metres."""
    disputes: list[Dispute] = field(default_factory=list)
    seconds: float = 0.0
    """Time of the peer, in seconds."""
    our_seconds: float = 0.0
    """Time of RCK for verdicts and distances, in seconds."""

    @property
    def mistakes(self) -> int:
        """The number of pairs on which RCK was wrong."""
        return sum(dispute.mistaken for dispute in self.disputes)

    def add(self, other: "Tally") -> None:
        """Add the results of further pairs."""
        self.pairs += other.pairs
        self.distances += other.distances
        self.worst = max(self.worst, other.worst)
        self.disputes += other.disputes
        self.seconds += other.seconds
        self.our_seconds += other.our_seconds


def run(report: Report) -> None:
    """Add the rows of this area."""
    for package in ("coal", "python-fcl", "mujoco"):
        report.machine[package] = package_version(package)
    for name, tally in compare(PAIRS, installed()).items():
        what = f"{tally.pairs:,} random pairs, {len(tally.disputes) - tally.mistakes} mistakes of the peer"
        rates = tally.pairs / tally.our_seconds, tally.pairs / tally.seconds
        report.rows.append(Row(what, rates[0], name, rates[1], tally.mistakes / tally.pairs, tolerance=0.0))


def installed() -> list[str]:
    """Return the installed peers."""
    return [name for name in PEERS if find_spec(name)]


def compare(count: int, peers: Sequence[str], *, seed: int = 1, notes: Path | None = None) -> dict[str, Tally]:
    """Compare random pairs with the peers, block by block.

    Finished blocks are stored in the file `notes`, if given, and are not repeated.
    """
    tallies = {name: Tally() for name in peers}
    known = _noted(notes)
    for done in range(0, count, AT_A_TIME):
        block = seed + done, min(AT_A_TIME, count - done), tuple(peers)
        if block not in known:
            known[block] = _compare_block(block[1], peers, block[0])
            if notes is not None:
                with notes.open("ab") as file:
                    file.write(msgspec.json.encode((block, known[block])) + b"\n")
        for name, found in known[block].items():
            tallies[name].add(found)
    return tallies


def _noted(notes: Path | None) -> dict[Block, dict[str, Tally]]:
    if notes is None or not notes.exists():
        return {}
    lines = notes.read_bytes().splitlines()
    return dict(msgspec.json.decode(line, type=tuple[Block, dict[str, Tally]]) for line in lines)


def _compare_block(count: int, peers: Sequence[str], seed: int) -> dict[str, Tally]:
    shapes = awkward_shapes(SHAPES, seed)
    pairs = list(awkward_pairs(shapes, count, seed))
    ours(shapes, pairs[:2])  # loads the kernels
    start = perf_counter()
    verdicts, measured = ours(shapes, pairs)
    distances = measured[:, hull_distance.DISTANCE]
    seconds = perf_counter() - start
    # The quick test and the measurement use different algorithms, which may differ in the last digit at the limit.
    unlike = verdicts != (distances <= TOUCHING)
    assert (np.abs(distances[unlike] - TOUCHING) < TOUCHING / 100).all(), "RCK disagrees with itself"
    tallies = {}
    for name in peers:
        peer, coarseness = PEERS[name](shapes)
        start = perf_counter()
        answers = [peer(*pair) for pair in pairs]
        tallies[name] = tally = Tally(len(pairs), seconds=perf_counter() - start, our_seconds=seconds)
        for place, (pair, answer) in enumerate(zip(pairs, answers, strict=True)):
            if _differ(tally, answer, bool(verdicts[place]), float(distances[place]), coarseness(pair)):
                tally.disputes.append(_settled(shapes, pair, seed, place, measured[place], answer))
    return tallies


def _differ(tally: Tally, answer: tuple[bool, float | None], verdict: bool, distance: float, coarse: float) -> bool:
    """Return True if the answer of a peer differs from ours; count the distances."""
    touches, theirs = answer
    if touches != verdict:
        return abs(distance) > coarse
    if theirs is None or min(distance, theirs) <= coarse:
        return False
    tally.distances += 1
    difference = abs(theirs - distance)
    # Far from the origin, a distance is no more precise than the coordinates.
    if difference > max(SAME_DISTANCE, coarse) + 1e-9 * distance:
        return True
    tally.worst = max(tally.worst, difference)
    return False


def _settled(
    shapes: Sequence[Polyhedron],
    pair: Pair,
    seed: int,
    place: int,
    measured: Floats,
    answer: tuple[bool, float | None],
) -> Dispute:
    a, one, b, other = pair
    distance = float(measured[hull_distance.DISTANCE])
    gap = separation(shapes[a], one, shapes[b], other)
    mistaken = (distance <= TOUCHING) != (gap <= TOUCHING)
    if not mistaken and distance > TOUCHING:
        mistaken = not _is_proved(shapes[a], one, shapes[b], other, measured)
    theirs = f"{answer[1]:.9g} m" if answer[1] is not None else "touches" if answer[0] else "apart"
    corners = len(shapes[a].vertices), len(shapes[b].vertices)
    return Dispute(seed, place, distance, theirs, corners, gap, mistaken)


def _is_proved(a: Polyhedron, one: Floats, b: Polyhedron, other: Floats, measured: Floats) -> bool:
    """Return True if a slab of that width separates the two, and two of their points are that far apart."""
    distance, normal = measured[hull_distance.DISTANCE], measured[hull_distance.NORMAL : hull_distance.NORMAL + 3]
    points = measured[hull_distance.POINTS :].reshape(2, 3)
    slack = SAME_DISTANCE + 1e-9 * distance
    # Relative to the first polyhedron, to keep the precision far from the origin.
    offset = other[:3, 3] - one[:3, 3]
    heights = (a.vertices @ one[:3, :3].T) @ normal, (b.vertices @ other[:3, :3].T) @ normal + offset @ normal
    out = [
        float((shape.planes[:, :3] @ (pose[:3, :3].T @ (point - pose[:3, 3])) - shape.planes[:, 3]).max())
        for shape, pose, point in ((a, one, points[0]), (b, other, points[1]))
    ]
    between = float(np.linalg.norm(points[1] - points[0]))
    widest = heights[1].min() - heights[0].max()
    return bool(widest > distance - slack and abs(between - distance) < slack and max(out) < slack)


def ours(shapes: Sequence[Polyhedron], pairs: Sequence[Pair]) -> tuple[Bools, Floats]:
    """Return RCK's verdicts, shape (pairs,), and measurements with the columns of :mod:`rck.kernels.hull_distance`."""
    tables = tables_of(shapes)
    sides = np.array([(a, b) for a, _, b, _ in pairs]).ravel()
    poses = np.ascontiguousarray([pose for _, one, _, other in pairs for pose in (one, other)])
    table = tables.table[sides]
    table["item"] = np.arange(len(sides))
    spheres = np.zeros(len(sides), ITEM_SPHERE)
    spheres["first"] = np.arange(len(sides))
    spheres["last"] = spheres["first"] + 1
    spheres["centre"], spheres["radius"] = table["centre"], table["radius"]
    for array in (spheres, table):
        array.setflags(write=False)
    hulls = Hulls(spheres, table, tables.corners, tables.sectors)
    rows: Ints = np.arange(len(sides), dtype=np.int64).reshape(-1, 2)
    anything = np.zeros(0, dtype=bool)
    verdicts = np.empty((1, len(pairs)), dtype=bool)
    counts = np.empty(1, dtype=np.int64)
    scene = contact.scene_table(hulls, rows, np.empty(0, BODY), np.empty(0, FRAME), no_cache())
    contact.touching(scene.address, poses[None], anything, counts, verdicts)
    found = np.empty((len(pairs), 3), dtype=np.int64)
    measured = np.empty((len(pairs), hull_distance.COLUMNS))
    count = hull_distance.measure(poses, hulls, rows, anything, np.inf, False, found, measured)
    assert count == len(pairs), "every pair has a distance"
    assert np.isfinite(measured).all(), "RCK measures only finite numbers"
    return verdicts[0], measured


def tables_of(shapes: Sequence[Polyhedron]) -> Hulls:
    """Return the tables of the collision kernels, with one hull per shape."""
    return build_hulls(robot_arrays(loose_robot(shapes, [np.eye(4)] * len(shapes))).solids)


def _coal(shapes: Sequence[Polyhedron]) -> tuple[Peer, Callable[[Pair], float]]:
    import coal
    from rck_plugins.collision.coal import convex

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
    from rck_plugins.collision.mujoco import build_model

    # Each shape twice, so that a pair may consist of two copies of one shape.
    robot = loose_robot([*shapes, *shapes], [np.eye(4)] * (2 * len(shapes)))
    model = build_model(robot, [])
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    turns, places = data.geom_xmat.reshape(-1, 3, 3).copy(), data.geom_xpos.copy()
    sizes = [float(np.abs(shape.vertices).max()) for shape in shapes]

    def ask(a: int, one: Floats, b: int, other: Floats) -> tuple[bool, float | None]:
        for geom, pose in ((a, one), (len(shapes) + b, other)):
            data.geom_xmat[geom] = (pose[:3, :3] @ turns[geom]).ravel()
            # Relative to the first, so that MuJoCo works with small numbers too.
            data.geom_xpos[geom] = pose[:3, :3] @ places[geom] + pose[:3, 3] - one[:3, 3]
        distance = mujoco.mj_geomDistance(model, data, a, len(shapes) + b, 1e9, None)
        return distance <= TOUCHING, distance

    def coarseness(pair: Pair) -> float:
        # MuJoCo stores vertices in single precision.
        return RESOLUTION + 4.0 * float(np.finfo(np.float32).eps) * (sizes[pair[0]] + sizes[pair[2]])

    return ask, coarseness


PEERS: dict[str, Callable[[Sequence[Polyhedron]], tuple[Peer, Callable[[Pair], float]]]] = {
    "coal": _coal,
    "fcl": _fcl,
    "mujoco": _mujoco,
}
"""By module name: the query function, and the distance from contact above which its verdict must be correct."""


def main(count: int, notes: Path | None = None) -> int:
    """Print the results; return 1 if RCK was wrong."""
    tallies = compare(count, installed(), notes=notes)
    for name, tally in tallies.items():
        print(
            f"{name}: {tally.pairs:,} pairs, {len(tally.disputes)} different answers, of which RCK is wrong in "
            f"{tally.mistakes}; {tally.distances:,} distances are the same to {tally.worst:.1e} m"
        )
        for found in sorted(tally.disputes, key=lambda dispute: not dispute.mistaken)[:10]:
            who = "RCK is wrong" if found.mistaken else f"{name} is wrong"
            one, other = found.corners
            print(
                f"  {one} and {other} corners: RCK {found.ours:.9g} m, {name} {found.theirs}, widest gap "
                f"{found.gap:.9g} m: {who} (seed {found.seed}, pair {found.place})"
            )
    return int(any(tally.mistakes for tally in tallies.values()))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), *map(Path, sys.argv[2:3])))
