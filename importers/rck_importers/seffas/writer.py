"""Write the surface of a robot as polygons."""

from collections.abc import Iterator

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.mesh import faces_of
from rck.geometry.transforms import apply
from rck.hooks import Exported, Job, Values
from rck.hooks.options import units_per_metre
from rck.model import Finding, Item, Robot, Severity
from rck_importers.seffas.polygons import Polygon, print_polygons


def write(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    """Write every face of every subitem with its normal, in world coordinates, with the joints at their positions."""
    per_metre = units_per_metre(values, "mm")
    polygons: list[Polygon] = []
    for number, item in enumerate(robot.items):
        job.progress(number / len(robot.items), "items")
        polygons += _polygons(item, per_metre)
    if not polygons:
        return Exported(findings=(Finding(507, Severity.ERROR, name, "the robot has no shape to write"),))
    return Exported({name: print_polygons(polygons).encode("ascii")})


def _polygons(item: Item, per_metre: float) -> Iterator[Polygon]:
    turn: Floats = item.pose[:3, :3]
    for subitem in item.subitems:
        points = apply(item.pose, subitem.shape.vertices) * per_metre
        normals = subitem.shape.planes[:, :3] @ turn.T
        for face, normal in zip(faces_of(subitem.shape), normals, strict=True):
            yield Polygon(points[list(face)], np.tile(normal, (len(face), 1)))
