"""What an arm can reach: space in cells, and how well the arm gets to each; and where its base had better stand."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, pi

import numpy as np
from numpy.typing import ArrayLike

from rck.geometry.arrays import Bools, Floats, Ints, frozen
from rck.geometry.transforms import from_quaternion, invert
from rck.hooks.job import Job
from rck.hooks.solving import ChainSolver
from rck.kernels.bodies import TURNS
from rck.kinematics.batch import solve_batch
from rck.kinematics.chain import Chain, poses_at, start_box
from rck.kinematics.choice import room_to_limits
from rck.kinematics.dexterity import encoder_errors, manipulabilities
from rck.model.finding import RckError

Touches = Callable[[Floats], Bools]
"""Whether anything touches at each joint vector of the robot, shape (vectors, free joints)."""

MOST_CELLS = 200_000
_CLIMBS = 6
"""How many of the best samples the search for the reach climbs from."""
_STARTS = 12
"""A pose that the search does not reach from so many starts counts as out of reach."""


@dataclass(frozen=True, eq=False)
class Workspace:
    """The cells that a tip gets into. Make one with :func:`workspace`."""

    cell: float
    """The length of a cell's edges, in metres."""
    centres: Floats
    """The middle of each cell, in the frame of the base. Shape (cells, 3), in metres."""
    hits: Ints
    """How many of the random joint vectors bring the tip there. Shape (cells,)."""
    reachable: Floats
    """The share of all orientations in which the tip can stand in the middle; 1 for arms of fewer than six joints,
    which cannot choose. Shape (cells,)."""
    manipulability: Floats
    """The best of the joint vectors that bring it there (Yoshikawa 1985), lengths in reaches. Shape (cells,)."""
    free: Floats
    """The share of these joint vectors at which nothing touches; 1 where that was not asked. Shape (cells,)."""
    reach: float
    """The largest distance of the tip from the first axis of the arm, in metres, as :func:`farthest` has it."""

    @property
    def volume(self) -> float:
        """Of all cells together, in m3."""
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
    """The map of a chain: `samples` joint vectors, spread evenly, and `turns` orientations in each cell that they meet.

    The edge of a cell is, by default, a tenth of the chain's reach.
    """
    size = chain.reach / 10 if cell is None else cell
    if not size > 0 or samples < 1 or turns < 0:
        raise RckError("a map takes cells of some size, one sample at least, and no negative number of orientations")
    told = job or Job()
    vectors = spread(samples, start_box(chain))
    _, poses = poses_at(chain, vectors)
    indices = np.floor(poses[:, :3, 3] / size).astype(np.int64)
    cells, first, of_sample, hits = np.unique(
        indices, axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    if len(cells) > MOST_CELLS:
        raise RckError(f"the map would have {len(cells):,} cells; make them larger than {1000 * size:.3g} mm")
    of_sample = of_sample.reshape(-1)
    centres = ((cells + 0.5) * size).astype(float)
    told.progress(0.1, "cells")
    reachable: Floats = np.ones(len(cells))
    if len(chain.joints) >= 6 and turns:
        goals = np.tile(np.eye(4), (len(cells) * turns, 1, 1))
        goals[:, :3, :3] = np.tile(orientations(turns), (len(cells), 1, 1))
        goals[:, :3, 3] = np.repeat(centres, turns, axis=0)
        seeds = np.repeat(vectors[first], turns, axis=0)
        part = Job(lambda share, what: told.progress(0.1 + 0.7 * share, "orientations"))
        solved_vectors, solved = solve_batch(solver, goals, seeds, starts=_STARTS, job=part)
        of_goal = np.repeat(np.arange(len(cells)), turns)
        reachable = np.bincount(of_goal[solved], minlength=len(cells)) / turns
        vectors = np.concatenate([vectors, solved_vectors[solved]])
        of_sample = np.concatenate([of_sample, of_goal[solved]])
    best: Floats = np.zeros(len(cells))
    np.maximum.at(best, of_sample, manipulabilities(chain, vectors))
    told.progress(0.9, "collisions")
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
    from scipy.optimize import minimize

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
    climbs = [minimize(lambda row: -distances(row[None])[0], start, bounds=box.T) for start in best]
    return float(max(-climb.fun for climb in climbs))


@dataclass(frozen=True, eq=False)
class Placement:
    """How an arm does with its base in one place."""

    base: Floats
    """World from base. Shape (4, 4)."""
    reached: int
    """How many of the goals it reaches."""
    free: int
    """At how many of these nothing touches; as many as reached where that was not asked."""
    manipulability: float
    """The least at a goal that is reached; 0 where none is."""
    room: float
    """The least room to a limit, as a share of the joint's range: 0.5 is the middle."""
    away: float
    """The largest error of the tip that comes from the encoders, in metres."""
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
) -> list[Placement]:
    """How many of the goals, world from tip, shape (goals, 4, 4), an arm reaches from each base, and how well.

    Encoders have 2^bits steps a turn, or over the range of a sliding joint.
    """
    told = job or Job()
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
            Placement(frozen(np.array(base)), len(reached), free, least, room, float(errors[0]), float(errors[1]))
        )
        told.progress((number + 1) / len(bases), "places of the base")
    return found


def spread(count: int, box: Floats) -> Floats:
    """Points that fill a box, shape (2, numbers), evenly: the additive recurrence of Roberts 2018."""
    low, high = box
    ratio = 1.5
    for _ in range(30):
        ratio = (1 + ratio) ** (1 / (len(low) + 1))
    shares = (0.5 + np.outer(np.arange(1, count + 1), ratio ** -np.arange(1.0, len(low) + 1))) % 1.0
    points: Floats = low + shares * (high - low)
    return points


def orientations(count: int) -> Floats:
    """Rotations that are spread evenly over all (Shoemake 1992). Shape (count, 3, 3)."""
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
    """Numbers from start to end, both included, no farther apart than the step."""
    if step <= 0 or not np.isfinite([start, end, step]).all():
        raise RckError("a sweep takes a start, an end and a step above zero")
    return np.linspace(start, end, max(ceil(abs(end - start) / step - 1e-9), 0) + 1)
