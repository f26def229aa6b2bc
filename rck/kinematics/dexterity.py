"""Dexterity of a chain at a joint vector: Jacobian, manipulability, singularities, encoder error.

Manipulability is measured in the motions that belong to the arm, its task directions. Translations come first: as many
directions as the tip can move in at almost every joint vector. Then come the rotations that the arm can still make
while the tip stays in place. A planar arm with two joints has x and y, one with three joints also the rotation about z,
a SCARA x, y, z and the rotation about z, a 4-axis arm x, y, z and the pitch. Six joints or more usually have all six.
"""

from dataclasses import dataclass
from math import pi

import numpy as np
from numpy.typing import ArrayLike

from rck.geometry.arrays import Floats
from rck.kernels import fk
from rck.kinematics.chain import Chain
from rck.support.finding import RckError

SINGULAR = 1e-3
"""The smallest singular value, over the largest, below which a chain is reported as singular."""
_SAMPLES = 16
"""Random joint vectors at which the task directions are counted."""
_NUDGE = 1e-3
"""Distance, in radians or metres, to the joint vector at which the task directions of a singular one are found."""


@dataclass(frozen=True, eq=False)
class Dexterity:
    """Singular values of the Jacobian's task rows, lengths divided by the chain's reach to compare with angles."""

    manipulability: float
    """The product of the singular values (Yoshikawa 1985); 0 at a singularity."""
    condition: float
    """The largest singular value over the smallest; infinite at a singularity."""
    lost: Floats
    """Task motions that the tip cannot make, as rows: three parts in reaches, three in radians. Shape (some, 6)."""
    idle: Floats
    """Joint motions that move the tip in no task direction, as rows, redundant ones last. Shape (some, joints)."""

    @property
    def singular(self) -> bool:
        """True if the tip has lost a motion that it has at almost every other joint vector."""
        return self.condition > 1 / SINGULAR


def chain_jacobian(chain: Chain, vector: Floats) -> Floats:
    """Return the Jacobian of the tip, linear over angular, along the base axes. Shape (6, joints)."""
    (slope,) = chain_jacobians(chain, np.asarray(vector, dtype=float)[None])
    return np.asarray(slope)


def chain_jacobians(chain: Chain, vectors: Floats) -> Floats:
    """Return the :func:`chain_jacobian` at many joint vectors, shape (vectors, joints). Shape (vectors, 6, joints)."""
    rows = np.asarray(vectors, np.float64, order="C")
    slopes = np.zeros((len(rows), 6, len(chain.joints)))
    if chain.closure is not None:
        coordinates = chain.closure.complete_batch(chain.in_robot(rows))[0]
        whole = np.zeros((len(rows), 6, coordinates.shape[1]))
        fk.chain_jacobians_batch(chain.bodies, chain.body_from_tip, coordinates, whole)
        for number, here in enumerate(coordinates):
            bent = np.isfinite(here).all()
            slopes[number] = whole[number] @ chain.closure.slopes(here)[:, list(chain.columns)] if bent else 0.0
    elif len(chain.bodies):
        fk.chain_jacobians_batch(chain.bodies, chain.body_from_tip, rows, slopes)
    return slopes


def manipulabilities(chain: Chain, vectors: Floats) -> Floats:
    """Return the manipulability at many joint vectors, shape (vectors, joints). Shape (vectors,)."""
    translations, rotations = _task_size(chain)
    slopes = _scaled_jacobians(chain, vectors)
    if (translations, rotations) == (3, 3):
        # All six motions belong to the arm: the product is that of all singular values.
        if len(chain.joints) == 6:
            return np.asarray(np.abs(np.linalg.det(slopes)))
        return np.asarray(np.linalg.svd(slopes, compute_uv=False).prod(axis=1))
    _, moves, joints = np.linalg.svd(slopes[:, :3])
    held = slopes[:, 3:] @ joints[:, translations:].transpose(0, 2, 1)
    turns = np.linalg.svd(held, compute_uv=False)
    values: Floats = moves[:, :translations].prod(axis=1) * turns[:, :rotations].prod(axis=1)
    return values


def dexterity(chain: Chain, vector: Floats) -> Dexterity:
    """Return the dexterity of the chain at a joint vector, shape (joints,)."""
    (slope,) = _scaled_jacobians(chain, np.asarray(vector, dtype=float)[None])
    rows = _task_rows(chain, vector)
    motions, values, joints = np.linalg.svd(rows @ slope)
    largest = float(values.max(initial=0.0))
    lively = int((values > SINGULAR * largest).sum())
    smallest = float(values.min(initial=largest))
    return Dexterity(
        float(np.prod(values)),
        largest / smallest if smallest > 0 else np.inf,
        motions[:, lively:].T @ rows,
        joints[lively:],
    )


def _scaled_jacobians(chain: Chain, vectors: Floats) -> Floats:
    """Return the :func:`chain_jacobians` with lengths in reaches of the chain."""
    slopes = chain_jacobians(chain, vectors)
    slopes[:, :3] /= chain.reach
    return slopes


def _task_size(chain: Chain) -> tuple[int, int]:
    """Return the number of translations, and of rotations with the tip in place, at almost every joint vector.

    The rank is the same at almost every joint vector, within the limits or not, so a few random ones are enough.
    """
    around = np.where(chain.turning > 0, pi, chain.reach)
    vectors = np.random.default_rng(0).uniform(-around, around, (_SAMPLES, len(chain.joints)))
    slopes = _scaled_jacobians(chain, vectors)
    most = np.linalg.svd(slopes, compute_uv=False).max(axis=1, initial=0.0)[:, None]

    def rank(matrices: Floats) -> int:
        values = np.linalg.svd(matrices, compute_uv=False)
        return int((values > SINGULAR * most).sum(axis=1).max())

    translations = rank(slopes[:, :3])
    _, _, joints = np.linalg.svd(slopes[:, :3])
    return translations, rank(slopes[:, 3:] @ joints[:, translations:].transpose(0, 2, 1))


def _task_rows(chain: Chain, vector: Floats) -> Floats:
    """Return the task directions at a joint vector, as orthonormal rows of shape (directions, 6), lengths in reaches.

    If the arm is singular, they are those of a nearby joint vector.
    """
    translations, rotations = _task_size(chain)
    nudge = _NUDGE * np.random.default_rng(0).standard_normal(len(chain.joints))
    for here in (vector, vector + nudge):
        (slope,) = _scaled_jacobians(chain, np.asarray(here, dtype=float)[None])
        moves, lengths, joints = np.linalg.svd(slope[:3])
        turns, angles, _ = np.linalg.svd(slope[3:] @ joints[translations:].T)
        values = np.append(lengths[:translations], angles[:rotations])
        if (values > SINGULAR * _NUDGE * values.max(initial=0.0)).all():
            break
    rows = np.zeros((translations + rotations, 6))
    rows[:translations, :3] = moves[:, :translations].T
    rows[translations:, 3:] = turns[:, :rotations].T
    return rows


def singularity_report(chain: Chain, vector: Floats) -> list[str]:
    """Describe the motions that are lost if the chain is singular; return nothing otherwise."""
    found = dexterity(chain, vector)
    if not found.singular:
        return []
    lines = []
    slope = chain_jacobian(chain, vector)
    for row in found.idle[: len(found.lost)]:
        moving = [
            f"{name} by {share:+.2f}"
            for name, share in zip(chain.joints, row / np.abs(row).max(), strict=True)
            if abs(share) > 0.05
        ]
        turns = np.linalg.norm(slope[3:] @ row) > 0.05
        stays = f"{chain.tip} turns in place" if turns else f"{chain.tip} does not move"
        lines.append(f"{stays} while the joints move together: {', '.join(moving)}")
    for row in found.lost:
        parts = (("moving along", row[:3]), ("turning about", row[3:]))
        motions = [f"{what} {_direction(part)}" for what, part in parts if np.linalg.norm(part) > 0.05]
        lines.append(f"{chain.tip} cannot do this, in the frame of {chain.base}: {' while '.join(motions)}")
    return lines


def _direction(vector: Floats) -> str:
    x, y, z = np.round(vector / np.linalg.norm(vector), 2) + 0.0  # no -0.00
    return f"({x:.2f}, {y:.2f}, {z:.2f})"


def encoder_errors(chain: Chain, vectors: Floats, bits: ArrayLike) -> Floats:
    """Return the largest error of the tip, in metres and radians, if each joint is off by one encoder step.

    Joint vectors have shape (vectors, joints); the result has shape (vectors, 2). A revolute joint has 2^bits steps per
    turn, a prismatic one over its range. The errors of all joints add up.
    """
    span = np.where(chain.turning > 0, 2 * pi, chain.upper - chain.lower)
    if not np.isfinite(span).all():
        raise RckError("encoder errors need limits for every prismatic joint")
    steps = span / 2.0 ** np.broadcast_to(np.asarray(bits, dtype=float), span.shape)
    slopes = np.abs(chain_jacobians(chain, vectors)) @ steps
    errors: Floats = np.linalg.norm(slopes.reshape(-1, 2, 3), axis=2)
    return errors
