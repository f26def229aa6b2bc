"""Ray casting for pictures and sensors, against a brute-force triangle test and Embree."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rck_bench.view import in_embree

from rck.geometry.mesh import triangles
from rck.geometry.transforms import apply
from rck.model import build_robot
from rck.rendering import Camera, cast, fit, look, named_camera, open_window, orbit, pose_robot, window_rays
from rck.testing.random_solids import block, heap

few = settings(max_examples=12)


def blocks(*items):
    return pose_robot(build_robot("blocks", items).unwrap())


def world_triangles(figure):
    """All faces as triangles in the world, shape (T, 3, 3), and the subitem of each."""
    corners, owners = [], []
    for item, pose in zip(figure.robot.items, figure.poses, strict=True):
        for subitem in item.subitems:
            pieces = apply(pose, subitem.shape.vertices)[triangles(subitem.shape)]
            owners += [len(corners)] * len(pieces)
            corners.append(pieces)
    return np.concatenate(corners), np.array(owners)


def first_triangles(figure, origins, directions):
    """Distance, subitem and normal of the nearest triangle that a ray meets from outside (Moeller, Trumbore 1997).

    The last result is how far each ray passes from the nearest edge of a solid, in shares of a triangle: those that
    graze one may be counted either way.
    """
    corners, owners = world_triangles(figure)
    a, ab, ac = corners[:, 0], corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    normal = np.cross(ab, ac)
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    distance, subitem = np.full(len(origins), np.inf), np.full(len(origins), -1)
    normals, grazes = np.zeros((len(origins), 3)), np.full(len(origins), np.inf)
    for ray, (origin, direction) in enumerate(zip(origins, directions, strict=True)):
        with np.errstate(all="ignore"):
            across = np.cross(direction, ac)
            scale = np.einsum("ij,ij->i", ab, across)
            u = np.einsum("ij,ij->i", origin - a, across) / scale
            turned = np.cross(origin - a, ab)
            v = turned @ direction / scale
            t = np.einsum("ij,ij->i", ac, turned) / scale
            inside = np.minimum(np.minimum(u, v), 1 - u - v)
            facing = (normal @ direction < 0) & (t > 0)
        grazes[ray] = np.abs(inside[facing]).min(initial=np.inf)
        hit = np.where(facing & (inside >= 0), t, np.inf)
        best = int(hit.argmin())
        if np.isfinite(hit[best]):
            distance[ray], subitem[ray], normals[ray] = hit[best], owners[best], normal[best]
    return distance, subitem, normals, grazes


@given(st.integers(0, 10_000), st.booleans(), st.floats(0.3, 3.0), st.floats(-3.0, 3.0), st.floats(-1.5, 1.5))
@few
def test_pixels_match_brute_force_triangles(seed, parallel, distance, azimuth, elevation):
    figure = pose_robot(heap(6, seed=seed, size=0.6))
    camera = orbit(Camera((0.0, -distance, 0.0), parallel=parallel), azimuth, elevation)
    window = open_window(camera, 12, 9, pixel_aspect=0.75)
    sight = look(figure, window)
    origins, directions = (rays.reshape(-1, 3) for rays in window_rays(window))
    if parallel:
        # Its rays have no beginning: start them far behind the picture.
        origins = origins - 100.0 * directions
    expected, subitem, normals, grazes = first_triangles(figure, origins, directions)
    clear = grazes > 1e-6
    depth = expected * (directions @ window.lens[4]) - (100.0 if parallel else 0.0)
    np.testing.assert_array_equal(sight.subitem.ravel()[clear], subitem[clear])
    np.testing.assert_allclose(sight.depth.ravel()[clear], depth[clear], atol=1e-9)
    np.testing.assert_allclose(sight.normal.reshape(-1, 3)[clear], normals[clear], atol=1e-9)
    item_of_subitem = np.append(figure.shapes.arrays.solids.item_of_subitem, -1)
    np.testing.assert_array_equal(sight.item, item_of_subitem[sight.subitem])


@given(st.integers(0, 10_000))
@few
def test_arbitrary_rays_match_brute_force_triangles(seed):
    figure = pose_robot(heap(8, seed=seed, size=0.5))
    chance = np.random.default_rng(seed)
    origins, directions = chance.uniform(-1, 1, (60, 3)), chance.normal(size=(60, 3))
    met = cast(figure, origins, directions)
    expected, subitem, normals, grazes = first_triangles(figure, origins, directions)
    lengths = np.linalg.norm(directions, axis=1)
    clear = grazes > 1e-6
    np.testing.assert_array_equal(met.subitem[clear], subitem[clear])
    np.testing.assert_allclose(met.distance[clear], (expected * lengths)[clear], atol=1e-9)
    np.testing.assert_allclose(met.normal[clear], normals[clear], atol=1e-9)


def test_rays_agree_with_embree():
    pytest.importorskip("embreex", reason="embreex (pip install embreex) is not installed")
    figure = pose_robot(heap(60, seed=4))
    window = open_window(fit(named_camera("iso"), figure.spheres, 1.0), 60, 60)
    origins, directions = (np.ascontiguousarray(rays.reshape(-1, 3)) for rays in window_rays(window))
    _, answer = in_embree(figure, origins, directions)
    subitem, distance = answer()
    same = look(figure, window).subitem.ravel() == subitem
    assert same.mean() > 0.999
    np.testing.assert_allclose(cast(figure, origins, directions).distance[same], distance[same], atol=1e-5)


def test_picture_rays_agree_with_single_rays():
    figure = pose_robot(heap(40, seed=2))
    window = open_window(fit(named_camera("home"), figure.spheres, 1.6), 80, 50)
    sight, (origins, directions) = look(figure, window), window_rays(window)
    met = cast(figure, origins.reshape(-1, 3), directions.reshape(-1, 3))
    np.testing.assert_array_equal(sight.subitem.ravel(), met.subitem)
    along = directions.reshape(-1, 3) @ window.lens[4]
    np.testing.assert_allclose(sight.depth.ravel(), met.distance * along, rtol=1e-12)


@pytest.mark.parametrize("parallel", [False, True])
def test_picture_is_independent_of_threads(parallel):
    figure = pose_robot(heap(30, seed=3))
    camera = Camera((1.0, -2.0, 1.5), parallel=parallel)
    window = open_window(camera, 700, 500)
    one, many = look(figure, window, threads=1), look(figure, window, threads=5)
    np.testing.assert_array_equal(one.nearness, many.nearness)
    np.testing.assert_array_equal(one.face, many.face)
    origins, directions = (rays.reshape(-1, 3)[::40] for rays in window_rays(window))
    a, b = (cast(figure, origins, directions, threads=threads) for threads in (1, 3))
    np.testing.assert_array_equal(a.distance, b.distance)


@pytest.mark.parametrize("parallel", [False, True])
def test_nearer_box_hides_the_other(parallel):
    figure = blocks(block("far", (0, 5, 0)), block("near", (0, 0, 0), (0.5, 0.5, 0.5)))
    sight = look(figure, open_window(Camera((0.0, -5.0, 0.0), parallel=parallel), 41, 41))
    assert sight.item[20, 20] == 1
    assert sight.depth[20, 20] == pytest.approx(4.75)
    np.testing.assert_allclose(sight.normal[20, 20], (0, -1, 0))
    assert (sight.item[0] == -1).all()
    assert np.isinf(sight.depth[0]).all()
    # Far away, the larger box is smaller in perspective, but not when parallel.
    assert (sight.item == 0).any() == parallel


def test_only_drawn_subitems_are_seen():
    figure = blocks(block("near", (0, 0, 0)), block("far", (0, 5, 0)))
    window = open_window(Camera((0.0, -5.0, 0.0)), 9, 9)
    assert look(figure, window, np.array([False, True])).item[4, 4] == 1
    assert (look(figure, window, np.array([False, False])).item == -1).all()


def test_solid_around_camera_is_transparent():
    figure = blocks(
        block("room", (0, 0, 0), (4, 4, 4)), block("ball", (0, 1, 0), (0.2, 0.2, 0.2)), block("out", (3, 0, 0))
    )
    ahead = look(figure, open_window(Camera((0.0, 0.0, 0.0), (0.0, 1.0, 0.0)), 9, 9))
    assert ahead.item[4, 4] == 1
    assert (ahead.item != 0).all()
    aside = look(figure, open_window(Camera((0.0, 0.0, 0.0), (1.0, 0.0, 0.0)), 9, 9))
    assert aside.item[4, 4] == 2


def test_ray_ignores_solid_that_contains_its_origin():
    figure = blocks(block("housing", (0, 0, 0)), block("wall", (3, 0, 0)))
    met = cast(figure, (0.0, 0.0, 0.0), [(1.0, 0.0, 0.0), (-1.0, 0.0, 0.0)])
    assert met.subitem.tolist() == [1, -1]
    assert met.distance.tolist() == [2.5, np.inf]
    assert met.normal.tolist() == [[-1, 0, 0], [0, 0, 0]]


def test_rays_respect_range_and_visible_subitems():
    figure = blocks(block("first", (2, 0, 0)), block("second", (5, 0, 0)))
    ray = (0.0, 0.0, 0.0), (2.0, 0.0, 0.0)
    assert cast(figure, *ray).distance.tolist() == [1.5]
    assert cast(figure, *ray, farthest=1.4).subitem.tolist() == [-1]
    assert cast(figure, *ray, seen=np.array([False, True])).distance.tolist() == [4.5]
    assert cast(figure, *ray, seen=np.array([False, False])).subitem.tolist() == [-1]


@pytest.mark.parametrize("direction", [(0, 0, 0), (np.nan, 0, 0), (np.inf, 0, 0)])
def test_rays_without_direction_hit_nothing(direction):
    met = cast(blocks(block("wall", (2, 0, 0))), (0.0, 0.0, 0.0), direction)
    assert met.subitem.tolist() == [-1]
    assert met.distance.tolist() == [np.inf]


def test_rays_along_axes_and_within_faces_give_finite_results():
    figure = blocks(block("box", (0, 0, 0)))
    met = cast(figure, [(0.5, 0.5, -2), (0.5, 0, -2), (0.6, 0, -2)], (0, 0, 1))
    assert met.subitem[2] == -1
    assert not np.isnan(met.distance).any()


@pytest.mark.parametrize("parallel", [False, True])
def test_near_clipping_plane_cuts_and_closes_solids(parallel):
    figure = blocks(block("cut", (0, 0, 0)), block("gone", (0, -2, 0), (0.2, 0.2, 0.2)))
    whole = look(figure, open_window(Camera((0.0, -5.0, 0.0), parallel=parallel), 9, 9))
    assert whole.item[4, 4] == 1
    opened = look(figure, open_window(Camera((0.0, -5.0, 0.0), parallel=parallel, near=5.0), 9, 9))
    assert opened.item[4, 4] == 0
    assert opened.depth[4, 4] == pytest.approx(5.0)
    assert opened.face[4, 4] == -1
    np.testing.assert_allclose(opened.normal[4, 4], (0, -1, 0))


def test_solids_behind_perspective_camera_are_not_seen():
    figure = blocks(block("behind", (0, -9, 0)), block("outside", (3, -5, 0), (0.5, 4.0, 3.0)))
    assert (look(figure, open_window(Camera((0.0, -5.2, 0.0)), 9, 9)).item == -1).all()


def test_robot_without_solids_gives_empty_picture():
    figure = pose_robot(build_robot("nothing", []).unwrap())
    assert (look(figure, open_window(Camera((1.0, 0.0, 0.0)), 3, 2)).subitem == -1).all()
    assert cast(figure, (0, 0, 0), (1, 0, 0)).subitem.tolist() == [-1]
