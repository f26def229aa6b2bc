"""Contract of collision backends: run :func:`check_backend` on yours."""

from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np

from rck.collision.backend import MeasuringScene
from rck.collision.pairs import pairs_to_test
from rck.geometry.arrays import Floats
from rck.geometry.polyhedron import Polyhedron
from rck.geometry.primitives import box, cylinder
from rck.geometry.transforms import apply, from_euler, invert, translation
from rck.hooks.kinds import CollisionBackend
from rck.hooks.options import make_scene
from rck.model.item import build_item
from rck.model.joint import build_joint
from rck.model.joint_positions import at_positions
from rck.model.robot import Robot, build_robot
from rck.model.subitem import subitem_of
from rck.support.finding import RckError
from rck.testing.hard_pairs import awkward_pairs, awkward_shapes
from rck.testing.robots import six_axis_arm
from rck.testing.separation import separation

CLEAR = 1e-6
"""Distance in metres below which either answer is accepted."""


def check_backend(
    backend: CollisionBackend,
    *,
    pairs: int = 60,
    most_vertices: int = 30,
    configurations: int = 20,
    seed: int = 1,
) -> None:
    """Run all checks below.

    For a slow backend, reduce the number of pairs, of vertices and of arm configurations.
    """
    check_pairs(backend, pairs=pairs, most_vertices=most_vertices, seed=seed)
    check_containment(backend)
    check_arm(backend, configurations=configurations, seed=seed)
    check_untested(backend)
    check_invalid_input(backend)


def check_pairs(backend: CollisionBackend, *, pairs: int = 60, most_vertices: int = 30, seed: int = 1) -> None:
    """Require a contact of two polyhedra if, and only if, no direction separates them."""
    shapes = awkward_shapes(16, seed, most_vertices=most_vertices)
    for a, pose, b, another in awkward_pairs(shapes, pairs, seed):
        one, other = shapes[a], shapes[b]
        gap = separation(one, pose, other, another)
        if abs(gap) < CLEAR:
            continue
        robot = loose_robot([one, other], [pose, another])
        found = [tuple(names) for names in make_scene(backend, robot, ()).touching(robot.positions)]
        expected = [("item-0", "item-1")] if gap < 0 else []
        assert found == expected, f"{_described(one, other)}: {gap:.3g} m apart, but the answer is {found}"


def check_containment(backend: CollisionBackend) -> None:
    """Require a contact of an item inside another, however small, and none of an item next to it."""
    shapes = [box(2.0, 2.0, 2.0), cylinder(0.05, 0.1), box(0.01, 0.01, 0.01)]
    poses = [np.eye(4), translation((0.5, 0.4, -0.3)), translation((1.2, 0.0, 0.0))]
    robot = loose_robot(shapes, poses)
    found = set(make_scene(backend, robot, ()).touching(robot.positions))
    assert found == {("item-0", "item-1")}


def check_arm(backend: CollisionBackend, *, configurations: int = 20, seed: int = 1) -> None:
    """Require the right contacts, depths and distances of an arm among boxes, in random configurations."""
    robot = arm_among_boxes(seed)
    allowed = [("base", "link-2")]
    scene = make_scene(backend, robot, allowed)
    tested = pairs_to_test(robot, allowed).listed.tolist()
    for vector in np.random.default_rng(seed).uniform(-np.pi, np.pi, (configurations, len(robot.free_joints))):
        moved = at_positions(robot, vector)
        gaps = {(moved.items[a].name, moved.items[b].name): _gap(moved, a, b) for a, b in tested}
        found = scene.touching(vector)
        assert len(found) == len(set(found)), f"a pair comes twice in {found}"
        unsure = {names for names, gap in gaps.items() if abs(gap) < CLEAR}
        assert set(found) - unsure == {names for names, gap in gaps.items() if gap < 0} - unsure
        if isinstance(scene, MeasuringScene):
            _check_contacts(scene, moved, vector, gaps)
            _check_clearances(scene, moved, vector, gaps)


def _check_contacts(scene: MeasuringScene, moved: Robot, vector: Floats, gaps: Mapping[tuple[str, str], float]) -> None:
    """Require the penetration depth of each contact along its normal."""
    contacts = scene.contacts(vector)
    assert {names for names, gap in gaps.items() if gap < -CLEAR} <= {contact.items for contact in contacts}
    for contact in contacts:
        (one, pose), (other, another) = (
            (moved.item(name).subitems[place].shape, moved.item(name).pose)
            for name, place in zip(contact.items, contact.subitems, strict=True)
        )
        depth = max(0.0, -separation(one, pose, other, another))
        assert abs(contact.depth - depth) < CLEAR, f"{contact} is {depth:.9g} m deep"
        freed = translation((depth + 10 * CLEAR) * np.array(contact.normal)) @ another
        assert separation(one, pose, other, freed) > 0, f"{contact}: the normal does not lead out"


def _check_clearances(
    scene: MeasuringScene, moved: Robot, vector: Floats, gaps: Mapping[tuple[str, str], float], limit: float = 0.1
) -> None:
    """Require that each clearance is the distance of its two points, and that no direction shows a wider gap."""
    clearances = scene.clearances(vector, limit)
    assert {names for names, gap in gaps.items() if gap < 0} <= {found.items for found in clearances}
    for found in clearances:
        assert found.distance <= limit
        assert found.distance >= gaps[found.items] - CLEAR, f"{found}: they are {gaps[found.items]:.9g} m apart"
        if found.distance < CLEAR:
            continue
        between = float(np.linalg.norm(np.subtract(*found.points)))
        assert abs(between - found.distance) < CLEAR, f"{found}: the points are {between:.9g} m apart"
        for name, place, point in zip(found.items, found.subitems, found.points, strict=True):
            item = moved.item(name)
            planes = item.subitems[place].shape.planes
            out = float((planes[:, :3] @ apply(invert(item.pose), point) - planes[:, 3]).max())
            assert abs(out) < CLEAR, f"{found}: a point is {out:.3g} m off {name}"


def check_untested(backend: CollisionBackend) -> None:
    """Require that rigid groups, neighbours and allowed pairs are not reported."""
    cube = subitem_of(box(1.0, 1.0, 1.0)).unwrap()
    items = [build_item(name, [cube]).unwrap() for name in ("base", "cover", "arm", "hand")]
    joints = [
        build_joint("bolts", "fixed", "base", "cover").unwrap(),
        build_joint("turn", "continuous", "base", "arm").unwrap(),
        build_joint("grip", "continuous", "arm", "hand").unwrap(),
    ]
    robot = build_robot("robot", items, joints).unwrap()
    everything = {("base", "hand"), ("cover", "arm"), ("cover", "hand")}
    assert set(make_scene(backend, robot, ()).touching(np.zeros(2))) == everything
    # Whichever way round the pair is given.
    assert set(make_scene(backend, robot, [("hand", "base")]).touching(np.zeros(2))) == everything - {("base", "hand")}


def check_invalid_input(backend: CollisionBackend) -> None:
    """Joint vectors of the wrong length or with numbers that are not finite are refused, not answered."""
    scene = make_scene(backend, six_axis_arm(), ())
    for vector in (np.zeros(5), np.full(6, np.nan), np.array([0.0, np.inf, 0.0, 0.0, 0.0, 0.0])):
        try:
            found = scene.touching(vector)
        except RckError:
            continue
        raise AssertionError(f"{vector} was answered with {found}")


def loose_robot(shapes: Sequence[Polyhedron], poses: Sequence[Floats]) -> Robot:
    """Return a robot of loose items item-0, item-1 and so on, each with one polyhedron."""
    items = [
        build_item(f"item-{number}", [subitem_of(shape).unwrap()], pose=pose).unwrap()
        for number, (shape, pose) in enumerate(zip(shapes, poses, strict=True))
    ]
    return build_robot("loose", items).unwrap()


def arm_among_boxes(seed: int = 0) -> Robot:
    """Return a six-axis arm whose base and second link always overlap, with six boxes in reach."""
    chance = np.random.default_rng(seed)
    arm = six_axis_arm(half_width=0.03)
    boxes = [
        build_item(
            f"box-{number}",
            [subitem_of(box(*chance.uniform(0.02, 0.3, 3).tolist())).unwrap()],
            pose=translation(chance.uniform(-0.9, 0.9, 3)) @ from_euler(chance.uniform(-3, 3, 3).tolist()),
        ).unwrap()
        for number in range(6)
    ]
    return build_robot("cell", [*arm.items, *boxes], arm.joints).unwrap()


def _gap(robot: Robot, a: int, b: int) -> float:
    """Return the gap between two items: the smallest gap between their subitems."""
    one, other = robot.items[a], robot.items[b]
    parts = product(one.subitems, other.subitems)
    return min(separation(part.shape, one.pose, piece.shape, other.pose) for part, piece in parts)


def _described(one: Polyhedron, other: Polyhedron) -> str:
    return f"polyhedra of {len(one.vertices)} and {len(other.vertices)} vertices"
