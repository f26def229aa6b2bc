"""Flat drawings of surveys as arrays: planes, colours, highlights and texts."""

import numpy as np
import pytest

from rck.editor.flat_scene import FlatColours, FlatScene, visible_colour
from rck.geometry.arrays import frozen
from rck.geometry.transforms import apply, frame
from rck.hooks import Drawing, DrawnCurve, DrawnRegion, DrawnText
from rck.rendering.palette import DARK, LIGHT, SIXTEEN, sixteen_colours
from rck.rendering.planar_picture import PlanarView

DARK_COLOURS = FlatColours(DARK, (25, 29, 34))
LIGHT_COLOURS = FlatColours(LIGHT, (251, 251, 252))
FEW = FlatColours(sixteen_colours(DARK), (0, 0, 0), few=True)


def ring(low, high):
    return frozen(np.array([[low, low, 0], [high, low, 0], [high, high, 0], [low, high, 0.0]]))


def region(name, role, low, high, parent=""):
    return DrawnRegion(name, role, ring(low, high), parent=parent)


@pytest.fixture
def drawing():
    regions = (
        region("plate", "plate", 0, 10),
        region("pocket", "pocket", 1, 6, "plate"),
        region("bore", "hole", 2, 3, "pocket"),
        region("border", "sheet border", 20, 30),
    )
    curves = (
        DrawnCurve(ring(0, 10), "CUT", (1.0, 1.0, 1.0, 1.0)),
        DrawnCurve(ring(1, 6), "CUT", (0.0, 0.0, 0.0, 1.0)),
        DrawnCurve(ring(2, 3), "AUX", (1.0, 0.0, 0.0, 1.0), "dashed", "annotation"),
    )
    return Drawing(curves, regions, (DrawnText("PLATE\n4 mm", (1.0, 8.0, 0.0), 0.5),))


@pytest.mark.parametrize("colours", [DARK_COLOURS, LIGHT_COLOURS])
@pytest.mark.parametrize("colour", [(255, 255, 255), (0, 0, 0), (0, 0, 255), (255, 255, 0), (25, 29, 34)])
def test_every_colour_differs_from_the_background(colours, colour):
    seen = np.array(visible_colour(colour, colours))
    assert np.abs(seen - colours.ground).max() >= 60


def test_visible_colours_stay_as_drawn():
    assert visible_colour((255, 0, 0), LIGHT_COLOURS) == (255, 0, 0)
    assert visible_colour((0, 255, 0), DARK_COLOURS) == (0, 255, 0)


def test_plates_are_shaded_and_holes_are_not(drawing):
    areas = FlatScene(drawing).colours(DARK_COLOURS, (), frozenset()).areas.astype(int)
    plate, pocket, bore, border = areas.sum(axis=1)
    assert plate > pocket > bore == border == sum(DARK_COLOURS.ground)


def test_pockets_are_highlighted_with_their_plate(drawing):
    chosen = FlatScene(drawing).colours(DARK_COLOURS, (0,), frozenset()).areas.tolist()
    plain = FlatScene(drawing).colours(DARK_COLOURS, (), frozenset()).areas.tolist()
    assert chosen[0] == chosen[1] != plain[0]
    assert chosen[2:] == plain[2:]


def test_regions_that_cannot_be_used_are_marked(drawing):
    marked = FlatScene(drawing).colours(DARK_COLOURS, (), frozenset({"plate"})).areas
    assert marked[0, 0] > 2 * marked[0, 2]


def test_annotations_are_faint_and_drawn_below_outlines(drawing):
    scene = FlatScene(drawing)
    assert scene.paths.patterns.tolist() == [1, 0, 0]
    faint = scene.colours(DARK_COLOURS, (), frozenset()).paths[0].astype(int)
    assert 0 < faint[0] - DARK_COLOURS.ground[0] < 200


def test_curves_of_a_layer_are_highlighted(drawing):
    colours = FlatScene(drawing).colours(DARK_COLOURS, (), frozenset(), layer="CUT").paths
    assert [tuple(colour) == DARK.selection for colour in colours.tolist()] == [False, True, True]


def test_sixteen_colours_have_no_shades(drawing):
    colours = FlatScene(drawing).colours(FEW, (0,), frozenset({"plate"}))
    assert set(map(tuple, colours.areas.tolist())) == {(0, 0, 0)}
    assert {tuple(colour) for colour in colours.paths.tolist()} <= set(SIXTEEN[1:])


def test_tilted_planes_are_seen_along_their_normal(drawing):
    plane = frame((5.0, 6.0, 7.0), z=(0.0, 1.0, 1.0), x=(1.0, 0.0, 0.0))
    tilted = Drawing(
        tuple(DrawnCurve(apply(plane, curve.points)) for curve in drawing.curves),
        tuple(DrawnRegion(one.name, one.role, apply(plane, one.points)) for one in drawing.regions),
        planes=(plane,),
    )
    low, high = FlatScene(tilted).bounds
    assert low.tolist() == pytest.approx([0, 0], abs=1e-9)
    assert high.tolist() == pytest.approx([10, 10])


def test_texts_are_shown_line_by_line_when_they_are_large_enough(drawing):
    scene = FlatScene(drawing)
    assert scene.labels(PlanarView((5, 5), 0.5), 40, 20) == ()
    first, second = scene.labels(PlanarView((5, 5), 0.1), 60, 40)
    assert (first.text, second.text) == ("PLATE", "4 mm")
    assert first.column == second.column == 60 - 40
    assert second.row > first.row


def test_regions_of_other_planes_are_not_shown(drawing):
    other = DrawnRegion("other", "plate", ring(0, 1), plane=1)
    both = Drawing(drawing.curves, (*drawing.regions, other), planes=(np.eye(4), frame((0, 0, 5), z=(0, 0, 1))))
    assert FlatScene(both, 0).regions == (0, 1, 2, 3)
    assert FlatScene(both, 1).regions == (4,)
