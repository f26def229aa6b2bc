"""Physics without inertia: joints creep through a thick fluid, as fast as their efforts push them."""

from typing import Any

import numpy as np

from rck.geometry import Floats
from rck.hooks import Option, Physics, Press, Values, hookimpl
from rck.model import Robot
from rck.model.arrays import robot_arrays
from rck.model.forward import forward, forward_rates

_STIFFNESS = 20.0
"""Of the controllers, in N m for a radian and in N for a metre."""


@hookimpl
def rck_physics() -> list[Physics]:
    """What this plugin adds."""
    damping = Option("damping", "of every joint, in N m s for a radian or N s for a metre", "number", 2.0)
    return [Physics("my-plugin", "joints in a thick fluid", World, (damping,))]


class World:
    """A robot in the fluid."""

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
        """Of each item, linear over angular. Shape (items, 6), in m/s and rad/s."""
        return forward_rates(self._arrays, self.positions, self.speeds, np.zeros_like(self.speeds))[0]

    @property
    def accelerations(self) -> Floats:
        """Of each item, as the velocities: the fluid damps all changes of speed at once. Shape (items, 6)."""
        return forward_rates(self._arrays, self.positions, self.speeds, np.zeros_like(self.speeds))[1]

    @property
    def gravity(self) -> Floats:
        """Nothing falls in this fluid. Shape (3,), in m/s2."""
        return np.zeros(3)

    @property
    def presses(self) -> list[Press]:
        """Nothing presses on anything: bodies pass through each other here."""
        return []

    def step(self, efforts: Floats, seconds: float) -> Floats:
        """Apply an effort to each free joint for a time; the positions after it."""
        self.efforts = np.asarray(efforts, dtype=float)
        self.speeds = self.efforts / self._damping
        self.positions = self.positions + self.speeds * seconds
        return self.positions

    def hold(self, item: str, hand: str) -> None:
        """Fasten a loose item to a hand: in this fluid nothing has weight, so nothing changes."""

    def let_go(self, item: str) -> None:
        """Let it go again."""

    def steer(self, targets: Floats, seconds: float) -> Floats:
        """Push each joint towards a position for a time; the positions after it."""
        return self.step(_STIFFNESS * (np.asarray(targets, dtype=float) - self.positions), seconds)

    def memory(self) -> Any:
        """Where the joints are: all that it needs to go on."""
        return self.positions.tolist()

    def recall(self, memory: Any) -> None:
        """Go back to where the joints were."""
        self.positions = np.array(memory)
