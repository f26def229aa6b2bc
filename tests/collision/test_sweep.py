"""Sweeps: the first contact between two joint vectors."""

import numpy as np
import pytest

from rck.collision import pairs_to_test
from rck.collision.scene import HullScene
from rck.geometry.primitives import box
from rck.geometry.transforms import translation
from rck.model import Mimic, RckError, build_item, build_joint, build_robot, subitem_of
from rck.testing.robots import box_between, planar_arm


def item(name, shape, place=(0.0, 0.0, 0.0)):
    return build_item(name, [subitem_of(shape).unwrap()], pose=translation(place)).unwrap()


def slider(target, place):
    """A cube of 2 cm on a rail along x, and one thing in the way."""
    items = [build_item("rail", []).unwrap(), item("cube", box(0.02, 0.02, 0.02)), item("wall", target, place)]
    rail = build_joint("rail", "prismatic", "rail", "cube", end=(1.0, 0.0, 0.0), limits=(-100.0, 100.0)).unwrap()
    return HullScene(build_robot("slider", items, [rail]).unwrap())


def test_contact_with_paper_thin_wall_is_found_at_any_speed():
    for reach in (0.6, 5.0, 100.0):
        scene = slider(box(1e-4, 1.0, 1.0), (0.5, 0.0, 0.0))
        contact = scene.sweep_joint([0.0], "rail", reach)
        assert contact.items == ("cube", "wall")
        assert contact.vector[0] == pytest.approx(0.5 - 0.01 - 5e-5, abs=2e-7)
        assert contact.share * reach == pytest.approx(contact.vector[0])
        assert not scene.touches(contact.vector)
        assert scene.touches(contact.vector + 2e-7)


def test_contact_with_needle_is_found_within_one_turn():
    needle = box_between((0.9, -1e-4, -1e-4), (0.9 + 2e-4, 1e-4, 1e-4))
    arm = planar_arm(1, length=1.0)
    there = translation((-0.8, 0.3, 0.01))
    robot = build_robot("swing", [*arm.items, build_item("needle", [needle], pose=there).unwrap()], arm.joints).unwrap()
    contact = HullScene(robot).sweep([-1.0], [-1.0 + 2 * np.pi])
    assert contact.items == ("link-1", "needle")
    # The leading edge of the link, 2 cm to the side of its middle, meets the needle's lower corner.
    corner = np.array([0.1 + 2e-4, 0.3 - 1e-4])
    angle = np.arctan2(corner[1], corner[0]) - np.arcsin(0.02 / np.linalg.norm(corner))
    assert contact.vector[0] == pytest.approx(angle, abs=1e-6)


def test_near_miss_is_not_a_contact():
    assert slider(box(0.1, 0.1, 0.1), (0.5, 0.0601, 0.0)).sweep_joint([0.0], "rail", 3.0) is None
    # Sliding along a wall a micrometre away takes no longer than through free air.
    assert slider(box(9.0, 0.1, 0.1), (0.5, 0.060001, 0.0)).sweep_joint([0.0], "rail", 3.0) is None


def test_contact_with_first_of_two_walls_is_returned():
    scene = slider(box(0.01, 1.0, 1.0), (0.5, 0.0, 0.0))
    items = [*scene.robot.items, item("nearer", box(0.01, 1.0, 1.0), (0.3, 0.0, 0.0))]
    both = HullScene(build_robot("both", items, scene.robot.joints).unwrap())
    assert both.sweep_joint([0.0], "rail", 1.0).items == ("cube", "nearer")


def test_after_contact_only_the_way_back_is_free():
    scene = slider(box(0.01, 1.0, 1.0), (0.5, 0.0, 0.0))
    contact = scene.sweep_joint([0.0], "rail", 1.0)
    assert scene.sweep_joint(contact.vector, "rail", 0.0) is None
    assert scene.sweep_joint(contact.vector, "rail", 1.0).share == pytest.approx(0.0, abs=1e-6)


def test_contact_at_start_has_share_zero():
    scene = slider(box(0.01, 1.0, 1.0), (0.0, 0.0, 0.0))
    assert scene.sweep_joint([0.0], "rail", 1.0).share == 0.0


def test_items_that_move_together_are_not_tested_against_each_other():
    scene = slider(box(0.01, 1.0, 1.0), (0.5, 0.0, 0.0))
    rider = item("rider", box(0.02, 0.02, 0.02), (0.0, 0.0, 0.01))
    joints = [*scene.robot.joints, build_joint("glue", "continuous", "rail", "rider", start=(0, 0, 9), end=(1, 0, 9))]
    joints[-1] = joints[-1].unwrap()
    apart = HullScene(build_robot("apart", [*scene.robot.items, rider], joints).unwrap())
    assert apart.sweep([0.0, 0.0], [0.1, 0.0]).share == 0.0
    bolted = build_joint("bolt", "fixed", "cube", "rider").unwrap()
    together = HullScene(build_robot("together", [*scene.robot.items, rider], [*scene.robot.joints, bolted]).unwrap())
    assert together.sweep([0.0], [0.1]) is None


def test_mimic_fingers_close_on_each_other():
    items = [
        build_item("palm", []).unwrap(),
        item("left", box(0.01, 0.02, 0.05), (-0.05, 0.0, 0.0)),
        item("right", box(0.01, 0.02, 0.05), (0.05, 0.0, 0.0)),
    ]
    joints = [
        build_joint("left", "prismatic", "palm", "left", end=(1.0, 0.0, 0.0), limits=(0.0, 1.0)).unwrap(),
        build_joint(
            "right", "prismatic", "palm", "right", end=(1.0, 0.0, 0.0), limits=(-1.0, 0.0), mimic=Mimic("left", -1.0)
        ).unwrap(),
    ]
    scene = HullScene(build_robot("gripper", items, joints).unwrap())
    contact = scene.sweep_joint([0.0], "left", 0.2)
    assert contact.items == ("left", "right")
    assert contact.vector[0] == pytest.approx(0.045, abs=1e-6)


def test_sweep_agrees_with_fine_steps(cell):
    rng = np.random.default_rng(8)
    met = missed = 0
    for number in range(60):
        start = rng.uniform(-3.0, 3.0, 6)
        change = rng.uniform(-1.0, 1.0, 6)
        if number % 2:
            change = np.where(np.arange(6) == number % 6, 2.0, 0.0)
        if cell.touches(start):
            continue
        contact = cell.sweep(start, start + change)
        shares = np.linspace(0.0, 1.0, 2001)
        touching = cell.touches_batch(start + shares[:, None] * change)
        if contact is None:
            missed += 1
            assert not touching.any()
            continue
        met += 1
        assert not cell.touches(contact.vector)
        nearest = min(cell.clearances(contact.vector, 1e-5), key=lambda found: found.distance)
        assert nearest.distance <= 1e-7
        assert not touching[shares < contact.share].any()
    assert met > 5
    assert missed > 5


def test_sweep_of_large_scene_agrees_with_fine_steps(scattered):
    arm = planar_arm(3)
    robot = scattered(80, 2.0)
    whole = build_robot("whole", [*arm.items, *robot.items], arm.joints).unwrap()
    # What the arm reaches at the start would end every way at once.
    start = np.array([0.3, 0.4, -0.2])
    allowed = HullScene(whole).touching(start)
    large = HullScene(whole, pairs_to_test(whole, allowed))
    change = np.array([2.0, 0.0, 0.0])
    contact = large.sweep(start, start + change)
    assert contact is not None
    shares = np.linspace(0.0, 1.0, 500)
    flags = [large.touches(start + share * change) for share in shares[shares < contact.share]]
    assert not any(flags)
    assert not large.touches(contact.vector)


def test_sweep_of_mimic_joint_is_refused():
    scene = slider(box(0.01, 1.0, 1.0), (0.5, 0.0, 0.0))
    with pytest.raises(RckError, match="no joint 'rial'"):
        scene.sweep_joint([0.0], "rial", 1.0)
    with pytest.raises(RckError, match="finite"):
        scene.sweep([0.0], [np.nan])
