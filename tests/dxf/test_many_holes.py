"""Perforated plates: few convex pieces, small exports, and importing again in time that grows linearly."""

import numpy as np
import pytest
from click.testing import CliRunner

from rck.assembly.document import LocalPart
from rck.assembly.local_parts import with_port_names
from rck.cli.main import cli
from rck.parts.manifest import PartPort

mujoco = pytest.importorskip("mujoco")


def perforated(desk, count):
    document = desk.new()
    layout = document.modelspace()
    layout.add_lwpolyline([(0, 0), (10 * count, 0), (10 * count, 10 * count), (0, 10 * count)], close=True)
    for row in range(count):
        for column in range(count):
            layout.add_circle((5 + 10 * column, 5 + 10 * row), 3)
    return document


def test_round_holes_of_a_perforated_plate_have_as_few_sides_as_the_deviation_allows(desk):
    few, many = desk.robot(perforated(desk, 6), thickness="3mm"), desk.read(perforated(desk, 30), thickness="3mm")
    assert many.summary == "1 plate 300 x 300 x 3 mm, 900 holes (900 x 6), 0.523 kg aluminium"
    assert "fewer than 24 sides" in desk.said(many)
    (fine,), (coarse,) = few.items, many.robot.items
    assert len(fine.subitems) > 10 * 36
    assert len(coarse.subitems) < 5.6 * 900
    exact = (300 * 300 - 900 * np.pi * 9) * 3
    assert desk.volume(many.robot) == pytest.approx(exact, rel=1e-6)
    assert coarse.mass == pytest.approx(exact * 2700e-9, rel=1e-5)


def test_sides_stay_if_the_deviation_needs_them(desk):
    imported = desk.read(perforated(desk, 30), thickness="3mm", deviation="0.02mm")
    assert "fewer than 24 sides" not in desk.said(imported)


def test_pieces_that_differ_by_a_translation_share_a_mesh_file(desk):
    path = desk.save(perforated(desk, 30))
    run = CliRunner().invoke
    assert run(cli, ["import", str(path), "--thickness", "3mm"]).exit_code == 0
    for name in ("plate.urdf", "plate.xml"):
        done = run(cli, ["export", str(path.with_suffix(".rck")), str(desk.folder / name)])
        assert done.exit_code == 0, done.output
    assert len(list((desk.folder / "plate_meshes").iterdir())) < 200
    model = mujoco.MjModel.from_xml_path(str(desk.folder / "plate.xml"))
    assert model.ngeom > 900
    assert model.nmesh < 200
    places = {(round(x, 6), round(y, 6)) for x, y, _ in model.geom_pos.tolist()}
    assert len(places) > 900


def test_ports_of_a_drawing_that_is_imported_again_are_found_in_linear_time():
    new = {f"hole{number}-top": PartPort(at=(number / 100, 0.0, 0.0)) for number in range(1, 20_001)}
    old = {f"hole{number + 1}-top": PartPort(at=(number / 100, 0.0, 0.0)) for number in range(1, 20_001)}
    again = with_port_names(LocalPart(items={}, ports=new), LocalPart(items={}, ports=old))
    assert list(again.ports) == list(old)
