"""The largest efforts that gravity requires of the free joints of a robot with loops, by virtual work.

The effort of a free joint is the derivative of the potential energy by its position, with every loop closed. It is
sampled at joint vectors at which the loops close, and climbed from the best of them.
"""

import numpy as np

from rck.geometry.arrays import Floats
from rck.model import Frame, Robot
from rck.model.closure import closure_of
from rck.model.forward_kinematics import forward_batch
from rck.model.joint import bounds_of
from rck.model.joint_positions import random_vectors
from rck.model.robot_arrays import robot_arrays

_SAMPLES = 512
_CLIMBS = 3
_FIRST_STRIDE = 0.4
_LAST_STRIDE = 5e-3
"""In radians or metres; near a maximum, the effort changes with the square of the position."""
_LEAST_GAIN = 1e-4
"""Share of an effort by which a step must raise it."""
_DIFFERENCE = 1e-5


class ClosedLoadSearch:
    """Efforts of the free joints of a robot with loops, at any joint vector."""

    def __init__(self, robot: Robot, payload: float, at: Frame | None, gravity: Floats) -> None:
        self._robot = robot
        self._arrays = robot_arrays(robot)
        self._gravity = gravity
        # A point mass per item, and the payload: (item, mass, point in the item).
        points = [(number, item.mass, item.mass_properties.centre) for number, item in enumerate(robot.items)]
        if at is not None:
            points.append((robot.item_index[at.item], payload, at.pose[:3, 3]))
        self._items = np.array([item for item, _, _ in points])
        self._masses = np.array([mass for _, mass, _ in points])
        self._centres = np.array([point for _, _, point in points])
        self._samples = random_vectors(robot, _SAMPLES, at_limits=4)
        self._lower, self._upper = bounds_of(robot.free_joints)

    def worst(self, joint: int) -> tuple[Floats, float]:
        """Return the joint vector at which a free joint needs the most, and this effort, in N m or N."""
        efforts = self._efforts(self._samples, joint)
        best = np.argsort(-efforts, kind="stable")[:_CLIMBS]
        vectors, heights = self._samples[best].copy(), efforts[best].copy()
        stride = _FIRST_STRIDE
        axes = np.concatenate([np.eye(len(self._lower)), -np.eye(len(self._lower))])
        while stride > _LAST_STRIDE:
            tried = np.clip(vectors[:, None] + stride * axes, self._lower, self._upper)
            values = self._efforts(tried.reshape(-1, len(self._lower)), joint).reshape(len(vectors), -1)
            choice = values.argmax(axis=1)
            rows = np.arange(len(vectors))
            up = values[rows, choice] > heights * (1.0 + _LEAST_GAIN) + 1e-12
            vectors[up], heights[up] = tried[rows, choice][up], values[rows, choice][up]
            if not up.any():
                stride *= 0.5
        top = int(heights.argmax())
        return vectors[top], max(float(heights[top]), 0.0)

    def _efforts(self, vectors: Floats, joint: int) -> Floats:
        """Return the absolute effort of a free joint at each joint vector; -1 where loops do not close."""
        closure = closure_of(self._robot)
        assert closure is not None
        change = np.zeros(vectors.shape[1])
        change[joint] = _DIFFERENCE
        slopes = (self._potential(vectors + change) - self._potential(vectors - change)) / (2.0 * _DIFFERENCE)
        usable = closure.closes(vectors) & np.isfinite(slopes)
        return np.where(usable, np.abs(slopes), -1.0)

    def _potential(self, vectors: Floats) -> Floats:
        """Return the potential energy at each joint vector. Shape (vectors,), in J."""
        poses = forward_batch(self._arrays, vectors)[:, self._items]
        places = np.einsum("vpij,pj->vpi", poses[:, :, :3, :3], self._centres) + poses[:, :, :3, 3]
        energy: Floats = -(places @ self._gravity) @ self._masses
        return energy
