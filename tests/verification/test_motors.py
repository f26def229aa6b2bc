"""Motors on their torque-speed line.

A servo turns a flywheel with its whole voltage. Its speed approaches the no-load speed as an exponential function, with
the time constant of flywheel and torque-speed line, and its power has its maximum at half of the no-load speed.
"""

from math import tau

import numpy as np
import pytest

from rck.exporting.export import export
from rck.hooks import Physics, discover, read_options
from rck.language.session import open_session
from rck.model import JointKind
from rck.model.motor import motors_of
from rck.parts.library import open_catalogue
from rck.simulation.motor_loads import LoadMeter

mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")

STALL, NO_LOAD = 10.6, 30 * tau / 60
"""Data sheet of the XM540-W270, in N m and rad/s."""

FLYWHEEL = """\
rck: 2
name: rig
units: {length: mm}
parts:
  servo: {part: robotis/xm540-w270}
  wheel: {part: wheel}
local_parts:
  wheel:
    items: {disc: {shapes: [{cylinder: {diameter: 400, length: 10}, at: [0, 0, 25]}], mass: "40 kg"}}
    ports: {hub: {z: -z}}
mates:
- {at: servo.horn, put: wheel.hub}
joints:
  servo/axis: {limits: [-10000, 10000], speed: 6000}
"""


@pytest.fixture(scope="module")
def rig(tmp_path_factory):
    path = tmp_path_factory.mktemp("rig") / "rig.rck"
    path.write_text(FLYWHEEL)
    robot = open_session(discover(), path).compile().unwrap().robot
    inertia = sum(item.mass_properties.inertia[2, 2] for item in robot.items if item.name != "servo/body")
    return robot, inertia


def speed_at(time, inertia):
    return NO_LOAD * (1 - np.exp(-time * STALL / (NO_LOAD * inertia)))


def test_a_servo_speeds_up_along_its_line_in_the_simulation(rig, compare):
    robot, inertia = rig
    (engine,) = [one for one in discover().all(Physics) if one.name == "mujoco"]
    world = engine.make(robot, read_options(engine.options, {"environment": "zero-gravity"}))
    meter = LoadMeter(robot)
    time, errors = 0.0, []
    for _ in range(400):
        target = np.array([1e4])
        world.steer(target, 0.002)
        meter.note(world, target, 0.002)
        time += 0.002
        errors.append(abs(world.speeds[0] - speed_at(time, inertia)) / NO_LOAD)
    reference = "w0 (1 - exp(-t S / (w0 I)))"
    compare("Speed of a flywheel on a servo, `--physics mujoco`", reference, max(errors), 0.005, "of no-load speed")
    (load,) = meter.loads().joints
    power = abs(load.peak_power - STALL * NO_LOAD / 4) / (STALL * NO_LOAD / 4)
    compare("Highest power of a servo at full voltage", "S w0 / 4, 8.3 W for an XM540-W270", power, 0.01, "relative")


def test_a_servo_speeds_up_along_its_line_in_mjcf(rig, tmp_path, compare):
    robot, inertia = rig
    written, _ = export(robot, tmp_path / "rig.xml", discover(), {})
    model = mujoco.MjModel.from_xml_path(str(written[0]))
    model.opt.gravity[:] = 0.0
    data = mujoco.MjData(model)
    data.ctrl[:] = 1e4
    errors = []
    for _ in range(400):
        mujoco.mj_step(model, data)
        errors.append(abs(data.qvel[0] - speed_at(data.time, inertia)) / NO_LOAD)
    reference = "w0 (1 - exp(-t S / (w0 I)))"
    compare("Speed of a flywheel on a servo, MJCF in MuJoCo", reference, max(errors), 0.005, "of no-load speed")


def test_power_along_the_line_of_every_catalogue_motor(compare):
    catalogue = open_catalogue(discover())
    errors = []
    for entry in catalogue.entries.values():
        if not entry.category.startswith(("actuators", "motors")):
            continue
        robot = catalogue.part(entry.id).robot
        for joint in robot.joints:
            motor = motors_of(robot).get(joint.name)
            if motor is None or motor.max_power is None or joint.kind is JointKind.PRISMATIC:
                continue
            speeds = np.linspace(0.0, motor.no_load_speed, 10_001)
            powers = speeds * [motor.effort_at(speed) for speed in speeds]
            errors.append(abs(powers.max() - motor.max_power) / motor.max_power)
            errors.append(abs(motor.effort_at(motor.no_load_speed)) / motor.peak)
            errors.append(abs(motor.effort_at(0.0) - motor.peak) / motor.peak)
    assert len(errors) > 250
    check = "Maximum power of all motors of the catalogue"
    compare(check, "highest torque times speed along the line", max(errors), 1e-3, "relative")
