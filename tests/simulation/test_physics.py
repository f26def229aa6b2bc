"""Physics compared with closed forms, and motor loads."""

import json
from math import cos, pi

import numpy as np
import pytest
from click.testing import CliRunner
from rck_tests import block

from rck.cli.simulate import simulate
from rck.hooks import Physics, discover
from rck.hooks.options import read_options
from rck.model import Device, DeviceKind, Mimic, RckError, build_joint, build_robot
from rck.model.forward_kinematics import forward
from rck.model.robot_arrays import robot_arrays
from rck.simulation.motor_loads import LoadMeter, demanding, load_table, physics_named, too_weak, verdict

pytest.importorskip("mujoco")

G = 9.80665


@pytest.fixture(scope="module")
def engine():
    return physics_named(discover(), "mujoco")


@pytest.fixture
def world(engine):
    def make(robot, **options):
        texts = {name.replace("_", "-"): str(value) for name, value in options.items()}
        return engine.make(robot, read_options(engine.options, texts))

    return make


def pendulum(position=0.0, **joint):
    """A kilogram on an arm of half a metre that turns about y at a height of a metre; level at zero."""
    items = [block("post", (0, 0, 1), (0.02, 0.02, 0.02)), block("bob", (0.5, 0, 1))]
    swing = build_joint("swing", "continuous", "post", "bob", start=(0, 0, 1), end=(0, 1, 1), **joint).unwrap()
    return build_robot("pendulum", items, [swing]).unwrap()


def test_free_fall_is_half_gravity_times_time_squared(world):
    falling = world(build_robot("drop", [block("cube", (0, 0, 10), mobile=True)]).unwrap(), step=1e-4)
    falling.step(np.zeros(0), 1.0)
    assert falling.poses[0][2, 3] == pytest.approx(10 - G / 2, abs=1e-3)


def test_a_cube_on_the_floor_presses_with_its_weight(world):
    robot = build_robot(
        "rest", [block("floor", (0, 0, -0.05), (2, 2, 0.1)), block("cube", (0, 0, 0.05), mass=2.0, mobile=True)]
    ).unwrap()
    resting = world(robot)
    resting.step(np.zeros(0), 1.0)
    assert {press.items for press in resting.presses} == {("floor", "cube")}
    np.testing.assert_allclose(sum(press.force for press in resting.presses), [0, 0, 2 * G], rtol=1e-3, atol=1e-3)
    assert all(abs(press.point[2]) < 1e-3 for press in resting.presses)
    assert resting.poses[1][2, 3] == pytest.approx(0.05, abs=1e-3)


def test_a_pendulum_keeps_its_energy_and_its_period(world):
    robot = pendulum()
    swinging = world(robot, step=1e-4)
    energy = swinging.energy
    inertia = robot.item("bob").mass_properties.inertia[1][1] + 0.25
    # Small swings about straight down, which is at 90 degrees.
    swinging.data.qpos[:] = pi / 2 - 0.05
    swinging.step(np.zeros(1), pi * (inertia / (G * 0.5)) ** 0.5)
    assert swinging.positions[0] == pytest.approx(pi / 2 + 0.05, abs=1e-3)
    again = world(robot, step=1e-4)
    again.step(np.zeros(1), 1.0)
    assert again.energy == pytest.approx(energy, abs=2e-3)


def test_joint_positions_agree_with_kinematics(world):
    items = [
        block("post", (0, 0, 1)),
        block("arm", (0.4, 0, 1)),
        block("hand", (0.8, 0, 1)),
        block("tail", (-0.4, 0, 1)),
    ]
    joints = [
        build_joint("a", "revolute", "post", "arm", start=(0, 0, 1), end=(0, 1, 1), limits=(-3, 3), position=0.2),
        build_joint("b", "prismatic", "arm", "hand", start=(0.5, 0, 1), end=(1, 0, 1), limits=(-1, 1)),
        build_joint(
            "c", "revolute", "post", "tail", start=(0, 0, 1), end=(0, 0, 2), limits=(-3, 3), mimic=Mimic("b", 2.0)
        ),
    ]
    robot = build_robot("arm", items, [joint.unwrap() for joint in joints]).unwrap()
    steered = world(robot, environment="zero-gravity")
    np.testing.assert_allclose(steered.positions, robot.positions)
    np.testing.assert_allclose(steered.poses, [item.pose for item in robot.items], atol=1e-9)
    for _ in range(100):
        steered.steer(np.array([0.6, 0.1]), 0.01)
    np.testing.assert_allclose(steered.positions, [0.6, 0.1], atol=1e-3)
    np.testing.assert_allclose(steered.poses[:3], forward(robot_arrays(robot), steered.positions)[:3], atol=1e-6)
    np.testing.assert_allclose(steered.poses[3], forward(robot_arrays(robot), steered.positions)[3], atol=5e-3)


def test_holding_an_arm_level_takes_its_weight_times_its_length(world):
    holding = world(pendulum())
    for _ in range(150):
        holding.steer(np.array([0.3]), 0.01)
    assert holding.positions[0] == pytest.approx(0.3, abs=1e-4)
    assert abs(holding.efforts[0]) == pytest.approx(0.5 * G * cos(0.3), rel=1e-3)


def test_an_arm_that_is_stretched_out_does_not_swing(world):
    items = [block("post", (0, 0, 1)), block("arm", (0.1, 0, 1)), block("hand", (0.2, 0, 1))]
    joints = [
        build_joint("turn", "continuous", "post", "arm", start=(0, 0, 1), end=(0, 0, 2)),
        build_joint("reach", "prismatic", "arm", "hand", start=(0.2, 0, 1), end=(1, 0, 1), limits=(0, 2)),
    ]
    stretched = world(build_robot("arm", items, [joint.unwrap() for joint in joints]).unwrap())
    for target in ([0.0, 1.5], [0.5, 1.5]):
        for step in np.linspace(0.0, 1.0, 50):
            stretched.steer((1 - step) * stretched.positions + step * np.array(target), 0.01)
        for _ in range(100):
            stretched.steer(np.array(target), 0.01)
    # Thirty times the inertia that it began with.
    np.testing.assert_allclose(stretched.positions, target, atol=1e-3)
    np.testing.assert_allclose(stretched.speeds, 0, atol=1e-3)


def test_a_motor_that_is_too_weak_lets_the_arm_sink(world):
    weak = world(pendulum(effort=2.0))
    for _ in range(100):
        weak.steer(np.array([0.0]), 0.01)
    assert abs(weak.efforts[0]) == pytest.approx(2.0)
    assert weak.positions[0] > 0.5


def test_nothing_falls_without_gravity_and_neutral_bodies_float_in_water(world):
    for environment, density in (("zero-gravity", 5000.0), ("under-water", 1000.0)):
        still = world(
            build_robot("cube", [block("cube", (0, 0, 0), mass=density * 1e-3, mobile=True)]).unwrap(),
            environment=environment,
        )
        still.step(np.zeros(0), 1.0)
        np.testing.assert_allclose(still.poses[0], np.eye(4), atol=1e-6)


def test_water_slows_down_a_sinking_body(world):
    def sunk(environment):
        robot = build_robot("cube", [block("cube", (0, 0, 0), mass=2.0, mobile=True)]).unwrap()
        sinking = world(robot, environment=environment)
        sinking.step(np.zeros(0), 0.5)
        return -sinking.poses[0][2, 3]

    # Twice as dense as water: half the weight, and drag besides.
    assert 0.1 * sunk("earth") < sunk("under-water") < 0.5 * sunk("earth")


def test_run_reports_the_load_of_each_motor(engine):
    robot = pendulum(effort=4.0, speed=2.0)
    values = demanding(read_options(engine.options, {}))
    swung = engine.make(robot, values)
    meter = LoadMeter(robot)
    powers = []
    for time in np.arange(200) * 0.01:
        target = np.array([-0.5 * (1 - np.cos(pi * min(time, 1.0)))])
        swung.steer(target, 0.01)
        meter.note(swung, target, 0.01)
        powers.append(float(swung.efforts[0] * swung.speeds[0]))
    loads = meter.loads()
    (load,) = loads.joints
    assert load.peak_effort > 0.5 * G * cos(1.0)
    assert load.peak_effort < 2 * 0.5 * G
    assert load.peak_power == pytest.approx(max(powers))
    assert load.mean_power == pytest.approx(np.maximum(powers, 0.0).mean())
    # The work that was done is the height that was gained.
    assert 0.01 * sum(powers) == pytest.approx(G * 0.5 * np.sin(1.0), rel=0.05)
    (finding,) = too_weak(loads)
    assert finding.code == 914
    assert "but its effort limit is 4 N m" in finding.message
    assert "swing" in load_table(loads)
    assert verdict(loads) == f"too weak for this run: swing ({100 * load.share:.0f} %)"
    assert "it is unknown whether" in verdict(LoadMeter(pendulum()).loads())
    assert "strong enough" in verdict(LoadMeter(robot).loads())


def test_an_unknown_engine_is_refused():
    with pytest.raises(RckError, match=r"no physics 'ode'; known: .*mujoco"):
        physics_named(discover(), "ode")
    assert [one.name for one in discover().all(Physics)] == ["mujoco"]


def test_command_reports_if_the_motors_are_strong_enough(tmp_path):
    from pathlib import Path

    program = tmp_path / "lean.rckp"
    program.write_text("move_joints_absolute grip 30 20 0 0\n")
    arm = Path(__file__).parents[2] / "examples" / "desk-arm.rck"
    words = [str(arm), str(program), "--physics", "mujoco", "--step", "0.02", "--json"]
    result = CliRunner().invoke(simulate, words)
    loads = {load["joint"]: load for load in json.loads(result.stdout)["loads"]}
    assert loads["shoulder/axis"]["effort_limit"] == pytest.approx(10.6)
    assert loads["shoulder/axis"]["peak_effort"] > 0.5
    # Parts that are bolted to each other are not in each other's way.
    assert loads["waist/axis"]["peak_effort"] < 10.6
    assert result.exit_code == 0


def test_world_without_joints_is_simulated_with_physics(tmp_path):
    path, events = tmp_path / "drop.rck", tmp_path / "wait.events.yaml"
    path.write_text(
        "rck: 1\nname: drop\nunits: {length: mm}\n"
        "parts: {plate: {part: plate}, cube: {part: cube, place: {at: [0, 0, 150]}, loose: true}}\n"
        "pieces:\n"
        "  plate: {items: {body: {shapes: [{box: [500, 500, 2], at: [0, 0, -1]}], material: steel}}}\n"
        "  cube: {items: {body: {shapes: [{box: [100, 100, 100]}], mass: 1}}}\n"
    )
    events.write_text("events:\n- {at: 1, say: landed}\n")
    words = [str(path), str(events), "--physics", "mujoco", "--out", str(tmp_path / "run.csv")]
    plain = CliRunner().invoke(simulate, words, catch_exceptions=False)
    assert plain.exit_code == 0
    assert "motors" not in plain.output
    data = json.loads(CliRunner().invoke(simulate, [*words, "--json"], catch_exceptions=False).stdout)
    assert data["loads"] == []
    assert data["objects"]["cube/body"][2][3] == pytest.approx(0.05, abs=1e-5)
    assert LoadMeter(build_robot("drop", [block("cube", (0, 0, 0))]).unwrap()).loads().joints == ()


def test_impact_shorter_than_a_step_is_read_as_its_mean_force(world):
    floor, cube = block("floor", (0, 0, -0.05), (2, 2, 0.1)), block("cube", (0, 0, 0.35), mass=2.0, mobile=True)
    falling = world(build_robot("drop", [floor, cube]).unwrap())
    impulse = 0.0
    for _ in range(30):
        falling.step(np.zeros(0), 0.01)
        impulse += 0.01 * sum(press.force[2] for press in falling.presses)
    # All that gravity gave it in that time, it gave the floor, but for what it has left.
    assert impulse == pytest.approx(2.0 * (G * 0.3 + falling.data.qvel[2]), rel=0.05)


def test_load_table_shows_peak_and_root_mean_square(engine):
    robot = pendulum(effort=4.0)
    held = engine.make(robot, demanding(read_options(engine.options, {})))
    meter = LoadMeter(robot)
    for effort, seconds in ((3.0, 0.01), (-1.0, 0.03)):
        held.efforts = np.array([effort])
        meter.note(held, np.zeros(1), seconds)
    (load,) = meter.loads().joints
    assert load.rms_effort == pytest.approx(3.0**0.5)
    assert load_table(meter.loads()).splitlines()[0].split()[:3] == ["joint", "peak", "RMS"]


def test_held_object_loads_the_arm_until_it_is_released(world):
    items = [
        block("post", (0, 0, 1), (0.02, 0.02, 0.02)),
        block("arm", (0.5, 0, 1)),
        block("cube", (0.5, 0, 0.85), mass=2.0, mobile=True),
    ]
    swing = build_joint("swing", "continuous", "post", "arm", start=(0, 0, 1), end=(0, 1, 1)).unwrap()
    hand = Device("hand", DeviceKind.VACUUM_GRIPPER, "arm")
    loaded = world(build_robot("arm", items, [swing], devices=[hand]).unwrap())
    loaded.hold("cube", "arm")
    for _ in range(150):
        loaded.steer(np.zeros(1), 0.01)
    assert abs(loaded.efforts[0]) == pytest.approx(3 * 0.5 * G, rel=0.01)
    np.testing.assert_allclose(loaded.poses[2][:3, 3], [0.5, 0, 0.85], atol=2e-3)
    loaded.let_go("cube")
    for _ in range(50):
        loaded.steer(np.zeros(1), 0.01)
    assert abs(loaded.efforts[0]) == pytest.approx(0.5 * G, rel=0.01)
    assert loaded.poses[2][2, 3] < 0.0
    with pytest.raises(RckError, match="not an item of a gripper"):
        loaded.hold("cube", "post")
