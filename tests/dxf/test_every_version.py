"""One drawing with every entity that becomes solid, in every version, as text and as binary: the same comes in."""

import numpy as np
import pytest
from ezdxf.acis.api import body_from_mesh, export_dxf
from ezdxf.colors import aci2rgb
from ezdxf.render import forms

VERSIONS = ("R12", "R2000", "R2004", "R2007", "R2010", "R2013", "R2018")
TRIANGLE = ((0.0, 0.0), (20.0, 0.0), (0.0, 20.0))


def draw_faces(document, layout, look):
    forms.cube().scale(10, 10, 10).translate(5, 5, 5).render_3dfaces(layout, dxfattribs=look)


def draw_polyface(document, layout, look):
    forms.cube().scale(10, 10, 10).translate(5, 5, 5).render_polyface(layout, dxfattribs=look)


def draw_mesh(document, layout, look):
    forms.cube().scale(10, 10, 10).translate(5, 5, 5).render_mesh(layout, dxfattribs=look)


def draw_acis(document, layout, look):
    body = body_from_mesh(forms.cube().scale(10, 10, 10).translate(5, 5, 5))
    export_dxf(layout.add_3dsolid(dxfattribs=look), [body])


def draw_solid(document, layout, look):
    corners = [(0, 0), (10, 0), (0, 10), (10, 10)]
    layout.add_solid(corners, dxfattribs={**look, "thickness": 10})


def draw_trace(document, layout, look):
    corners = [(0, 0), (10, 0), (0, 10), (10, 10)]
    layout.add_trace(corners, dxfattribs={**look, "thickness": 10})


def draw_insert(document, layout, look):
    block = document.blocks.new("CUBE")
    forms.cube().translate(0.5, 0.5, 0.5).render_3dfaces(block, dxfattribs={"color": 0})
    scales = {"xscale": 10, "yscale": -10, "zscale": 10}
    layout.add_blockref("CUBE", (0, 10), dxfattribs={**look, **scales})


def draw_polyline(document, layout, look):
    layout.add_polyline2d(TRIANGLE, close=True, dxfattribs={**look, "thickness": 5})


def draw_lwpolyline(document, layout, look):
    layout.add_lwpolyline(TRIANGLE, close=True, dxfattribs={**look, "thickness": 5})


def draw_lines(document, layout, look):
    for start, end in zip(TRIANGLE, (*TRIANGLE[1:], TRIANGLE[0]), strict=True):
        layout.add_line(start, end, dxfattribs={**look, "thickness": 5})


def draw_circle(document, layout, look):
    layout.add_circle((10, 10), 10, dxfattribs={**look, "thickness": 5})


def draw_arcs(document, layout, look):
    layout.add_arc((10, 10), 10, 0, 180, dxfattribs={**look, "thickness": 5})
    layout.add_arc((10, 10), 10, 180, 360, dxfattribs={**look, "thickness": 5})


def draw_ellipse(document, layout, look):
    layout.add_ellipse((10, 5), (10, 0), 0.5, dxfattribs=look)


def draw_spline(document, layout, look):
    layout.add_spline(dxfattribs=look).set_closed([(0, 0, 0), (20, 0, 0), (20, 20, 0), (0, 20, 0)])


CUBES = (draw_faces, draw_polyface, draw_mesh, draw_acis, draw_solid, draw_trace, draw_insert)
TRIANGLES = (draw_polyline, draw_lwpolyline, draw_lines)
DISCS = (draw_circle, draw_arcs)
NOT_IN_R12 = (draw_mesh, draw_acis, draw_lwpolyline, draw_ellipse, draw_spline)
DRAWN = (*CUBES, *TRIANGLES, *DISCS, draw_ellipse, draw_spline)
TRUE_VOLUME = {
    **dict.fromkeys(CUBES, 1000.0),
    **dict.fromkeys(TRIANGLES, 1000.0),
    **dict.fromkeys(DISCS, 500 * np.pi),
    draw_ellipse: 250 * np.pi,
}


def drawing(desk, version):
    """Each entity on a layer of its own, colour 1 to 14, side by side along x."""
    document = desk.new(version)
    for number, draw in enumerate(DRAWN):
        if version == "R12" and draw in NOT_IN_R12:
            continue
        layer = draw.__name__.removeprefix("draw_").upper()
        document.layers.add(layer, color=number + 1)
        place = document.blocks.new(f"AT_{layer}")
        draw(document, place, {"layer": layer})
        document.modelspace().add_blockref(place.name, (40 * number, 0))
    return document


@pytest.mark.parametrize("binary", [False, True], ids=["text", "binary"])
@pytest.mark.parametrize("version", VERSIONS)
def test_every_entity_has_its_volume_position_and_colour(desk, version, binary):
    document = drawing(desk, version)
    layers = [draw.__name__.removeprefix("draw_").upper() for draw in DRAWN]
    thick = {"length_unit": "mm", "group": "layer", "layer_thickness": "ELLIPSE=5mm,SPLINE=5mm"}
    robot = desk.robot(document, binary=binary, **thick)
    drawn = [draw for draw in DRAWN if version != "R12" or draw not in NOT_IN_R12]
    assert len(robot.items) == len(drawn)
    for draw in drawn:
        number = DRAWN.index(draw)
        item = robot.item(layers[number])
        if draw in TRUE_VOLUME:
            assert item.mass / 2700e-9 == pytest.approx(TRUE_VOLUME[draw], rel=1e-3), layers[number]
        points = np.concatenate([subitem.shape.vertices for subitem in item.subitems]) * 1000
        if draw is not draw_spline:
            assert points.min(axis=0) == pytest.approx([40 * number, 0, 0], abs=1e-6), layers[number]
        layer = document.layers.get(layers[number])
        assert item.subitems[0].colour[:3] == pytest.approx([one / 255 for one in aci2rgb(layer.color)])
