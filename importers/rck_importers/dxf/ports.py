"""Ports from the bores of plates and from layers and blocks named PORT."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from rck.geometry.arrays import Floats, frozen, lengths
from rck.geometry.bolt_circles import find_bolt_circles
from rck.geometry.transforms import apply, frame, invert, rotation_about, translation, unit_vector
from rck.hooks import Recipe
from rck.model import Port
from rck.model.interface import Holes, Interface, mirrored_interface
from rck_importers.dxf.axes import axis_of_curve
from rck_importers.dxf.content import DrawingLocation, PlacedEntity, Spot
from rck_importers.dxf.curves import DrawingCurve
from rck_importers.dxf.names import UniqueNames, is_port, port_name
from rck_importers.dxf.solids import SolidBody

_ON_SURFACE = 1e-3
"""Maximum distance in metres from its item at which a port takes the surface normal."""


def port_frames(
    items: Mapping[str, Sequence[SolidBody]], marks: Sequence[PlacedEntity], hole_ports: bool, recipe: Recipe
) -> tuple[list[Port], list[str]]:
    """Return the ports, and the names of marks without an item or a direction."""
    names = UniqueNames()
    ports: list[Port] = []
    lost: list[str] = []
    for mark in marks:
        stated = port_name(mark.look.block if is_port(mark.look.block) else mark.look.layer)
        pose = _pose(mark)
        item = None if pose is None else _nearest(pose[:3, 3], items)
        if pose is None or item is None:
            lost.append(stated.name)
            continue
        if isinstance(mark.shape, Spot):
            pose = _align_to_surface(pose, items[item])
        kind = mark.shape.kind if isinstance(mark.shape, DrawingLocation) and mark.shape.kind else stated.kind
        ports.append(Port(names.take(stated.name), item, frozen(pose), kind))
    if hole_ports:
        ports += _bore_ports(items, names)
    answers = recipe.port_kinds
    kept = [port for port in ports if answers.get(port.name, "any")]
    # A type that the user states brings its own geometry.
    return [
        replace(port, type=answers[port.name], interface=None) if port.name in answers else port for port in kept
    ], lost


def _bore_ports(items: Mapping[str, Sequence[SolidBody]], names: UniqueNames) -> list[Port]:
    """Return ports at both ends of the bores, bolt circles and slots of plates.

    hole1-top points along the bore or thickness, hole1-bottom against it.
    """
    plates = sum(1 for bodies in items.values() for body in bodies if body.holes or body.slots)
    ports: list[Port] = []
    for item, bodies in items.items():
        prefix = "" if plates == 1 else f"{item}-"
        for body in bodies:
            for number, hole in enumerate(body.holes, 1):
                note = f"centre of a bore of {_millimetres(hole.diameter)} mm"
                if hole.step:
                    note += f", {hole.step} mm"
                if hole.along is not None:
                    bottom, depth = frame(hole.centre, z=hole.along), float(lengths(hole.along[None])[0])
                elif body.plane is not None:
                    bottom, depth = body.plane.copy(), body.thickness
                    bottom[:3, 3] = hole.centre
                else:
                    continue
                pattern = Holes(((0.0, 0.0),), hole.diameter, depth=depth or None)
                ports += _both_ends(names.take(f"{prefix}hole{number}"), item, bottom, depth, note, pattern)
        for body in bodies:
            if body.plane is not None:
                ports += _pattern_ports(item, body, body.plane, prefix, names)
    return ports


def _pattern_ports(item: str, plate: SolidBody, plane: Floats, prefix: str, names: UniqueNames) -> Iterator[Port]:
    """Yield the ports of the bolt circles and slots of a plate; their x axes are that of its drawing."""
    plane_from_world = invert(plane)
    by_size: dict[float, list[Floats]] = {}
    exact: dict[float, float] = {}
    for hole in plate.holes:
        if hole.along is None:
            exact.setdefault(round(hole.diameter, 5), hole.diameter)
            by_size.setdefault(round(hole.diameter, 5), []).append(apply(plane_from_world, hole.centre)[:2])
    depth = plate.thickness or None
    number = 0
    for rounded, points in sorted(by_size.items()):
        diameter = exact[rounded]
        others = [point for size, found in by_size.items() if size != rounded for point in found]
        for circle in find_bolt_circles(np.array(points), others):
            number += 1
            around = [points[hole] - circle.centre for hole in circle.holes]
            pattern = Holes(tuple((float(x), float(y)) for x, y in around), diameter, depth=depth)
            across = _millimetres(2 * circle.radius)
            note = f"{len(around)} bores of {_millimetres(diameter)} mm on a circle of {across} mm"
            bottom = plane @ translation((*circle.centre, 0.0))
            yield from _both_ends(names.take(f"{prefix}circle{number}"), item, bottom, plate.thickness, note, pattern)
    for number, slot in enumerate(plate.slots, 1):
        along = slot.direction * (slot.length - slot.width)
        pattern = Holes(((0.0, 0.0),), slot.width, depth=depth, slot=(float(along[0]), float(along[1])))
        note = f"middle of a slot of {_millimetres(slot.length)} x {_millimetres(slot.width)} mm"
        bottom = plane @ translation((*slot.centre, 0.0))
        yield from _both_ends(names.take(f"{prefix}slot{number}"), item, bottom, plate.thickness, note, pattern)


def _both_ends(name: str, item: str, bottom: Floats, depth: float, note: str, holes: Holes) -> Iterator[Port]:
    """Yield the ports NAME-top and NAME-bottom; `bottom` is the pose of the lower end, z pointing up. Shape (4, 4)."""
    top = bottom @ translation((0.0, 0.0, depth))
    below = bottom @ rotation_about((1, 0, 0), np.pi)
    interface = Interface((holes,))
    yield Port(f"{name}-top", item, frozen(top), note=note, interface=interface)
    yield Port(f"{name}-bottom", item, frozen(below), note=note, interface=mirrored_interface(interface))


def _millimetres(length: float) -> str:
    return f"{length * 1000:.4g}"


def _pose(mark: PlacedEntity) -> Floats | None:
    """Return world from port for a block (its axes), a line (its direction), a circle (its axis) or a point."""
    shape = mark.shape
    if isinstance(shape, DrawingLocation):
        turn = shape.matrix[:3, :3]
        return frame(shape.matrix[:3, 3], z=np.cross(turn[:, 0], turn[:, 1]), x=turn[:, 0])
    if isinstance(shape, Spot):
        return frame(shape.point, z=shape.normal)
    if isinstance(shape, DrawingCurve):
        axis = axis_of_curve(shape)
        if axis is None:
            return None
        foot = (axis.start + axis.end) / 2 if shape.closed and not shape.sweep.any() else axis.start
        return frame(foot, z=unit_vector(axis.end - axis.start))
    return None


def _nearest(point: Floats, items: Mapping[str, Sequence[SolidBody]]) -> str | None:
    distances = {
        name: min(_distance(point, shape.planes) for body in bodies for shape in body.shapes)
        for name, bodies in items.items()
        if bodies
    }
    return min(distances, key=lambda name: distances[name]) if distances else None


def _distance(point: Floats, planes: Floats) -> float:
    """Return the largest signed distance to the planes, a lower bound on the distance to the polyhedron."""
    return float((planes[:, :3] @ point - planes[:, 3]).max())


def _align_to_surface(pose: Floats, bodies: Sequence[SolidBody]) -> Floats:
    """Return the pose with z along the normal of the face that its origin lies on, if there is one."""
    point = pose[:3, 3]
    shapes = [shape for body in bodies for shape in body.shapes]
    nearest = min(shapes, key=lambda shape: abs(_distance(point, shape.planes)))
    heights = nearest.planes[:, :3] @ point - nearest.planes[:, 3]
    if abs(float(heights.max())) > _ON_SURFACE:
        return pose
    normal = nearest.planes[int(heights.argmax()), :3]
    along = pose[:3, 0] - normal * (pose[:3, 0] @ normal)
    return frame(point, z=normal, x=along if lengths(along[None])[0] > 1e-6 else None)
