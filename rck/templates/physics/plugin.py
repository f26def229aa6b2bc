"""Physics without inertia: joints move through a viscous fluid at velocities proportional to their efforts."""

from typing import Any

import numpy as np

from rck.geometry import Floats
from rck.hooks import Option, Physics, Press, Values, hookimpl
from rck.model import Robot
from rck.model.forward_kinematics import forward, forward_rates
from rck.model.robot_arrays import robot_arrays

_STIFFNESS = 20.0
"""Stiffness of the controllers, in N m/rad and N/m."""


@hookimpl
def rck_physics() -> list[Physics]:
    """Return the physics engine."""
    damping = Option("damping", "damping of every joint, in N m s/rad or N s/m", "number", 2.0)
    return [Physics("my-plugin", "joints in a viscous fluid", World, (damping,))]


class World:
    """Robot in the fluid."""

    def __init__(self, robot: Robot, values: Values) -> None:
        self._arrays = robot_arrays(robot)
        self._damping: float = values["damping"]
        self.positions: Floats = np.array(robot.positions)
        self.speeds: Floats = np.zeros_like(self.positions)
        self.efforts: Floats = np.zeros_like(self.positions)

    @property
    def poses(self) -> Floats:
        """World from item. Shape (items, 4, 4)."""
        return forward(self._arrays, self.positions)

    @property
    def velocities(self) -> Floats:
        """Velocity of each item, linear over angular. Shape (items, 6), in m/s and rad/s."""
        return forward_rates(self._arrays, self.positions, self.speeds, np.zeros_like(self.speeds))[0]

    @property
    def accelerations(self) -> Floats:
        """Zero: without inertia, velocities change at once. Shape (items, 6)."""
        return forward_rates(self._arrays, self.positions, self.speeds, np.zeros_like(self.speeds))[1]

    @property
    def gravity(self) -> Floats:
        """Zero: nothing falls in this fluid. Shape (3,), in m/s2."""
        return np.zeros(3)

    @property
    def presses(self) -> list[Press]:
        """None: items pass through each other here."""
        return []

    def step(self, efforts: Floats, seconds: float) -> Floats:
        """Apply an effort to each free joint for a time; return the new positions."""
        self.efforts = np.asarray(efforts, dtype=float)
        self.speeds = self.efforts / self._damping
        self.positions = self.positions + self.speeds * seconds
        return self.positions

    def hold(self, item: str, hand: str) -> None:
        """Fix a loose item to a gripper; nothing has weight here, so nothing changes."""

    def let_go(self, item: str) -> None:
        """Release a held item."""

    def steer(self, targets: Floats, seconds: float) -> Floats:
        """Push each joint towards a position for a time; return the new positions."""
        return self.step(_STIFFNESS * (np.asarray(targets, dtype=float) - self.positions), seconds)

    def memory(self) -> Any:
        """Return the joint positions, which are the whole state."""
        return self.positions.tolist()

    def recall(self, memory: Any) -> None:
        """Restore the joint positions."""
        self.positions = np.array(memory)
