"""What every sensor, gripper and physics engine must do: run these on yours."""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from rck.hooks.kinds import Gripper, Physics, Sensor
from rck.hooks.options import read_options
from rck.testing.robots import planar_arm
from rck.testing.surroundings import arm_before_a_wall


def check_sensor(sensor: Sensor, *, given: Mapping[str, str] | None = None) -> None:
    """It reads channels of numbers, the same for the same world, and of one shape all the time."""
    world, mount = arm_before_a_wall()
    values = read_options(sensor.options, given or {})
    reader = sensor.make(world.robot, mount, values)
    first = _channels(reader.read(world))
    assert first, "it has no channels"
    other_world, _ = arm_before_a_wall(gap=0.3)
    other = _channels(sensor.make(other_world.robot, mount, values).read(other_world))
    assert {name: array.shape for name, array in other.items()} == {name: one.shape for name, one in first.items()}
    again = _channels(sensor.make(world.robot, mount, values).read(world))
    for name, array in first.items():
        np.testing.assert_array_equal(again[name], array, err_msg=f"channel {name}: the same world read differently")


def check_gripper(gripper: Gripper, *, given: Mapping[str, str] | None = None) -> None:
    """It answers each time with a text, the same for the same world, and does not hold what is ten metres away."""
    world, mount = arm_before_a_wall()
    values = read_options(gripper.options, given or {})
    for item in ("near", "far", "wall"):
        answer = gripper.holds(world, mount, values, item)
        assert isinstance(answer, str), f"it answered {type(answer).__name__}: an empty text, or why not"
        assert gripper.holds(world, mount, values, item) == answer
    assert gripper.holds(world, mount, values, "far"), "it holds what is ten metres away"


def check_physics(physics: Physics, *, given: Mapping[str, str] | None = None) -> None:
    """It begins as the robot stands, at rest; time passes in steps with finite numbers, the same each time.

    A moment that it was asked to remember is gone on from in the same way.
    """
    arm = planar_arm(2)
    runs = []
    for _ in range(2):
        world = physics.make(arm, read_options(physics.options, given or {}))
        np.testing.assert_allclose(world.positions, arm.positions, rtol=0, atol=1e-9)
        np.testing.assert_allclose(world.speeds, 0.0, rtol=0, atol=1e-12)
        positions = [world.step(np.array([0.5, -0.2]), 0.01) for _ in range(20)]
        positions += [world.steer(np.array([0.1, 0.1]), 0.01) for _ in range(20)]
        assert np.isfinite(positions).all()
        assert world.poses.shape == (len(arm.items), 4, 4)
        assert world.velocities.shape == world.accelerations.shape == (len(arm.items), 6)
        assert np.isfinite(world.accelerations).all()
        assert world.efforts.shape == (2,)
        assert world.gravity.shape == (3,)
        assert all(press.force.shape == press.point.shape == (3,) for press in world.presses)
        before = json.loads(json.dumps(world.memory()))
        after = world.steer(np.zeros(2), 0.01)
        world.recall(before)
        again = world.steer(np.zeros(2), 0.01)
        np.testing.assert_array_equal(again, after, err_msg="from a moment that was recalled it went on otherwise")
        runs.append(np.array(positions))
    np.testing.assert_array_equal(runs[0], runs[1], err_msg="the same robot moved differently the second time")
    assert np.abs(runs[0][-1] - arm.positions).max() > 0, "efforts move nothing"


def _channels(read: Mapping[str, Any]) -> dict[str, np.ndarray[Any, Any]]:
    channels = {name: np.asarray(value) for name, value in read.items()}
    for name, array in channels.items():
        assert np.issubdtype(array.dtype, np.number) or array.dtype == bool, f"channel {name} is not numbers"
        assert not np.isnan(array.astype(float)).any(), f"channel {name} is not a number"
    return channels
