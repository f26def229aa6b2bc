"""Exporting and importing again gives the same robot: where its shapes are, what it weighs, how its joints move."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
import rck_plugins.exporters.mjcf
import rck_plugins.exporters.sdf
import rck_plugins.exporters.urdf
from primitive_checks import surface_offsets
from rck_plugins.exporters.mjcf.added_servos import with_servos

from rck.exporting import Merge, link_tree
from rck.geometry.mass_properties import combine, moved
from rck.geometry.transforms import apply
from rck.hooks.file_exchange import read_file, require_robot
from rck.model import at_positions, build_robot, with_positions
from rck.model.joint_positions import joint_positions
from rck.model.motor import motors_of

ROBOTS = [
    *("desk-arm", "gantry", "mobile-manipulator", "scara-cell", "two-arm-cell"),
    *("cobra-s600", "iiwa-7", "panda", "stanford-arm", "ur5e"),
]

FORMATS = {
    ".urdf": (rck_plugins.exporters.urdf, {"taken": ("world",)}),
    ".xml": (rck_plugins.exporters.mjcf, {"taken": ("world",)}),
    ".sdf": (rck_plugins.exporters.sdf, {"taken": ("world",), "one_namespace": True, "merge": Merge.WEIGHTLESS}),
}


@pytest.fixture(scope="session", params=product(FORMATS, ROBOTS), ids="-".join)
def both(request, robot_of, make_case, desk, plugins):
    """The robot, its links, and what came back."""
    ending, name = request.param
    plugin, settings = FORMATS[ending]
    case = make_case(name, robot_of(name), 3)
    path = desk.export(plugin, case.robot, f"{name}-again{ending}")
    back = read_file(path, plugins)
    return case, link_tree(case.robot, **settings), unscoped(require_robot(back, path))


def unscoped(robot):
    """In a world, the names of models come back as scopes."""

    def last(name):
        return name.rpartition("/")[2]

    joints = [
        replace(
            joint,
            name=last(joint.name),
            base=last(joint.base),
            moves=tuple(map(last, joint.moves)),
            mimic=joint.mimic and replace(joint.mimic, joint=last(joint.mimic.joint)),
        )
        for joint in robot.joints
    ]
    frames = [replace(frame, name=last(frame.name), item=last(frame.item)) for frame in robot.frames]
    items = [replace(item, name=last(item.name)) for item in robot.items]
    return build_robot(robot.name, items, joints, frames).unwrap()


def standing(both, vector):
    """The robot and what came back, with the same joints at the same positions."""
    case, tree, back = both
    positions = joint_positions(case.robot, vector)
    free = {tree.joint_names[joint.name]: positions[joint.name] for joint in case.robot.free_joints}
    return at_positions(case.robot, vector), with_positions(back, free)


def test_every_shape_comes_back_to_its_place(both):
    case, tree, _ = both
    for vector in case.vectors:
        ours, theirs = standing(both, vector)
        for link in tree.links:
            pieces = [(ours.items[on.number].pose, piece) for on in link.items for piece in on.item.subitems]
            found = theirs.item(link.name)
            assert len(found.subitems) == len(pieces)
            for (pose, original), piece in zip(pieces, found.subitems, strict=True):
                expected = apply(pose, original.shape.vertices)
                if piece.primitive is not None:
                    # A round shape may have come back with another number of sides.
                    world_from_primitive = found.pose @ piece.primitive.pose
                    local = apply(np.linalg.inv(world_from_primitive), expected)
                    assert surface_offsets(piece.primitive, local).max() < 1e-6, link.name
                    continue
                gaps = np.linalg.norm(apply(found.pose, piece.shape.vertices)[:, None] - expected, axis=2)
                assert max(gaps.min(axis=0).max(), gaps.min(axis=1).max()) < 1e-6, link.name


def test_every_mass_comes_back(both):
    case, tree, _ = both
    ours, theirs = standing(both, case.robot.positions)
    for link in tree.links:
        expected = combine(moved(on.item.mass_properties, ours.items[on.number].pose) for on in link.items)
        found = theirs.item(link.name)
        body = moved(found.mass_properties, found.pose)
        assert body.mass == pytest.approx(expected.mass, rel=1e-6)
        assert body.centre == pytest.approx(expected.centre, abs=1e-6)
        assert body.inertia == pytest.approx(expected.inertia, abs=1e-6 * np.trace(expected.inertia))
    assert theirs.mass_properties.mass == pytest.approx(ours.mass_properties.mass, rel=1e-6)


def test_every_joint_comes_back(both):
    case, tree, back = both
    motors = motors_of(case.robot)
    _, added = with_servos(case.robot)
    for joint in (joint for joint in case.robot.joints if joint.kind.moves):
        found = back.joint(tree.joint_names[joint.name])
        assert found.kind is joint.kind
        if joint.limits is not None:
            ends = (found.limits.lower, found.limits.upper)
            assert ends == pytest.approx((joint.limits.lower, joint.limits.upper), abs=1e-9)
        if joint.effort:
            assert found.effort == pytest.approx(joint.effort)
        # MJCF has the torque-speed line of a servo as damping.
        line = motors[joint.name].damping if joint.name in case.robot.driven_joints else added.get(joint.name, 0.0)
        assert found.damping in (pytest.approx(joint.damping), pytest.approx(joint.damping + line))
        assert found.friction == pytest.approx(joint.friction)
        if joint.mimic is not None:
            assert found.mimic is not None
            assert found.mimic.joint == tree.joint_names[joint.mimic.joint]
            assert (found.mimic.ratio, found.mimic.offset) == pytest.approx((joint.mimic.ratio, joint.mimic.offset))
    assert len(back.free_joints) == len(case.robot.free_joints)


def test_every_colour_comes_back(both):
    _, tree, back = both
    for link in tree.links:
        expected = [piece.colour for on in link.items for piece in on.item.subitems]
        found = [piece.colour for piece in back.item(link.name).subitems]
        assert np.array(found) == pytest.approx(np.array(expected), abs=1e-4)


def test_tool_frames_come_back(both):
    case, tree, _ = both
    ours, theirs = standing(both, case.vectors[0])
    for link in tree.links:
        for on in link.frames:
            expected = ours.item(on.frame.item).pose @ on.frame.pose
            named = {frame.name: theirs.item(frame.item).pose @ frame.pose for frame in theirs.frames}
            found = named[on.name] if on.name in named else theirs.item(on.name).pose
            assert found == pytest.approx(expected, abs=1e-6)
