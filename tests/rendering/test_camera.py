"""Cameras: standard views, orbiting, fitting and projection."""

from dataclasses import replace
from math import atan, pi, radians

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rck.model import RckError
from rck.rendering import (
    VIEWS,
    Camera,
    angles,
    at_angles,
    fit,
    named_camera,
    open_window,
    orbit,
    pan,
    project,
    roll,
    window_rays,
    zoom,
)
from rck.rendering.camera import camera_axes
from rck.rendering.viewport import nearness, pixels_per_metre

few = settings(max_examples=30)
coordinate = st.floats(-5.0, 5.0)
points = st.tuples(coordinate, coordinate, coordinate)
cameras = st.builds(
    Camera, eye=points, target=points, up=points, field_of_view=st.floats(0.2, 2.0), parallel=st.booleans()
)


@given(cameras)
@few
def test_camera_axes_are_a_right_handed_frame(camera):
    axes = camera_axes(camera)
    np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-9)
    # Right, up and backward, as x, y and z of a drawing.
    assert np.linalg.det(np.array([axes[0], axes[1], -axes[2]])) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("view", "right", "up"),
    [
        ("front", (1, 0, 0), (0, 0, 1)),
        ("back", (-1, 0, 0), (0, 0, 1)),
        ("left", (0, -1, 0), (0, 0, 1)),
        ("right", (0, 1, 0), (0, 0, 1)),
        ("top", (1, 0, 0), (0, 1, 0)),
        ("bottom", (1, 0, 0), (0, -1, 0)),
    ],
)
def test_standard_views_have_the_axes_of_technical_drawings(view, right, up):
    axes = camera_axes(named_camera(view))
    np.testing.assert_allclose(axes[:2], [right, up], atol=1e-12)


def test_isometric_view_shows_all_axes_equally_long():
    window = open_window(replace(named_camera("iso"), parallel=True), 100, 100)
    ends = project(window, np.eye(3))[:, :2] - project(window, [(0, 0, 0)])[:, :2]
    lengths = np.hypot(*ends.T)
    np.testing.assert_allclose(lengths, lengths[0])
    # x to the lower right, y to the upper right, z up; rows count downwards.
    assert ends[0, 0] > 0 < ends[0, 1]
    assert ends[1, 0] > 0 > ends[1, 1]
    assert ends[2, 0] == pytest.approx(0, abs=1e-9)
    assert ends[2, 1] < 0


def test_saved_cameras_override_standard_views():
    mine = Camera((9.0, 9.0, 9.0))
    assert named_camera("mine", {"mine": mine}) is mine
    assert named_camera("top", {"top": mine}) is mine
    assert set(VIEWS) >= {"front", "back", "left", "right", "top", "bottom", "iso"}
    with pytest.raises(RckError, match=r"there is no view 'fromt' \(did you mean front\?\)"):
        named_camera("fromt")


@given(cameras, st.floats(-3.0, 3.0), st.floats(-1.0, 1.0))
@few
def test_orbiting_keeps_target_and_distance(camera, azimuth, elevation):
    turned = orbit(camera, azimuth, elevation)
    assert turned.target == camera.target
    assert turned.distance == pytest.approx(camera.distance)
    assert abs(angles(turned)[1]) < pi / 2


def test_orbiting_changes_the_angles_and_is_reversible():
    camera = named_camera("front")
    assert angles(orbit(camera, 0.3, 0.2)) == pytest.approx((-pi / 2 + 0.3, 0.2))
    there_and_back = orbit(orbit(camera, 0.3, 0.2), -0.3, -0.2)
    np.testing.assert_allclose(there_and_back.eye, camera.eye, atol=1e-12)
    # Past the top it stops, and keeps where it came from.
    steep = orbit(orbit(camera, 0.7, 5.0), 0.0, -1.0)
    assert angles(steep)[0] == pytest.approx(-pi / 2 + 0.7)


def test_panning_moves_the_picture_by_fractions_of_its_height():
    for parallel in (False, True):
        camera = Camera((3.0, -4.0, 2.0), parallel=parallel)
        window = open_window(pan(camera, 0.25, -0.5), 80, 40)
        np.testing.assert_allclose(project(window, [camera.target])[0, :2], (40 - 10, 20 - 20), atol=1e-9)


def test_zooming_enlarges_the_target_by_the_factor():
    for parallel in (False, True):
        camera = Camera((3.0, -4.0, 2.0), (0.5, 0.0, 0.1), parallel=parallel)
        before, after = (pixels_per_metre(open_window(one, 64, 64)) for one in (camera, zoom(camera, 2.5)))
        assert after == pytest.approx(2.5 * before)
    assert zoom(camera, 1e30).distance > 0
    assert np.isfinite(zoom(camera, 0.0).eye).all()


def test_rolling_rotates_the_picture_clockwise():
    rolled = open_window(roll(named_camera("front"), radians(90)), 100, 100)
    up = project(rolled, [(0, 0, 0.1)])[0]
    assert up[0] > 50
    assert up[1] == pytest.approx(50)


@given(cameras, st.integers(0, 1000), st.floats(0.2, 5.0), st.sampled_from([0.0, 0.05, 0.2]))
@few
def test_fitted_spheres_are_inside_the_picture_and_reach_its_margin(camera, seed, aspect, margin):
    chance = np.random.default_rng(seed)
    spheres = np.concatenate([chance.uniform(-2, 2, (6, 3)), chance.uniform(0.01, 0.5, (6, 1))], axis=1)
    fitted = fit(camera, spheres, aspect, margin)
    np.testing.assert_allclose(camera_axes(fitted), camera_axes(camera), atol=1e-6)
    height = 1000
    window = open_window(fitted, round(height * aspect), height)
    surface = chance.normal(size=(4000, 3))
    surface /= np.linalg.norm(surface, axis=1, keepdims=True)
    dots = (spheres[:, None, :3] + spheres[:, None, 3:] * surface).reshape(-1, 3)
    x, y, depth = project(window, dots).T
    assert (depth > 0).all() or fitted.parallel
    low = np.array([x.min() / window.width, y.min() / height])
    high = np.array([x.max() / window.width, y.max() / height])
    assert (low > margin - 0.01).all()
    assert (high < 1 - margin + 0.01).all()
    # Along one of the two directions there is no room to spare; what is sampled of a sphere may miss its rim a little.
    assert (high - low).max() > 1 - 2 * margin - 0.06


def test_empty_scene_and_single_point_can_be_fitted():
    for camera in (named_camera("home"), replace(named_camera("home"), parallel=True)):
        for spheres in ([], [(1.0, 2.0, 3.0, 0.0)]):
            fitted = fit(camera, spheres, 1.6)
            assert np.isfinite(fitted.eye).all()
            assert fitted.distance > 0


@given(cameras)
@few
def test_ray_of_a_pixel_passes_through_the_point_projected_there(camera):
    window = open_window(camera, 7, 5, pixel_aspect=0.5)
    origins, directions = window_rays(window)
    ahead = origins + 3.0 * directions
    x, y, depth = project(window, ahead.reshape(-1, 3)).T
    rows, columns = np.mgrid[:5, :7]
    np.testing.assert_allclose(x, columns.ravel() + 0.5, atol=1e-6)
    np.testing.assert_allclose(y, rows.ravel() + 0.5, atol=1e-6)
    np.testing.assert_allclose(depth, 3.0 * (directions @ window.lens[4]).ravel(), atol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(directions, axis=2), 1.0)


def test_nearness_increases_as_depth_decreases():
    depth = np.array([0.5, 1.0, 4.0, np.inf])
    for parallel in (False, True):
        near = nearness(open_window(Camera((1.0, 0.0, 0.0), parallel=parallel), 2, 2), depth)
        assert (np.diff(near) < 0).all()


def test_point_behind_the_eye_has_infinite_pixel_coordinates():
    window = open_window(Camera((0.0, -1.0, 0.0)), 10, 10)
    assert np.isinf(project(window, [(0.0, -2.0, 0.0)])[0, :2]).all()


def test_field_of_view_is_vertical():
    window = open_window(Camera((0.0, -2.0, 0.0), field_of_view=2 * atan(0.5)), 30, 20)
    np.testing.assert_allclose(project(window, [(0, 0, 1), (0, 0, -1)])[:, 1], [0, 20], atol=1e-9)


@pytest.mark.parametrize(
    "camera",
    [
        Camera((1.0, 2.0, 3.0), (1.0, 2.0, 3.0)),
        Camera((0.0, 0.0, 5.0)),
        Camera((0.0, 0.0, -5.0)),
        Camera((0.0, -1.0, 0.0), up=(0.0, 1.0, 0.0)),
        Camera((0.0, -1.0, 0.0), up=(0.0, 0.0, 0.0)),
        Camera((1e8, 0.0, 0.0)),
        Camera((1e-9, 0.0, 0.0)),
    ],
)
def test_degenerate_cameras_have_finite_rays(camera):
    for one in (camera, replace(camera, parallel=True), orbit(camera, 0.1, 0.1), zoom(camera, 3), roll(camera, 1.0)):
        for rays in window_rays(open_window(one, 3, 2)):
            assert np.isfinite(rays).all()
        assert np.isfinite(at_angles(one, *angles(one)).eye).all()


@pytest.mark.parametrize("given_", [{"eye": (np.nan, 0, 0)}, {"eye": (1, 0)}, {"eye": (1, 0, 0), "field_of_view": 3.2}])
def test_invalid_cameras_are_refused(given_):
    with pytest.raises(RckError, match=r"camera|field of view"):
        Camera(**given_)


def test_invalid_viewports_are_refused():
    for size in ((-1, 2, 1.0), (2, 2, 0.0)):
        with pytest.raises(ValueError, match="invalid size of a picture"):
            open_window(Camera((1.0, 0.0, 0.0)), *size)
