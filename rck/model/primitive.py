"""Primitives: the parameters of a box, sphere, cylinder, capsule or ellipsoid, in addition to its polyhedron.

Collision, ray casting and mass use the polyhedron; exporters write the primitive where their format has it.
"""

from dataclasses import dataclass
from enum import Enum

import numpy as np

from rck.geometry.arrays import Floats, frozen
from rck.geometry.transforms import frame


class PrimitiveKind(str, Enum):
    """The shape of a primitive, and the meaning of its sizes, in metres."""

    BOX = "box"
    """Three sides."""
    SPHERE = "sphere"
    """Radius."""
    CYLINDER = "cylinder"
    """Radius, and length along z."""
    CAPSULE = "capsule"
    """Radius, and length along z without the hemispheres."""
    ELLIPSOID = "ellipsoid"
    """Three semi-axes."""


@dataclass(frozen=True, eq=False)
class Primitive:
    """A primitive, centred on the origin of its pose; axes of revolution run along z."""

    kind: PrimitiveKind
    sizes: tuple[float, ...]
    pose: Floats
    """Item from primitive. Shape (4, 4)."""


def map_primitive(primitive: Primitive, matrix: Floats) -> Primitive | None:
    """Apply an affine map to a primitive; None if the result is no primitive of that kind."""
    axes = matrix[:3, :3] @ primitive.pose[:3, :3]
    scale = np.linalg.norm(axes, axis=0)
    directions = axes / scale
    if not np.allclose(directions.T @ directions, np.eye(3), rtol=0.0, atol=1e-9):
        return None
    x, y, z = scale.tolist()
    is_round, is_uniform = abs(x - y) <= 1e-9 * x, max(scale) - min(scale) <= 1e-9 * x
    kind, sizes = primitive.kind, primitive.sizes
    if is_uniform and abs(x - 1.0) <= 1e-12:
        new_sizes = sizes
    elif kind in (PrimitiveKind.BOX, PrimitiveKind.ELLIPSOID):
        new_sizes = tuple(float(size * factor) for size, factor in zip(sizes, scale, strict=True))
    elif kind is PrimitiveKind.CYLINDER and is_round:
        new_sizes = (sizes[0] * x, sizes[1] * z)
    elif is_uniform:
        new_sizes = tuple(size * x for size in sizes)
    else:
        return None
    origin = matrix[:3, :3] @ primitive.pose[:3, 3] + matrix[:3, 3]
    # All primitives are symmetric: after a mirror, a right-handed frame with the same z and x axes fits.
    return Primitive(kind, new_sizes, frozen(frame(origin, z=directions[:, 2], x=directions[:, 0])))
