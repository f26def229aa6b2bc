"""How well a chain can move from where it stands: Jacobian, manipulability, singularities, encoder error."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import pi

import numpy as np

from rck.geometry.arrays import Floats
from rck.kernels.bodies import TURNS
from rck.kinematics.chain import Chain, body_poses

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
    poses = body_poses(chain, vector)
    slope = np.zeros((6, len(chain.joints)))
    if not len(poses):
        return slope
    tip = (poses[-1] @ chain.body_from_tip)[:3, 3]
    for body, pose in zip(chain.bodies, poses, strict=True):
        axis = body["ratio"] * pose[:3, 2]
        if body["motion"] == TURNS:
            slope[:3, body["joint"]] += np.cross(axis, tip - pose[:3, 3])
            slope[3:, body["joint"]] += axis
        else:
            slope[:3, body["joint"]] += axis
    return slope


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


def encoder_error(chain: Chain, vector: Floats, bits: Sequence[int]) -> tuple[float, float]:
    """The largest error of the tip, in metres and radians, when each joint is read to one step.

    A turning joint has 2^bits steps a turn, a sliding one as many over its range. The errors of all joints are taken
    to add up.
    """
    span = np.where(chain.turning > 0, 2 * pi, chain.upper - chain.lower)
    steps = span / 2.0 ** np.asarray(bits, dtype=float)
    slope = np.abs(chain_jacobian(chain, vector)) @ steps
    return float(np.linalg.norm(slope[:3])), float(np.linalg.norm(slope[3:]))
