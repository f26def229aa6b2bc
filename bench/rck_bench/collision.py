"""Collision: self-collision of arms against pinocchio with coal, moving hulls against physics engines, and growth.

`rck_bench.collision_peers` sets up each peer. The difference in the table is the fraction of
different verdicts, on a configuration or a pair.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np

from rck.collision.pairs import Pairs, pairs_to_test
from rck.collision.scene import HullScene
from rck.geometry.arrays import Floats, as_point
from rck.geometry.polyhedron import convex_hull
from rck.geometry.transforms import apply, from_quaternion, rotation_about, translation
from rck.hooks import discover
from rck.kernels.parallel import available_cores
from rck.model import World, build_item, build_robot, flatten, subitem_of
from rck.model.item import place_item
from rck.model.joint_positions import random_vectors
from rck.model.robot import Robot
from rck.parts.library import open_catalogue
from rck.testing.collision import loose_robot
from rck_bench.collision_peers import SCENES, Pinocchio, Placed, coal_pair, in_pinocchio, transforms
from rck_bench.machine import package_version
from rck_bench.report import Report, Row
from rck_bench.timing import rates_of_steps

ARMS = ("franka/panda", "universal-robots/ur5e", "kuka/iiwa-7")
CALLS = 200
BATCH = 10_000
PARTS = 10
"""Number of chunks in which a batch is timed."""
PATHS = 40
PATH_STEPS = 100
PATH_LENGTH = 0.1
"""Standard deviation of the change of each joint along a path, in radians."""
PAIR_CORNERS = (8, 50, 500)
STEPS = 100
HULLS = (40, 400, 4_000)
GROWING_STEPS = 40
CORNERS = 50
"""Vertices of each hull; they lie on an ellipsoid with half axes of 0.4 to 0.6 m."""
ROOM = 2.5
"""Space for one hull, in cubic metres: about half of the hulls are in contact."""


@dataclass(frozen=True)
class Rival:
    """A peer and its task."""

    name: str
    step: Callable[[int], object]
    difference: float
    """Fraction of answers that differ from RCK's."""
    tolerance: float = 0.0
    """Fraction that may differ, because the peer is less precise."""


def run(report: Report) -> None:
    """Add the rows of this area."""
    for package in ("pin", "coal", "mujoco", "python-fcl", "pybullet"):
        report.machine[package] = package_version(package)
    arms = {name: one_hull_per_item(open_catalogue(discover()).part(name).robot) for name in ARMS}
    for name, arm in arms.items():
        _self_collision(report, name.partition("/")[2], arm)
    _self_collision(report, "cell of two arms", two_arms(arms["franka/panda"], arms["universal-robots/ur5e"]))
    for corners in PAIR_CORNERS:
        _one_pair(report, corners)
    _moving_hulls(report, "at random each step", jumping)
    _moving_hulls(report, "a little each step", drifting)
    _growth(report)


def one_hull_per_item(robot: Robot) -> Robot:
    """Return the robot with the hull of each item in place of its subitems."""
    items = []
    for item in robot.items:
        if item.subitems:
            hull = convex_hull(np.concatenate([subitem.shape.vertices for subitem in item.subitems]))
            item = build_item(item.name, [subitem_of(hull).unwrap()], pose=item.pose).unwrap()
        items.append(item)
    return build_robot(robot.name, items, robot.joints).unwrap()


def two_arms(one: Robot, other: Robot) -> Robot:
    """Return two arms on the floor, 0.8 m apart, facing each other."""
    there = translation((0.8, 0.0, 0.0)) @ rotation_about((0.0, 0.0, 1.0), np.pi)
    items = tuple(place_item(item, there @ item.pose) for item in other.items)
    joints = tuple(
        replace(joint, start=as_point(apply(there, joint.start)), end=as_point(apply(there, joint.end)))
        for joint in other.joints
    )
    moved = Robot("there", items, joints)
    return flatten(World("cell", (Robot("here", one.items, one.joints), moved)))


def usual_pairs(robot: Robot, vectors: Floats) -> Pairs:
    """Return the pairs to test, without those in contact at all of these joint vectors."""
    pairs = pairs_to_test(robot)
    always = pairs.listed[HullScene(robot, pairs).touching_batch(vectors).all(axis=0)]
    names = [item.name for item in robot.items]
    return pairs_to_test(robot, [(names[a], names[b]) for a, b in always.tolist()])


def _self_collision(report: Report, name: str, robot: Robot) -> None:
    vectors = random_vectors(robot, BATCH, widest=np.pi)
    pairs = usual_pairs(robot, vectors[:1000])
    scene = HullScene(robot, pairs)
    touch = scene.touches_batch(vectors)
    what = f"{name}, {len(pairs.listed)} pairs, {touch.mean():.0%} touch"
    some = list(vectors[:CALLS])
    parts = np.array_split(vectors, PARTS)
    first = each = peer = None
    batches: dict[int, Rival] = {}
    every_core = available_cores()
    if find_spec("pinocchio"):
        peer = in_pinocchio(robot, pairs.listed)
        first = Rival(
            "pinocchio + coal computeCollisions, stop at first",
            lambda step: peer.any(some[step]),
            float(np.mean([scene.touches(row) != peer.any(row) for row in some])),
        )
        each = Rival(
            "pinocchio + coal computeCollisions",
            lambda step: peer.all(some[step]),
            float(np.mean([_numbers(robot, scene.touching(row)) != peer.pairs(row) for row in some])),
        )
        difference = float((np.asarray(peer.batch(vectors, every_core), dtype=bool) != touch).mean())
        for cores in (1, every_core):
            name = "pinocchio + coal computeCollisionsInParallel, stop at first"
            batches[cores] = Rival(name, partial(_batch, peer, parts, cores), difference)
    one = f"{what}: one configuration"
    _contest(report, f"{one}, any contact", lambda step: scene.touches(some[step]), first, steps=CALLS, least_ratio=1.0)
    _contest(report, f"{one}, all pairs", lambda step: scene.touching(some[step]), each, steps=CALLS, least_ratio=1.0)
    _paths(report, what, scene, vectors, peer if first else None)
    # On a shared machine, only one core is certainly available to both sides.
    for cores in dict.fromkeys((1, every_core)):
        _contest(
            report,
            f"{what}: {BATCH:,} configurations, any contact, {cores} core{'s' if cores > 1 else ''}",
            partial(_our_batch, scene, parts, cores),
            batches.get(cores),
            steps=PARTS,
            work=BATCH // PARTS,
            least_ratio=5.0,
        )


def _paths(report: Report, what: str, scene: HullScene, vectors: Floats, peer: Pinocchio | None) -> None:
    """Check straight motions of small steps, as planners do: RCK in one call, and one configuration per call."""
    chance = np.random.default_rng(6)
    starts = vectors[~scene.touches_batch(vectors)][:PATHS]
    ends = starts + chance.normal(size=starts.shape) * PATH_LENGTH
    edges = np.stack([starts, ends], axis=1)
    shares = np.linspace(0.0, 1.0, PATH_STEPS + 1)
    paths = [[start + share * (end - start) for share in shares] for start, end in edges]
    steps = [float(np.abs(end - start).max()) / PATH_STEPS for start, end in edges]
    free = [bool(scene.path_is_free(edges[path : path + 1], steps[path])[0]) for path in range(PATHS)]
    rival = None
    if peer is not None:
        theirs = [not any(peer.any(vector) for vector in path) for path in paths]
        rival = Rival(
            "pinocchio + coal computeCollisions, one call per configuration",
            lambda path: any(map(peer.any, paths[path])),
            float(np.mean([one != other for one, other in zip(free, theirs, strict=True)])),
        )
    text = f"{what}: paths of {PATH_STEPS} steps, {np.mean(free):.0%} free"
    _contest(
        report,
        f"{text}, path_is_free",
        lambda path: scene.path_is_free(edges[path : path + 1], steps[path], threads=1),
        rival,
        steps=PATHS,
        least_ratio=5.0,
    )
    one_by_one = f"{text}, one call per configuration"
    _contest(report, one_by_one, lambda path: any(map(scene.touches, paths[path])), rival, steps=PATHS, least_ratio=1.0)


def _one_pair(report: Report, corners: int) -> None:
    """Test two hulls at random poses, one call per pose."""
    chance = np.random.default_rng(7)
    points = chance.normal(size=(2, corners, 3))
    points *= 0.5 / np.linalg.norm(points, axis=2, keepdims=True)
    shapes = [convex_hull(cloud) for cloud in points]
    poses = np.array([from_quaternion(row) for row in chance.normal(size=(2 * CALLS, 4))]).reshape(CALLS, 2, 4, 4)
    poses[:, 1, :3, 3] = chance.normal(size=(CALLS, 3)) * 0.6
    scene = HullScene(loose_robot(shapes, [np.eye(4)] * 2))
    expected = [scene.touches(row) for row in poses]
    rows = list(poses)
    rival = None
    if find_spec("coal"):
        collide = coal_pair(*shapes)
        places = [transforms(row) for row in rows]
        wrong = np.mean([collide(place) != touch for place, touch in zip(places, expected, strict=True)])
        rival = Rival("coal collide, transforms ready made", lambda step: collide(places[step]), float(wrong))
    what = f"one pair of hulls of {corners} corners, {np.mean(expected):.0%} touch, one call per pose"
    _contest(report, what, lambda step: scene.touches(rows[step]), rival, steps=CALLS, least_ratio=2.0)
    _contest(
        report,
        f"{what.rpartition(',')[0]}, all poses in one call",
        lambda _: scene.touches_poses(poses, threads=1),
        rival and replace(rival, step=lambda _: [collide(place) for place in places]),
        steps=1,
        work=CALLS,
        least_ratio=2.0,
    )


def _batch(peer: Pinocchio, parts: Sequence[Floats], cores: int, step: int) -> object:
    return peer.batch(parts[step], cores)


def _our_batch(scene: HullScene, parts: Sequence[Floats], cores: int, step: int) -> object:
    return scene.touches_batch(parts[step], threads=cores)


def _numbers(robot: Robot, pairs: Sequence[tuple[str, str]]) -> set[tuple[int, int]]:
    return {(robot.item_index[one], robot.item_index[other]) for one, other in pairs}


def _contest(
    report: Report,
    what: str,
    ours: Callable[[int], object],
    rival: Rival | None,
    *,
    steps: int,
    work: int = 1,
    least_ratio: float | None,
) -> None:
    if rival is None:
        rate = rates_of_steps({"ours": ours}, steps, work)
        report.rows.append(Row(what, rate["ours"], "the peer is not installed"))
        return
    rate = rates_of_steps({"ours": ours, "theirs": rival.step}, steps, work)
    report.rows.append(
        Row(
            what,
            rate["ours"],
            rival.name,
            rate["theirs"],
            rival.difference,
            tolerance=rival.tolerance,
            least_ratio=least_ratio,
        )
    )


def hulls_in_the_air(count: int) -> Robot:
    """Return loose hulls, all of them different."""
    chance = np.random.default_rng(2)
    points = chance.normal(size=(count, CORNERS, 3))
    points *= chance.uniform(0.4, 0.6, (count, 1, 3)) / np.linalg.norm(points, axis=2, keepdims=True)
    return loose_robot([convex_hull(cloud) for cloud in points], [np.eye(4)] * count)


def jumping(count: int, steps: int) -> Floats:
    """Return new random poses for each step. Shape (steps, count, 4, 4)."""
    chance = np.random.default_rng(3)
    poses = np.array([from_quaternion(row) for row in chance.normal(size=(steps * count, 4))]).reshape(
        steps, count, 4, 4
    )
    poses[:, :, :3, 3] = chance.uniform(-0.5, 0.5, (steps, count, 3)) * np.cbrt(ROOM * count)
    return poses


def drifting(count: int, steps: int) -> Floats:
    """Return poses that change by millimetres and hundredths of a radian per step. Shape (steps, count, 4, 4)."""
    chance = np.random.default_rng(4)
    poses = np.empty((steps, count, 4, 4))
    poses[0] = jumping(count, 1)[0]
    turns = np.array([rotation_about(axis, 0.01) for axis in chance.normal(size=(count, 3))])
    ways = chance.normal(size=(count, 3)) * 0.003
    for step in range(1, steps):
        poses[step] = poses[step - 1]
        poses[step, :, :3, :3] = turns[:, :3, :3] @ poses[step - 1, :, :3, :3]
        poses[step, :, :3, 3] += ways
    return poses


def _moving_hulls(report: Report, how: str, motion: Callable[[int, int], Floats]) -> None:
    count = HULLS[0]
    robot = hulls_in_the_air(count)
    scene = HullScene(robot)
    poses = motion(count, STEPS)
    expected = [_numbers(robot, scene.touching(row)) for row in poses]
    touching = np.mean([len(pairs) for pairs in expected])
    what = f"{count} hulls of {CORNERS} corners, moving {how}, {touching:.0f} pairs touch: list them, steps"
    shapes = [item.subitems[0].shape for item in robot.items]
    for module, make in SCENES.items():
        rival = None
        if find_spec(module):
            peer = make(shapes)
            places = [peer.prepare(row) for row in poses]
            wrong = sum(
                len(pairs ^ peer.pairs(peer.step(place))) for pairs, place in zip(expected, places, strict=True)
            )
            rival = Rival(
                peer.name, partial(_step, peer, places), wrong / (STEPS * count * (count - 1) / 2), peer.tolerance
            )
        _contest(
            report,
            what,
            partial(_list_pairs, scene, poses),
            rival,
            steps=STEPS,
            least_ratio=1.0 if module == "mujoco" else None,
        )


def _step(peer: Placed, places: Sequence[Any], step: int) -> object:
    return peer.step(places[step])


def _list_pairs(scene: HullScene, poses: Floats, step: int) -> object:
    return scene.touching(poses[step])


def _growth(report: Report) -> None:
    """Measure steps per second for growing numbers of hulls at constant density, and for as many in small scenes.

    All small scenes together need as much memory as the large one, more than the processor's cache: the comparison
    separates the cost of memory access from the growth of the search.
    """
    few, *_, many = HULLS
    seconds = []
    for count in HULLS:
        step = partial(_list_pairs, HullScene(hulls_in_the_air(count)), drifting(count, GROWING_STEPS))
        seconds.append(1.0 / rates_of_steps({"ours": step}, GROWING_STEPS)["ours"])
    for count, time in zip(HULLS, seconds, strict=True):
        exponent = _exponent(few, seconds[0], count, time)
        grows = f"time grows with the power {exponent:.2f} of the number of hulls" if count > few else ""
        report.rows.append(Row(f"{count:,} hulls drifting: list touching pairs, steps", 1.0 / time, grows))
    scenes = [HullScene(hulls_in_the_air(few)) for _ in range(many // few)]
    turns = partial(_list_pairs_in_turn, scenes, drifting(few, GROWING_STEPS))
    apart = 1.0 / rates_of_steps({"ours": turns}, GROWING_STEPS)["ours"]
    exponent = _exponent(few, apart * few / many, many, seconds[-1])
    what = f"{many:,} hulls drifting in {len(scenes)} scenes of {few}, in turn: list touching pairs, steps"
    report.rows.append(Row(what, 1.0 / apart, f"against these, {many:,} in one scene: power {exponent:.2f}"))


def _exponent(few: int, few_seconds: float, many: int, many_seconds: float) -> float:
    return float(np.log(many_seconds / few_seconds) / np.log(many / few)) if many > few else 1.0


def _list_pairs_in_turn(scenes: Sequence[HullScene], poses: Floats, step: int) -> None:
    for scene in scenes:
        scene.touching(poses[step])
