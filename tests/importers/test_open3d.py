"""Point clouds as solids, through Open3D."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from rck_importers.open3d.boxes import filled_cells, joined_boxes

from rck.model import Severity

BALL_AND_CUBE = 3000


@given(cells=arrays(np.int64, st.tuples(st.integers(1, 60), st.just(3)), elements=st.integers(-3, 3)))
@settings(max_examples=50, deadline=None)
def test_merged_boxes_cover_each_filled_cell_exactly_once(cells):
    filled = np.unique(cells, axis=0)
    low, size = joined_boxes(filled)
    held = [
        (x + i, y + j, z + k)
        for (x, y, z), (a, b, c) in zip(low.tolist(), size.tolist(), strict=True)
        for i in range(a)
        for j in range(b)
        for k in range(c)
    ]
    assert sorted(held) == sorted(map(tuple, filled.tolist()))


def test_a_full_block_of_cells_is_one_box():
    block = np.stack(np.meshgrid(range(4), range(5), range(6)), axis=-1).reshape(-1, 3)
    low, size = joined_boxes(np.unique(block, axis=0))
    assert (low.tolist(), size.tolist()) == ([[0, 0, 0]], [[4, 5, 6]])


def test_every_point_lies_in_its_cell():
    points = np.random.default_rng(0).uniform(-1, 1, (100, 3))
    cells, number = filled_cells(points, 0.25)
    offset = points / 0.25 - cells[number]
    assert ((offset >= 0) & (offset <= 1)).all()


@pytest.fixture
def cloud(tmp_path):
    """A ball and, some way off, a cube, as a file of a kind."""
    open3d = pytest.importorskip("open3d")

    def write(kind):
        dice = np.random.default_rng(0)
        ball = dice.normal(size=(BALL_AND_CUBE, 3))
        ball *= 0.1 / np.linalg.norm(ball, axis=1)[:, None]
        cube = dice.uniform((0.45, -0.05, -0.05), (0.55, 0.05, 0.05), (BALL_AND_CUBE, 3))
        made = open3d.geometry.PointCloud(open3d.utility.Vector3dVector(np.vstack([ball, cube])))
        made.paint_uniform_color([1, 0, 0])
        path = tmp_path / f"cloud.{kind}"
        open3d.io.write_point_cloud(str(path), made)
        return path

    return write


@pytest.mark.parametrize("kind", ["pcd", "ply", "xyz", "xyzrgb", "pts"])
def test_every_point_cloud_format_becomes_boxes(read, importer, cloud, kind):
    path = cloud(kind)
    assert importer("open3d").probe(path, path.read_bytes()[:4096])
    imported = read("open3d", path, {"grid": "25 mm"})
    (item,) = imported.robot.items
    low = np.min([one.shape.vertices.min(axis=0) for one in item.subitems], axis=0)
    high = np.max([one.shape.vertices.max(axis=0) for one in item.subitems], axis=0)
    np.testing.assert_allclose(low, (-0.1, -0.1, -0.1), atol=0.026)
    np.testing.assert_allclose(high, (0.55, 0.1, 0.1), atol=0.026)
    assert any("points became" in finding.message for finding in imported.findings)


def test_colours_are_averaged(read, cloud):
    assert read("open3d", cloud("pcd")).robot.items[0].subitems[0].colour == pytest.approx((1, 0, 0, 1), abs=0.01)


def test_groups_of_points_become_items(read, cloud):
    robot = read("open3d", cloud("pcd"), {"groups": "yes", "solid": "hull"}).robot
    volumes = sorted(item.subitems[0].shape.volume for item in robot.items)
    assert volumes == pytest.approx([0.1**3, 4 / 3 * np.pi * 0.1**3], rel=0.1)
    assert [joint.kind.value for joint in robot.joints] == ["fixed"]


def test_points_on_a_surface_become_the_enclosed_solid(read, cloud):
    options = {"groups": "yes", "solid": "surface", "convex": "hull"}
    robot = read("open3d", cloud("pcd"), options).robot
    largest = max(item.subitems[0].shape.volume for item in robot.items)
    assert largest == pytest.approx(4 / 3 * np.pi * 0.1**3, rel=0.1)


def test_too_fine_grid_is_refused_with_a_fix(read, cloud):
    imported = read("open3d", cloud("pcd"), {"grid": "1 mm", "most-boxes": "100"})
    assert imported.robot is None
    assert (imported.findings[0].code, "most-boxes" in imported.findings[0].fix) == (509, True)


def test_mesh_can_be_read_with_open3d_on_request(read, tmp_path):
    open3d = pytest.importorskip("open3d")
    path = tmp_path / "box.obj"
    open3d.io.write_triangle_mesh(str(path), open3d.geometry.TriangleMesh.create_box(1, 2, 3))
    (item,) = read("open3d", path).robot.items
    assert item.subitems[0].shape.volume == pytest.approx(6)


@pytest.mark.parametrize(
    "text", ["# .PCD v.7\nVERSION .7\nFIELDS x y z\nPOINTS 0\nDATA ascii\n", "# .PCD v.7\nrubbish"]
)
def test_an_empty_or_damaged_cloud_is_an_error(read, written, text):
    pytest.importorskip("open3d")
    imported = read("open3d", written("bad.pcd", text))
    assert imported.robot is None
    assert imported.findings[0].severity is Severity.ERROR
