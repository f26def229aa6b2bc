"""Closed chains of the catalogue: positions of all joints for positions of the free ones.

MuJoCo closes loops by forces over many steps and has no call that only closes them. Its row is one step of the same
mechanism; it also judges RCK's positions by the error of its own equality constraints.
"""

from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np

from rck.geometry.arrays import Floats
from rck.hooks import Exporter, Job, discover
from rck.model.closure import Closure, closure_of
from rck.model.joint_positions import random_vectors
from rck.model.robot import Robot
from rck.parts.library import open_catalogue
from rck_bench.machine import package_version
from rck_bench.report import Report

MECHANISMS = {"2F-85": "robotiq/2f-85-linkage", "delta robot": "generic/delta"}
CALLS = 1_000
BATCH = 100_000
JUDGED = 200
LEAST_RATE = 300_000.0


def run(report: Report) -> None:
    """Add the rows of this area."""
    plugins = discover()
    catalogue = open_catalogue(plugins)
    report.machine["mujoco"] = package_version("mujoco")
    for title, part in MECHANISMS.items():
        robot = catalogue.part(part).robot
        closure = closure_of(robot)
        assert closure is not None
        batch = random_vectors(robot, BATCH)
        one_call = _follow(closure, batch[0], batch[1])
        if find_spec("mujoco"):
            (exporter,) = (one for one in plugins.all(Exporter) if one.name == "mjcf")
            peer = _Peer(robot, dict(exporter.write(robot, "mechanism.xml", {}, Job()).files))
            difference = max(peer.error(closure.complete(row)) for row in batch[:JUDGED])
            report.compare(
                f"{title}, one call", one_call, peer.step_each(batch[:CALLS]),
                peer="MuJoCo mj_step, which does not close", difference=difference, work=CALLS,
            )  # fmt: skip
        else:
            report.measure(f"{title}, one call", one_call, work=CALLS, peer="mujoco is not installed")
        report.measure(
            f"{title}, batch of {BATCH:,}", partial(closure.complete_batch, batch),
            work=BATCH, peer="no peer solves batches", least_rate=LEAST_RATE,
        )  # fmt: skip


def _follow(closure: Closure, start: Floats, end: Floats) -> Callable[[], None]:
    """Return a function that moves there and back in small steps, each from the positions before, as a simulation."""
    rows = start + (1.0 - np.cos(np.linspace(0.0, 2.0 * np.pi, CALLS)))[:, None] * 0.5 * (end - start)
    first = closure.complete(start)

    def loop() -> None:
        here = first
        for row in rows:
            here, _, _ = closure.solve(row, here)

    return loop


class _Peer:
    """A mechanism in MuJoCo."""

    def __init__(self, robot: Robot, files: dict[str, bytes]) -> None:
        import mujoco

        self._mujoco: Any = mujoco
        text = files.pop("mechanism.xml").decode()
        self._model = mujoco.MjModel.from_xml_string(text, files)
        self._data = mujoco.MjData(self._model)
        self._addresses = [int(self._model.joint(joint.name).qposadr[0]) for joint in robot.coordinate_joints]
        self._mimics = [
            (int(self._model.joint(joint.name).qposadr[0]), joint.mimic, robot.coordinate_joints.index(leader))
            for joint in robot.joints
            if joint.mimic is not None
            for leader in [robot.joint(joint.mimic.joint)]
        ]

    def error(self, coordinates: Floats) -> float:
        """Return the largest error of the equality constraints at RCK's coordinates, in metres or radians."""
        data = self._data
        data.qpos[self._addresses] = coordinates
        for address, mimic, leader in self._mimics:
            data.qpos[address] = mimic.ratio * coordinates[leader] + mimic.offset
        self._mujoco.mj_forward(self._model, data)
        is_equality = data.efc_type[: data.nefc] == self._mujoco.mjtConstraint.mjCNSTR_EQUALITY
        return float(np.abs(data.efc_pos[: data.nefc][is_equality]).max())

    def step_each(self, rows: Floats) -> Callable[[], None]:
        """Return a function that makes a step of the simulation for each row."""

        def loop() -> None:
            for _ in rows:
                self._mujoco.mj_step(self._model, self._data)

        return loop
