"""Drawings and robot description files brought back: items by their order, joints each for itself, since neither
format has followers."""

from itertools import product

import numpy as np
import pytest
import rck_importers.robot_file
import rck_plugins.exporters.dxf
from rck_plugins.exporters.dxf import plan_drawing

from rck.geometry.mass_properties import moments
from rck.geometry.transforms import apply
from rck.hooks.file_exchange import read_file, require_robot
from rck.model import at_positions, with_positions

ROBOTS = ["desk-arm", "gantry", "mobile-manipulator", "scara-cell", "two-arm-cell", "panda", "stanford-arm", "ur5e"]


def drawn(desk, robot, name, plugins):
    """What came back of a drawing, and the names of its items and joints by those of the robot."""
    path = desk.export(rck_plugins.exporters.dxf, robot, f"{name}.dxf")
    plan = plan_drawing(robot)
    joints = {one.joint.name: one.name for one in plan.joints}
    return require_robot(read_file(path, plugins), path), plan.layers, joints


def described(desk, robot, name, plugins):
    """What came back of a robot description file, which has numbers for names."""
    path = desk.export(rck_importers.robot_file, robot, f"{name}.robot")
    back = require_robot(read_file(path, plugins), path)
    moving = [joint.name for joint in robot.joints if joint.kind.moves]
    theirs = [joint.name for joint in back.joints if joint.kind.moves]
    items = {item.name: other.name for item, other in zip(robot.items, back.items, strict=True)}
    return back, items, dict(zip(moving, theirs, strict=True))


@pytest.fixture(
    scope="module", params=product((drawn, described), ROBOTS), ids=lambda one: f"{one[0].__name__}-{one[1]}"
)
def both(request, robot_of, make_case, desk, plugins):
    way, name = request.param
    case = make_case(name, robot_of(name), 3)
    return case, way is drawn, *way(desk, case.robot, f"{name}-plain", plugins)


def test_every_shape_comes_back_to_its_place(both):
    case, _, back, items, joints = both
    for vector, positions in zip(case.vectors, case.positions, strict=True):
        ours = at_positions(case.robot, vector)
        theirs = with_positions(back, {joints[name]: position for name, position in positions.items()})
        for item in ours.items:
            found = theirs.item(items[item.name])
            assert len(found.subitems) == len(item.subitems)
            for piece, other in zip(item.subitems, found.subitems, strict=True):
                corners, expected = apply(found.pose, other.shape.vertices), apply(item.pose, piece.shape.vertices)
                gaps = np.linalg.norm(corners[:, None] - expected, axis=2)
                assert max(gaps.min(axis=0).max(), gaps.min(axis=1).max()) < 1e-6, item.name


def test_every_joint_comes_back_with_its_limits(both):
    case, _, back, items, joints = both
    for joint in (joint for joint in case.robot.joints if joint.kind.moves):
        found = back.joint(joints[joint.name])
        assert found.kind is joint.kind
        assert found.base == items[joint.base]
        if joint.limits is not None:
            ends = (found.limits.lower, found.limits.upper)
            assert ends == pytest.approx((joint.limits.lower, joint.limits.upper), abs=1e-9)


def test_drawings_restore_masses_and_robot_files_use_the_density_of_water(both):
    case, drawing, back, items, _ = both
    for item in case.robot.items:
        water = 1000 * sum(moments(subitem.shape).volume for subitem in item.subitems)
        expected = pytest.approx(item.mass, rel=1e-9) if drawing else pytest.approx(water, rel=1e-6)
        assert back.item(items[item.name]).mass == expected
