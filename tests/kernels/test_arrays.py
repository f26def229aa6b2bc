"""The arrays of a robot agree with the robot."""

import pickle
from copy import deepcopy
from dataclasses import fields

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rck.kernels import fk
from rck.kernels.array_table import ArrayTable
from rck.kernels.body_tables import FIXED, WORLD
from rck.model import Frame, build_item, build_joint, build_robot
from rck.model.forward_kinematics import forward, forward_batch, forward_bodies
from rck.model.robot_arrays import robot_arrays
from rck.testing.robots import box_between, joint_vectors, planar_arm, robots, six_axis_arm

few = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def part(offsets, index):
    return slice(offsets[index], offsets[index + 1])


@given(robots())
@few
def test_arrays_contain_the_solid_of_every_subitem(robot):
    solids = robot_arrays(robot).solids
    subitems = [(number, subitem) for number, item in enumerate(robot.items) for subitem in item.subitems]
    assert len(solids.vertex_offsets) == len(subitems) + 1
    later_edges = solids.edges
    for index, (item, subitem) in enumerate(subitems):
        shape = subitem.shape
        vertices = part(solids.vertex_offsets, index)
        planes = part(solids.plane_offsets, index)
        np.testing.assert_array_equal(solids.vertices[vertices], shape.vertices)
        np.testing.assert_array_equal(solids.planes[planes], shape.planes)
        edges, later_edges = np.split(later_edges, [len(shape.edges)])
        np.testing.assert_array_equal(solids.vertices[edges], shape.vertices[shape.edges])
        for face, corners in zip(range(planes.start, planes.stop), shape.faces, strict=True):
            found = solids.face_vertices[part(solids.face_offsets, face)]
            np.testing.assert_array_equal(solids.vertices[found], shape.vertices[list(corners)])
        np.testing.assert_array_equal(solids.spheres[index], [*shape.sphere.centre, shape.sphere.radius])
        assert tuple(solids.colours[index]) == subitem.colour
        assert solids.item_of_subitem[index] == item
        subitems_of_item = part(solids.subitem_offsets, item)
        assert subitems_of_item.start <= index < subitems_of_item.stop
    assert not len(later_edges)


@given(robots())
@few
def test_item_sphere_contains_all_vertices(robot):
    solids = robot_arrays(robot).solids
    for item, (*centre, radius) in enumerate(solids.item_spheres):
        for subitem in range(solids.subitem_offsets[item], solids.subitem_offsets[item + 1]):
            corners = solids.vertices[part(solids.vertex_offsets, subitem)]
            assert np.linalg.norm(corners - centre, axis=1).max() <= radius + 1e-12


@given(robots())
@few
def test_limits_are_those_of_robot(robot):
    arrays = robot_arrays(robot)
    assert arrays.joint_names == tuple(joint.name for joint in robot.free_joints)
    for index, joint in enumerate(robot.free_joints):
        limits = (-np.inf, np.inf) if joint.limits is None else (joint.limits.lower, joint.limits.upper)
        assert (arrays.lower[index], arrays.upper[index]) == limits
        assert arrays.reference[index] == joint.position


@given(st.data())
@few
def test_chain_moves_its_last_body_like_the_whole_tree(data):
    robot = data.draw(robots())
    vector = data.draw(joint_vectors(robot))
    arrays = robot_arrays(robot)
    poses = forward_bodies(arrays, vector)
    for body in range(len(arrays.bodies)):
        chain = arrays.chain(body)
        assert chain["parent"].tolist() == list(range(-1, len(chain) - 1))
        alone = np.empty((len(chain), 4, 4))
        table = ArrayTable(chain)
        fk.forward_bodies(table.address, vector, alone)
        np.testing.assert_array_equal(alone[-1], poses[body])
        assert arrays.chain(body) is chain


@given(robots())
@few
def test_bodies_come_after_their_parents(robot):
    bodies = robot_arrays(robot).bodies
    assert len(bodies) == len(robot.tree.rigid_groups)
    assert (bodies["parent"] < np.arange(len(bodies))).all()
    assert ((bodies["parent"] == WORLD) == (bodies["motion"] == FIXED)).all()


def test_arrays_are_read_only():
    arrays = robot_arrays(planar_arm(2))
    held = [getattr(owner, field.name) for owner in (arrays, arrays.solids) for field in fields(owner)]
    arrays_held = [value for value in [*held, arrays.chain(1)] if isinstance(value, np.ndarray)]
    assert len(arrays_held) > 15
    assert all(array.flags.c_contiguous and not array.flags.writeable for array in arrays_held)


def test_item_without_subitems_has_negative_radius():
    block = build_item("block", [box_between((0, 0, 0), (1, 1, 1))]).unwrap()
    marker = build_item("marker", []).unwrap()
    holder = build_joint("holder", "fixed", "block", "marker").unwrap()
    arrays = robot_arrays(build_robot("marked", [marker, block], [holder]).unwrap())
    assert arrays.solids.item_spheres[:, 3].tolist() == [-1.0, block.sphere.radius]
    assert arrays.solids.subitem_offsets.tolist() == [0, 0, 1]


def test_empty_robot_has_empty_arrays_of_right_shapes():
    arrays = robot_arrays(build_robot("nothing", []).unwrap())
    assert forward(arrays, []).shape == (0, 4, 4)
    assert forward_batch(arrays, np.empty((3, 0))).shape == (3, 0, 4, 4)
    solids = arrays.solids
    assert (solids.vertices.shape, solids.planes.shape, solids.edges.shape) == ((0, 3), (0, 4), (0, 2))
    assert (solids.spheres.shape, solids.item_spheres.shape) == ((0, 4), (0, 4))
    assert solids.face_offsets.tolist() == solids.vertex_offsets.tolist() == [0]


def test_fixed_items_keep_their_exact_pose():
    robot = planar_arm(1)
    pose = np.linalg.qr(np.random.default_rng(5).normal(size=(3, 3)))[0]
    placed = np.eye(4)
    placed[:3, :3] = pose * np.linalg.det(pose)
    loose = build_item("loose", [box_between((0, 0, 0), (1, 1, 1))], pose=placed).unwrap()
    scene = build_robot("scene", [loose, *robot.items], robot.joints, [Frame("corner", "loose")]).unwrap()
    np.testing.assert_array_equal(forward(robot_arrays(scene), [0.3])[0], placed)


def test_copy_of_array_table_has_the_addresses_of_its_own_arrays():
    arrays = robot_arrays(six_axis_arm())
    vector = np.full(6, 0.3)
    expected = forward(arrays, vector)
    tables = [deepcopy(arrays.item_table), pickle.loads(pickle.dumps(arrays.item_table))]
    for table in tables:
        assert table.address != arrays.item_table.address
    del arrays
    for table in tables:
        poses = np.empty_like(expected)
        fk.forward_frames(table.address, vector, poses)
        np.testing.assert_array_equal(poses, expected)
