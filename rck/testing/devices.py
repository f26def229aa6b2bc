"""Contracts of sensors, grippers and physics engines."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rck.hooks.kinds import Gripper, Physics, Sensor, StatefulReader
from rck.hooks.options import read_options
from rck.hooks.surroundings import Press
from rck.model.robot import Robot
from rck.testing.assertions import assert_array, assert_type, json_mismatch
from rck.testing.robots import planar_arm
from rck.testing.still_world import arm_before_a_wall


def check_sensor(sensor: Sensor, *, given: Mapping[str, str] | None = None) -> None:
    """Require channels of numbers with constant shapes, the same values for the same world, and JSON memory."""
    world, mount = arm_before_a_wall()
    values = read_options(sensor.options, given or {})
    reader = sensor.make(world.robot, mount, values)
    first = _channels(reader.read(world))
    assert first, "it has no channels"
    if isinstance(reader, StatefulReader):
        wrong = json_mismatch(reader.memory())
        assert not wrong, f"memory: {wrong}"
    other_world, _ = arm_before_a_wall(gap=0.3)
    other = _channels(sensor.make(other_world.robot, mount, values).read(other_world))
    assert {name: array.shape for name, array in other.items()} == {name: one.shape for name, one in first.items()}
    again = _channels(sensor.make(world.robot, mount, values).read(world))
    for name, array in first.items():
        np.testing.assert_array_equal(again[name], array, err_msg=f"channel {name}: other values for the same world")


def check_gripper(gripper: Gripper, *, given: Mapping[str, str] | None = None) -> None:
    """Require a text as answer, the same for the same world, and a refusal of an item ten metres away."""
    world, mount = arm_before_a_wall()
    values = read_options(gripper.options, given or {})
    for item in ("near", "far", "wall"):
        answer = gripper.holds(world, mount, values, item)
        assert isinstance(answer, str), f"it returned {type(answer).__name__}, not str"
        assert gripper.holds(world, mount, values, item) == answer
    assert gripper.holds(world, mount, values, "far"), "it holds an item ten metres away"


def check_physics(physics: Physics, *, given: Mapping[str, str] | None = None) -> None:
    """Require a start at rest, finite and deterministic steps, and the same motion after a saved state is restored."""
    arm = planar_arm(2)
    runs = []
    for _ in range(2):
        world = physics.make(arm, read_options(physics.options, given or {}))
        np.testing.assert_allclose(world.positions, arm.positions, rtol=0, atol=1e-9)
        np.testing.assert_allclose(world.speeds, 0.0, rtol=0, atol=1e-12)
        positions = [world.step(np.array([0.5, -0.2]), 0.01) for _ in range(20)]
        positions += [world.steer(np.array([0.1, 0.1]), 0.01) for _ in range(20)]
        for name, shape in _physics_shapes(arm).items():
            assert_array(getattr(world, name), shape, name)
        assert_array(np.array(positions), (40, 2), "positions after the steps")
        assert_type(world.presses, Sequence[Press], "presses")
        for press in world.presses:
            assert_array(press.force, (3,), "force")
            assert_array(press.point, (3,), "point")
            assert set(press.items) <= set(arm.item_index), f"unknown items: {press.items}"
        memory = world.memory()
        wrong = json_mismatch(memory)
        assert not wrong, f"memory: {wrong}"
        before = json.loads(json.dumps(memory))
        after = world.steer(np.zeros(2), 0.01)
        world.recall(before)
        again = world.steer(np.zeros(2), 0.01)
        np.testing.assert_array_equal(again, after, err_msg="other motion after the state was restored")
        runs.append(np.array(positions))
    np.testing.assert_array_equal(runs[0], runs[1], err_msg="other motion in the second run")
    assert np.abs(runs[0][-1] - arm.positions).max() > 0, "efforts and targets do not move the robot"


def _physics_shapes(robot: Robot) -> dict[str, tuple[int, ...]]:
    joints, items = (len(robot.free_joints),), len(robot.items)
    return {
        "positions": joints,
        "speeds": joints,
        "efforts": joints,
        "poses": (items, 4, 4),
        "velocities": (items, 6),
        "accelerations": (items, 6),
        "gravity": (3,),
    }


def _channels(read: Mapping[str, Any]) -> dict[str, np.ndarray[Any, Any]]:
    assert_type(read, Mapping[str, NDArray[Any]], "reading")
    channels = {name: np.asarray(value) for name, value in read.items()}
    for name, array in channels.items():
        assert not np.isnan(array.astype(float)).any(), f"channel {name} contains NaN"
    return channels
