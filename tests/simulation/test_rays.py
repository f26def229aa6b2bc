"""Rays by Open3D at what never moves, against the kernels."""

import numpy as np
import pytest

from rck.geometry.primitives import box, sphere
from rck.geometry.transforms import from_euler, translation
from rck.hooks import Mount, discover
from rck.model import RckError, build_item, build_joint, build_robot, subitem_of
from rck.render.figure import Figure
from rck.simulation.events import MoveJoint
from rck.simulation.rays import Rays, standing_subitems
from rck.simulation.sensing import SensorSetting
from rck.simulation.simulation import Simulation
from rck.simulation.stage import Stage


@pytest.fixture(scope="module")
def crowd():
    """Things of two kinds at random: most stand fast, one is loose, one slides."""
    chance = np.random.default_rng(2)
    items = []
    for number in range(60):
        shape = subitem_of(box(0.1, 0.2, 0.3) if number % 2 else sphere(0.15, segments=12), mass=1.0).unwrap()
        pose = translation(chance.uniform(-2, 2, 3)) @ from_euler(chance.uniform(-3, 3, 3))
        items.append(build_item(f"i{number}", [shape], pose=pose, mobile=number == 5).unwrap())
    slide = build_joint("slide", "prismatic", "i0", "i1", end=(1, 0, 0), limits=(-1, 1)).unwrap()
    return build_robot("crowd", items, [slide]).unwrap()


def test_what_no_joint_moves_and_nobody_can_push_stands(crowd):
    standing = standing_subitems(Stage(crowd))
    assert np.flatnonzero(~standing).tolist() == [1, 5]


def test_open3d_meets_what_the_kernels_meet(crowd):
    pytest.importorskip("open3d")
    stage = Stage(crowd)
    casters = [Rays(stage, "kernels"), Rays(stage, "open3d")]
    stage.move_to([0.7])
    chance = np.random.default_rng(3)
    directions = chance.normal(size=(4000, 3))
    for centre, unseen in (((0, 0, 0), ()), (crowd.items[8].pose[:3, 3], (3,)), (crowd.items[9].pose[:3, 3], (9, 10))):
        origins = np.broadcast_to(np.asarray(centre, float), directions.shape)
        ours, theirs = (
            rays.cast(Figure(rays.shapes, stage.poses), origins, directions, 1.8, unseen) for rays in casters
        )
        same = ours.subitem == theirs.subitem
        # Past an edge, single precision may see what is behind it.
        assert same.mean() > 0.999
        assert (ours.subitem >= 0).mean() > 0.02
        np.testing.assert_allclose(theirs.distance[same], ours.distance[same], atol=1e-9)
        np.testing.assert_array_equal(theirs.normal[same], ours.normal[same])


def test_a_lidar_reads_the_same_whatever_casts_its_rays(crowd):
    pytest.importorskip("open3d")
    setting = SensorSetting("lidar-2d", Mount("all-round", "i1"))
    read = []
    for rays in ("kernels", "open3d"):
        events = [MoveJoint("slide", 0.5, 0, 1)]
        simulation = Simulation(crowd, events, plugins=discover(), sensors=[setting], rays=rays)
        simulation.step(0.5)
        read.append(simulation.sensors["all-round"].reading["ranges"])
    np.testing.assert_allclose(read[1], read[0], atol=1e-9)
    assert np.isfinite(read[0]).any()


def test_without_open3d_it_is_said_what_to_install(crowd, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "open3d", None)
    stage = Stage(crowd)
    rays = Rays(stage, "open3d")
    directions = np.ones((100, 3))
    with pytest.raises(RckError, match=r"pip install 'rck\[open3d\]'"):
        rays.cast(Figure(rays.shapes, stage.poses), np.zeros((100, 3)), directions, 1.0, ())
