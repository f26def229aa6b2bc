"""Workspace of an arm as a grid of cells, and comparison of base placements."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, pi

import numpy as np
from numpy.typing import ArrayLike

from rck.geometry.arrays import Bools, Floats, Ints, frozen
from rck.geometry.transforms import from_quaternion, invert
from rck.hooks.ik_types import ChainSolver
from rck.kernels.body_tables import TURNS
from rck.kinematics.batch import solve_batch
from rck.kinematics.chain import Chain, poses_at, start_box
from rck.kinematics.dexterity import encoder_errors, manipulabilities
from rck.kinematics.solution_choice import room_to_limits
from rck.support.finding import RckError
from rck.support.job import Job

Touches = Callable[[Floats], Bools]
"""Collision test for joint vectors of the robot, shape (vectors, free joints)."""

MOST_CELLS = 200_000
_CLIMBS = 6
"""Number of samples from which the search for the reach starts."""
_FIRST_STRIDE = 0.02
_LAST_STRIDE = 1e-6
"""First and last step of these climbs, as a fraction of the range of a joint."""
_LEAST_RISE = 1e-12
"""In metres; less is rounding."""
_STARTS = 12
"""Starts after which a pose counts as out of reach."""


@dataclass(frozen=True, eq=False)
class Workspace:
    """The cells that a tip can reach. Make one with :func:`workspace`."""

    cell: float
    """The length of a cell's edges, in metres."""
    centres: Floats
    """The middle of each cell, in the frame of the base. Shape (cells, 3), in metres."""
    hits: Ints
    """Number of sampled joint vectors with the tip in the cell. Shape (cells,)."""
    reachable: Floats
    """Fraction of all orientations that the tip can take in the middle of the cell; 1 for arms with fewer than six
    joints. Shape (cells,)."""
    manipulability: Floats
    """The largest manipulability (Yoshikawa 1985) of these joint vectors, lengths in reaches. Shape (cells,)."""
    free: Floats
    """Fraction of these joint vectors without collision; 1 if not tested. Shape (cells,)."""
    reach: float
    """The largest distance of the tip from the first axis, in metres, from :func:`farthest`."""

    @property
    def volume(self) -> float:
        """The volume of all cells, in m3."""
        return len(self.centres) * self.cell**3


def workspace(
    chain: Chain,
    solver: ChainSolver,
    *,
    cell: float | None = None,
    samples: int = 20_000,
    turns: int = 12,
    touches: Touches | None = None,
    job: Job | None = None,
) -> Workspace:
    """Compute the workspace of a chain from evenly spread joint vectors and `turns` orientations in each cell reached.

    By default, the edge of a cell is a tenth of the chain's reach.
    """
    size = chain.reach / 10 if cell is None else cell
    if not size > 0 or samples < 1 or turns < 0:
        raise RckError("a workspace needs a positive cell size, one sample or more, and zero orientations or more")
    progress = job or Job()
    vectors = spread(samples, start_box(chain))
    _, poses = poses_at(chain, vectors)
    indices = np.floor(poses[:, :3, 3] / size).astype(np.int64)
    cells, first, of_sample, hits = np.unique(
        indices, axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    if len(cells) > MOST_CELLS:
        raise RckError(f"the workspace has {len(cells):,} cells; use cells larger than {1000 * size:.3g} mm")
    of_sample = of_sample.reshape(-1)
    centres = ((cells + 0.5) * size).astype(float)
    progress.progress(0.1, "cells")
    reachable: Floats = np.ones(len(cells))
    if len(chain.joints) >= 6 and turns:
        goals = np.tile(np.eye(4), (len(cells) * turns, 1, 1))
        goals[:, :3, :3] = np.tile(orientations(turns), (len(cells), 1, 1))
        goals[:, :3, 3] = np.repeat(centres, turns, axis=0)
        seeds = np.repeat(vectors[first], turns, axis=0)
        part = progress.part(0.1, 0.8, "orientations")
        solved_vectors, solved = solve_batch(solver, goals, seeds, starts=_STARTS, job=part)
        of_goal = np.repeat(np.arange(len(cells)), turns)
        reachable = np.bincount(of_goal[solved], minlength=len(cells)) / turns
        vectors = np.concatenate([vectors, solved_vectors[solved]])
        of_sample = np.concatenate([of_sample, of_goal[solved]])
    best: Floats = np.zeros(len(cells))
    np.maximum.at(best, of_sample, manipulabilities(chain, vectors))
    progress.progress(0.9, "collisions")
    free: Floats = np.ones(len(cells))
    if touches is not None:
        counts = np.bincount(of_sample, minlength=len(cells))
        free = np.bincount(of_sample[~touches(chain.in_robot(vectors))], minlength=len(cells)) / counts
    return Workspace(
        size,
        frozen(centres),
        frozen(hits.astype(np.int64)),
        frozen(reachable),
        frozen(best),
        frozen(free),
        farthest(chain),
    )


def farthest(chain: Chain, samples: int = 2_000) -> float:
    """Return the largest distance of the tip from the first turning axis of the arm within its limits, in metres.

    For an arm that only slides, it is the distance from the base. Found by climbing from the best of evenly spread
    joint vectors.
    """
    turning = [number for number, body in enumerate(chain.bodies) if body["motion"] == TURNS]

    def distances(vectors: Floats) -> Floats:
        bodies, tips = poses_at(chain, vectors)
        offset = tips[:, :3, 3]
        if not turning:
            return np.asarray(np.linalg.norm(offset, axis=1))
        axis = bodies[:, turning[0]]
        return np.asarray(np.linalg.norm(np.cross(offset - axis[:, :3, 3], axis[:, :3, 2]), axis=1))

    box = start_box(chain)
    vectors = spread(samples, box)
    best = vectors[np.argsort(-distances(vectors))[:_CLIMBS]]
    return float(_climb(distances, best, box).max())


def _climb(heights: Callable[[Floats], Floats], starts: Floats, box: Floats) -> Floats:
    """Climb from each start, shape (starts, numbers), to a maximum inside the box; return the heights there.

    Pattern search (Hooke and Jeeves 1961): a step along the last move or along one axis, shorter if none leads up.
    """
    low, high = box
    size = np.where(high > low, high - low, 0.0)
    axes = np.diag(size)
    here, last, top = starts.copy(), np.zeros_like(starts), heights(starts)
    stride = np.full(len(starts), _FIRST_STRIDE)
    while (stride > _LAST_STRIDE).any():
        steps = stride[:, None, None] * np.concatenate([axes, -axes])
        moves = np.concatenate([last[:, None], last[:, None] + steps, steps], axis=1)
        tried = np.clip(here[:, None] + moves, low, high)
        values = heights(tried.reshape(-1, tried.shape[2])).reshape(tried.shape[:2])
        rows, choice = np.arange(len(here)), values.argmax(axis=1)
        up = values[rows, choice] > top + _LEAST_RISE
        chosen = np.where(up[:, None], tried[rows, choice], here)
        last, here = chosen - here, chosen
        top = np.where(up, values[rows, choice], top)
        stride = np.where(up, stride, 0.5 * stride)
    return top


@dataclass(frozen=True, eq=False)
class BasePlacement:
    """The performance of an arm with its base at one pose."""

    base: Floats
    """World from base. Shape (4, 4)."""
    reached: int
    """Number of goals that it reaches."""
    free: int
    """Number of these without collision; all of them if not tested."""
    manipulability: float
    """The smallest manipulability at a goal that is reached; 0 if no goal is reached."""
    room: float
    """The smallest margin to a limit, as a fraction of the joint's range: 0.5 is the middle."""
    away: float
    """The largest error of the tip due to encoder resolution, in metres."""
    turned: float
    """The largest error of its orientation, in radians."""


def placements(
    chain: Chain,
    solver: ChainSolver,
    goals: Floats,
    bases: Sequence[Floats],
    *,
    bits: ArrayLike = 16,
    touches: Touches | None = None,
    job: Job | None = None,
) -> list[BasePlacement]:
    """Compare bases by the goals, world from tip, shape (goals, 4, 4), that the arm reaches from each.

    Encoders have 2^bits steps per turn, or over the range of a prismatic joint.
    """
    progress = job or Job()
    found = []
    for number, base in enumerate(bases):
        vectors, solved = solve_batch(solver, invert(np.asarray(base, dtype=float)) @ goals, starts=10 * _STARTS)
        reached = vectors[solved]
        free = len(reached)
        if touches is not None and len(reached):
            free = int((~touches(chain.in_robot(reached))).sum())
        if len(reached):
            errors = encoder_errors(chain, reached, bits).max(axis=0)
            least = float(manipulabilities(chain, reached).min())
            room = float(room_to_limits(chain, reached).min())
        else:
            errors, least, room = np.zeros(2), 0.0, 0.0
        found.append(
            BasePlacement(frozen(np.array(base)), len(reached), free, least, room, float(errors[0]), float(errors[1]))
        )
        progress.progress((number + 1) / len(bases), "base placements")
    return found


def spread(count: int, box: Floats) -> Floats:
    """Return points that fill a box, shape (2, numbers), evenly: the additive recurrence of Roberts 2018."""
    low, high = box
    ratio = 1.5
    for _ in range(30):
        ratio = (1 + ratio) ** (1 / (len(low) + 1))
    shares = (0.5 + np.outer(np.arange(1, count + 1), ratio ** -np.arange(1.0, len(low) + 1))) % 1.0
    points: Floats = low + shares * (high - low)
    return points


def orientations(count: int) -> Floats:
    """Return evenly distributed rotations (Shoemake 1992). Shape (count, 3, 3)."""
    u, v, w = spread(count, np.array([[0.0] * 3, [1.0] * 3])).T
    quaternions = np.stack(
        [
            np.sqrt(1 - u) * np.sin(2 * pi * v),
            np.sqrt(1 - u) * np.cos(2 * pi * v),
            np.sqrt(u) * np.sin(2 * pi * w),
            np.sqrt(u) * np.cos(2 * pi * w),
        ],
        axis=1,
    )
    return np.array([from_quaternion(quaternion)[:3, :3] for quaternion in quaternions])


def sweep(start: float, end: float, step: float) -> Floats:
    """Return numbers from start to end, both included, at most one step apart."""
    if step <= 0 or not np.isfinite([start, end, step]).all():
        raise RckError("a sweep needs a start, an end and a positive step")
    return np.linspace(start, end, max(ceil(abs(end - start) / step - 1e-9), 0) + 1)
