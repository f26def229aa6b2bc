"""Visuals move with their item."""

import numpy as np

from rck.geometry.mesh import make_mesh
from rck.geometry.primitives import box
from rck.geometry.transforms import mirror, rotation_about, scaling, translation
from rck.model import Visual, build_item, subitem_of
from rck.model.item import map_item, place_item

CORNER = make_mesh([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)])
RED = (1.0, 0.0, 0.0, 1.0)


def item(pose):
    return build_item("plate", [subitem_of(box(1, 1, 1)).unwrap()], pose=pose, visuals=[Visual(CORNER, RED, "face")])


def in_world(one):
    (visual,) = one.visuals
    return visual.surface.vertices @ one.pose[:3, :3].T + one.pose[:3, 3]


def test_item_without_visuals_is_shown_by_its_subitems():
    assert build_item("plain", [subitem_of(box(1, 1, 1)).unwrap()]).unwrap().visuals == ()


def test_visual_may_be_open_and_moves_with_its_item():
    there = place_item(item(np.eye(4)).unwrap(), translation((0, 0, 5)))
    assert in_world(there)[:, 2].tolist() == [5, 5, 5]
    assert there.visuals[0].name == "face"


def test_scaling_and_mirroring_include_visuals():
    pose = translation((1, 2, 3)) @ rotation_about((0, 0, 1), 0.3)
    before = item(pose).unwrap()
    stretch = mirror((1, 0, 0)) @ scaling((2, 2, 2))
    after = map_item(before, stretch)
    np.testing.assert_allclose(in_world(after), in_world(before) @ stretch[:3, :3].T, atol=1e-12)
    # The mirror image is seen from the same side of the surface, so it runs the other way round.
    assert after.visuals[0].surface.faces != CORNER.faces


def test_new_colour_includes_visuals():
    assert map_item(item(np.eye(4)).unwrap(), np.eye(4), colour=(0, 1, 0, 1)).visuals[0].colour == (0, 1, 0, 1)
