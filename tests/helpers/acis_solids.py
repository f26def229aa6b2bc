"""ACIS solids of the rarer forms: seams, poles, voids, several lumps, curves and surfaces without B-splines."""

from collections.abc import Sequence
from math import atan2, cos, pi, sin, sqrt, tau

import acis_writer
import numpy as np
from acis_writer import NONE, AcisWriter, Bare, Field, Flag, Place, Ref, Vector, infinite, ring_edge, sense
from scipy.interpolate import make_interp_spline

UP = (0, 0, 1)
DOWN = (0, 0, -1)


def bare(values: Sequence[Field | str]) -> list[Field]:
    return [Bare("{"), *(Bare(value) if isinstance(value, str) else value for value in values), Bare("}")]


def disc(writer: AcisWriter, rim: int, height: float, normal: Vector, backwards: bool, *holes: tuple[int, bool]) -> int:
    return writer.face(writer.plane((0, 0, height), normal), [[(rim, backwards)], *([hole] for hole in holes)])


def cylinder(writer: AcisWriter, radius: float, inward: bool = False) -> int:
    return writer.cone((0, 0, 0), UP, (radius, 0, 0), 1.0, 0.0, -1.0 if inward else 1.0)


def seamed_cylinder(writer: AcisWriter, radius: float, height: float) -> None:
    """Write a cylinder whose side has one loop, with a seam."""
    start, end = writer.vertex((radius, 0, 0)), writer.vertex((radius, 0, height))
    low, high = (
        writer.edge(vertex, vertex, writer.ellipse((0, 0, z), UP, (radius, 0, 0)), (0.0, tau))
        for vertex, z in ((start, 0.0), (end, height))
    )
    line = writer.straight((radius, 0, 0), (radius, 0, height))
    seam = writer.edge(start, end, line, (0.0, height))
    side = [(low, False), (seam, False), (high, True), (seam, True)]
    writer.body([
        disc(writer, low, 0.0, DOWN, True),
        disc(writer, high, height, UP, False),
        writer.face(cylinder(writer, radius), [side]),
    ])  # fmt: skip


def seamed_ball(writer: AcisWriter, radius: float) -> None:
    """Write a sphere with a meridian as seam and edges without curve at its poles."""
    north, south = writer.vertex((0, 0, radius)), writer.vertex((0, 0, -radius))
    meridian = writer.edge(south, north, writer.ellipse((0, 0, 0), (0, -1, 0), (0, 0, -radius)), (0.0, pi))
    poles = [writer.edge(vertex, vertex, -1) for vertex in (south, north)]
    loop = [(meridian, True), (poles[0], False), (meridian, False), (poles[1], False)]
    writer.body([writer.face(writer.sphere((0, 0, 0), radius), [loop])])


def napkin_ring(writer: AcisWriter, radius: float, bore: float) -> None:
    """Write a sphere with a through hole along z."""
    height = sqrt(radius**2 - bore**2)
    low, high = ring_edge(writer, -height, bore), ring_edge(writer, height, bore)
    outside = writer.face(writer.sphere((0, 0, 0), radius), [[(low, False)], [(high, True)]])
    writer.body([outside, writer.face(cylinder(writer, bore, True), [[(low, True)], [(high, False)]])])


def octant(writer: AcisWriter, size: float) -> None:
    """Write an eighth of a sphere, with a face whose edge goes through the pole."""
    axes = ((size, 0.0, 0.0), (0.0, size, 0.0), (0.0, 0.0, size))
    tips = [writer.vertex(axis) for axis in axes]
    centre = writer.vertex((0, 0, 0))
    normals = (UP, (1, 0, 0), (0, 1, 0))
    arcs = [writer.edge(tips[k], tips[(k + 1) % 3], writer.ellipse((0, 0, 0), normals[k], axes[k]), (0.0, pi / 2))
            for k in range(3)]  # fmt: skip
    spokes = [writer.edge(centre, tips[k], writer.straight((0, 0, 0), axes[k]), (0.0, size)) for k in range(3)]
    faces = [writer.face(writer.sphere((0, 0, 0), size), [[(arc, False) for arc in arcs]])]
    for k, normal in enumerate(normals):
        loop = [(spokes[(k + 1) % 3], False), (arcs[k], True), (spokes[k], True)]
        faces.append(writer.face(writer.plane((0, 0, 0), tuple(-x for x in normal)), [loop]))  # type: ignore[arg-type]
    writer.body(faces)


def cut_cylinder(writer: AcisWriter, radius: float, height: float, slope: float) -> None:
    """Write a cylinder that a tilted plane cuts at a mean height."""
    length = sqrt(1.0 + slope * slope)
    normal = (-slope / length, 0.0, 1.0 / length)
    low = ring_edge(writer, 0.0, radius)
    vertex = writer.vertex((radius, 0.0, height + slope * radius))
    ellipse = writer.ellipse((0, 0, height), normal, (radius, 0.0, slope * radius), 1.0 / length)
    high = writer.edge(vertex, vertex, ellipse, (0.0, tau))
    writer.body([
        disc(writer, low, 0.0, DOWN, True),
        disc(writer, high, height, normal, False),
        writer.face(cylinder(writer, radius), [[(low, False)], [(high, True)]]),
    ])  # fmt: skip


def countersunk_disc(writer: AcisWriter, radius: float, height: float, bore: float, wide: float, depth: float) -> None:
    """Write a disc with a countersunk hole; the bore is a reversed face of an outward surface."""
    outer = ring_edge(writer, 0.0, radius), ring_edge(writer, height, radius)
    low, shoulder = ring_edge(writer, 0.0, bore), ring_edge(writer, height - depth, bore)
    top = ring_edge(writer, height, wide)
    slant = atan2(wide - bore, depth)
    sink = writer.cone((0, 0, height - depth), UP, (bore, 0, 0), 1.0, -sin(slant), -cos(slant))
    writer.body([
        disc(writer, outer[0], 0.0, DOWN, True, (low, False)),
        disc(writer, outer[1], height, UP, False, (top, True)),
        writer.face(cylinder(writer, radius), [[(outer[0], False)], [(outer[1], True)]]),
        writer.face(cylinder(writer, bore), [[(low, True)], [(shoulder, False)]], True),
        writer.face(sink, [[(shoulder, True)], [(top, False)]]),
    ])  # fmt: skip


def cross_drilled_shaft(writer: AcisWriter, radius: float, bore: float, height: float, name: str) -> None:
    """Write a shaft along z with a hole along x; the edges of the hole are B-splines of a type of intersection."""
    low, high = ring_edge(writer, -height / 2, radius), ring_edge(writer, height / 2, radius)
    rims = []
    for side in (1.0, -1.0):
        t = np.linspace(0.0, tau, 121)
        y, z = bore * np.cos(t), bore * np.sin(t)
        points = np.stack([side * np.sqrt(radius**2 - y**2), y, z], axis=1)
        ends = [(1, [0.0, 0.0, bore])]
        rims.append(intcurve_ring(writer, name, make_interp_spline(t, points, k=3, bc_type=(ends, ends)), points[0]))
    near, far = rims
    writer.body([
        disc(writer, low, -height / 2, DOWN, True),
        disc(writer, high, height / 2, UP, False),
        writer.face(cylinder(writer, radius), [[(low, False)], [(high, True)], [(near, True)], [(far, False)]]),
        writer.face(writer.cone((0, 0, 0), (1, 0, 0), (0, bore, 0), 1.0, 0.0, -1.0), [[(near, False)], [(far, True)]]),
    ])  # fmt: skip


def intcurve_ring(writer: AcisWriter, name: str, spline, point: np.ndarray) -> int:
    """Add a closed edge along a cubic, with the data that follows it in the format."""
    knots, times = np.unique(spline.t, return_counts=True)
    times[[0, -1]] = 3
    data: list[Field | str] = [name, "full"] if writer.version >= 500 else [name]
    data += ["nubs", 3, "closed", len(knots)]
    data += [value for pair in zip(knots.tolist(), times.tolist(), strict=True) for value in pair]
    data += [*spline.c.ravel().tolist(), 1e-6, "null_surface", "null_surface", "nullbs", "nullbs"]
    curve = writer.add("intcurve-curve", sense(False), *bare(data), *infinite(2))
    vertex = writer.vertex(tuple(point.tolist()))
    return writer.edge(vertex, vertex, curve, (0.0, tau))


def hollow_ball(writer: AcisWriter, radius: float, cavity: float) -> None:
    """Write a sphere with a concentric void, a shell of its own on a sphere of negative radius."""
    outside = writer.face(writer.sphere((0, 0, 0), radius), [])
    inside = writer.face(writer.sphere((0, 0, 0), -cavity), [])
    writer.body([outside])
    wire: list[Field] = [NONE] if writer.version >= 107 else []
    second = writer.add("shell", NONE, NONE, Ref(inside), *wire, NONE)
    first = next(number for number, (kind, _) in enumerate(writer.records) if kind == "shell")
    writer.records[first][1][3 if writer.version >= 700 else 1] = Ref(second)


def two_lumps(writer: AcisWriter, radius: float, distance: float) -> None:
    """Write a body of two spheres."""
    one, other = (writer.face(writer.sphere((x, 0, 0), radius), []) for x in (0.0, distance))
    writer.body([one])
    wire: list[Field] = [NONE] if writer.version >= 107 else []
    shell = writer.add("shell", NONE, NONE, Ref(other), *wire, NONE)
    second = writer.add("lump", NONE, Ref(shell), NONE)
    first = next(number for number, (kind, _) in enumerate(writer.records) if kind == "lump")
    writer.records[first][1][3 if writer.version >= 700 else 1] = Ref(second)


def touching_cubes(writer: AcisWriter) -> None:
    """Write two unit cubes that share one edge, which four faces use."""
    vertices: dict[Vector, int] = {}
    edges: dict[tuple[Vector, Vector], int] = {}

    def side(start: Vector, end: Vector) -> tuple[int, bool]:
        key = (min(start, end), max(start, end))
        if key not in edges:
            ends = [vertices.setdefault(point, -1) for point in key]
            for k, point in enumerate(key):
                if ends[k] < 0:
                    ends[k] = vertices[point] = writer.vertex(point)
            edges[key] = writer.edge(ends[0], ends[1], writer.straight(*key))
        return edges[key], (start, end) != key

    faces = []
    for shift in (0.0, 1.0):
        for axis in range(3):
            for level in (0.0, 1.0):
                ring = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
                corners = []
                for u, v in ring if level else ring[::-1]:
                    point = [0.0, 0.0, 0.0]
                    point[axis], point[(axis + 1) % 3], point[(axis + 2) % 3] = level, u, v
                    corners.append((point[0] + shift, point[1] + shift, point[2]))
                normal = [0.0, 0.0, 0.0]
                normal[axis] = 1.0 if level else -1.0
                loop = [side(corners[k], corners[(k + 1) % 4]) for k in range(4)]
                faces.append(writer.face(writer.plane(corners[0], tuple(normal)), [loop]))  # type: ignore[arg-type]
    writer.body(faces)


PROFILE = [(4.0, 0.0), (7.0, 4.0), (3.0, 8.0), (5.0, 12.0)]
"""Control points of a cubic: distance from the axis and height."""


def profile_curve() -> list[Field | str]:
    places = [number for x, z in PROFILE for number in (x, 0.0, z)]
    data: list[Field | str] = ["exactcur", "nubs", 3, "open", 2, 0.0, 3, 1.0, 3, *places, 0.0]
    return ["intcurve", sense(False), *bare(data), *infinite(2)]


def vase(writer: AcisWriter) -> None:
    """Write the solid that a cubic sweeps about z; old versions store no B-spline of its side."""
    (bottom, _), *_, (top, height) = PROFILE
    low, high = ring_edge(writer, 0.0, bottom), ring_edge(writer, height, top)
    data = ["rotsur", *profile_curve(), Place(0, 0, 0), Place(0, 0, 1, 20), *infinite(4)]
    side = writer.add("spline-surface", sense(False), *bare(data), *infinite(4))
    writer.body([
        disc(writer, low, 0.0, DOWN, True),
        disc(writer, high, height, UP, False),
        writer.face(side, [[(low, False)], [(high, True)]]),
    ])  # fmt: skip


def extruded_wave(writer: AcisWriter, depth: float, kind: str) -> None:
    """Write the area between the z axis and a cubic, extruded along y; the side has no B-spline."""
    (bottom, _), *_, (top, height) = PROFILE
    flat = [(0.0, 0.0), (bottom, 0.0), (top, height), (0.0, height)]
    rows = [[writer.vertex((x, y, z)) for x, z in flat] for y in (0.0, depth)]

    def line(start: int, end: int, one: Vector, other: Vector) -> int:
        return writer.edge(start, end, writer.straight(one, other))

    levels = []
    for y, row in zip((0.0, depth), rows, strict=True):
        points = [(x, y, z) for x, z in flat]
        ends = [(k, (k + 1) % 4) for k in (0, 2, 3)]
        edges = [line(row[a], row[b], points[a], points[b]) for a, b in ends]
        places = [number for x, z in PROFILE for number in (x, y, z)]
        data: list[Field | str] = ["exactcur", "nubs", 3, "open", 2, 0.0, 3, 1.0, 3, *places, 0.0]
        curve = writer.add("intcurve-curve", sense(False), *bare(data), *infinite(2))
        edges.insert(1, writer.edge(row[1], row[2], curve))
        levels.append(edges)
    across = [line(rows[0][k], rows[1][k], (x, 0.0, z), (x, depth, z)) for k, (x, z) in enumerate(flat)]
    finite: list[Field] = [Flag(True, ("I", "F")), 0.0, Flag(True, ("I", "F")), depth]
    straight = ["straight", Place(1, 2, 3), Place(0, 1, 0, 20), *finite]
    data = {
        "sumsur": ["sumsur", *profile_curve(), *straight, Place(1, 2, 3), *infinite(4)],
        "cyl_spl_sur": ["cyl_spl_sur", *profile_curve(), Place(0, 1, 0, 20), Place(0, 0, 0)],
    }[kind]
    faces = [
        writer.face(writer.plane((0, 0, 0), (0, -1, 0)), [[(edge, False) for edge in levels[0]]]),
        writer.face(writer.plane((0, depth, 0), (0, 1, 0)), [[(edge, True) for edge in reversed(levels[1])]]),
    ]
    surfaces = [
        writer.plane((0, 0, 0), DOWN),
        writer.add("spline-surface", sense(False), *bare(data), *infinite(4)),
        writer.plane((0, 0, height), UP),
        writer.plane((0, 0, 0), (-1, 0, 0)),
    ]
    for k, surface in enumerate(surfaces):
        loop = [(levels[0][k], True), (across[k], False), (levels[1][k], False), (across[(k + 1) % 4], True)]
        faces.append(writer.face(surface, [loop]))
    writer.body(faces)


def helical_halves(writer: AcisWriter, radius: float, height: float) -> None:
    """Write a cylinder whose side is divided by two helices of one turn."""
    tips = [[writer.vertex((x * radius, 0.0, z)) for x in (1.0, -1.0)] for z in (0.0, height)]
    arcs, helices = [], []
    for z, (right, left) in zip((0.0, height), tips, strict=True):
        circle = writer.ellipse((0, 0, z), UP, (radius, 0, 0))
        arcs.append([writer.edge(right, left, circle, (0.0, pi)), writer.edge(left, right, circle, (pi, tau))])
    finite = [Flag(True, ("I", "F")), 0.0, Flag(True, ("I", "F")), tau]
    for k, x in enumerate((radius, -radius)):
        data = ["helix_int_cur", *finite, Place(0, 0, 0), Place(x, 0, 0), Place(0, x, 0), Place(0, 0, height, 20),
                0.0, Place(0, 0, 1, 20), "null_surface", "null_surface", "nullbs", "nullbs"]  # fmt: skip
        curve = writer.add("intcurve-curve", sense(False), *bare(data), *infinite(2))
        helices.append(writer.edge(tips[0][k], tips[1][k], curve, (0.0, tau)))
    halves = [[(arcs[0][k], False), (helices[1 - k], False), (arcs[1][k], True), (helices[k], True)] for k in (0, 1)]
    writer.body([
        writer.face(writer.plane((0, 0, 0), DOWN), [[(arcs[0][1], True), (arcs[0][0], True)]]),
        writer.face(writer.plane((0, 0, height), UP), [[(arcs[1][0], False), (arcs[1][1], False)]]),
        *(writer.face(cylinder(writer, radius), [half]) for half in halves),
    ])  # fmt: skip


def plate_with_a_slit(writer: AcisWriter) -> None:
    """Write a block whose top has an edge that ends inside of the face."""
    acis_writer.plate(writer, (10.0, 20.0, 5.0))
    corner = next(number for number, (kind, fields) in enumerate(writer.records)
                  if kind == "point" and fields[-1] == Place(0.0, 0.0, 5.0))  # fmt: skip
    start = next(number for number, (kind, fields) in enumerate(writer.records)
                 if kind == "vertex" and fields[-1] == Ref(corner))  # fmt: skip
    end = writer.vertex((3.0, 3.0, 5.0))
    slit = writer.edge(start, end, writer.straight((0.0, 0.0, 5.0), (3.0, 3.0, 5.0)))
    top = [number for number, (kind, _) in enumerate(writer.records) if kind == "loop"][1]
    link = 3 if writer.version >= 700 else 1
    first = next(field.index for field in writer.records[top][1][link + 1 :] if isinstance(field, Ref))
    before = writer.records[first][1][link + 1].index  # type: ignore[union-attr]
    out, back = len(writer.records), len(writer.records) + 1
    for number, ring, backwards in ((out, (back, before), False), (back, (first, out), True)):
        made = writer.add("coedge", Ref(ring[0]), Ref(ring[1]), NONE, Ref(slit), sense(backwards), Ref(top), NONE)
        assert made == number
    writer.records[before][1][link] = Ref(out)
    writer.records[first][1][link + 1] = Ref(back)
