"""Poses of single instances agree with the compiled robot."""

import msgspec
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from rck.assembly.document import Assembly, Instance, JointSetting, Mate, MateJoint
from rck.assembly.instance_poses import InstancePoses
from rck.model.quantities import PoseSpec

CHAIN = [
    Mate("base.side", "lift", joint=MateJoint(prismatic="z", limits=(-50.0, 50.0), name="lift")),
    Mate("lift.body#0.5", "arm.horn", turn=20.0, joint=MateJoint(revolute=(1.0, 1.0, 0.0), limits=(10.0, 100.0))),
    Mate("arm.back", "fore.back", flip=True),
    Mate("fore.horn", "hand.tip", offset=(1.0, 2.0, 3.0), rpy=(10.0, 20.0, 30.0)),
]
PARTS = {
    "base": Instance("block", place=PoseSpec(at=(10.0, 20.0, 30.0), rpy=(40.0, 50.0, 60.0))),
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
def test_pose_of_every_part_is_that_of_the_compiled_robot(pieces, compiled, compiler, lift, arm, shoulder, fore, close):
    given_positions = {"lift": lift, "arm/mate": arm, "arm/axis": shoulder, "fore/axis": fore, "hand/close": close}
    joints = {name: JointSetting(position=x) for name, x in given_positions.items() if x is not None}
    assembly = Assembly("chain", parts=PARTS, mates=CHAIN, joints=joints, local_parts=pieces)
    built = compiled(assembly)
    poses = InstancePoses(assembly, compiler())
    for name, body in built.bodies.items():
        for item in body.robot.items:
            world = built.robot.item(f"{name}/{item.name}").pose
            np.testing.assert_allclose(poses.world_from_part(name, item.name) @ item.pose, world, atol=1e-10)


def test_unrelated_errors_and_incompatible_ports_do_not_affect_poses(pieces, compiler):
    whole = Assembly("chain", parts=PARTS, mates=CHAIN, local_parts=pieces)
    ports = {name: msgspec.structs.replace(port, type=name) for name, port in pieces["servo"].ports.items()}
    servo = msgspec.structs.replace(pieces["servo"], ports=ports)
    mates = [*CHAIN[:2], Mate("arm.back", "fore.horn"), Mate("fore.back", "hand.tip")]
    fitting = msgspec.structs.replace(whole, mates=mates)
    expected = InstancePoses(fitting, compiler()).world_from_part("hand")
    for broken in (
        msgspec.structs.replace(fitting, parts={**PARTS, "extra": Instance("nothing")}),
        msgspec.structs.replace(fitting, joints={"gone": JointSetting(), "arm/gone": JointSetting()}),
        msgspec.structs.replace(fitting, local_parts={**pieces, "servo": servo}),
    ):
        assert compiler().compile(broken).findings
        np.testing.assert_array_equal(InstancePoses(broken, compiler()).world_from_part("hand"), expected)
