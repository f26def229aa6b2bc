"""Long runs end, and the memory of a simulation does not grow with simulated time."""

import gc
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest

from rck.hooks import discover
from rck.language.session import open_session
from rck.simulation.motor_loads import physics_maker
from rck.simulation.simulation import Simulation

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
FREE_LISTS = 5_000
"""What CPython keeps of freed tuples between full collections: 2,000 of each length up to 20. In kB."""
RUN = """
import gc, sys
from rck.cli import simulate
from rck.cli.main import main
class Watched(simulate.Simulation):
    def step(self, seconds):
        super().step(seconds)
        if round(self.time, 9) in (60.0, 300.0):
            gc.collect()
            resident = next(line for line in open("/proc/self/smaps_rollup") if line.startswith("Rss"))
            print("memory", sys.getallocatedblocks(), resident.split()[1], file=sys.stderr)
simulate.Simulation = Watched
main()
"""


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


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="the memory is read from /proc")
def test_five_minutes_with_motions_end_and_do_not_grow(tmp_path: Path):
    joints = ("arm/shoulder-pan", "arm/wrist-1", "arm/wrist-2")
    moves = [
        f"- {{at: {30 * n}, until: {30 * n + 5}, move: {joints[n % 3]}, by: {(-1) ** (n // 3) * 15} deg}}"
        for n in range(11)
    ]
    (tmp_path / "moves.yaml").write_text("\n".join(["events:", *moves]))
    words = ("simulate", EXAMPLES / "mobile-manipulator.rck", tmp_path / "moves.yaml", "--physics", "mujoco")
    ran = subprocess.run([sys.executable, "-c", RUN, *words], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert "11 of 11 events done in 305.00 s" in ran.stdout
    memory = [line.split()[1:] for line in ran.stderr.splitlines() if line.startswith("memory")]
    (blocks, resident), (later_blocks, later_resident) = ([int(word) for word in words] for words in memory)
    # Notices and outcomes of the eight motions in between.
    assert later_blocks - blocks < 1_000
    assert later_resident - resident < FREE_LISTS
