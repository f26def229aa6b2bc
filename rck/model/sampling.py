"""Joint vectors at random, the same again with the same seed."""

from collections.abc import Iterable
from math import inf

import numpy as np

from rck.geometry.arrays import Floats
from rck.model.joint import bounds_of
from rck.model.robot import Robot


def random_vectors(
    robot: Robot,
    count: int,
    seed: int = 1,
    *,
    joints: Iterable[str] | None = None,
    widest: float = inf,
    at_limits: int = 0,
) -> Floats:
    """Joint vectors within the limits; joints without limits turn once round. Shape (count, joints).

    They are of all free joints, or of the `joints` named. No joint turns by more than `widest` either way, in radians.
    One vector in `at_limits`, if that is not zero, has about half of its joints at a limit.
    """
    chosen = robot.free_joints if joints is None else [robot.joint(name) for name in joints]
    lower, upper = bounds_of(chosen)
    most = np.array([widest if joint.kind.turns else inf for joint in chosen])
    low = np.maximum(np.where(np.isfinite(lower), lower, -np.pi), -most)
    high = np.minimum(np.where(np.isfinite(upper), upper, np.pi), most)
    chance = np.random.default_rng(seed)
    vectors = chance.uniform(low, high, (count, len(chosen)))
    if not at_limits:
        return vectors
    ends = np.where(chance.random(vectors.shape) < 0.5, low, high)
    extreme = (np.arange(count) % at_limits == 0)[:, None] & (chance.random(vectors.shape) < 0.5)
    return np.where(extreme, ends, vectors)
