"""Contacts and friction."""

from math import atan, cos, degrees, pi, radians, sin

import numpy as np
import pytest

from rck.geometry.polyhedron import move_polyhedron
from rck.geometry.primitives import box, cylinder, sphere, wedge
from rck.geometry.transforms import apply, rotation_about, translation
from rck.hooks import discover, read_options
from rck.model import Item, PairRule, Robot, build_item, build_robot, subitem_of
from rck.model.materials import DEFAULT_FRICTION
from rck.simulation.motor_loads import physics_named

pytest.importorskip("mujoco")

G = 9.80665
STEP = 0.01
BALL, ROLLER = sphere(0.05), move_polyhedron(cylinder(0.05, 0.1), rotation_about((1, 0, 0), pi / 2))
SHAPES = {"box": box(0.1, 0.1, 0.1), "sphere": BALL, "cylinder": cylinder(0.05, 0.1), "wedge": wedge(0.1, 0.1, 0.1)}


def item(name, shape, pose, *, mass=1.0, friction=None, mobile=True) -> Item:
    built = build_item(name, [subitem_of(shape, mass=mass).unwrap()], pose=pose, mobile=mobile, friction=friction)
    return built.unwrap()


def plate(thickness, **options) -> Item:
    """Return a plate with its top at z = 0."""
    return item("plate", box(6, 6, thickness), translation((0, 0, -thickness / 2)), mobile=False, **options)


@pytest.fixture(scope="module")
def world():
    engine = physics_named(discover(), "mujoco")
    return lambda *items, rules=(), **options: engine.make(
        build_robot("scene", items, rules=rules).unwrap(), read_options(engine.options, options)
    )


def lowest(world, robot: Robot, number: int) -> float:
    """Return the lowest point of an item in metres."""
    (subitem,) = robot.items[number].subitems
    return float(apply(world.poses[number], subitem.shape.vertices)[:, 2].min())


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("mass", [0.001, 1.0, 100.0])
def test_bodies_at_rest_on_a_plate_do_not_sink_in(world, compare, shape, mass):
    dropped = world(plate(0.1), item("thing", SHAPES[shape], translation((0, 0, 0.15)), mass=mass))
    for _ in range(200):
        dropped.step(np.zeros(0), STEP)
    depth = 0.05 - dropped.poses[1][2, 3]
    if shape == "wedge":
        depth = -lowest(dropped, dropped.model.robot, 1)
    compare("Depth of a body at rest on a plate, 1 g to 100 kg", "0 mm", 1000 * abs(depth), 0.1, "mm")
    force = sum(press.force for press in dropped.presses)
    compare(
        "Force of a body at rest on a plate",
        "m g",
        np.linalg.norm(force - [0, 0, mass * G]) / (mass * G),
        0.01,
        "relative",
    )


@pytest.mark.parametrize("shape", ["box", "sphere", "wedge"])
@pytest.mark.parametrize("size", [0.004, 0.02, 0.1])
def test_nothing_passes_through_a_thin_plate(world, compare, shape, size):
    chance = np.random.default_rng(7)
    small = move_polyhedron(SHAPES[shape], np.diag([size / 0.1] * 3 + [1.0]))
    for mass in (0.001, 1.0, 100.0):
        # Time of impact within the time step and first corner in contact differ between drops.
        height = 25.0 / (2 * G) + size + chance.uniform(0.0, 0.01)
        turn = rotation_about(chance.normal(size=3), chance.uniform(0, pi))
        falling = world(plate(0.002), item("thing", small, translation((0, 0, height)) @ turn, mass=mass))
        deepest = 0.0
        for _ in range(250):
            falling.step(np.zeros(0), 0.004)
            deepest = max(deepest, -lowest(falling, falling.model.robot, 1))
        assert lowest(falling, falling.model.robot, 1) > -1e-4
        compare("Depth of a body that meets a 2 mm plate at 5 m/s", "0 mm", 1000 * deepest, 1.0, "mm")


def test_a_cube_that_drops_flat_stays_above_the_plate(world, compare):
    for height in (0.1, 1.0):
        falling = world(plate(0.01), item("cube", SHAPES["box"], translation((0, 0, 0.05 + height))))
        deepest = 0.0
        for _ in range(300):
            falling.step(np.zeros(0), 0.004)
            deepest = max(deepest, 0.05 - falling.poses[1][2, 3])
        compare("Depth of a 1 kg cube dropped flat from 0.1 m and 1 m", "0 mm", 1000 * deepest, 0.5, "mm")


def test_heavy_cube_on_light_cubes_causes_no_penetration(world, compare):
    masses = [0.1, 0.1, 0.1, 5.0]
    cubes = [item(f"c{n}", SHAPES["box"], translation((0, 0, 0.05 + 0.1 * n)), mass=m) for n, m in enumerate(masses)]
    stack = world(plate(0.1), *cubes)
    for _ in range(500):
        stack.step(np.zeros(0), STEP)
    levels = stack.poses[1:, 2, 3]
    depth = max(0.05 - levels[0], *(0.1 - np.diff(levels)))
    compare("Depth within a stack of four cubes, the highest 50 times as heavy", "0 mm", 1000 * depth, 0.1, "mm")
    compare("Drift of such a stack in 5 s", "0 mm", 1000 * np.abs(stack.poses[1:, :2, 3]).max(), 0.5, "mm")


def slope(world, angle, shape, half, rules=(), *, thing=None, ramp=None, mass=1.0):
    """Return a body on a ramp, and a function for its displacement: downhill, sideways and off the ramp."""
    turn = rotation_about((0, 1, 0), angle)
    start = turn @ translation((-8, 0, half))
    under = item("ramp", box(20, 2, 0.1), turn @ translation((0, 0, -0.05)), friction=ramp, mobile=False)
    built = world(under, item("thing", shape, start, mass=mass, friction=thing), rules=rules)
    return built, lambda: turn[:3, :3].T @ (built.poses[1][:3, 3] - start[:3, 3])


SLAB, HALF = box(0.1, 0.1, 0.04), 0.02


@pytest.mark.parametrize("friction", [0.1, 0.3, 0.5, 0.9])
@pytest.mark.parametrize("mass", [0.01, 10.0])
def test_bodies_slide_above_the_friction_angle_and_hold_below_it(world, compare, friction, mass):
    for above in (2, 5, 15):
        angle = atan(friction) + radians(above)
        built, way = slope(world, angle, SLAB, HALF, thing=friction, ramp=friction, mass=mass)
        for _ in range(100):
            built.step(np.zeros(0), STEP)
        expected = 0.5 * G * (sin(angle) - friction * cos(angle))
        compare(
            "Slide above the friction angle",
            "(sin a - mu cos a) g t^2 / 2",
            abs(way()[0] / expected - 1),
            0.01,
            "relative",
        )
        compare("Hop of a sliding body", "0 mm", 1000 * way()[2], 0.5, "mm")
    for below in (1, 4):
        built, way = slope(world, atan(friction) - radians(below), SLAB, HALF, thing=friction, ramp=friction, mass=mass)
        for _ in range(100):
            built.step(np.zeros(0), STEP)
        compare("Slip 1 degree below the friction angle in 1 s", "0 mm", 1000 * np.abs(way()[:2]).max(), 0.1, "mm")


@pytest.mark.parametrize("angle", [0.0, 10.0, 20.0])
def test_bodies_at_rest_do_not_creep(world, compare, angle):
    built, way = slope(world, radians(angle), SLAB, HALF)
    for _ in range(1000):
        built.step(np.zeros(0), STEP)
    compare(
        "Creep in 10 s on slopes up to 20 degrees, default friction", "0 mm", 1000 * np.abs(way()[:2]).max(), 0.1, "mm"
    )


@pytest.mark.parametrize("angle", [2.0, 10.0, 25.0])
@pytest.mark.parametrize(("shape", "kind"), [(BALL, "sphere"), (ROLLER, "cylinder")])
def test_round_bodies_roll_without_slip(world, compare, shape, kind, angle):
    built, way = slope(world, radians(angle), shape, 0.05)
    inertia = built.model.robot.items[1].mass_properties.inertia[1][1]
    for _ in range(100):
        built.step(np.zeros(0), STEP)
    expected = 0.5 * G * sin(radians(angle)) / (1 + inertia / 0.05**2)
    compare(
        f"A {kind} that rolls down a slope",
        "g sin a t^2 / (2 + 2 I / m r^2)",
        abs(way()[0] / expected - 1),
        0.005,
        "relative",
    )
    slip = abs(float(np.linalg.norm(built.data.qvel[:3]) - 0.05 * np.linalg.norm(built.data.qvel[3:])))
    compare(f"Slip of that {kind}", "0 m/s", slip, 1e-3, "m/s")


def test_a_sphere_slides_where_friction_is_too_small_to_roll(world, compare):
    friction, angle = 0.1, radians(30)
    built, way = slope(world, angle, BALL, 0.05, thing=friction)
    for _ in range(100):
        built.step(np.zeros(0), STEP)
    expected = 0.5 * G * (sin(angle) - friction * cos(angle))
    compare(
        "A sphere on a slope too slippery to roll",
        "(sin a - mu cos a) g t^2 / 2",
        abs(way()[0] / expected - 1),
        0.005,
        "relative",
    )


def test_sliding_slab_stops_where_friction_has_dissipated_its_energy(world, compare):
    for friction, speed in ((0.2, 1.0), (0.5, 3.0)):
        built, way = slope(world, 0.0, SLAB, HALF, thing=friction)
        built.data.qvel[0] = speed
        for _ in range(200):
            built.step(np.zeros(0), STEP)
        expected = speed**2 / (2 * friction * G)
        compare("Stopping distance on the level", "v^2 / (2 mu g)", abs(way()[0] / expected - 1), 0.01, "relative")


def limit_angle(world, low=1.0, high=45.0, **options) -> float:
    """Return the steepest slope, in degrees, on which a slab holds, to an eighth of a degree."""
    while high - low > 0.125:
        middle = (low + high) / 2
        built, way = slope(world, radians(middle), SLAB, HALF, **options)
        for _ in range(30):
            built.step(np.zeros(0), STEP)
        low, high = (low, middle) if way()[0] > 1e-4 else (middle, high)
    return low


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, DEFAULT_FRICTION),
        ({"thing": 0.2}, 0.2),
        ({"ramp": 0.8}, 0.8),
        ({"thing": 0.3, "ramp": 0.6}, 0.3),
        ({"thing": 0.6, "ramp": 0.3}, 0.3),
        ({"thing": 0.6, "ramp": 0.3, "rules": [PairRule(("thing", "ramp"), True, friction=0.45)]}, 0.45),
    ],
)
def test_pair_friction_is_the_smaller_value_unless_a_rule_overrides_it(world, compare, options, expected):
    angle = limit_angle(world, **options)
    compare(
        "Steepest slope that holds, for pairs of frictions",
        "atan mu",
        abs(angle - degrees(atan(expected))),
        0.5,
        "degrees",
    )


@pytest.mark.parametrize(("shape", "half"), [(BALL, 0.05), (SLAB, HALF)])
def test_impact_friction_reduces_tangential_speed(world, compare, shape, half):
    for friction in (0.1, 0.2, 0.4):
        thrown = world(
            plate(0.1),
            item("thing", shape, translation((0, 0, half + 0.05)), friction=friction),
            environment="zero-gravity",
        )
        thrown.data.qvel[[0, 2]] = 6.0, -2.0
        for _ in range(10):
            thrown.step(np.zeros(0), STEP)
        lost, gained = 6.0 - thrown.data.qvel[0], thrown.data.qvel[2] + 2.0
        compare(
            "Speed lost along a surface in a blow, while slipping",
            "mu (1 + e) v",
            abs(lost / gained / friction - 1),
            0.02,
            "relative",
        )
        compare("Restitution of a blow", "0 (inelastic)", thrown.data.qvel[2] / 2.0, 0.2, "")
