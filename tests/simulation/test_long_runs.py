"""Long runs: the memory of a simulation does not grow with simulated time."""

import gc
import tracemalloc
from pathlib import Path

from rck.hooks import discover
from rck.language.session import open_session
from rck.simulation.motor_loads import physics_maker
from rck.simulation.simulation import Simulation

EXAMPLES = Path(__file__).parent.parent.parent / "examples"


def test_run_with_physics_and_sensors_does_not_grow():
    plugins = discover()
    robot = open_session(plugins, EXAMPLES / "mobile-manipulator.rck").compile().unwrap().robot
    simulation = Simulation(robot, plugins=plugins, physics=physics_maker(plugins, "mujoco"))
    assert {sensor.kind for sensor in simulation.sensors.values()} >= {"lidar-2d", "depth-camera", "imu"}

    def allocated(seconds: float) -> int:
        # Every sensor is read at whole seconds, so that the same buffers are in use.
        simulation.step(seconds)
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    simulation.step(1.0)
    tracemalloc.start()
    try:
        first = allocated(1.0)
        later = allocated(10.0)
    finally:
        tracemalloc.stop()
    assert later - first < 5_000
