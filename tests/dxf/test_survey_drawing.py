"""The flat drawing in the survey, and roles of regions that the user states in the recipe."""

from itertools import pairwise

import numpy as np
import pytest
from ezdxf.render.forms import gear
from rck_importers.dxf import rck_importers

from rck.hooks import Job, Recipe
from rck.hooks.file_exchange import import_values
from rck.model import RckError


def rectangle(layout, low, high, **look):
    (a, b), (c, d) = low, high
    layout.add_lwpolyline([(a, b), (c, b), (c, d), (a, d)], close=True, dxfattribs=look)


def lines(layout, *points, **look):
    for a, b in pairwise(points):
        layout.add_line(a, b, dxfattribs=look)


def masses(imported):
    """Volume of each item in mm3, in order of size."""
    return sorted(item.mass / 2700e-9 for item in imported.robot.items)


def roles(survey):
    return {region.name: region.role for region in survey.drawing.regions}


def test_survey_has_the_curves_and_regions_as_drawn(desk):
    document = desk.new()
    document.layers.add("CUT", color=3)
    document.linetypes.add("CENTER", [50.8, 31.75, -6.35, 6.35, -6.35])
    layout = document.modelspace()
    rectangle(layout, (0, 0), (182, 64), layer="CUT")
    layout.add_circle((32, 32), 11, dxfattribs={"layer": "CUT", "color": 1})
    layout.add_lwpolyline([(100, 27, 0, 0, 0), (120, 27, 0, 0, 1), (120, 37, 0, 0, 0), (100, 37, 0, 0, 1)], close=True)
    layout.add_line((-10, 32), (192, 32), dxfattribs={"linetype": "CENTER"})
    layout.add_line((300, 0), (310, 0))
    layout.add_text("SIDE", height=5, dxfattribs={"insert": (10, 50)})
    survey = desk.survey(document, thickness="4mm")
    drawing = survey.drawing
    outer, bore, slot = drawing.regions
    assert (outer.role, outer.parent, outer.layer) == ("plate", "", "CUT")
    assert np.array(outer.size) * 1000 == pytest.approx([182, 64])
    assert (bore.role, bore.parent, bore.shape) == ("hole", outer.name, "round")
    assert np.array(bore.size) * 1000 == pytest.approx([22, 22], rel=1e-4)
    assert (slot.role, slot.shape) == ("hole", "slot")
    assert np.array(slot.size) * 1000 == pytest.approx([30, 10], rel=1e-4)
    by_use = {curve.use: curve for curve in drawing.curves}
    assert by_use["annotation"].stroke == "centre"
    assert by_use["stray"].points * 1000 == pytest.approx(np.array([[300, 0, 0], [310, 0, 0]]))
    assert [curve.colour[:3] for curve in drawing.curves[:2]] == [(0, 1, 0), (1, 0, 0)]
    (text,) = drawing.texts
    assert (text.text, text.height) == ("SIDE", pytest.approx(0.005))
    assert [part.region for part in survey.pieces] == [outer.name]
    assert survey.length_unit == "mm"


def test_excluded_and_joint_curves_are_marked(desk):
    document = desk.new()
    layout = document.modelspace()
    rectangle(layout, (0, 0), (60, 40))
    rectangle(layout, (5, 5), (10, 10), layer="LOGO")
    layout.add_line((30, 20, 0), (30, 20, 10), dxfattribs={"layer": "JOINT_R_1"})
    survey = desk.survey(document, thickness="4mm", skip="LOGO")
    assert [curve.use for curve in survey.drawing.curves] == ["outline", "joint", "excluded"]


def test_a_drawing_of_solids_has_no_flat_drawing(desk):
    document = desk.new()
    desk.add_box(document.modelspace())
    assert desk.survey(document).drawing is None


def test_planes_with_most_regions_are_shown_first(desk):
    document = desk.new()
    layout = document.modelspace()
    rectangle(layout, (0, 0), (60, 40))
    for x in (100, 200):
        for y in (10, 30):
            layout.add_circle((x, y, 50), 5)
    survey = desk.survey(document, thickness="4mm")
    assert [plane[2, 3] for plane in survey.drawing.planes] == pytest.approx([0.05, 0.0])
    assert sorted(region.plane for region in survey.drawing.regions) == [0, 0, 0, 0, 1]


def sheet(desk):
    """A frame round two plain rectangles, one with an engraved mark."""
    document = desk.new()
    layout = document.modelspace()
    rectangle(layout, (0, 0), (200, 100))
    rectangle(layout, (10, 10), (90, 90))
    rectangle(layout, (110, 10), (190, 90))
    rectangle(layout, (120, 20), (140, 40))
    return document


def test_a_plate_stated_to_be_a_sheet_border_makes_plates_of_what_lies_in_it(desk):
    plain = desk.read(sheet(desk), thickness="1mm")
    assert masses(plain) == pytest.approx([400, 200 * 100 - 2 * 80 * 80])
    stated = desk.read(sheet(desk), thickness="1mm", recipe=Recipe(regions={"region1": "sheet border"}))
    assert masses(stated) == pytest.approx([80 * 80 - 20 * 20, 80 * 80])
    engraved = Recipe(regions={"region1": "sheet border", "region4": "ignored"})
    assert masses(desk.read(sheet(desk), thickness="1mm", recipe=engraved)) == pytest.approx([80 * 80] * 2)


@pytest.mark.parametrize("role", ["plate", "hole", "sheet border", "view", "counterbore", "ignored"])
def test_names_of_regions_do_not_depend_on_their_roles(desk, role):
    names = sorted(roles(desk.survey(sheet(desk), thickness="1mm")))
    assert names == ["region1", "region2", "region3", "region4"]
    for name in names:
        survey = desk.survey(sheet(desk), thickness="1mm", recipe=Recipe(regions={name: role}))
        assert sorted(roles(survey)) == names
        assert roles(survey)[name] == ("hole" if role == "sheet border" and name in names[1:3] else role)


def divided(desk):
    """A rectangle that a line divides, with a hole in its left half."""
    document = desk.new()
    layout = document.modelspace()
    lines(layout, (0, 0), (100, 0), (100, 50), (0, 50), (0, 0))
    lines(layout, (60, 0), (60, 50))
    rectangle(layout, (10, 10), (20, 20))
    return document


def test_regions_with_a_common_edge_are_in_a_group(desk):
    survey = desk.survey(divided(desk), thickness="1mm")
    assert roles(survey) == {"region1": "group", "region1-1": "plate", "region1-2": "plate", "region2": "hole"}
    parents = {region.name: region.parent for region in survey.drawing.regions}
    assert parents == {"region1": "", "region1-1": "region1", "region1-2": "region1", "region2": "region1-1"}


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ({}, [40 * 50, 60 * 50 - 100]),
        ({"region1": "plate"}, [100 * 50 - 100]),
        ({"region1-2": "ignored"}, [60 * 50 - 100]),
        ({"region1-1": "hole"}, [100, 40 * 50]),
        ({"region1": "ignored", "region2": "plate"}, [100]),
        ({"region2": "ignored"}, [40 * 50, 60 * 50]),
        ({"region*": "ignored", "region1-2": "plate"}, [40 * 50]),
    ],
)
def test_stated_roles_change_what_becomes_a_plate(desk, stated, expected):
    imported = desk.read(divided(desk), thickness="1mm", recipe=Recipe(regions=stated))
    assert masses(imported) == pytest.approx(expected)


def test_a_role_of_a_region_that_is_not_in_the_drawing_is_reported(desk):
    recipe = Recipe(regions={"region9": "hole", "region1*": "plate"})
    imported = desk.read(divided(desk), thickness="1mm", recipe=recipe)
    assert "states the role of region9, which the drawing does not contain" in desk.said(imported)


def test_an_unknown_role_is_refused(desk):
    path = desk.save(divided(desk))
    path.with_name("drawing.dxf.recipe.yaml").write_text("regions: {region1: window}\n")
    (importer,) = rck_importers()
    with pytest.raises(RckError, match="window"):
        import_values(importer, path, {})


def test_items_name_plates_by_their_regions(desk):
    recipe = Recipe(regions={"region1-1": "ignored"}, items={"cover": ["region1-2"]})
    imported = desk.read(divided(desk), thickness="1mm", recipe=recipe)
    assert [item.name for item in imported.robot.items] == ["cover"]


def test_revised_survey_is_that_of_the_file_read_again(desk):
    path = desk.save(sheet(desk))
    (importer,) = rck_importers()
    survey = desk.survey(path)
    assert {part.refused for part in survey.pieces} == {"it is flat and has no thickness"}
    recipe = Recipe(regions={"region1": "sheet border"})
    values = import_values(importer, path, {"thickness": "2mm", "length-unit": "in"}, recipe)
    fresh = importer.survey(path, values, Job())
    path.unlink()
    revised = survey.revise(values, Job())
    assert revised.summary == fresh.summary
    assert roles(revised) == roles(fresh)
    assert revised.length_unit == "in"


def test_the_unit_of_a_large_drawing_is_asked_about_until_it_is_stated(desk):
    document = desk.new(units=6)
    rectangle(document.modelspace(), (0, 0), (182, 64))
    survey = desk.survey(document, thickness="4mm")
    assert "182 m large" in survey.question.text
    options = {label.partition(":")[0]: given for label, given in survey.question.answers.items()}
    assert options["mm"] == {"length-unit": "mm"}
    assert desk.survey(document, thickness="4mm", length_unit="m").question is None
    assert desk.survey(document, thickness="4mm", length_unit="mm").question is None


def test_survey_displays_solids_without_cutting_them(desk, monkeypatch):
    """The import needs CoACD for this solid; the survey shows its surface, and its true volume."""
    document = desk.new()
    ring = list(gear(12, 1, 3, 1, 15))
    points = [(x, y, z) for z in (0.0, 5.0) for x, y, _ in ring]
    count = len(ring)
    twisted = [(x * (1 - z / 20), y * (1 - z / 20), z) for x, y, z in points]
    faces = [list(range(count))[::-1], list(range(count, 2 * count))]
    faces += [[k, (k + 1) % count, count + (k + 1) % count, count + k] for k in range(count)]
    mesh = document.modelspace().add_mesh()
    with mesh.edit_data() as data:
        data.vertices, data.faces = twisted, faces
    monkeypatch.setattr("rck.geometry.decomposition.find_spec", lambda name: None)
    (part,) = desk.survey(document).pieces
    assert part.refused == ""
    assert len(part.visuals) == 1
    assert part.volume < 0.97 * sum(shape.volume for shape in part.shapes)
