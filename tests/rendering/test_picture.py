"""Pictures: colours, picking, shadows, and every camera and size."""

from dataclasses import replace

import numpy as np
import pytest

from rck.geometry.primitives import cylinder
from rck.model import Frame, build_item, build_joint, build_robot, subitem_of
from rck.rendering import (
    DARK,
    FINE,
    LIGHT,
    QUICK,
    SCREEN,
    Camera,
    Finish,
    Label,
    PortMark,
    Scene,
    draw,
    fit,
    floor_for,
    named_camera,
    points_of,
    pose_robot,
    project,
)
from rck.rendering.picture import COLLIDING, GHOST, NOTHING, SELECTED, SOLID
from rck.rendering.scene import ColouredLines, PointCloud
from rck.rendering.strokes import scene_strokes
from rck.testing.random_solids import block, heap
from rck.testing.robots import six_axis_arm


def scene_of(*items, **more):
    return Scene(pose_robot(build_robot("blocks", items).unwrap()), **more)


FRONT = Camera((0.0, -8.0, 0.0))
TWO = (block("left", (-1, 0, 0), colour=(1.0, 0.0, 0.0, 1.0)), block("right", (1, 0, 0), colour=(0.0, 0.0, 1.0, 1.0)))


def colour_at(picture, x, y, z):
    column, row, _ = project(picture.window, [(x, y, z)])[0]
    return picture.rgb[int(row), int(column)].astype(int)


@pytest.mark.parametrize("finish", [QUICK, SCREEN, FINE])
def test_item_at_a_pixel_is_found(finish):
    scene = scene_of(*TWO)
    picture = draw(scene, FRONT, 60, 40, finish=finish)
    assert picture.rgb.shape == (40, 60, 3)
    for name, x in (("left", -1.0), ("right", 1.0)):
        column, row, _ = project(picture.window, [(x, -0.5, 0.0)])[0]
        assert picture.item[int(row), int(column)] == scene.figure.robot.item_index[name]
    assert picture.item[0, 0] == -1


def test_items_have_their_colours_on_the_background_of_the_palette():
    picture = draw(scene_of(*TWO), FRONT, 60, 40)
    red, blue = colour_at(picture, -1, -0.5, 0), colour_at(picture, 1, -0.5, 0)
    assert red[0] > 2 * red[2]
    assert blue[2] > 2 * blue[0]
    np.testing.assert_allclose(picture.rgb[0, 0], DARK.sky, atol=1)
    np.testing.assert_allclose(picture.rgb[-1, -1], DARK.horizon, atol=1)
    np.testing.assert_allclose(draw(scene_of(*TWO), FRONT, 60, 40, palette=LIGHT).rgb[0, 0], LIGHT.sky, atol=1)


def test_picture_does_not_depend_on_the_number_of_threads():
    scene = Scene(pose_robot(heap(20)), floor=None)
    one, many = (draw(scene, Camera((1.0, -2.0, 1.0)), 400, 300, threads=threads).rgb for threads in (1, 4))
    np.testing.assert_array_equal(one, many)


def test_faces_with_different_normals_have_different_brightness():
    picture = draw(scene_of(block("box", (0, 0, 0))), replace(named_camera("iso"), eye=(4.0, -4.0, 4.0)), 60, 60)
    top, front, side = (colour_at(picture, *at).sum() for at in ((0, 0, 0.5), (0, -0.5, 0), (0.5, 0, 0)))
    assert top > front + 15
    assert abs(front - side) > 15


def test_edges_are_darker_on_light_items_and_lighter_on_dark_ones():
    for grey, darker in ((0.9, True), (0.0, False)):
        scene = scene_of(block("box", (0, 0, 0), colour=(grey, grey, grey, 1.0)))
        eye = Camera((3.0, -3.0, 3.0))
        plain = draw(scene, eye, 80, 80, finish=Finish(edges=0.0, shadows=False)).rgb.sum(axis=2).astype(int)
        drawn = draw(scene, eye, 80, 80, finish=Finish(edges=1.0, shadows=False)).rgb.sum(axis=2).astype(int)
        changed = drawn - plain
        assert ((changed < 0) == darker)[changed != 0].all()
        # Edges are lines: few pixels differ, and those on more than one face's border.
        assert 0.01 < (changed != 0).mean() < 0.2


def test_collisions_are_coloured_and_selection_is_outlined():
    scene = scene_of(*TWO, selected=frozenset({"left"}), colliding=frozenset({"right"}))
    picture = draw(scene, FRONT, 120, 80, finish=QUICK)
    assert set(np.unique(picture.kind)) == {NOTHING, SELECTED, COLLIDING}
    hit = colour_at(picture, 1, -0.5, 0)
    assert hit[0] > hit[2]
    outline = (picture.rgb == np.array(DARK.selection)).all(axis=2)
    assert outline.sum() > 20
    assert (picture.kind[outline] == NOTHING).all()
    assert not (draw(scene_of(*TWO), FRONT, 120, 80, finish=QUICK).rgb == np.array(DARK.selection)).all(axis=2).any()


def test_scope_selects_its_items_and_a_single_subitem_can_collide():
    shapes = block("x", (0, 0, 0)).subitems + block("x", (0, 0, 0), (0.2, 3.0, 0.2)).subitems
    arm = build_item("arm/hand/palm", shapes).unwrap()
    scene = scene_of(arm, block("armchair", (3, 0, 0)), selected=frozenset({"arm"}))
    kind = draw(scene, FRONT, 60, 40).kind
    assert (kind == SELECTED).any()
    assert (kind == SOLID).any()
    parts = draw(replace(scene, selected=frozenset(), colliding=frozenset({("arm/hand/palm", 1)})), FRONT, 60, 40)
    assert (parts.kind == COLLIDING).sum() < (parts.kind == SOLID).sum()
    unknown = replace(scene, selected=frozenset({"nobody"}), colliding=frozenset({("nobody", 0), ("armchair", 7)}))
    assert set(np.unique(draw(unknown, FRONT, 60, 40).kind)) == {NOTHING, SOLID}


def test_selection_is_faintly_visible_behind_other_items():
    hidden = scene_of(block("wall", (0, -2, 0), (3, 0.1, 3)), block("box", (0, 0, 0)))
    chosen = replace(hidden, selected=frozenset({"box"}))
    changed = draw(chosen, FRONT, 120, 80).rgb.astype(int) - draw(hidden, FRONT, 120, 80).rgb
    assert 20 < (changed != 0).any(axis=2).sum() < 800


def test_ghosts_are_transparent_and_hidden_by_nearer_items():
    scene = scene_of(block("box", (0, 0, 0), (1, 1, 1), (1.0, 0.0, 0.0, 1.0)))
    before, behind = (scene_of(block("ghost", (0, y, 0), (2, 0.2, 2))).figure for y in (-2, 2))
    plain = colour_at(draw(scene, FRONT, 60, 60), 0, -0.5, 0)
    veiled = draw(replace(scene, ghosts=(before,)), FRONT, 60, 60)
    assert (veiled.kind == GHOST).any()
    assert colour_at(veiled, 0, -0.5, 0)[2] > plain[2] + 20
    # What is picked is the thing, not the ghost.
    assert veiled.item[30, 30] == scene.figure.robot.item_index["box"]
    covered = draw(replace(scene, ghosts=(behind,)), FRONT, 60, 60)
    np.testing.assert_array_equal(colour_at(covered, 0, -0.5, 0), plain)


def test_transparent_subitems_show_those_behind():
    glass = block("glass", (0, -2, 0), (3, 0.1, 3), (0.0, 1.0, 0.0, 0.3))
    box = block("box", (0, 0, 0), colour=(1.0, 0.0, 0.0, 1.0))
    scene = scene_of(glass, box)
    picture = draw(scene, FRONT, 60, 60)
    through = colour_at(picture, 0, -0.5, 0)
    assert through[0] > through[2] + 20
    assert through[1] > colour_at(draw(scene_of(box), FRONT, 60, 60), 0, -0.5, 0)[1]
    assert picture.item[30, 30] == scene.figure.robot.item_index["glass"]


def test_solid_casts_a_shadow_away_from_the_light():
    figure = scene_of(block("box", (0, 0, 0.5))).figure
    scene = Scene(figure, floor=floor_for(figure))
    camera = Camera((0.0, -9.0, 9.0))
    lit, dark = (draw(scene, camera, 120, 120, finish=Finish(shadows=on)).rgb.sum(axis=2).astype(int) for on in (0, 1))
    rows, columns = np.nonzero(lit - dark > 5)
    # The key light stands to the left of the camera.
    assert columns.mean() > 60
    assert len(rows) > 100


def test_floor_is_visible_only_from_above_and_hidden_by_solids():
    figure = scene_of(block("box", (0, 0, 1))).figure
    scene = Scene(figure, floor=floor_for(figure))
    for parallel in (False, True):
        for height, sees in ((2.0, True), (-2.0, False)):
            camera = Camera((0.0, -2.0, height), (0.0, 0.0, 0.0), parallel=parallel)
            bare = draw(replace(scene, floor=None), camera, 200, 200, finish=QUICK)
            floored = draw(scene, camera, 200, 200, finish=QUICK)
            changed = (bare.rgb != floored.rgb).any(axis=2)
            # From below, lines of the grid run in front of things, but nothing is filled.
            assert (changed.mean() > 0.5) == sees
            if sees:
                assert not changed[bare.kind == SOLID].any()


def test_grid_axes_joints_frames_and_ports_are_drawn_in_their_colours():
    arm = six_axis_arm()
    figure = pose_robot(arm)
    camera = fit(named_camera("home"), points_of(figure), 1.5)
    joints, frames = frozenset(joint.name for joint in arm.joints), frozenset(frame.name for frame in arm.frames)
    port = PortMark("base", np.eye(4) + np.array([[0, 0, 0, 0.08], [0] * 4, [0] * 4, [0] * 4]))
    bare = draw(Scene(figure), camera, 300, 200, finish=QUICK).rgb.astype(int)
    magenta = np.array([255, 0, 255])
    for more, colours in (
        ({"floor": floor_for(figure)}, [DARK.grid_main]),
        ({"axes": True}, [DARK.axis_x, DARK.axis_z]),
        ({"joints": joints}, [DARK.joint]),
        ({"frames": frames}, [DARK.axis_y]),
        ({"ports": (port,)}, [DARK.port]),
        ({"ports": (replace(port, fits=True),)}, [DARK.fitting]),
        ({"clouds": (PointCloud(np.array([[0.0, -0.5, 0.2]]), magenta[None] / 255, 0.02),)}, [magenta]),
        ({"lines": (ColouredLines(np.array([[(0.0, -0.5, 0.2), (0.0, -0.5, 0.6)]]), (255, 0, 255)),)}, [magenta]),
        ({"item_colours": {"base": (255, 0, 255)}}, [(210, 0, 210)]),
    ):
        rgb = draw(Scene(figure, **more), camera, 300, 200, finish=QUICK).rgb.astype(int)
        for colour in colours:
            nearest = np.abs(rgb - colour).sum(axis=2).min()
            assert nearest < 40 < np.abs(bare - colour).sum(axis=2).min() + 40
            assert nearest < np.abs(bare - colour).sum(axis=2).min()


def test_joint_axes_and_frames_move_with_the_robot():
    base, link = block("base", (0, 0, 0)), block("link", (2, 0, 0))
    hinge = build_joint("hinge", "revolute", "base", "link", limits=(-3, 3)).unwrap()
    knuckle = build_joint("knuckle", "prismatic", "link", "tip", start=(2, 0, 0), end=(3, 0, 0), limits=(0, 1)).unwrap()
    tool = Frame("tool", "link")
    robot = build_robot("arm", [base, link, block("tip", (4, 0, 0))], [hinge, knuckle], [tool]).unwrap()
    turned = Scene(pose_robot(robot, [np.pi / 2, 0.0]), joints=frozenset({"knuckle"}), frames=frozenset({"tool"}))
    lines = scene_strokes(turned, DARK, 100.0)
    # The frame's three axes first, from its origin, then the axis of the joint, through its start.
    np.testing.assert_allclose(lines.starts[:3], np.tile((0.0, 2.0, 0.0), (3, 1)), atol=1e-12)
    along = lines.ends[3] - lines.starts[3]
    np.testing.assert_allclose(np.cross(along, (0, 1, 0)), 0.0, atol=1e-9)
    np.testing.assert_allclose((lines.ends[3] + lines.starts[3]) / 2, (0, 2, 0), atol=1e-9)


def test_labels_have_pixels_and_those_outside_are_omitted():
    labels = (Label("here", (1.0, -0.5, 0.0)), Label("away", (100.0, 0.0, 0.0)), Label("behind", (0.0, -20.0, 0.0)))
    picture = draw(scene_of(*TWO, labels=labels), FRONT, 60, 40)
    (label,) = picture.labels
    assert label.text == "here"
    column, row, _ = project(picture.window, [(1.0, -0.5, 0.0)])[0]
    assert (label.column, label.row) == (int(column), int(row))


DEGENERATE = [
    Camera((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
    Camera((0.0, 0.0, 9.0)),
    Camera((0.0, 0.0, -9.0)),
    Camera((0.9, 0.0, 0.0), (5.0, 0.0, 0.0)),
    Camera((0.0, -0.5, 0.0)),
    Camera((0.0, -9.0, 0.0), up=(0.0, 1.0, 0.0)),
    Camera((1e7, -1e7, 1e7)),
    Camera((0.0, -9.0, 0.0), near=9.0),
    Camera((0.0, -9.0, 0.0), near=1e6),
    Camera((0.0, -9.0, 0.0), near=-1.0),
    Camera((0.0, -9.0, 0.0), field_of_view=2.9),
]


@pytest.mark.parametrize("parallel", [False, True])
@pytest.mark.parametrize("camera", DEGENERATE)
def test_picture_is_drawn_for_every_camera(camera, parallel):
    figure = pose_robot(heap(12))
    arm = Scene(
        figure,
        floor=floor_for(figure),
        axes=True,
        selected=frozenset({"item-1"}),
        ghosts=(pose_robot(heap(3, seed=5)),),
        ports=(PortMark("item-2", np.eye(4)),),
        labels=(Label("origin", (0.0, 0.0, 0.0)),),
    )
    with np.errstate(all="raise", under="ignore"):
        picture = draw(arm, replace(camera, parallel=parallel), 40, 30)
    assert picture.rgb.shape == (30, 40, 3)
    # Something is always shown: the ground at least.
    assert picture.rgb.any()


@pytest.mark.parametrize("size", [(0, 0), (1, 1), (20, 5), (0, 7), (7, 0), (1, 50)])
@pytest.mark.parametrize("finish", [QUICK, SCREEN, FINE])
def test_pictures_of_every_size_are_drawn(size, finish):
    width, height = size
    figure = pose_robot(heap(5))
    scene = Scene(figure, floor=floor_for(figure), axes=True, selected=frozenset({"item-0"}))
    picture = draw(scene, named_camera("home"), width, height, finish=finish)
    assert picture.rgb.shape == (height, width, 3)
    assert picture.item.shape == picture.kind.shape == (height, width)


def test_robot_without_solids_gives_an_empty_picture():
    figure = pose_robot(build_robot("nothing", []).unwrap())
    scene = Scene(figure, floor=floor_for(figure), axes=True)
    picture = draw(scene, fit(named_camera("home"), points_of(figure), 1.0), 20, 20, finish=FINE)
    assert (picture.item == -1).all()


def test_round_surfaces_are_shaded_smoothly_if_requested():
    bar = build_item("bar", [subitem_of(cylinder(0.5, 2.0, 24)).unwrap()]).unwrap()
    flat, smooth = (
        draw(scene_of(bar), Camera((0.0, -3.0, 0.0)), 200, 200, finish=Finish(0.0, False, rounded)).rgb[100].astype(int)
        for rounded in (False, True)
    )
    steps = [np.abs(np.diff(row[50:150], axis=0)).max() for row in (flat, smooth)]
    assert steps[1] < 0.5 * steps[0]


@pytest.mark.parametrize("parallel", [False, True])
def test_picture_drawn_in_bands_is_identical(parallel, monkeypatch):
    figure = pose_robot(heap(12))
    scene = Scene(figure, floor=floor_for(figure), axes=True, selected=frozenset({"item-3"}))
    camera = fit(replace(named_camera("home"), parallel=parallel), points_of(figure), 1.5)
    whole = draw(scene, camera, 60, 40, finish=FINE)
    monkeypatch.setattr("rck.rendering.picture._LARGEST_BAND", 60 * 9 * 7)
    bands = draw(scene, camera, 60, 40, finish=FINE)
    np.testing.assert_allclose(bands.rgb.astype(int), whole.rgb, atol=1)
    np.testing.assert_array_equal(bands.subitem, whole.subitem)
    np.testing.assert_array_equal(bands.kind, whole.kind)
