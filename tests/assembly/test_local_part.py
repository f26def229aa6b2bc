"""A local part converted from a part definition describes the same part."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rck.assembly.document import Assembly, Instance
from rck.assembly.local_parts import local_part_of
from rck.assembly.native_file import format_assembly, parse_assembly
from rck.model import Frame, PartDefinition, Port, at_positions
from rck.testing.robots import joint_vectors, robots, six_axis_arm


@settings(max_examples=25)
@given(robots(most_joints=4), st.data())
def test_robot_round_trip_keeps_bodies_and_joints(compiled, robot, data):
    part = local_part_of(PartDefinition("arm", robot.items, robot.joints), "arm.robot")
    assembly = Assembly("a", parts={"it": Instance("arm")}, local_parts={"arm": part})
    made = compiled(parse_assembly(format_assembly(assembly))).robot
    for item in robot.items:
        assert made.item(f"it/{item.name}").mass == pytest.approx(item.mass, rel=1e-8)
    vector = data.draw(joint_vectors(robot))
    assert [joint.name.removeprefix("it/") for joint in made.free_joints] == [joint.name for joint in robot.free_joints]
    then, now = at_positions(robot, vector), at_positions(made, vector)
    for before, after in zip(then.items, now.items, strict=True):
        np.testing.assert_allclose(after.pose, before.pose, rtol=0, atol=1e-9)
        for old, new in zip(before.subitems, after.subitems, strict=True):
            a = old.shape.vertices @ before.pose[:3, :3].T + before.pose[:3, 3]
            b = new.shape.vertices @ after.pose[:3, :3].T + after.pose[:3, 3]
            assert a.min(axis=0) == pytest.approx(b.min(axis=0), abs=1e-7)
            assert a.max(axis=0) == pytest.approx(b.max(axis=0), abs=1e-7)


def test_scoped_names_stay_distinct():
    arm = six_axis_arm()
    first, second = arm.items[:2]
    items = (replace(first, name="a/b"), replace(second, name="a_b"))
    part = local_part_of(PartDefinition("r", items), "x")
    assert list(part.items) == ["a_b", "a_b-2"]


def test_frames_stay_frames_and_the_flange_becomes_a_port(compiled):
    arm = six_axis_arm()
    last = arm.items[-1].name
    pose = np.array([[0.0, -1, 0, 0.1], [1, 0, 0, 0.2], [0, 0, 1, 0.3], [0, 0, 0, 1]])
    frames = (Frame("tcp", last, pose), Frame("camera-mount", last, pose))
    mount = Port("flange", last, arm.items[-1].pose, type="iso9409-1-50-4-m6")
    part = local_part_of(PartDefinition("r", arm.items, arm.joints, (mount,), frames), "x")
    assert set(part.ports) == {"flange", "tcp", "base"}
    assert set(part.frames) == {"tcp", "camera-mount"}
    assert part.ports["flange"].type == "iso9409-1-50-4-m6"
    built = compiled(Assembly("a", parts={"it": Instance("p")}, local_parts={"p": part}), Path())
    world = built.ports["it.tcp"].world_pose(built.robot)
    np.testing.assert_allclose(world, arm.items[-1].pose @ pose, atol=1e-9)
    np.testing.assert_allclose(built.robot.world_from("it/camera-mount"), arm.items[-1].pose @ pose, atol=1e-12)
