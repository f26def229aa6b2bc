"""Local parts made of one basic shape: their dimensions, and the ports at their faces."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec
import numpy as np

from rck.assembly.document import LocalPart
from rck.assembly.mates import lengths_in
from rck.geometry.arrays import Floats
from rck.language.argument_values import parse_angle, parse_contour, parse_count, parse_length, parse_vector
from rck.model import RckError
from rck.model.quantities import Axis, Quantities, Quantity, Units, direction, restate
from rck.parts.manifest import Cone, Cylinder, PartItem, PartPort, Prism, Revolve, Shape, Torus, Tube
from rck.parts.part_shapes import MOST_SEGMENTS

SIZES = {
    "box": ("size",),
    "wedge": ("size",),
    "ellipsoid": ("size",),
    "sphere": ("diameter",),
    "cylinder": ("diameter", "length"),
    "capsule": ("diameter", "length"),
    "cone": ("diameter", "length", "top"),
    "tube": ("diameter", "inner", "length"),
    "torus": ("diameter", "section"),
    "prism": ("height", "sides", "diameter", "contour"),
    "revolve": ("contour", "angle"),
}
"""The dimensions of each basic shape."""
_EDGES = {"length": 0, "width": 1, "height": 2}
"""The dimensions along x, y and z that a size consists of."""
_SIZED = ("box", "wedge", "ellipsoid")
_RECORDS: Mapping[str, type[msgspec.Struct]] = {
    "cylinder": Cylinder,
    "capsule": Cylinder,
    "cone": Cone,
    "tube": Tube,
    "torus": Torus,
    "prism": Prism,
    "revolve": Revolve,
}


def _parse_segments(text: str) -> int:
    segments = parse_count(text)
    if not 3 <= segments <= MOST_SEGMENTS:
        raise RckError(f"the number of segments must be 3 to {MOST_SEGMENTS}, not {segments}")
    return segments


_PARSERS: Mapping[str, Callable[[str], Any]] = {
    "size": parse_vector,
    "sides": parse_count,
    "segments": _parse_segments,
    "contour": parse_contour,
    "angle": parse_angle,
}


def parse_size(name: str, text: str) -> Any:
    """Return the value of a dimension, or of the number of segments."""
    return _PARSERS.get(name, parse_length)(text)


def missing_sizes(kind: str, values: Mapping[str, Any]) -> list[str]:
    """Return the dimensions that a shape needs and that are not given."""
    optional = {"top", "angle"}
    if kind == "prism":
        optional |= {"sides", "diameter"} if "contour" in values else {"contour"}
    return [name for name in SIZES[kind] if name not in values and name not in optional]


def make_shape(kind: str, values: Mapping[str, Any]) -> Shape:
    """Return the shape with these dimensions."""
    sizes = {key: values[key] for key in SIZES[kind] if key in values}
    segments = values.get("segments", Shape().segments)
    if kind in _SIZED:
        return Shape(**{kind: sizes["size"]}, segments=segments)
    if kind == "sphere":
        return Shape(sphere=sizes["diameter"], segments=segments)
    fields: dict[str, Any] = {kind: _RECORDS[kind](**sizes)}
    return Shape(**fields, segments=segments)


def face_ports(kind: str, values: Mapping[str, Any], units: Units) -> dict[str, PartPort]:
    """Return a port at the centre of each face of a box, and at the flat ends of other shapes."""
    read = Quantities(units)
    if kind == "box":
        half = read.point(values["size"]) / 2
        faces: dict[str, Axis] = {"right": "x", "left": "-x", "back": "y", "front": "-y", "top": "z", "bottom": "-z"}
        return {name: _port(direction(axis) * half, axis, units) for name, axis in faces.items()}
    contour = np.array([[read.length(x), read.length(y)] for x, y in values.get("contour") or ()])
    if kind == "revolve":
        low, high = float(contour[:, 1].min()), float(contour[:, 1].max())
        ends: dict[str, tuple[Axis, float]] = {"bottom": ("-z", low), "top": ("z", high)}
        return {
            name: _port(np.array([0.0, 0.0, height]), axis, units)
            for name, (axis, height) in ends.items()
            if _has_flat_end(contour, height)
        }
    height: Quantity | None = values.get("length", values.get("height"))
    if height is None or kind in ("capsule", "torus", "tube"):
        return {}
    x, y = _centroid(contour) if len(contour) else (0.0, 0.0)
    half_height = read.length(height) / 2
    ports = {"bottom": _port(np.array([x, y, -half_height]), "-z", units)}
    if kind != "cone" or read.length(values.get("top", 0.0)) > 0:
        ports["top"] = _port(np.array([x, y, half_height]), "z", units)
    return ports


def basic_sizes(part: LocalPart) -> tuple[str, dict[str, Any]] | None:
    """Return the kind of basic shape that a part consists of, and its dimensions; None if it is no basic shape."""
    shapes = [shape for item in part.items.values() for shape in item.shapes]
    if len(shapes) != 1 or len(part.items) != 1 or part.joints:
        return None
    (shape,) = shapes
    for kind, names in SIZES.items():
        value = getattr(shape, kind)
        if value is None:
            continue
        if kind in _SIZED:
            return kind, {"size": value, "segments": shape.segments}
        if kind == "sphere":
            return kind, {"diameter": value, "segments": shape.segments}
        sizes = {name: getattr(value, name) for name in names if getattr(value, name) is not None}
        return kind, {**sizes, "segments": shape.segments}
    return None


def size_names(kind: str) -> tuple[str, ...]:
    """Return the dimensions that can be set: those of the shape, and the edges of a box."""
    return (*(_EDGES if kind in _SIZED else ()), *SIZES[kind], "segments")


def size_texts(kind: str, sizes: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the dimensions as a user writes them; those of a box by its edges."""
    for name in _EDGES if kind in _SIZED else SIZES[kind]:
        value = sizes["size"][_EDGES[name]] if kind in _SIZED else sizes.get(name)
        if isinstance(value, list):
            yield name, ";".join(f"{x},{y}" for x, y in value)
        elif value is not None:
            yield name, f"{value:g}" if isinstance(value, float | int) else value


def resized(part: LocalPart, changes: Mapping[str, Any], units: Units) -> LocalPart:
    """Return a part of one basic shape with other dimensions; the ports at its faces move with the faces."""
    found = basic_sizes(part)
    assert found is not None
    kind, before = found
    after = dict(before)
    for name, stated in changes.items():
        value = _in_units_of(part, name, stated, units)
        if kind in _SIZED and name in _EDGES:
            edges = list(after["size"])
            edges[_EDGES[name]] = value
            after["size"] = tuple(edges)
        else:
            after[name] = value
    if kind == "prism" and "contour" in changes:
        after = {name: value for name, value in after.items() if name not in ("sides", "diameter")}
    ((item_name, item),) = part.items.items()
    (shape,) = item.shapes
    made = make_shape(kind, after)
    new = msgspec.structs.replace(shape, **{kind: getattr(made, kind)}, segments=made.segments)
    old_faces, faces = (face_ports(kind, sizes, part.units) for sizes in (before, after))
    ports = {
        name: faces.get(name, port) if name in old_faces and port.at == old_faces[name].at else port
        for name, port in part.ports.items()
    }
    changed: PartItem = msgspec.structs.replace(item, shapes=[new], centre=None, inertia=None)
    return msgspec.structs.replace(part, items={item_name: changed}, ports=ports)


def _in_units_of(part: LocalPart, name: str, value: Any, units: Units) -> Any:
    """Return the value of a dimension in the units of the part."""
    if name in ("sides", "segments"):
        return value

    def stated(quantity: Quantity) -> Quantity:
        if name == "angle":
            return restate(quantity, "angle", units.angle, part.units.angle)
        return restate(quantity, "length", units.length, part.units.length)

    if name == "contour":
        return [(stated(x), stated(y)) for x, y in value]
    return tuple(map(stated, value)) if isinstance(value, tuple) else stated(value)


def _has_flat_end(contour: Floats, height: float) -> bool:
    """Return True if a contour of (radius, height) points, shape (points, 2), has a disc at a height."""
    radii = contour[np.isclose(contour[:, 1], height), 0]
    return bool(len(radii) > 1 and np.isclose(radii.min(), 0) and radii.max() > 0)


def _centroid(contour: Floats) -> tuple[float, float]:
    """Return the centre of area of a polygon, shape (points, 2)."""
    x, y = contour.T
    cross = x * np.roll(y, -1) - np.roll(x, -1) * y
    area = cross.sum() / 2
    if abs(area) < 1e-18:
        raise RckError("the contour has no area; list its corners in order, such as contour=0,0;80,0;80,40")
    return (
        float(((x + np.roll(x, -1)) * cross).sum() / (6 * area)),
        float(((y + np.roll(y, -1)) * cross).sum() / (6 * area)),
    )


def _port(at: Floats, axis: Axis, units: Units) -> PartPort:
    return PartPort(at=lengths_in(at, units), z=axis)
