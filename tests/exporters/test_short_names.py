"""Exported robots under the names of their own descriptions."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from rck.exporting.export import with_short_names
from rck.hooks import discover
from rck.language.session import new_session
from rck.model import at_positions


@pytest.fixture
def two_hands(tmp_path):
    session = new_session(discover(), tmp_path, "cell")
    session.do("create unimation/puma-560 puma")
    session.do("create franka/hand left --at puma.flange")
    session.do("create franka/hand right")
    session.do("tool grip left.tip")
    return session


def test_names_are_shortened_only_if_they_stay_unique(two_hands):
    robot = two_hands.compile().unwrap().robot
    short = with_short_names(robot)
    names = [item.name for item in short.items]
    assert "left/body" in names
    assert "right/body" in names
    assert not any(name.startswith("puma/") for name in names)
    assert [joint.name for joint in short.free_joints][:6] == ["j1", "j2", "j3", "j4", "j5", "j6"]
    assert len(set(names)) == len(names)
    assert [device.name for device in short.devices] == [device.name for device in robot.devices]
    vector = np.linspace(0.0, 0.01, len(robot.free_joints))
    for one, other in zip(at_positions(robot, vector).items, at_positions(short, vector).items, strict=True):
        np.testing.assert_array_equal(one.pose, other.pose)


def test_a_urdf_has_the_joints_that_its_controllers_know(two_hands, tmp_path):
    two_hands.do("remove right")
    two_hands.do("export arm.urdf --short-names")
    joints = {joint.get("name") for joint in ET.parse(tmp_path / "arm.urdf").iter("joint")}
    assert {"j1", "j2", "j3", "j4", "j5", "j6"} <= joints
