"""How well a chain can move from where it stands: Jacobian, manipulability, singularities, encoder error."""

from dataclasses import dataclass
from math import pi

import numpy as np
from numpy.typing import ArrayLike

from rck.geometry.arrays import Floats
from rck.kernels.bodies import TURNS
from rck.kinematics.chain import Chain, poses_at
from rck.model.finding import RckError

SINGULAR = 1e-3
"""The smallest singular value, over the largest, below which a chain is reported as singular."""


@dataclass(frozen=True, eq=False)
class Dexterity:
    """The Jacobian's singular values, lengths counted in reaches of the chain so that they compare with angles."""

    manipulability: float
    """The product of the singular values (Yoshikawa 1985); 0 at a singularity."""
    condition: float
    """The largest singular value over the smallest; infinite at a singularity."""
    lost: Floats
    """Motions that the tip cannot make, as rows: three parts in reaches, three in radians. Shape (some, 6)."""
    idle: Floats
    """Joint motions that leave the tip where it is, as rows. Shape (some, joints)."""

    @property
    def singular(self) -> bool:
        """Whether the tip has lost a motion that the number of joints would give it."""
        return self.condition > 1 / SINGULAR


def chain_jacobian(chain: Chain, vector: Floats) -> Floats:
    """How the tip moves with each joint, linear over angular, along the base's axes. Shape (6, joints)."""
    (slope,) = chain_jacobians(chain, np.asarray(vector, dtype=float)[None])
    return np.asarray(slope)


def chain_jacobians(chain: Chain, vectors: Floats) -> Floats:
    """As :func:`chain_jacobian` at many joint vectors, shape (vectors, joints). Shape (vectors, 6, joints)."""
    poses, tips = poses_at(chain, vectors)
    slopes = np.zeros((len(vectors), 6, len(chain.joints)))
    for number, body in enumerate(chain.bodies):
        axes = body["ratio"] * poses[:, number, :3, 2]
        if body["motion"] == TURNS:
            slopes[:, :3, body["joint"]] += np.cross(axes, tips[:, :3, 3] - poses[:, number, :3, 3])
            slopes[:, 3:, body["joint"]] += axes
        else:
            slopes[:, :3, body["joint"]] += axes
    return slopes


def manipulabilities(chain: Chain, vectors: Floats) -> Floats:
    """The manipulability at many joint vectors, shape (vectors, joints). Shape (vectors,)."""
    slopes = chain_jacobians(chain, vectors)
    slopes[:, :3] /= chain.reach
    values: Floats = np.linalg.svd(slopes, compute_uv=False).prod(axis=1)
    return values


def dexterity(chain: Chain, vector: Floats) -> Dexterity:
    """What the chain can and cannot do at a joint vector, shape (joints,)."""
    scaled = chain_jacobian(chain, vector)
    scaled[:3] /= chain.reach
    motions, values, joints = np.linalg.svd(scaled)
    largest = float(values[0]) if len(values) else 0.0
    lively = int((values > SINGULAR * largest).sum())
    smallest = float(values[-1]) if len(values) else 0.0
    return Dexterity(
        float(np.prod(values)),
        largest / smallest if smallest > 0 else np.inf,
        motions[:, lively:].T,
        joints[lively:],
    )


def singularity_report(chain: Chain, vector: Floats) -> list[str]:
    """What is lost where the chain is singular, in sentences for people; nothing where it is not."""
    found = dexterity(chain, vector)
    if not found.singular:
        return []
    lines = []
    for row in found.idle[max(len(chain.joints) - 6, 0) :]:
        moving = [
            f"{name} by {share:+.2f}"
            for name, share in zip(chain.joints, row / np.abs(row).max(), strict=True)
            if abs(share) > 0.05
        ]
        lines.append(f"{chain.tip} stays where it is while the joints move together: {', '.join(moving)}")
    if len(chain.joints) >= 6:
        for row in found.lost:
            parts = (("moving along", row[:3]), ("turning about", row[3:]))
            said = [f"{what} {_direction(part)}" for what, part in parts if np.linalg.norm(part) > 0.05]
            lines.append(f"{chain.tip} cannot do this, in the frame of {chain.base}: {' while '.join(said)}")
    return lines


def _direction(vector: Floats) -> str:
    x, y, z = vector / np.linalg.norm(vector)
    return f"({x:.2f}, {y:.2f}, {z:.2f})"


def encoder_errors(chain: Chain, vectors: Floats, bits: ArrayLike) -> Floats:
    """The largest error of the tip, in metres and radians, when each joint is read to one step. Shape (vectors, 2).

    It is told at many joint vectors, shape (vectors, joints). A turning joint has 2^bits steps a turn, a sliding one
    as many over its range. The errors of all joints are taken to add up.
    """
    span = np.where(chain.turning > 0, 2 * pi, chain.upper - chain.lower)
    if not np.isfinite(span).all():
        raise RckError("a joint that slides without limits has no encoder steps to count")
    steps = span / 2.0 ** np.broadcast_to(np.asarray(bits, dtype=float), span.shape)
    slopes = np.abs(chain_jacobians(chain, vectors)) @ steps
    errors: Floats = np.linalg.norm(slopes.reshape(-1, 2, 3), axis=2)
    return errors
