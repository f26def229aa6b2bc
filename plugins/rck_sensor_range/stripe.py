"""A plane of light: a stripe is thrown on things and seen from the side."""

from collections.abc import Mapping

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.transforms import apply, invert
from rck.hooks import Mount, Surroundings, Values, world_from

_SAME = 1e-6
"""What a camera sees this much nearer than the stripe, in metres, is in the way."""


class Stripe:
    """Light in the plane of x and z, seen by a camera that sits beside it along y."""

    def __init__(self, mount: Mount, values: Values) -> None:
        self._mount = mount
        self._farthest = values["max-range"]
        angles = np.linspace(-0.5, 0.5, max(int(values["rays"]), 2)) * values["field-of-view"]
        self._directions = np.stack([np.sin(angles), np.zeros_like(angles), np.cos(angles)], axis=1)
        self._camera = np.array([0.0, values["baseline"], 0.0])

    def read(self, world: Surroundings) -> Mapping[str, Floats]:
        """`across` and `depth`, in metres along x and z: the profile that the camera sees, infinite elsewhere."""
        frame = world_from(world, self._mount)
        along = self._directions @ frame[:3, :3].T
        own = (self._mount.item,)
        light = world.cast(np.broadcast_to(frame[:3, 3], along.shape), along, self._farthest, unseen=own)
        lit = np.isfinite(light.distances)
        points = frame[:3, 3] + np.where(lit, light.distances, 0.0)[:, None] * along
        eye = apply(frame, self._camera)
        sight = points - eye
        lengths = np.sqrt((sight**2).sum(axis=1))
        seen = world.cast(np.broadcast_to(eye, sight.shape), sight, 2 * self._farthest, unseen=own)
        visible = lit & (seen.distances >= lengths - _SAME)
        profile = np.where(visible[:, None], apply(invert(frame), points), np.inf)
        return {"across": profile[:, 0], "depth": profile[:, 2]}
