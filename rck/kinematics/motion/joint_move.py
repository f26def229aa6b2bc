"""All joints from one joint vector to another, beginning and ending together."""

from dataclasses import dataclass
from math import isinf

import numpy as np
from numpy.typing import ArrayLike

from rck.geometry.arrays import Floats, frozen
from rck.kinematics.motion.profiles import PROFILES, Profile
from rck.model.finding import RckError
from rck.model.names import did_you_mean


@dataclass(frozen=True, eq=False)
class JointMove:
    """A move. Make one with :func:`joint_move`."""

    start: Floats
    """Shape (joints,), in radians or metres."""
    end: Floats
    profile: Profile
    duration: float
    """In seconds."""
    slowest: int | None
    """The joint that the others wait for; None where nothing moves or the duration was asked for."""

    def at(self, times: ArrayLike) -> Floats:
        """The joint vectors at times, shape (times,), in seconds; at rest before and after. Shape (times, joints)."""
        elapsed = np.asarray(times, dtype=float)
        shares = np.clip(elapsed / self.duration, 0.0, 1.0) if self.duration > 0 else np.ones_like(elapsed)
        vectors: Floats = self.start + self.profile.share(shares)[..., None] * (self.end - self.start)
        return vectors


def joint_move(
    start: ArrayLike,
    end: ArrayLike,
    speeds: ArrayLike,
    accelerations: ArrayLike | None = None,
    *,
    profile: str = "trapezoidal",
    duration: float | None = None,
) -> JointMove:
    """The quickest move that keeps the highest speeds and accelerations, shape (joints,), of all joints.

    A longer `duration`, in seconds, may be asked for; one that is too short is stretched. A linear move has speed
    at once, so that accelerations mean nothing to it.
    """
    if profile not in PROFILES:
        raise RckError(
            f"there is no profile {profile!r}{did_you_mean(profile, PROFILES)}; known: {', '.join(PROFILES)}"
        )
    form = PROFILES[profile]
    first, last = np.array(start, dtype=float), np.array(end, dtype=float)
    ways = np.abs(last - first)
    if not (np.asarray(speeds) > 0).all():
        raise RckError("every joint needs a speed above zero to move at")
    least = form.peak_speed * ways / np.asarray(speeds, dtype=float)
    if accelerations is not None and not isinf(form.peak_acceleration):
        if not (np.asarray(accelerations) > 0).all():
            raise RckError("every joint needs an acceleration above zero to start with")
        least = np.maximum(least, np.sqrt(form.peak_acceleration * ways / np.asarray(accelerations, dtype=float)))
    needed = float(least.max(initial=0.0))
    asked = duration is not None and duration >= needed
    slowest = None if asked or needed == 0.0 else int(np.argmax(least))
    return JointMove(frozen(first), frozen(last), form, max(needed, duration or 0.0), slowest)
