"""Places where other parts can be fastened: the bores of plates, and what the drawing calls PORT."""

from collections.abc import Mapping, Sequence

import numpy as np

from rck.geometry.arrays import Floats, frozen
from rck.geometry.rows import lengths
from rck.geometry.transforms import frame, rotation_about, translation, unit_vector
from rck.hooks import PortFrame, Recipe
from rck_dxf.axes import axis_of_curve
from rck_dxf.bodies import Body
from rck_dxf.content import Place, Placed, Spot
from rck_dxf.curves import Curve
from rck_dxf.names import UniqueNames, is_port, port_name

_ON_SURFACE = 1e-3
"""A port within this distance of its item, in metres, looks the way that the surface does there."""


def port_frames(
    items: Mapping[str, Sequence[Body]], marks: Sequence[Placed], hole_ports: bool, recipe: Recipe
) -> tuple[list[PortFrame], list[str]]:
    """The ports, and the names of those that no item is near."""
    names = UniqueNames()
    ports: list[PortFrame] = []
    lost: list[str] = []
    for mark in marks:
        said = port_name(mark.look.block if is_port(mark.look.block) else mark.look.layer)
        pose = _pose(mark)
        item = None if pose is None else _nearest(pose[:3, 3], items)
        if pose is None or item is None:
            lost.append(said.name)
            continue
        if isinstance(mark.shape, Spot):
            pose = _out_of_surface(pose, items[item])
        kind = mark.shape.kind if isinstance(mark.shape, Place) and mark.shape.kind else said.kind
        ports.append(PortFrame(names.take(said.name), item, frozen(pose), kind))
    if hole_ports:
        ports += _bores(items, names)
    answers = recipe.port_kinds
    kept = [port for port in ports if answers.get(port.name, "any")]
    return [
        PortFrame(port.name, port.item, port.pose, answers.get(port.name, port.kind), port.note) for port in kept
    ], lost


def _bores(items: Mapping[str, Sequence[Body]], names: UniqueNames) -> list[PortFrame]:
    """A port at either end of every bore: hole1-top looks along the thickness, hole1-bottom against it."""
    plates = sum(1 for bodies in items.values() for body in bodies if body.holes)
    ports = []
    for item, bodies in items.items():
        for body in bodies:
            if body.plane is None:
                continue
            for number, hole in enumerate(body.holes, 1):
                name = names.take(f"hole{number}" if plates == 1 else f"{item}-hole{number}")
                note = f"in the middle of a bore of {hole.diameter * 1000:.4g} mm"
                bottom = body.plane.copy()
                bottom[:3, 3] = hole.centre
                top = bottom @ translation((0.0, 0.0, body.thickness))
                bottom = bottom @ rotation_about((1, 0, 0), np.pi)
                ports.append(PortFrame(f"{name}-top", item, frozen(top), "any", note))
                ports.append(PortFrame(f"{name}-bottom", item, frozen(bottom), "any", note))
    return ports


def _pose(mark: Placed) -> Floats | None:
    """World from port, as drawn: a block's own axes, a line from foot to tip, a circle round its axis, a point."""
    shape = mark.shape
    if isinstance(shape, Place):
        turn = shape.matrix[:3, :3]
        return frame(shape.matrix[:3, 3], z=np.cross(turn[:, 0], turn[:, 1]), x=turn[:, 0])
    if isinstance(shape, Spot):
        return frame(shape.point, z=shape.normal)
    if isinstance(shape, Curve):
        axis = axis_of_curve(shape)
        if axis is None:
            return None
        foot = (axis.start + axis.end) / 2 if shape.closed and not shape.sweep.any() else axis.start
        return frame(foot, z=unit_vector(axis.end - axis.start))
    return None


def _nearest(point: Floats, items: Mapping[str, Sequence[Body]]) -> str | None:
    distances = {
        name: min(_distance(point, shape.planes) for body in bodies for shape in body.shapes)
        for name, bodies in items.items()
        if bodies
    }
    return min(distances, key=lambda name: distances[name]) if distances else None


def _distance(point: Floats, planes: Floats) -> float:
    """How far the point is outside of the planes; at most as far as it is from what they bound."""
    return float((planes[:, :3] @ point - planes[:, 3]).max())


def _out_of_surface(pose: Floats, bodies: Sequence[Body]) -> Floats:
    """The pose turned to look the way that the face does which its origin lies on, if it lies on one."""
    point = pose[:3, 3]
    shapes = [shape for body in bodies for shape in body.shapes]
    nearest = min(shapes, key=lambda shape: abs(_distance(point, shape.planes)))
    heights = nearest.planes[:, :3] @ point - nearest.planes[:, 3]
    if abs(float(heights.max())) > _ON_SURFACE:
        return pose
    normal = nearest.planes[int(heights.argmax()), :3]
    along = pose[:3, 0] - normal * (pose[:3, 0] @ normal)
    return frame(point, z=normal, x=along if lengths(along[None])[0] > 1e-6 else None)
