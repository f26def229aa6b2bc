"""Ray casting by Open3D compared with the kernels."""

import numpy as np
import pytest

from rck.geometry.primitives import box, sphere
from rck.geometry.transforms import from_euler, translation
from rck.hooks import Mount, discover
from rck.hooks.actions import MoveJoint
from rck.model import RckError, build_item, build_joint, build_robot, subitem_of
from rck.rendering.posed_robot import PosedRobot
from rck.simulation.events import Event
from rck.simulation.kinematic_state import KinematicState
from rck.simulation.rays import Rays, standing_subitems
from rck.simulation.sensors import SensorSetting
from rck.simulation.simulation import Simulation


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


def test_items_that_neither_joints_nor_pushes_move_are_fixed(crowd):
    standing = standing_subitems(KinematicState(crowd))
    assert np.flatnonzero(~standing).tolist() == [1, 5]


def test_open3d_and_kernels_have_the_same_hits(crowd):
    pytest.importorskip("open3d")
    kinematics = KinematicState(crowd)
    casters = [Rays(kinematics, "kernels"), Rays(kinematics, "open3d")]
    kinematics.move_to([0.7])
    chance = np.random.default_rng(3)
    directions = chance.normal(size=(4000, 3))
    for centre, unseen in (((0, 0, 0), ()), (crowd.items[8].pose[:3, 3], (3,)), (crowd.items[9].pose[:3, 3], (9, 10))):
        origins = np.broadcast_to(np.asarray(centre, float), directions.shape)
        ours, theirs = (
            rays.cast(PosedRobot(rays.shapes, kinematics.poses), origins, directions, 1.8, unseen) for rays in casters
        )
        same = ours.subitem == theirs.subitem
        # Past an edge, single precision may see what is behind it.
        assert same.mean() > 0.999
        assert (ours.subitem >= 0).mean() > 0.02
        np.testing.assert_allclose(theirs.distance[same], ours.distance[same], atol=1e-9)
        np.testing.assert_array_equal(theirs.normal[same], ours.normal[same])


def test_lidar_reads_the_same_with_either_ray_caster(crowd):
    pytest.importorskip("open3d")
    setting = SensorSetting("lidar-2d", Mount("all-round", "i1"))
    read = []
    for rays in ("kernels", "open3d"):
        events = [Event(0, MoveJoint("slide", 0.5, 1.0))]
        simulation = Simulation(crowd, events, plugins=discover(), sensors=[setting], rays=rays)
        simulation.step(0.5)
        read.append(simulation.sensors["all-round"].reading["ranges"])
    np.testing.assert_allclose(read[1], read[0], atol=1e-9)
    assert np.isfinite(read[0]).any()


def test_missing_open3d_error_gives_the_install_command(crowd, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "open3d", None)
    kinematics = KinematicState(crowd)
    rays = Rays(kinematics, "open3d")
    directions = np.ones((100, 3))
    with pytest.raises(RckError, match=r"pip install 'rck\[open3d\]'"):
        rays.cast(PosedRobot(rays.shapes, kinematics.poses), np.zeros((100, 3)), directions, 1.0, ())
