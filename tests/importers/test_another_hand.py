"""A robot that exists gets another hand: its own is taken off at the flange, a part of the catalogue put there."""

import pytest

from rck.hooks import discover
from rck.language.session import new_session

LINK = '<link name="{}"><collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>'
JOINT = (
    '<joint name="{0}_joint" type="{3}"><parent link="{1}"/><child link="{0}"/><origin xyz="0 0 {2}" rpy="{4}"/>'
    '<axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>'
)
ARM = "".join(
    [
        '<robot name="arm">',
        *(LINK.format(name) for name in ("foot", "arm", "hand", "finger")),
        '<link name="tool0"/>',
        JOINT.format("arm", "foot", 0.1, "revolute", "0 0 0"),
        JOINT.format("tool0", "arm", 0.05, "fixed", "0 0 0.5"),
        JOINT.format("hand", "tool0", 0.05, "fixed", "0 0 0"),
        JOINT.format("finger", "hand", 0.1, "prismatic", "0 0 0"),
        "</robot>",
    ]
)


@pytest.fixture
def session(tmp_path):
    (tmp_path / "arm.urdf").write_text(ARM)
    session = new_session(discover(), tmp_path, "arm")
    session.do("import arm.urdf")
    session.do("pose closed arm/finger_joint=0.01 arm/arm_joint=20")
    return session


def test_hand_of_an_imported_robot_can_be_replaced_at_the_flange(session):
    session.do("remove item arm/hand --with-dependents")
    session.do("create franka/hand hand --at arm.tool0")
    built = session.compile().unwrap()
    robot = built.robot
    names = [item.name for item in robot.items]
    assert "arm/hand" not in names
    assert "arm/finger" not in names
    assert built.ports["arm.tool0"].world_pose(robot)[:3, 3] == pytest.approx([0, 0, 0.15])
    hand = next(item for item in robot.items if item.name.startswith("hand/"))
    lowest = min((hand.pose[:3, :3] @ one.shape.vertices.T + hand.pose[:3, 3:])[2].min() for one in hand.subitems)
    assert lowest == pytest.approx(0.15, abs=1e-6)
    assert session.assembly.poses["closed"] == {"arm/arm_joint": 20}


def test_removing_an_item_with_dependents_is_refused_and_names_them(session):
    with pytest.raises(Exception, match="hand is referred to by joint hand_joint, joint finger_joint"):
        session.do("remove item arm/hand")
