"""ACIS solids of every form: their volumes against closed forms, exact prisms, and damaged data."""

from collections.abc import Callable
from math import pi
from typing import Any

import acis_writer
import numpy as np
import pytest
from acis_writer import BINARY_VERSIONS, TEXT_VERSIONS, AcisWriter
from rck_importers.dxf.acis.source import bodies_of_data

from rck.geometry.brep.errors import BrepError
from rck.geometry.brep.tessellation import tessellate
from rck.geometry.mass_properties import moments
from rck.support.finding import errors_of

DEVIATION = 0.05
VERSIONS = (*TEXT_VERSIONS, *BINARY_VERSIONS)
MIRROR = (0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 100.0, 200.0, 300.0, 2.0)
"""Exchanges x and y, which is a reflection; doubles the size and shifts."""

SHAPES: dict[str, tuple[Callable[[AcisWriter], None], float, float]] = {
    "block": (lambda w: acis_writer.plate(w, (10, 20, 30)), 6000.0, 2200.0),
    "drilled": (
        lambda w: acis_writer.plate(w, (60, 40, 5), [(10, 10, 3), (40, 20, 8)]),
        12000 - pi * 5 * (9 + 64),
        2 * (2400 - pi * 73) + 200 * 5 + 2 * pi * 11 * 5,
    ),
    "cylinder": (lambda w: acis_writer.frustum(w, 5, 5, 20), pi * 500, 2 * pi * 25 + 2 * pi * 100),
    "elliptic cylinder": (lambda w: acis_writer.frustum(w, 5, 5, 20, 0.4), pi * 200, 0.0),
    "cone": (lambda w: acis_writer.frustum(w, 5, 0, 20), pi * 500 / 3, pi * 25 + pi * 5 * 425**0.5),
    "frustum": (lambda w: acis_writer.frustum(w, 5, 8, 20, 0.7), pi * 20 / 3 * 129 * 0.7, 0.0),
    "ball": (lambda w: acis_writer.ball(w, 7), 4 / 3 * pi * 343, 4 * pi * 49),
    "most of a ball": (lambda w: acis_writer.ball_segment(w, 7, 6), pi * 169 * 8 / 3, 0.0),
    "less than half a ball": (lambda w: acis_writer.ball_segment(w, 7, -4), pi * 9 * 18 / 3, 0.0),
    "torus": (lambda w: acis_writer.ring(w, 20, 5), 2 * pi**2 * 500, 4 * pi**2 * 100),
    "cylinder of splines": (lambda w: acis_writer.spline_cylinder(w, 5, 20), pi * 500, 2 * pi * 25 + 2 * pi * 100),
    "block with a curved top": (lambda w: acis_writer.wavy_block(w, 10, 2), 1000 + 100 * 2 * 16 / 36, 0.0),
    "half a torus": (lambda w: acis_writer.half_ring(w, 20, 5), pi**2 * 500, 2 * pi**2 * 100 + 2 * pi * 25),
}
"""The writer of each shape, its volume and, where there is a closed form for it, its area."""


def data_of(version: int, write: Callable[[AcisWriter], Any]) -> str | bytes:
    writer = AcisWriter(version)
    write(writer)
    return "\n".join(writer.text()) if version in TEXT_VERSIONS else writer.binary()


def lump_of(version: int, write: Callable[[AcisWriter], Any]) -> Any:
    (body,) = bodies_of_data(data_of(version, write))
    (lump,) = body.lumps
    return lump


@pytest.mark.parametrize("name", SHAPES)
def test_solids_are_watertight_and_have_the_volume_of_their_closed_form(name):
    write, volume, area = SHAPES[name]
    mesh = tessellate(lump_of(700, write), DEVIATION)
    assert mesh.is_closed
    assert mesh.moments.volume == pytest.approx(volume, rel=1e-3)
    # The triangles themselves stay within the deviation of the surface.
    assert abs(moments(mesh.mesh).volume - volume) <= mesh.moments.area * DEVIATION
    if area:
        assert mesh.moments.area == pytest.approx(area, rel=2e-3)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", ["drilled", "frustum", "torus", "cylinder of splines", "block with a curved top"])
def test_every_version_gives_the_same_solid(version, name):
    write, volume, _ = SHAPES[name]
    mesh = tessellate(lump_of(version, write), DEVIATION)
    assert mesh.is_closed
    assert mesh.moments.volume == pytest.approx(volume, rel=1e-5)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_transform_with_scale_and_reflection_is_applied(desk, version):
    document = desk.new("R2013" if version in BINARY_VERSIONS else "R2000")
    solid = document.modelspace().add_3dsolid()
    data = data_of(version, lambda w: acis_writer.plate(w, (60, 40, 5), [(10, 10, 3)], MIRROR))
    store(solid, data)
    robot = desk.robot(document)
    assert desk.extent(robot) == pytest.approx([100, 200, 300, 180, 320, 310])
    (port, *_) = desk.ports(document)
    assert port.pose[:2, 3] * 1000 == pytest.approx([120, 220])


def store(solid: Any, data: str | bytes) -> None:
    if isinstance(data, bytes):
        solid.sab = data
    else:
        solid.sat = data.splitlines()


def draw(desk: Any, *names: str) -> Any:
    document = desk.new("R2000")
    for name in names:
        store(document.modelspace().add_3dsolid(), data_of(700, SHAPES[name][0]))
    return document


def test_a_drilled_block_becomes_an_extrusion_with_ports_at_its_holes(desk):
    contents = desk.read(draw(desk, "drilled"))
    (part,) = contents.parts
    (item,) = part.items
    extrusion = item.subitems[0].extrusion
    assert extrusion is not None
    assert len(extrusion.contour.holes) == 2
    assert extrusion.thickness * 1000 == pytest.approx(5)
    assert sorted(port.name for port in part.ports) == ["hole1-bottom", "hole1-top", "hole2-bottom", "hole2-top"]
    assert min(port.note for port in part.ports) == "centre of a bore of 16 mm"
    assert item.mass_properties.mass == pytest.approx(2.7e-6 * SHAPES["drilled"][1], rel=1e-4)


@pytest.mark.parametrize("name", ["cylinder", "cone", "frustum", "ball", "most of a ball"])
def test_convex_solids_are_one_piece_with_the_true_mass(desk, name):
    robot = desk.robot(draw(desk, name))
    assert len(robot.items[0].subitems) == 1
    assert robot.items[0].mass == pytest.approx(2.7e-6 * SHAPES[name][1], rel=1e-3)


def test_a_torus_is_cut_into_sectors_without_coacd(desk, monkeypatch):
    monkeypatch.setattr("rck.geometry.decomposition.find_spec", lambda name: None)
    imported = desk.read(draw(desk, "torus"))
    assert "solid of revolution" in desk.said(imported)
    assert imported.robot is not None
    assert imported.robot.items[0].mass == pytest.approx(2.7e-6 * SHAPES["torus"][1], rel=1e-5)
    assert desk.volume(imported.robot) == pytest.approx(SHAPES["torus"][1], rel=0.03)


def test_a_counterbored_hole_has_ports_at_both_ends_and_exact_pieces(desk):
    document = desk.new("R2000")
    write = data_of(700, lambda w: acis_writer.counterbored_disc(w, 20, 10, 3, 6, 4, 5.0))
    store(document.modelspace().add_3dsolid(), write)
    contents = desk.read(document)
    assert "exactly" in desk.said(contents)
    ports = {port.name: port for part in contents.parts for port in part.ports}
    assert sorted(ports) == ["hole1-bottom", "hole1-top"]
    assert ports["hole1-top"].note == "centre of a bore of 6 mm"
    assert ports["hole1-top"].pose[:3, 3] * 1000 == pytest.approx([5, 0, 10])
    assert ports["hole1-bottom"].pose[:3, 2] == pytest.approx([0, 0, -1])


@pytest.mark.parametrize(("bottom", "ports"), [(0.0, 2), (2.0, 0)])
def test_only_through_holes_have_ports(desk, bottom, ports):
    document = desk.new("R2000")
    store(document.modelspace().add_3dsolid(), data_of(700, lambda w: acis_writer.tube(w, 10, 8, 30, bottom)))
    contents = desk.read(document)
    assert errors_of(contents.findings) == ()
    assert len([port for part in contents.parts for port in part.ports]) == ports
    assert contents.robot.items[0].mass == pytest.approx(2.7e-6 * pi * (36 * 30 + 64 * bottom), rel=1e-3)


def test_a_small_cylinder_far_from_the_origin_keeps_its_shape(desk):
    document = desk.new("R2000")
    shift = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1e6, 2e6, 0.0, 1.0)
    write = data_of(700, lambda w: acis_writer.frustum(w, 0.5, 0.5, 1.0, transform=shift))
    store(document.modelspace().add_3dsolid(), write)
    robot = desk.robot(document)
    assert robot.items[0].mass == pytest.approx(2.7e-6 * pi / 4, rel=1e-3)


@pytest.mark.parametrize("version", VERSIONS)
def test_truncated_data_is_refused(version):
    data = data_of(version, SHAPES["drilled"][0])
    for share in np.linspace(0.02, 0.98, 25):
        with pytest.raises(BrepError):
            bodies_of_data(data[: int(len(data) * share)])


def test_mutated_data_gives_a_solid_or_one_refusal():
    generator = np.random.default_rng(7)
    refused = 0
    for version in (106, 700, 21800):
        data = data_of(version, SHAPES["drilled"][0])
        for _ in range(60):
            place = int(generator.integers(len(data)))
            if isinstance(data, str):
                broken: str | bytes = data[:place] + "0123456789$-#{} "[int(generator.integers(16))] + data[place + 1 :]
            else:
                broken = data[:place] + bytes([int(generator.integers(256))]) + data[place + 1 :]
            try:
                for body in bodies_of_data(broken):
                    for lump in body.lumps:
                        tessellate(lump, 1.0)
            except BrepError:
                refused += 1
    assert refused > 20


@pytest.mark.parametrize(
    ("name", "old", "new", "reason"),
    [
        ("cylinder", "coedge", "loop", "in place of a coedge"),
        ("torus", "torus-surface", "helix-surface", "unknown type of surface"),
        ("torus", " 20 5 ", " 20 0 ", "has the radii 20 and 0"),
        ("ball", "face $-1 -1 $-1 $-1 $-1", "face $-1 -1 $-1 $-1 $99", "refers to record 99, which does not exist"),
        ("block", "straight-curve $-1 -1 $-1 0", "straight-curve $-1 -1 $-1 forward", "in place of a number"),
    ],
)
def test_wrong_fields_are_named(name, old, new, reason):
    text = str(data_of(700, SHAPES[name][0]))
    assert old in text
    with pytest.raises(BrepError, match=reason):
        bodies_of_data(text.replace(old, new, 1))


def test_a_damaged_solid_is_one_refusal_with_its_handle(desk):
    document = draw(desk, "ball")
    solid = document.modelspace()[0]
    solid.sat = [line.replace("sphere-surface", "odd-surface") for line in solid.sat]
    (error,) = desk.errors(document)
    assert f"3DSOLID {solid.dxf.handle} on layer 0" in error
    assert "unknown type of surface" in error


def test_faces_in_a_cycle_are_refused():
    writer = AcisWriter(700)
    acis_writer.plate(writer, (1, 2, 3))
    faces = [number for number, (kind, _) in enumerate(writer.records) if kind == "face"]
    writer.records[faces[-1]][1][3] = acis_writer.Ref(faces[1])
    with pytest.raises(BrepError, match="cycle"):
        bodies_of_data("\n".join(writer.text()))
