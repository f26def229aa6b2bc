"""Dynamics and motor loads."""

import json
from itertools import cycle
from math import pi, sin, sqrt

import numpy as np
import pytest
from click.testing import CliRunner
from rck_bench.pinocchio_model import pinocchio_model
from rck_tests import block
from scipy.special import ellipk

from rck.cli.main import cli
from rck.geometry.mass_properties import MassProperties
from rck.geometry.polyhedron import move_polyhedron
from rck.geometry.primitives import box, cylinder, sphere
from rck.geometry.transforms import rotation_about, translation
from rck.hooks import read_options
from rck.kinematics.motion import joint_move, motion_limits
from rck.model import Mimic, build_item, build_joint, build_robot, subitem_of
from rck.model.joint_positions import at_positions
from rck.simulation.clock import RealTimeClock
from rck.simulation.motor_loads import LoadMeter, demanding, physics_named
from rck.simulation.simulation import Simulation

pytest.importorskip("mujoco")

G = 9.80665
ARMS = ("universal-robots/ur5e", "universal-robots/ur10e", "unimation/puma-560", "franka/panda")


@pytest.fixture(scope="module")
def world(plugins):
    """Return a world of the engine without effort limits."""
    engine = physics_named(plugins, "mujoco")
    return lambda robot, **options: engine.make(robot, demanding(read_options(engine.options, options)))


@pytest.fixture
def arm(shipped_catalogue):
    """Return a function that gives an arm of the catalogue by id."""
    return lambda name: shipped_catalogue.part(name).robot


def falling():
    floor = block("floor", (0, 0, -10), (1, 1, 0.1))
    return build_robot("drop", [floor, block("cube", (0, 0, 0), mobile=True)]).unwrap()


@pytest.mark.parametrize("step", [0.0004, 0.00123, 0.0025, 0.01, 1 / 60, 1 / 30, 0.0777, 0.25])
@pytest.mark.parametrize("physics_step", ["0.001", "0.0007", "0.005"])
def test_free_fall_does_not_depend_on_the_time_step(world, compare, step, physics_step):
    simulation = Simulation(falling(), physics=lambda robot: world(robot, step=physics_step))
    while simulation.time < 0.4:
        simulation.step(step)
        fallen, expected = -simulation.view.poses[1][2, 3], 0.5 * G * simulation.time**2
        compare(
            "Free fall, time steps from 0.4 ms to 0.25 s", "g t^2 / 2", abs(fallen / expected - 1), 0.005, "relative"
        )
    clock = simulation.forces.world.time
    compare("Time of the physics engine", "time of the simulation", abs(clock - simulation.time), 1e-9, "s")


@pytest.mark.parametrize("step", ["0.0004", "0.05"])
def test_command_lets_objects_fall_for_the_time_of_until(tmp_path, compare, step):
    (tmp_path / "drop.rck").write_text(
        "rck: 1\nname: drop\nunits: {length: m}\nparts:\n  cube: {part: objects/cube, place: {at: [0, 0, 5]}}\n"
    )
    words = ["simulate", str(tmp_path / "drop.rck"), "--physics", "mujoco", "--step", step, "--until", "0.3", "--json"]
    ran = CliRunner().invoke(cli, words, catch_exceptions=False)
    assert ran.exit_code == 0
    found = json.loads(ran.stdout)
    assert found["time"] == pytest.approx(0.3, abs=1e-9)
    fallen = 5.0 - found["objects"]["cube/cube"][2][3]
    error = abs(fallen / (0.5 * G * 0.3**2) - 1)
    compare("Free fall, `rck simulate --physics mujoco --until 0.3`", "g t^2 / 2", error, 0.005, "relative")


@pytest.mark.parametrize("speed", [0.1, 0.37, 1.0, 7.3, 100.0])
def test_free_fall_does_not_depend_on_frame_rate_or_real_time_factor(world, compare, speed):
    now = 0.0
    frames = cycle([1 / 60, 1 / 30, 0.0041, 0.021])
    simulation = Simulation(falling(), physics=world)
    player = RealTimeClock(simulation, speed, clock=lambda: now)
    player.play()
    while simulation.time < 0.4:
        now += next(frames) / speed
        # Without events, the player does not keep running.
        player.play()
        player.advance()
    fallen, expected = -simulation.view.poses[1][2, 3], 0.5 * G * simulation.time**2
    compare("Free fall, any frame rate and speed factor", "g t^2 / 2", abs(fallen / expected - 1), 0.005, "relative")


@pytest.mark.parametrize("amplitude", [0.1, 1.0, 2.5])
def test_a_pendulum_has_the_period_of_its_amplitude(world, compare, amplitude):
    items = [block("post", (0, 0, 1), (0.02, 0.02, 0.02)), block("bob", (0.5, 0, 1))]
    swing = build_joint("swing", "continuous", "post", "bob", start=(0, 0, 1), end=(0, 1, 1)).unwrap()
    robot = build_robot("pendulum", items, [swing]).unwrap()
    swinging = world(at_positions(robot, np.array([pi / 2 - amplitude])))
    inertia = robot.item("bob").mass_properties.inertia[1][1] + 0.25
    period = 4 * sqrt(inertia / (G * 0.5)) * ellipk(sin(amplitude / 2) ** 2)
    positions = [float(swinging.step(np.zeros(1), 0.002)[0]) for _ in range(round(1.2 * period / 0.002))]
    # After one period it is back at, or closest to, its start.
    late = positions[round(0.8 * period / 0.002) :]
    found = 0.002 * (round(0.8 * period / 0.002) + 1 + int(np.argmin(late)))
    compare(
        "Period of a pendulum, amplitudes to 143 degrees",
        "elliptic integral",
        abs(found / period - 1),
        0.005,
        "relative",
    )
    back = abs(min(late) - (pi / 2 - amplitude))
    compare("Amplitude of a pendulum after a period", "no loss", back, 0.005, "rad")


def inverse_dynamics(robot):
    """Return a function from positions, speeds and accelerations to the efforts that pinocchio computes."""
    import pinocchio as pin

    built = pinocchio_model(robot)
    for number, item in enumerate(robot.items):
        body = item.mass_properties
        inertia = pin.Inertia(body.mass, np.array(body.centre), np.array(body.inertia))
        built.model.appendBodyToJoint(built.joint_of_item[number], inertia, built.placement(number, item.pose))
    built.model.gravity.linear = np.array([0.0, 0.0, -G])
    data = built.model.createData()
    # Joint positions of zero in pinocchio are the current pose of the robot.
    return lambda q, v, a: np.array(pin.rnea(built.model, data, q - robot.positions, v, a))


def drawn(robot, chance):
    """Return a joint vector within the limits, away from them."""
    limits = [(joint.limits.lower, joint.limits.upper) if joint.limits else (-pi, pi) for joint in robot.free_joints]
    return np.array([0.5 * (low + high) + 0.35 * (high - low) * chance.uniform(-1, 1) for low, high in limits])


@pytest.mark.parametrize("name", ARMS)
def test_motors_start_with_the_efforts_that_hold_the_arm(world, arm, compare, name):
    pytest.importorskip("pinocchio")
    chance = np.random.default_rng(5)
    robot = arm(name)
    for vector in (robot.positions, drawn(robot, chance), drawn(robot, chance)):
        standing = at_positions(robot, vector)
        static = inverse_dynamics(robot)(vector, np.zeros(len(vector)), np.zeros(len(vector)))
        most = np.abs(static).max()
        started = world(standing)
        compare(
            "Motor efforts at the start",
            "pinocchio rnea at rest",
            np.abs(started.efforts - static).max() / most,
            1e-6,
            "relative",
        )
        meter = LoadMeter(started.model.robot)
        for _ in range(50):
            started.steer(vector, 0.01)
            meter.note(started, vector, 0.01)
        for load, expected in zip(meter.loads().joints, np.abs(static), strict=True):
            for figure, value in (("Peak", load.peak_effort), ("RMS", load.rms_effort)):
                compare(
                    f"{figure} effort of an arm that holds still",
                    "pinocchio rnea at rest",
                    abs(value - expected) / most,
                    1e-3,
                    "relative",
                )


@pytest.mark.parametrize("name", ARMS)
def test_motor_efforts_equal_inverse_dynamics(world, arm, compare, name):
    pytest.importorskip("pinocchio")
    robot = arm(name)
    needed = inverse_dynamics(robot)
    chance = np.random.default_rng(11)
    # Move a short way from the drawn pose, without self-collision.
    start = robot.positions
    end = start + 0.4 * np.sign(drawn(robot, chance) - start)
    limits = motion_limits(robot, [joint.name for joint in robot.free_joints])
    path = joint_move(limits, start, end, duration=3.0, profile="polynomial").unwrap()
    moving = world(at_positions(robot, start))
    speeds, efforts, positions = [np.zeros(len(start))], [], [start]
    for number in range(1, 301):
        positions.append(moving.steer(path.at(0.01 * number), 0.01))
        speeds.append(moving.speeds)
        efforts.append(moving.efforts)
    # Compare the mean effort of each step with the effort at its middle.
    means = [(np.array(rows[1:]) + np.array(rows[:-1])) / 2 for rows in (positions, speeds)]
    accelerations = np.diff(speeds, axis=0) / 0.01
    expected = np.array([needed(*row) for row in zip(*means, accelerations, strict=True)])
    error = np.abs(np.array(efforts) - expected).max(axis=0) / np.abs(expected).max(axis=0)
    compare("Motor efforts of a moving arm", "pinocchio rnea", error.max(), 0.02, "relative to the peak")


def test_motor_of_a_leading_joint_starts_with_the_load_of_its_followers(world, compare):
    items = [block("post", (0, 0, 1)), block("left", (-0.3, 0, 1), mass=0.2), block("right", (0.3, 0, 1), mass=3.0)]
    joints = [
        build_joint("lead", "prismatic", "post", "left", start=(0, 0, 1), end=(0, 0, 2), limits=(-1, 1)),
        build_joint("led", "prismatic", "post", "right", end=(0, 0, 1), limits=(-2, 2), mimic=Mimic("lead", 2.0)),
    ]
    started = world(build_robot("lift", items, [joint.unwrap() for joint in joints]).unwrap())
    expected = (0.2 + 2 * 3.0) * G
    compare(
        "Effort at the start with a geared follower",
        "virtual work",
        abs(started.efforts[0] / expected - 1),
        1e-6,
        "relative",
    )
    started.steer(np.zeros(1), 0.5)
    assert abs(started.positions[0]) < 1e-4


WATER = 1000.0
SHAPES = [
    ("sphere", sphere(0.05), 0.47, pi * 0.05**2),
    ("box, face-on", box(0.1, 0.08, 0.06), 1.05, 0.1 * 0.08),
    ("cylinder, end-on", cylinder(0.04, 0.12), 0.89, pi * 0.04**2),
    ("cylinder, side-on", move_polyhedron(cylinder(0.04, 0.12), rotation_about((1, 0, 0), pi / 2)), 0.7, 0.08 * 0.12),
]


@pytest.mark.parametrize(("name", "shape", "coefficient", "area"), SHAPES)
def test_bodies_sink_at_terminal_velocity(world, compare, name, shape, coefficient, area):
    solid = subitem_of(shape, density=3000.0).unwrap()
    # Equal inertia about all axes: it sinks without rotating.
    even = MassProperties(solid.mass, np.zeros(3), 0.01 * np.eye(3))
    body = build_item("body", [solid], pose=translation((0, 0, 0)), mobile=True, mass=even).unwrap()
    sinking = world(build_robot("sea", [body]).unwrap(), environment="under-water")
    for _ in range(400):
        sinking.step(np.zeros(0), 0.01)
    weight = (3000.0 - WATER) * shape.volume * G
    expected = sqrt(2 * weight / (WATER * coefficient * area))
    speed = -float(sinking.data.qvel[2])
    compare(f"Sinking speed in water: {name}", f"C = {coefficient:g}", abs(speed / expected - 1), 0.01, "relative")


def test_other_shapes_sink_like_their_equivalent_inertia_box(world, compare):
    """Return the drag of MuJoCo's model for meshes: coefficient 1 on the faces of the equivalent inertia box."""
    parts = [
        subitem_of(move_polyhedron(box(0.1, 0.1, 0.05), translation((0, 0, z))), density=3000.0)
        for z in (-0.025, 0.025)
    ]
    body = build_item("body", [part.unwrap() for part in parts], mobile=True).unwrap()
    sinking = world(build_robot("sea", [body]).unwrap(), environment="under-water")
    for _ in range(400):
        sinking.step(np.zeros(0), 0.01)
    expected = sqrt(2 * (3000.0 - WATER) * 1e-3 * G / (WATER * 1.0 * 0.01))
    compare(
        "Sinking speed in water: other shapes",
        "C = 1, box of equal inertia",
        abs(-sinking.data.qvel[2] / expected - 1),
        0.01,
        "relative",
    )


def test_arm_in_water_loses_the_weight_of_the_displaced_water(world, compare):
    items = [block("post", (0, 0, 1), (0.02, 0.02, 0.02)), block("bob", (0.5, 0, 1), mass=3.0)]
    swing = build_joint("swing", "continuous", "post", "bob", start=(0, 0, 1), end=(0, 1, 1), position=0.3).unwrap()
    held = world(build_robot("pendulum", items, [swing]).unwrap(), environment="under-water")
    expected = (3.0 - 1.0) * G * 0.5
    compare(
        "Effort at the start under water", "(m - rho V) g r", abs(abs(held.efforts[0]) / expected - 1), 1e-6, "relative"
    )
