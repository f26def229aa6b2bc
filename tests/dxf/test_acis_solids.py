"""ACIS solids of rarer forms, in every version: closed, with the volume of their closed form."""

from collections.abc import Callable
from math import pi
from typing import Any

import acis_solids
import numpy as np
import pytest
from acis_writer import BINARY_VERSIONS, TEXT_VERSIONS, AcisWriter, Ref
from rck_importers.dxf.acis.source import bodies_of_data

from rck.geometry.brep.errors import BrepError
from rck.geometry.brep.tessellation import tessellate
from rck.geometry.polyhedron import convex_hull

DEVIATION = 0.02
VERSIONS = (*TEXT_VERSIONS, *BINARY_VERSIONS)


def vase_volume() -> float:
    """Volume of the vase: pi x^2 dz along its profile, a polynomial that Gauss integrates exactly."""
    x, dz = profile()
    return float(WEIGHTS @ (pi * x**2 * dz))


def wave_area() -> float:
    x, dz = profile()
    return float(WEIGHTS @ (x * dz))


POINTS, WEIGHTS = (row / 2 for row in np.polynomial.legendre.leggauss(8))


def profile() -> tuple[np.ndarray, np.ndarray]:
    """Return the distance from the axis, and the derivative of the height, at the points of Gauss."""
    t = POINTS + 0.5
    x, z = np.array(acis_solids.PROFILE).T
    basis = np.array([(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3])
    slope = np.array([(1 - t) ** 2, 2 * t * (1 - t), t**2])
    return x @ basis, 3 * np.diff(z) @ slope


def shaft_volume(radius: float, bore: float, height: float) -> float:
    """Volume of a shaft minus that of a hole across it, by the substitution y = bore sin(t)."""
    t = np.linspace(-pi / 2, pi / 2, 20_001)
    section = 4 * np.sqrt(radius**2 - (bore * np.sin(t)) ** 2) * (bore * np.cos(t)) ** 2
    return float(pi * radius**2 * height - np.trapezoid(section, t))


SHAPES: dict[str, tuple[Callable[[AcisWriter], None], float]] = {
    "cylinder with a seam": (lambda w: acis_solids.seamed_cylinder(w, 5, 20), pi * 500),
    "ball with a seam and poles": (lambda w: acis_solids.seamed_ball(w, 7), 4 / 3 * pi * 343),
    "ball with a hole": (lambda w: acis_solids.napkin_ring(w, 10, 6), pi * 16**3 / 6),
    "hollow ball": (lambda w: acis_solids.hollow_ball(w, 10, 6), 4 / 3 * pi * (1000 - 216)),
    "eighth of a ball": (lambda w: acis_solids.octant(w, 10), pi * 1000 / 6),
    "cylinder cut at an angle": (lambda w: acis_solids.cut_cylinder(w, 5, 20, 0.8), pi * 500),
    "countersunk disc": (lambda w: acis_solids.countersunk_disc(w, 20, 10, 3, 6, 3), pi * (4000 - 63 - 63)),
    "apple": (lambda w: w.body([w.face(w.torus((0, 0, 0), (0, 0, 1), 5, 8), [])]), 0.0),
    "lemon": (lambda w: w.body([w.face(w.torus((0, 0, 0), (0, 0, 1), -5, 8), [])]), 0.0),
    "helices on a cylinder": (lambda w: acis_solids.helical_halves(w, 5, 20), pi * 500),
    "block with a slit": (acis_solids.plate_with_a_slit, 1000.0),
    "vase": (acis_solids.vase, vase_volume()),
    "sum of curves": (lambda w: acis_solids.extruded_wave(w, 6, "sumsur"), 6 * wave_area()),
    "swept curve": (lambda w: acis_solids.extruded_wave(w, 6, "cyl_spl_sur"), 6 * wave_area()),
}


def torus_volume(major: float, minor: float) -> float:
    """Volume of a self-intersecting torus, outside (apple) or inside (lemon), from its profile."""
    z = minor * np.sin(np.linspace(-pi / 2, pi / 2, 200_001))
    outer = np.maximum(np.sqrt(minor**2 - z**2) + major, 0.0)
    inner = np.maximum(major - np.sqrt(minor**2 - z**2), 0.0)
    return float(np.trapezoid(pi * (outer**2 - inner**2), z))


def data_of(version: int, write: Callable[[AcisWriter], Any]) -> str | bytes:
    writer = AcisWriter(version)
    write(writer)
    return "\n".join(writer.text()) if version in TEXT_VERSIONS else writer.binary()


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", SHAPES)
def test_solid_is_closed_and_has_its_volume(name, version):
    write, volume = SHAPES[name]
    if not volume:
        volume = torus_volume(5 if name == "apple" else -5, 8)
    (body,) = bodies_of_data(data_of(version, write))
    (lump,) = body.lumps
    mesh = tessellate(lump, DEVIATION)
    assert mesh.is_closed
    assert mesh.moments.volume == pytest.approx(volume, rel=2e-4)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", ["surfintcur", "parcur", "bldcur", "exactcur", "int_int_cur", "blend_int_cur"])
def test_every_type_of_intersection_curve_is_read(name, version):
    data = data_of(version, lambda w: acis_solids.cross_drilled_shaft(w, 10, 4, 40, name))
    mesh = tessellate(bodies_of_data(data)[0].lumps[0], DEVIATION)
    assert mesh.is_closed
    assert mesh.moments.volume == pytest.approx(shaft_volume(10, 4, 40), rel=1e-4)


@pytest.mark.parametrize("version", VERSIONS)
def test_lumps_and_bodies_are_kept_apart(version):
    (body,) = bodies_of_data(data_of(version, lambda w: acis_solids.two_lumps(w, 3, 20)))
    centres = [tessellate(lump, DEVIATION).moments for lump in body.lumps]
    assert [one.first[0] / one.volume for one in centres] == pytest.approx([0, 20], abs=1e-9)

    def two_bodies(writer: AcisWriter) -> None:
        for radius in (3, 5):
            writer.body([writer.face(writer.sphere((0, 0, 0), radius), [])])

    bodies = bodies_of_data(data_of(version, two_bodies))
    volumes = [tessellate(body.lumps[0], DEVIATION).moments.volume for body in bodies]
    assert volumes == pytest.approx([4 / 3 * pi * 27, 4 / 3 * pi * 125], rel=1e-4)


@pytest.mark.parametrize("version", VERSIONS)
def test_unknown_records_and_trailing_fields_are_ignored(version):
    def write(writer: AcisWriter) -> None:
        writer.add("vendor_thing-odd-attrib", "text of a vendor", 7, 1.5, Ref(0))
        acis_solids.seamed_ball(writer, 7)
        for kind, fields in writer.records:
            if kind in ("face", "loop", "edge", "vertex", "body", "coedge", "lump"):
                fields.extend([3.5, 2, "unknown"])

    (body,) = bodies_of_data(data_of(version, write))
    assert tessellate(body.lumps[0], DEVIATION).moments.volume == pytest.approx(4 / 3 * pi * 343, rel=1e-4)


def test_cubes_that_share_an_edge_become_two_solids(desk):
    document = desk.new("R2000")
    writer = AcisWriter(400)
    acis_solids.touching_cubes(writer)
    document.modelspace().add_3dsolid().sat = writer.text()
    robot = desk.robot(document)
    assert sum(convex_hull(one.shape.vertices).volume for one in robot.items[0].subitems) == pytest.approx(2e-9)


@pytest.mark.parametrize(
    ("name", "old", "new", "reason"),
    [
        ("vase", "rotsur", "oddsur", "has no B-spline"),
        ("sum of curves", "straight 1 2 3 0 1 0", "straight 1 2 3 0 0 0", "a direction without length"),
        ("helices on a cylinder", "0 0 20 0.0 0 0 1", "0 0 0 0.0 0 0 1", "helix without radius or pitch"),
        ("helices on a cylinder", "helix_int_cur", "odd_int_cur", "has no B-spline"),
    ],
)
def test_procedural_data_that_cannot_be_used_is_named(name, old, new, reason):
    text = str(data_of(400, SHAPES[name][0]))
    assert old in text
    with pytest.raises(BrepError, match=reason):
        bodies_of_data(text.replace(old, new, 1))
