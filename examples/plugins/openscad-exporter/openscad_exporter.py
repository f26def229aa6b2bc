"""Exporter of OpenSCAD: a module for each item, placed and coloured, in millimetres."""

import re
from collections.abc import Iterator

from rck.geometry import faces_of
from rck.hooks import Exported, Exporter, Job, Values, hookimpl
from rck.model import Feature, Item, Robot


@hookimpl
def rck_exporters() -> list[Exporter]:
    """Return the exporter; RCK reports the features that are not in `keeps` as lost."""
    keeps = frozenset({Feature.NAMES, Feature.SHAPES})
    return [Exporter("openscad", "OpenSCAD model", (".scad",), write, keeps=keeps, format="OpenSCAD")]


def write(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    """Return the file: all items in their present poses."""
    lines = ["// Written by RCK. Millimetres."]
    calls = []
    for number, item in enumerate(robot.items):
        job.progress(number / len(robot.items), item.name)
        # The number keeps `a/b` and `a_b` apart.
        module = f"item_{number}_" + re.sub(r"\W", "_", item.name, flags=re.ASCII)
        lines += [f"module {module}() {{  // {item.name}", *polyhedra(item), "}"]
        rows = [[*row[:3], row[3] * 1000] for row in item.pose.tolist()]
        calls.append(f"multmatrix({rows}) {module}();")
    return Exported({name: "\n".join([*lines, *calls, ""]).encode()})


def polyhedra(item: Item) -> Iterator[str]:
    """Yield one line for each convex piece, in the frame of the item."""
    for subitem in item.subitems:
        points = [[round(number * 1000, 6) for number in point] for point in subitem.shape.vertices.tolist()]
        # OpenSCAD lists the corners of a face clockwise as seen from outside.
        faces = [list(reversed(face)) for face in faces_of(subitem.shape)]
        yield f"  color({list(subitem.colour)}) polyhedron(points={points}, faces={faces});"
