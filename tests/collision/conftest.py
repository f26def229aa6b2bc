"""Scenes for collision tests."""

import numpy as np
import pytest

from rck.collision import pairs_to_test
from rck.collision.scene import HullScene
from rck.geometry import convex_hull
from rck.geometry.primitives import box
from rck.geometry.transforms import from_euler, translation
from rck.model import build_item, build_robot, subitem_of
from rck.testing.robots import six_axis_arm


def make_loose(shapes, poses):
    """Items that nothing holds, each of one polyhedron."""
    items = [
        build_item(f"item-{number}", [subitem_of(shape).unwrap()], pose=pose).unwrap()
        for number, (shape, pose) in enumerate(zip(shapes, poses, strict=True))
    ]
    return build_robot("loose", items).unwrap()


@pytest.fixture(scope="session")
def loose():
    return make_loose


@pytest.fixture(scope="session")
def scattered():
    """Return loose hulls of 4 to 40 corners, of very different sizes, in a cube of `spread` metres either way."""

    def make(count, spread, seed=0):
        rng = np.random.default_rng(seed)
        clouds = [rng.normal(size=(rng.integers(4, 41), 3)) * 10 ** rng.uniform(-2, 0) for _ in range(count)]
        poses = [translation(rng.uniform(-spread, spread, 3)) @ from_euler(rng.uniform(-3, 3, 3)) for _ in clouds]
        return make_loose([convex_hull(cloud) for cloud in clouds], poses)

    return make


@pytest.fixture(scope="session")
def cell():
    """A six-axis arm among six boxes; its base and second link, which always overlap, are allowed to."""
    rng = np.random.default_rng(0)
    arm = six_axis_arm(half_width=0.03)
    boxes = [
        build_item(
            f"box-{number}",
            [subitem_of(box(*rng.uniform(0.02, 0.3, 3))).unwrap()],
            pose=translation(rng.uniform(-0.9, 0.9, 3)) @ from_euler(rng.uniform(-3, 3, 3)),
        ).unwrap()
        for number in range(6)
    ]
    robot = build_robot("cell", [*arm.items, *boxes], arm.joints).unwrap()
    return HullScene(robot, pairs_to_test(robot, [("base", "link-2")]))
