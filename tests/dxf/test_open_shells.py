"""Open shells come in as hull, as sheet or as visual, if the option says so."""

import numpy as np
import pytest
from ezdxf.render import forms

from rck.hooks import Recipe
from rck.support.finding import errors_of


def tray(desk, polyface=False):
    """Return a drawing of a cube of 10 mm without its lid."""
    document = desk.new()
    cube = forms.cube()
    cube.faces = list(cube.faces)[:5]
    cube.scale(10, 10, 10)
    if polyface:
        cube.render_polyface(document.modelspace())
    else:
        cube.render_3dfaces(document.modelspace())
    return document


@pytest.mark.parametrize("polyface", [False, True])
def test_an_open_shell_is_refused_without_the_option(desk, polyface):
    (error,) = desk.errors(tray(desk, polyface))
    assert "5 faces enclose no solid" in error
    assert "open=hull" in error


@pytest.mark.parametrize("polyface", [False, True])
def test_the_hull_of_an_open_shell_is_a_solid(desk, polyface):
    imported = desk.read(tray(desk, polyface), open="hull")
    assert "5 faces enclose no solid and were replaced by their hull" in desk.said(imported)
    assert desk.volume(imported.robot) == pytest.approx(1000)


def test_a_thick_shell_has_the_volume_of_its_sheet(desk):
    imported = desk.read(tray(desk), open="thicken=1mm")
    assert errors_of(imported.findings) == ()
    # Outside 11 x 11, inside 9 x 9; the rim is open at the height of the drawn edges.
    exact = 11 * 11 * 10.5 - 9 * 9 * 9.5
    # The pieces overlap a little at the corners; the mass is that of the sheet.
    assert exact <= desk.volume(imported.robot) <= 1.02 * exact
    assert imported.robot.items[0].mass == pytest.approx(2.7e-6 * exact, rel=1e-6)


def test_a_visual_shell_is_displayed_without_mass(desk):
    document = tray(desk)
    desk.add_box(document.modelspace(), at=(50, 0, 0), layer="0")
    robot = desk.robot(document, open="visual")
    solid, surface = sorted(robot.items, key=lambda item: item.name)
    assert solid.mass == pytest.approx(2.7e-6 * 6000)
    assert (surface.subitems, surface.mass) == ((), 0)
    (visual,) = surface.visuals
    assert np.ptp(visual.surface.vertices * 1000, axis=0) == pytest.approx([10, 10, 10])


def test_a_visual_shell_and_a_solid_of_one_item_are_both_displayed(desk):
    document = tray(desk)
    desk.add_box(document.modelspace(), at=(50, 0, 0))
    (item,) = desk.robot(document, open="visual", recipe=Recipe(items={"frame": ["*"]})).items
    assert len(item.subitems) == 1
    points = np.concatenate([visual.surface.vertices for visual in item.visuals]) * 1000
    assert np.ptp(points, axis=0) == pytest.approx([65, 25, 35])


def test_a_flat_shell_has_no_hull_but_a_thickness(desk):
    document = desk.new()
    document.modelspace().add_3dface([(0, 0, 0), (20, 0, 0), (20, 10, 0), (0, 10, 0)])
    (error,) = desk.errors(document, open="hull")
    assert "1 face encloses no solid" in error
    robot = desk.robot(document, open="thicken=2mm")
    assert desk.volume(robot) == pytest.approx(400)
    assert desk.extent(robot) == pytest.approx([0, 0, -1, 20, 10, 1])


@pytest.mark.parametrize("wrong", ["shut", "thicken", "thicken=0mm", "thicken=soon", "hull=2mm"])
def test_wrong_values_of_the_option_are_refused(desk, wrong):
    (error,) = desk.errors(tray(desk), open=wrong)
    assert "option open" in error
