"""Where instances stand, worked out along the mates, is where the compiled robot has them."""

import msgspec
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from rck.assembly.document import Assembly, Instance, JointSetting, Mate, MateJoint
from rck.assembly.standing import Standing
from rck.catalogue.manifest import Place

CHAIN = [
    Mate("base.side", "lift", joint=MateJoint(prismatic="z", limits=(-50.0, 50.0), name="lift")),
    Mate("lift.body#0.5", "arm.horn", turn=20.0, joint=MateJoint(revolute=(1.0, 1.0, 0.0), limits=(10.0, 100.0))),
    Mate("arm.back", "fore.back", flip=True),
    Mate("fore.horn", "hand.tip", offset=(1.0, 2.0, 3.0), rpy=(10.0, 20.0, 30.0)),
]
PARTS = {
    "base": Instance("block", place=Place(at=(10.0, 20.0, 30.0), rpy=(40.0, 50.0, 60.0))),
    "lift": Instance("block", mirror="y"),
    "arm": Instance("servo"),
    "fore": Instance("servo", scale=(1.0, 2.0, 1.0)),
    "hand": Instance("gripper"),
}


@settings(max_examples=40)
@given(
    st.none() | st.floats(-50, 50),
    st.none() | st.floats(10, 100),
    st.none() | st.floats(-170, 170),
    st.none() | st.floats(-170, 170),
    st.none() | st.floats(0, 17),
)
def test_every_item_carries_its_part_where_the_robot_has_it(pieces, compiled, lift, arm, shoulder, fore, close):
    given_positions = {"lift": lift, "arm/mate": arm, "arm/axis": shoulder, "fore/axis": fore, "hand/close": close}
    joints = {name: JointSetting(position=x) for name, x in given_positions.items() if x is not None}
    assembly = Assembly("chain", parts=PARTS, mates=CHAIN, joints=joints, pieces=pieces)
    built = compiled(assembly)
    stand = Standing(assembly, built.bodies.__getitem__)
    for name, body in built.bodies.items():
        for item in body.robot.items:
            world = built.robot.item(f"{name}/{item.name}").pose
            np.testing.assert_allclose(stand.world_from_part(name, item.name) @ item.pose, world, atol=1e-10)


def test_a_fault_elsewhere_does_not_matter(pieces, compiled):
    whole = Assembly("chain", parts=PARTS, mates=CHAIN, pieces=pieces)
    bodies = compiled(whole).bodies
    broken = msgspec.structs.replace(whole, parts={**PARTS, "extra": Instance("nothing")}, tools={})
    poses = [Standing(one, bodies.__getitem__).world_from_part("hand") for one in (whole, broken)]
    np.testing.assert_array_equal(*poses)
