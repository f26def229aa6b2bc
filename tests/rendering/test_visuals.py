"""Visuals in pictures: meshes are drawn where ray casting sees the same solid, with textures, from both sides."""

import io
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from rck.geometry.mesh import Mesh, make_mesh
from rck.geometry.primitives import box, sphere
from rck.geometry.transforms import rotation_about
from rck.model import Texture, Visual, build_item, build_robot, subitem_of
from rck.rendering.camera import fit, named_camera
from rck.rendering.drawn_surfaces import Geometry
from rck.rendering.picture import QUICK, draw
from rck.rendering.posed_robot import pose_robot
from rck.rendering.scene import Scene, collision_scene, points_of
from rck.rendering.textures import decoded_image
from rck.rendering.viewport import open_window
from rck.rendering.visibility import look

SHAPES = {"box": box(0.2, 0.3, 0.4), "sphere": sphere(0.2)}


def surface(shape):
    return Mesh(shape.vertices, shape.face_offsets, shape.face_vertices)


def shown(solid, visual=None):
    """Return a robot of one turned item."""
    visuals = [] if visual is None else [visual]
    item = build_item("a", [subitem_of(solid).unwrap()], pose=rotation_about((1, 2, 3), 0.7), visuals=visuals).unwrap()
    return build_robot("r", [item]).unwrap()


def seen(figure, camera, width=120, height=80):
    return look(figure, open_window(camera, width, height))


@pytest.mark.parametrize("parallel", [False, True])
@pytest.mark.parametrize("name", SHAPES)
def test_rasterised_mesh_is_where_rays_meet_the_same_solid(name, parallel):
    solid = SHAPES[name]
    robot = shown(solid, Visual(surface(solid)))
    convex, mesh = pose_robot(robot), pose_robot(robot, geometry=Geometry.VISUAL)
    camera = replace(fit(named_camera("home"), points_of(convex), 1.5), parallel=parallel)
    ours, theirs = seen(mesh, camera), seen(convex, camera)
    hit = (ours.subitem >= 0) & (theirs.subitem >= 0)
    # A ray along a silhouette may fall on either side.
    assert ((ours.subitem >= 0) != (theirs.subitem >= 0)).mean() < 2e-3
    assert hit.mean() > 0.1
    assert np.abs(ours.depth[hit] - theirs.depth[hit]).max() < 1e-9
    if name == "box":
        assert np.abs(ours.mesh_normals[hit] - theirs.normal[hit]).max() < 1e-6


def test_items_without_visuals_are_drawn_by_their_collision_geometry():
    solid = SHAPES["box"]
    plain = build_item("plain", [subitem_of(solid).unwrap()]).unwrap()
    dressed = build_item("dressed", [subitem_of(solid).unwrap()], visuals=[Visual(surface(solid))]).unwrap()
    robot = build_robot("r", [plain, dressed]).unwrap()
    counts = {
        geometry: (len(drawn.convex.item_of_subitem), len(drawn.visuals))
        for geometry in Geometry
        for drawn in [pose_robot(robot, geometry=geometry).shapes.surfaces]
    }
    assert counts == {Geometry.VISUAL: (1, 1), Geometry.COLLISION: (2, 0), Geometry.BOTH: (2, 1)}
    scene = collision_scene(Scene(pose_robot(robot, geometry=Geometry.VISUAL)))
    assert scene.figure.shapes.solids is scene.figure.shapes.arrays.solids


def image_file(pixels):
    buffer = io.BytesIO()
    Image.fromarray(np.array(pixels, np.uint8)).save(buffer, "PNG")
    return buffer.getvalue()


def test_texture_has_its_lower_left_pixel_at_the_origin():
    texture = Texture("quarters.png", image_file([[[255, 0, 0], [0, 255, 0]], [[0, 0, 255], [255, 255, 255]]]))
    square = make_mesh([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], [[0, 1, 2, 3]])
    points = np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]])
    visual = Visual(square, (1, 1, 1, 1), texture=texture, texture_points=points)
    robot = build_robot("r", [build_item("a", [], visuals=[visual]).unwrap()]).unwrap()
    figure = pose_robot(robot, geometry=Geometry.VISUAL)
    camera = replace(fit(named_camera("top"), points_of(figure), 1.0), parallel=True)
    picture = draw(Scene(figure), camera, 40, 40, finish=QUICK)
    corners = {(row, column): int(picture.rgb[row, column].argmax()) for row in (12, 28) for column in (12, 28)}
    assert corners[12, 12] == 0
    assert corners[12, 28] == 1
    assert corners[28, 12] == 2
    assert np.ptp(picture.rgb[28, 28].astype(int)) < 12


def test_open_surface_is_lit_on_both_sides():
    square = make_mesh([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], [[0, 1, 2, 3]])
    back = make_mesh(square.vertices, [[3, 2, 1, 0]])
    brightness = []
    for mesh in (square, back):
        robot = build_robot("r", [build_item("a", [], visuals=[Visual(mesh)]).unwrap()]).unwrap()
        figure = pose_robot(robot, geometry=Geometry.VISUAL)
        camera = fit(named_camera("top"), points_of(figure), 1.0)
        brightness.append(draw(Scene(figure), camera, 20, 20, finish=QUICK).rgb[10, 10])
    assert (brightness[0] == brightness[1]).all()


@pytest.mark.parametrize("content", [b"", b"no image", image_file([[[1, 2, 3]]])[:40]])
def test_damaged_image_is_left_out(content):
    assert decoded_image(content) is None
