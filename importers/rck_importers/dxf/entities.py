"""Conversion of DXF entities to shapes, by entity type."""

import re
from collections.abc import Callable, Iterable, Sequence
from math import radians, tau
from typing import Any

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.brep.errors import BrepError
from rck.geometry.brep.surfaces import PlaneSurface
from rck.geometry.mesh import Mesh, loose_polygons, pack_faces
from rck_importers.dxf.acis.source import bodies_of
from rck_importers.dxf.appearance import style_of
from rck_importers.dxf.content import (
    DrawnShape,
    LooseFaces,
    LumpShape,
    Refusal,
    Shape,
    Spot,
    Style,
    TextLabel,
    one_style,
)
from rck_importers.dxf.curves import DrawingCurve, Run, SmoothRun, StraightRun, bulged, circular, spline_points
from rck_importers.dxf.dimension_lines import arrow_head
from rck_importers.dxf.hatches import hatch_curves
from rck_importers.dxf.loop_curves import loop_curve
from rck_importers.dxf.names import readable
from rck_importers.dxf.subdivision import subdivided

EXPORT_AS_MESH = "export it as MESH or STL: MESHSMOOTH turns it into a mesh, EXPORT or STLOUT writes STL"
_MAX_FACES = 2_000_000
"""Maximum number of faces of one mesh after subdivision."""

_CORRECT = "correct or erase it in the drawing; the command AUDIT finds such errors"

_UNREADABLE_TYPES = frozenset({"ACAD_PROXY_ENTITY"})
"""Types that may be solid, but whose geometry cannot be read."""


class NoExtentError(ValueError):
    """Error: an entity has no length or no radius, so that it draws nothing."""


class Unreadable(ValueError):
    """Error: the data of an entity does not define a shape; the message gives the reason."""


def shapes_of(entity: Any) -> Sequence[Shape]:
    """Return the shapes of an entity in its container's coordinates; empty for types that never form solids."""
    kind = entity.dxftype()
    if kind in _UNREADABLE_TYPES:
        return [Refusal("this type of solid cannot be read", EXPORT_AS_MESH)]
    reader = _READERS.get(kind)
    if reader is None:
        return []
    try:
        with np.errstate(all="ignore"):
            return reader(entity)
    except NoExtentError:
        return []
    except BrepError as error:
        return [Refusal(str(error), EXPORT_AS_MESH)]
    except Unreadable as error:
        return [Refusal(str(error), _CORRECT)]
    except damage() as error:
        return [Refusal(f"it is damaged ({type(error).__name__})", _CORRECT)]


def damage() -> tuple[type[Exception], ...]:
    """Return the exceptions that damaged entity data may raise."""
    from ezdxf.lldxf.const import DXFError

    return ArithmeticError, AttributeError, LookupError, TypeError, ValueError, DXFError


def loose_faces(entities: Iterable[tuple[int, Any]]) -> tuple[LooseFaces, list[DrawnShape]]:
    """Return the corners, styles and file order of 3DFACEs, and the faces that cannot be read."""
    styles: dict[Style, int] = {}
    corners: list[tuple[float, ...]] = []
    style_of_face: list[int] = []
    places: list[int] = []
    broken: list[DrawnShape] = []
    for place, entity in entities:
        dxf = entity.dxf
        try:
            third = dxf.get("vtx2", dxf.vtx1)
            corners.append((*dxf.vtx0.xyz, *dxf.vtx1.xyz, *third.xyz, *dxf.get("vtx3", third).xyz))
        except damage() as error:
            refusal = Refusal(f"it is damaged ({type(error).__name__})", _CORRECT)
            broken.append(DrawnShape("3DFACE", str(dxf.handle), style_of(entity), refusal))
        else:
            style_of_face.append(styles.setdefault(style_of(entity), len(styles)))
            places.append(place)
    four = np.array(corners, dtype=float).reshape(-1, 4, 3)
    numbers = np.array([style_of_face, places], dtype=np.int64)
    return LooseFaces(four, tuple(styles), numbers[0], numbers[1]), broken


def _finite(points: Floats) -> Floats:
    if not len(points):
        raise Unreadable("it is empty")
    if not np.isfinite(points).all():
        raise Unreadable("a coordinate is not a finite number")
    return points


def _vectors(points: Iterable[Any]) -> Floats:
    return _finite(np.array([tuple(point) for point in points], dtype=float).reshape(-1, 3))


def _matrix(entity: Any) -> Floats:
    """Return world from the object coordinate system of an entity. Shape (3, 3)."""
    ocs = entity.ocs()
    return np.array([tuple(ocs.ux), tuple(ocs.uy), tuple(ocs.uz)]).T


def _curve(entity: Any, runs: Iterable[Run], closed: bool) -> DrawingCurve:
    listed = tuple(runs)
    if not listed:
        raise NoExtentError
    turn = _matrix(entity)
    thickness = float(entity.dxf.get("thickness", 0.0))
    _finite(turn * thickness)
    return DrawingCurve(listed, closed, turn[:, 2] * thickness, turn[:, 2])


def _line(entity: Any) -> list[Shape]:
    points = _vectors([entity.dxf.start, entity.dxf.end])
    if (points[0] == points[1]).all():
        raise NoExtentError
    return [_curve(entity, [StraightRun(points)], False)]


def _arc(entity: Any) -> list[Shape]:
    dxf = entity.dxf
    turn = _matrix(entity)
    radius = abs(float(dxf.radius))
    centre = _vectors([dxf.center])[0]
    if radius == 0:
        raise NoExtentError
    if not radius < np.inf:
        raise Unreadable(f"its radius is {radius:g}")
    start, end = 0.0, tau
    if entity.dxftype() == "ARC":
        start, end = radians(float(dxf.start_angle)), radians(float(dxf.end_angle))
        _finite(np.array([start, end]))
    arc = circular(turn @ centre, turn[:, 0] * radius, turn[:, 1] * radius, start, end)
    return [_curve(entity, [arc], entity.dxftype() == "CIRCLE")]


def _ellipse(entity: Any) -> list[Shape]:
    dxf = entity.dxf
    centre, x, normal = _vectors([dxf.center, dxf.major_axis, dxf.get("extrusion", (0, 0, 1))])
    length = float(np.sqrt(normal @ normal))
    ratio = float(dxf.ratio)
    if not x.any() or ratio == 0:
        raise NoExtentError
    if not (length > 0 and abs(ratio) <= 1.0001):
        raise Unreadable("its normal or its ratio of axes is not valid")
    start, end = float(dxf.get("start_param", 0.0)), float(dxf.get("end_param", tau))
    _finite(np.array([start, end]))
    arc = circular(centre, x, np.cross(normal / length, x) * ratio, start, end)
    whole = abs(arc.end - arc.start - tau) < 1e-9
    return [DrawingCurve((arc,), whole, np.zeros(3), normal)]


def _spline(entity: Any) -> list[Shape]:
    if not (len(entity.control_points) or len(entity.fit_points)):
        raise Unreadable("it has neither control points nor fit points")
    _vectors(entity.control_points if len(entity.control_points) else entity.fit_points)
    # ezdxf computes control points from fit points if the entity has none.
    tool = entity.construction_tool()
    weights = np.array(tool.weights(), dtype=float)
    knots = _finite(np.array(tool.knots(), dtype=float))
    points = spline_points(_vectors(tool.control_points), weights, knots, int(tool.degree))
    size = float(np.ptp(_finite(points), axis=0).max())
    if not size > 0:
        raise NoExtentError
    closed = bool(np.abs(points[0] - points[-1]).max() < 1e-6 * size)
    return [DrawingCurve((SmoothRun(points),), closed, np.zeros(3), _normal_or_z(entity))]


def _normal_or_z(entity: Any) -> Floats:
    normal = np.array(tuple(entity.dxf.get("extrusion", (0.0, 0.0, 1.0))), dtype=float)
    return normal if np.isfinite(normal).all() and normal.any() else np.array([0.0, 0.0, 1.0])


def _lwpolyline(entity: Any) -> list[Shape]:
    rows = entity.get_points("xyb")
    elevation = float(entity.dxf.get("elevation", 0.0))
    return [_flat_polyline(entity, rows, elevation, bool(entity.closed))]


def _flat_polyline(
    entity: Any, rows: Iterable[tuple[float, float, float]], elevation: float, closed: bool
) -> DrawingCurve:
    table = _finite(np.array([*rows], dtype=float).reshape(-1, 3))
    places = [(x, y) for x, y, _ in table.tolist()]
    # Two points form a ring if an arc connects them.
    closes = closed and (len(places) > 2 or (len(places) == 2 and bool(table[:, 2].any())))
    runs = bulged(places, table[:, 2].tolist(), closes)
    to_world = np.eye(4)
    to_world[:3, :3] = _matrix(entity)
    to_world[:3, 3] = to_world[:3, 2] * _finite(np.array([elevation]))
    returns = len(places) > 2 and places[0] == places[-1]
    return _curve(entity, (run.moved(to_world) for run in runs), closes or returns)


_SPLINE_FRAME = 16


def _polyline(entity: Any) -> list[Shape]:
    if entity.is_poly_face_mesh:
        return [one_style(_polyface(entity), style_of(entity))]
    if entity.is_polygon_mesh:
        return [one_style(_polymesh(entity), style_of(entity))]
    vertices = [vertex for vertex in entity.vertices if not int(vertex.dxf.get("flags", 0)) & _SPLINE_FRAME]
    closed = bool(entity.is_closed)
    if entity.is_3d_polyline:
        points = _vectors(vertex.dxf.location for vertex in vertices)
        if closed and (points[0] != points[-1]).any():
            points = np.concatenate([points, points[:1]])
        if len(points) < 2:
            raise NoExtentError
        ends_meet = bool((points[0] == points[-1]).all())
        return [
            DrawingCurve((StraightRun(points),), ends_meet and len(points) > 3, np.zeros(3), np.array([0.0, 0.0, 1.0]))
        ]
    rows = [(*tuple(vertex.dxf.location)[:2], float(vertex.dxf.get("bulge", 0.0))) for vertex in vertices]
    elevation = tuple(entity.dxf.get("elevation", (0.0, 0.0, 0.0)))[2]
    return [_flat_polyline(entity, rows, float(elevation), closed)]


def _polyface(entity: Any) -> Mesh:
    points = []
    faces = []
    for vertex in entity.vertices:
        if vertex.is_poly_face_mesh_vertex:
            points.append(tuple(vertex.dxf.location))
        else:
            numbers = (abs(int(vertex.dxf.get(f"vtx{k}", 0))) - 1 for k in range(4))
            faces.append([number for number in numbers if number >= 0])
    return _separate_faces(_vectors(points), [face for face in faces if len(face) > 2])


def _polymesh(entity: Any) -> Mesh:
    dxf = entity.dxf
    rows, columns = int(dxf.get("m_count", 0)), int(dxf.get("n_count", 0))
    # Use the surface points of a smooth mesh, not its control points.
    if int(dxf.get("smooth_type", 0)):
        rows = int(dxf.get("m_smooth_density", 0)) or rows
        columns = int(dxf.get("n_smooth_density", 0)) or columns
    vertices = [vertex for vertex in entity.vertices if not int(vertex.dxf.get("flags", 0)) & _SPLINE_FRAME]
    points = _vectors(vertex.dxf.location for vertex in vertices)
    if rows < 2 or columns < 2 or rows * columns != len(points):
        raise Unreadable(f"it declares {rows} x {columns} points but has {len(points)}")
    grid = np.arange(rows * columns).reshape(rows, columns)
    if entity.is_m_closed:
        grid = np.concatenate([grid, grid[:1]])
    if entity.is_n_closed:
        grid = np.concatenate([grid, grid[:, :1]], axis=1)
    quads = np.stack([grid[:-1, :-1], grid[1:, :-1], grid[1:, 1:], grid[:-1, 1:]], axis=-1)
    return _separate_faces(points, quads.reshape(-1, 4).tolist())


def _separate_faces(points: Floats, faces: list[list[int]]) -> Mesh:
    """Return the faces as a mesh in which no two faces share a vertex."""
    offsets, indices = pack_faces(faces)
    if not len(indices):
        raise Unreadable("it is empty: it has no faces")
    if indices.min() < 0 or indices.max() >= len(points):
        raise Unreadable(f"a face refers to vertex {int(indices.max())} of {len(points)}")
    return Mesh(points[indices], offsets, np.arange(len(indices)))


def _mesh(entity: Any) -> list[Shape]:
    points = _vectors(entity.vertices)
    faces = [[int(number) for number in face] for face in entity.faces]
    faces = [face for face in faces if len(set(face)) > 2]
    levels = int(entity.dxf.get("subdivision_levels", 0))
    sides = sum(map(len, faces))
    if levels > 0:
        _separate_faces(points, faces)
        if levels > 10 or sides * 4 ** (levels - 1) > _MAX_FACES:
            raise Unreadable(f"{levels} levels of smoothing would give more than {_MAX_FACES:,} faces")
        offsets, indices = pack_faces(faces)
        smooth = subdivided(Mesh(points, offsets, indices), levels, _creases(entity))
        return [one_style(_separate_faces(smooth.vertices, [list(face) for face in smooth.faces]), style_of(entity))]
    return [one_style(_separate_faces(points, faces), style_of(entity))]


def _creases(entity: Any) -> dict[tuple[int, int], float]:
    return {
        (min(a, b), max(a, b)): float(value)
        for (a, b), value in zip(entity.edges, entity.creases, strict=False)
        if float(value) != 0
    }


def _solid(entity: Any) -> list[Shape]:
    """Return the solid of a filled quadrilateral with a thickness; without one, the arrowhead if it is one."""
    thickness = float(entity.dxf.get("thickness", 0.0))
    dxf = entity.dxf
    # DXF stores the third and fourth corners in swapped order.
    flat = _vectors([dxf.vtx0, dxf.vtx1, dxf.get("vtx3", dxf.vtx2), dxf.vtx2])
    distinct = [k for k in range(4) if (flat[k] != flat[k - 1]).any()]
    bottom = flat[distinct] @ _matrix(entity).T
    if thickness == 0:
        head = arrow_head(bottom)
        return [] if head is None else [head]
    top = bottom + _matrix(entity)[:, 2] * _finite(np.array([thickness]))
    sides = [np.array([bottom[k - 1], bottom[k], top[k], top[k - 1]]) for k in range(len(bottom))]
    return [one_style(loose_polygons([bottom[::-1], top, *sides]), style_of(entity))]


def _acis_solid(entity: Any) -> list[Shape]:
    is_solid = entity.dxftype() in ("3DSOLID", "BODY")
    return [LumpShape(lump, body.matrix, is_solid) for body in bodies_of(entity) for lump in body.lumps]


def _region(entity: Any) -> list[Shape]:
    curves = []
    for body in bodies_of(entity):
        for face in body.faces:
            if not isinstance(face.surface, PlaneSurface):
                raise BrepError("it has a curved face")
            curves += [loop_curve(loop, np.zeros(3), face.surface.normal).moved(body.matrix) for loop in face.loops]
    return list(curves)


def _hatch(entity: Any) -> list[Shape]:
    return [curve for curve in hatch_curves(entity, _matrix(entity)) if np.isfinite(curve.reach)]


def _point(entity: Any) -> list[Shape]:
    return [Spot(_vectors([entity.dxf.location])[0], _normal_or_z(entity))]


def _text(entity: Any) -> list[Shape]:
    point = np.array(tuple(entity.dxf.get("insert", ())), dtype=float)
    if point.shape != (3,) or not np.isfinite(point).all():
        return []
    height = float(entity.dxf.get("char_height" if entity.dxftype() == "MTEXT" else "height", 0.0))
    return [TextLabel(point, _plain_text(entity), height if 0 < height < np.inf else 0.0)]


_GDT_SINK = re.compile(r"\\[Ff]gdt[^;]*;[^}]*w")


def _dimension(entity: Any) -> list[Shape]:
    """Return the text of a dimension that states more than its measurement."""
    text = str(entity.dxf.get("text", ""))
    point = np.array(tuple(entity.dxf.get("text_midpoint", ())), dtype=float)
    if not text.strip("<> ") or point.shape != (3,) or not np.isfinite(point).all():
        return []
    return [TextLabel(point, readable(_with_symbols(text)))]


def _multileader(entity: Any) -> list[Shape]:
    """Return the text of a leader."""
    content = entity.context.mtext
    if content is None:
        return []
    point = np.array(tuple(content.insert), dtype=float)
    if point.shape != (3,) or not np.isfinite(point).all():
        return []
    return [TextLabel(point, readable(_with_symbols(str(content.default_content))))]


def _with_symbols(text: str) -> str:
    """Return text of a dimension with the countersink symbol of the font GDT, whose letter is w."""
    return f"⌵ {text}" if _GDT_SINK.search(text) else text


def _plain_text(entity: Any) -> str:
    """Return the text without formatting; empty if it is damaged, because texts are only displayed."""
    try:
        lines = str(entity.plain_text()).split("\n")
        if entity.dxftype() == "MTEXT" and _GDT_SINK.search(str(entity.text)):
            lines[0] = f"⌵ {lines[0]}"
    except damage():
        return ""
    return "\n".join(map(readable, lines))


CURVE_TYPES = frozenset({"ARC", "CIRCLE", "ELLIPSE", "LINE", "LWPOLYLINE", "POLYLINE", "SPLINE"})
"""Types that draw nothing without an extent."""

_READERS: dict[str, Callable[[Any], list[Shape]]] = {
    "3DSOLID": _acis_solid,
    "ARC": _arc,
    "BODY": _acis_solid,
    "CIRCLE": _arc,
    "DIMENSION": _dimension,
    "ELLIPSE": _ellipse,
    "EXTRUDEDSURFACE": _acis_solid,
    "HATCH": _hatch,
    "LINE": _line,
    "LOFTEDSURFACE": _acis_solid,
    "LWPOLYLINE": _lwpolyline,
    "MESH": _mesh,
    "NURBSURFACE": _acis_solid,
    "PLANESURFACE": _acis_solid,
    "MTEXT": _text,
    "MULTILEADER": _multileader,
    "POINT": _point,
    "POLYLINE": _polyline,
    "REGION": _region,
    "REVOLVEDSURFACE": _acis_solid,
    "SOLID": _solid,
    "SPLINE": _spline,
    "SURFACE": _acis_solid,
    "SWEPTSURFACE": _acis_solid,
    "TEXT": _text,
    "TRACE": _solid,
}
