"""Ports of drawings: the ends of bores, and what is called a port."""

import numpy as np
import pytest

from rck.assembly import edits
from rck.assembly.document import Mate
from rck.hooks import Recipe, discover
from rck.language.commands.file_commands import with_imported
from rck.language.session import new_session
from rck.model import RckError
from rck.model.port_fit import describe_holes


def plate(desk, *holes, radius=2.5):
    document = desk.new()
    document.modelspace().add_lwpolyline([(0, 0), (80, 0), (80, 40), (0, 40)], close=True)
    for x, y in holes:
        document.modelspace().add_circle((x, y), radius)
    return document


def ports(imported):
    return {port.name: port for part in imported.parts for port in part.ports}


def test_every_bore_has_a_port_at_each_end(desk):
    found = ports(desk.read(plate(desk, (10, 20), (70, 20)), thickness="4mm"))
    assert list(found) == ["hole1-top", "hole1-bottom", "hole2-top", "hole2-bottom"]
    top, bottom = found["hole2-top"], found["hole2-bottom"]
    assert top.pose[:3, 3] * 1000 == pytest.approx([70, 20, 4])
    assert top.pose[:3, 2] == pytest.approx([0, 0, 1])
    assert bottom.pose[:3, 3] * 1000 == pytest.approx([70, 20, 0])
    assert bottom.pose[:3, 2] == pytest.approx([0, 0, -1])
    assert (top.type, top.note) == ("any", "centre of a bore of 5 mm")


def test_top_port_of_a_plate_with_negative_thickness_is_at_its_lower_side(desk):
    document = desk.new()
    document.modelspace().add_circle((0, 0), 20, dxfattribs={"thickness": -3})
    document.modelspace().add_circle((5, 2), 4, dxfattribs={"thickness": -3})
    top = ports(desk.read(document))["hole1-top"]
    assert top.pose[:3, 3] * 1000 == pytest.approx([5, 2, -3])
    assert top.pose[:3, 2] == pytest.approx([0, 0, -1])


def test_bores_are_found_for_every_kind_of_curve(desk):
    document = plate(desk)
    layout = document.modelspace()
    layout.add_arc((20, 20), 3, 0, 180)
    layout.add_arc((20, 20), 3, 180, 360)
    angles = np.arange(36) * 2 * np.pi / 36
    layout.add_lwpolyline([(40 + 3 * np.cos(a), 20 + 3 * np.sin(a)) for a in angles], close=True)
    layout.add_lwpolyline([(60, 15), (65, 20), (60, 25), (55, 20)], close=True)
    imported = desk.read(document, thickness="4mm")
    assert imported.summary.startswith("1 plate 80 x 40 x 4 mm, 2 holes (2 x 6), 1 cut-out, ")
    centres = [port.pose[:2, 3] * 1000 for name, port in ports(imported).items() if name.endswith("top")]
    assert np.array(centres) == pytest.approx(np.array([[20, 20], [40, 20]]), abs=1e-3)


def test_bore_ports_can_be_disabled(desk):
    assert desk.ports(plate(desk, (10, 20)), thickness="4mm", hole_ports="no") == []
    recipe = Recipe(port_kinds={"hole1-top": "robotis-x430-horn", "hole1-bottom": ""})
    (port,) = desk.ports(plate(desk, (10, 20)), thickness="4mm", recipe=recipe)
    assert (port.name, port.type) == ("hole1-top", "robotis-x430-horn")


def test_bolt_circles_and_slots_of_a_plate_are_ports_with_diameters(desk):
    angles = np.radians([30, 90, 150, 210, 270, 330])
    document = plate(desk, *[(25 + 10 * np.cos(a), 20 + 10 * np.sin(a)) for a in angles], radius=1.7)
    layout = document.modelspace()
    layout.add_circle((25, 20), 6)
    layout.add_lwpolyline([(60, 18, 0), (70, 18, 1), (70, 22, 0), (60, 22, 1)], format="xyb", close=True)
    found = ports(desk.read(document, thickness="4mm"))
    assert sum(name.startswith("hole") for name in found) == 14
    circle, slot = found["circle1-top"], found["slot1-bottom"]
    assert circle.note == "6 bores of 3.4 mm on a circle of 20 mm"
    assert circle.pose[:3, 3] * 1000 == pytest.approx([25, 20, 4])
    assert describe_holes(circle.interface) == "6 x 3.4 mm on a circle of 20 mm"
    assert circle.interface.holes[0].depth == pytest.approx(0.004)
    assert slot.note == "middle of a slot of 14 x 4 mm"
    assert slot.pose[:3, 3] * 1000 == pytest.approx([65, 20, 0])
    assert describe_holes(slot.interface) == "slot 4 x 14 mm"


def test_imported_bolt_circle_takes_a_motor_with_its_screws(desk):
    session = new_session(discover(), desk.folder)
    holes = [(20 + x, 20 + y) for x in (-15.5, 15.5) for y in (-15.5, 15.5)]
    path = desk.save(plate(desk, *holes, radius=1.7), "side.dxf")
    session.do(f"import {path.name} thickness=4mm")
    with pytest.raises(RckError, match="no holes coincide in this pose"):
        session.do("create stepperonline/17hs19-2004s1 motor --at side.circle1-bottom --by face --turn 45")
    session.do("create stepperonline/17hs19-2004s1 motor --at side.circle1-bottom --by face")
    built = session.compile()
    assert built.findings == ()
    (screws,) = built.unwrap().robot.fasteners
    assert (screws.name, screws.count, screws.has_nut) == ("Screw M3 x 8", 4, False)
    with pytest.raises(RckError, match="no holes coincide"):
        session.do("create soyo/sy35st36-1004a other --at side.circle1-top --by face")


def test_two_plates_are_mated_at_their_bores(desk):
    session = new_session(discover(), desk.folder)
    assembly = session.assembly
    for name, document in (("side", plate(desk, (10, 20))), ("lid", plate(desk, (70, 5), (30, 5)))):
        path = desk.save(document, f"{name}.dxf")
        imported = desk.read(path, thickness="4mm")
        assembly = with_imported(assembly, imported, path)
    assembly = edits.add_mate(assembly, Mate(at="side.hole1-top", put="lid.hole2-bottom"))
    session.apply("mate", assembly)
    robot = session.compile().unwrap().robot
    lid = robot.item("lid/lid")
    # The second hole of the lid, at (30, 5), stands over the hole of the side at (10, 20), on top of it.
    assert (lid.pose @ np.array([0.03, 0.005, 0.0, 1.0]))[:3] * 1000 == pytest.approx([10, 20, 4])
    assert lid.pose[:3, :3] == pytest.approx(np.eye(3), abs=1e-9)


def test_points_lines_circles_and_blocks_named_port_are_ports(desk):
    document = desk.new()
    layout = document.modelspace()
    desk.add_box(layout, (20, 20, 20), layer="BASE")
    layout.add_point((20, 10, 10), dxfattribs={"layer": "PORT_side"})
    layout.add_line((10, 10, 20), (10, 10, 30), dxfattribs={"layer": "PORT_top@iso9409-1-50-4-m6"})
    layout.add_circle((10, 10, 0), 3, dxfattribs={"layer": "PORT_foot", "extrusion": (0, 0, -1)})
    document.blocks.new("PORT_back")
    layout.add_blockref("PORT_back", (0, 0, 0), dxfattribs={"extrusion": (0, -1, 0)})
    imported = desk.read(document)
    found = {name: (port.pose[:3, 3] * 1000, port.pose[:3, 2], port.type) for name, port in ports(imported).items()}
    assert found["side"][0] == pytest.approx([20, 10, 10])
    assert found["side"][1] == pytest.approx([1, 0, 0])
    assert found["top"][1] == pytest.approx([0, 0, 1])
    assert found["top"][2] == "iso9409-1-50-4-m6"
    assert found["foot"][1] == pytest.approx([0, 0, -1])
    assert found["back"][1] == pytest.approx([0, -1, 0])
    assert {port.item for port in desk.ports(imported)} == {"BASE"}


def test_block_attribute_sets_the_port_type(desk):
    document = desk.new()
    desk.add_box(document.modelspace(), layer="BASE")
    document.blocks.new("PORT_hand").add_attdef("KIND", (0, 0))
    insert = document.modelspace().add_blockref("PORT_hand", (5, 5, 30))
    insert.add_attrib("KIND", "nema17", (0, 0))
    (port,) = desk.ports(document)
    assert (port.name, port.type) == ("hand", "nema17")


def test_the_port_is_on_the_nearest_item(desk):
    document = desk.new()
    desk.add_box(document.modelspace(), layer="LEFT")
    desk.add_box(document.modelspace(), at=(100, 0, 0), layer="RIGHT")
    document.modelspace().add_point((100, 10, 10), dxfattribs={"layer": "PORT_x"})
    (port,) = desk.ports(document)
    assert port.item == "RIGHT"
    assert port.pose[:3, 2] == pytest.approx([-1, 0, 0])
