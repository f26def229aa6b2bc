"""Copies and mirror images of branches match the original at every vertex and joint position."""

import msgspec
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from rck.assembly.copies import copy_branch, mirror_axis, mirrored_branch
from rck.assembly.document import Assembly, Instance, JointSetting, Mate, MateJoint
from rck.assembly.edits import branch, set_instance
from rck.assembly.instance_poses import InstancePoses
from rck.assembly.mates import place_in
from rck.geometry.transforms import AXES, mirror
from rck.model import with_positions
from rck.model.quantities import PoseSpec

numbers = st.floats(-80, 80).map(lambda x: round(x, 3))
angles = st.floats(-170, 170).map(lambda x: round(x, 3))
triples = st.tuples(numbers, numbers, numbers)
# Avoid pitch +-90, where roll and yaw are ambiguous and the mirror image has fewer correct digits.
turns = st.tuples(angles, st.floats(-80, 80).map(lambda x: round(x, 3)), angles)
axes = st.sampled_from(["x", "y", "z", "-x", "-y", "-z", (1.0, 2.0, -0.5), (0.0, -1.0, 1.0)])
joints = st.one_of(
    st.none(),
    st.builds(lambda axis: MateJoint(revolute=axis, limits=(-170.0, 170.0)), axes),
    st.builds(lambda axis: MateJoint(continuous=axis), axes),
    st.builds(lambda axis: MateJoint(prismatic=axis, limits=(-100.0, 100.0)), axes),
)
ENDS = {
    "block": ["top", "side", "under", "", "body#0.2", "body#0.5"],
    "servo": ["back", "horn", "", "body#0.3", "horn#0.1"],
    "gripper": ["mount", "tip", "", "left#0.4"],
}
kinds = st.sampled_from(list(ENDS))
instances = st.builds(
    lambda part, side, scale: Instance(part, mirror=side, scale=scale),
    kinds,
    st.sampled_from([None, None, "x", "y", "z"]),
    st.sampled_from([None, None, 1.5, (1.0, 2.0, 0.5)]),
)


def end(name: str, place: str) -> str:
    return f"{name}.{place}" if place else name


@st.composite
def limbs(draw: st.DrawFn) -> Assembly:
    """Return a random tree of instances with mates of every kind."""
    parts = {f"p{number}": draw(instances) for number in range(draw(st.integers(2, 5)))}
    mates = []
    for number in range(1, len(parts)):
        on = f"p{draw(st.integers(0, number - 1))}"
        at = draw(st.sampled_from(ENDS[parts[on].part]))
        put = draw(st.sampled_from(ENDS[parts[f"p{number}"].part]))
        mates.append(
            Mate(
                end(on, at),
                end(f"p{number}", put),
                turn=draw(angles | st.sampled_from(["0.3 rad", "20 + 25 deg"])),
                flip=draw(st.booleans()),
                offset=draw(triples | numbers),
                rpy=draw(st.none() | turns),
                joint=draw(joints),
                force=True,
            )
        )
    place = PoseSpec(at=draw(triples), rpy=draw(turns))
    parts["p0"] = msgspec.structs.replace(parts["p0"], place=place)
    return Assembly("limb", parts=parts, mates=sorted(mates, key=lambda mate: mate.put))


@settings(max_examples=60)
@given(limbs(), st.sampled_from("xyz"), st.data())
def test_a_mirrored_branch_is_the_mirror_image_at_equal_joint_positions(
    pieces, compiled, compiler, vertices, limb, plane, data
):
    limb = msgspec.structs.replace(limb, local_parts=pieces)
    bodies = compiled(limb).bodies
    copied, fresh = copy_branch(limb, "p0", "q", whole=True)
    reflection = mirror(AXES[plane])
    old_of = {new: old for old, new in fresh.items()}
    both = mirrored_branch(copied, tuple(fresh.values()), lambda name: bodies[old_of[name]])
    pose = reflection @ InstancePoses(limb, compiler()).world_from_part("p0") @ mirror_axis(copied, "q")
    robot = compiled(set_instance(both, "q", place=place_in(pose, both.units))).robot
    positions = {}
    for joint in robot.free_joints:
        scope, _, rest = joint.name.partition("/")
        if scope in fresh:
            low, high = (joint.limits.lower, joint.limits.upper) if joint.limits else (-3.0, 3.0)
            positions[joint.name] = positions[f"{fresh[scope]}/{rest}"] = data.draw(st.floats(low, high))
    seen = vertices(with_positions(robot, positions))
    for name, points in seen.items():
        scope, _, rest = name.partition("/")
        if scope in fresh:
            reflected = points @ reflection[:3, :3].T
            np.testing.assert_allclose(seen[f"{fresh[scope]}/{rest}"], reflected, atol=2e-9)


@settings(max_examples=30)
@given(limbs(), st.data())
def test_copied_branch_has_the_same_relative_poses(pieces, compiled, compiler, vertices, limb, data):
    limb = msgspec.structs.replace(limb, local_parts=pieces)
    for joint in compiled(limb).robot.free_joints:
        limits = joint.limits
        share = data.draw(st.floats(0, 1))
        x = 1.0 if limits is None else limits.lower + share * (limits.upper - limits.lower)
        setting = JointSetting(position=f"{x:.9f} {'rad' if joint.kind.turns else 'm'}")
        limb = msgspec.structs.replace(limb, joints={**limb.joints, joint.name: setting})
    start = data.draw(st.sampled_from(sorted(limb.parts)))
    copied, fresh = copy_branch(limb, start, "q", whole=True)
    assert set(fresh) == set(branch(limb, start))
    pose = InstancePoses(limb, compiler()).world_from_part(start)
    seen = vertices(compiled(set_instance(copied, "q", place=place_in(pose, copied.units))).robot)
    for name, points in seen.items():
        scope, _, rest = name.partition("/")
        if scope in fresh:
            np.testing.assert_allclose(seen[f"{fresh[scope]}/{rest}"], points, atol=5e-9)


def test_copy_keeps_joint_settings_under_new_names(pieces):
    parts = {"base": Instance("block"), "arm": Instance("servo"), "hand": Instance("gripper")}
    wrist = MateJoint(continuous="z", name="wrist")
    mates = [Mate("base.top", "arm.back", joint=MateJoint(continuous="z")), Mate("arm.horn", "hand.mount", joint=wrist)]
    settings_ = {
        "arm/axis": JointSetting(position=10.0),
        "arm/mate": JointSetting(position=20.0),
        "wrist": JointSetting(position=30.0),
    }
    assembly = Assembly("test", parts=parts, mates=mates, joints=settings_, local_parts=pieces)
    copied, fresh = copy_branch(assembly, "arm", "leg", whole=True)
    assert fresh == {"arm": "leg", "hand": "hand-2"}
    # The copy has no mate joint, so its setting is not copied.
    assert copied.joints == {
        **settings_,
        "leg/axis": JointSetting(position=10.0),
        "hand-2/mate": JointSetting(position=30.0),
    }
    alone, _ = copy_branch(assembly, "arm", "leg", whole=False)
    assert set(alone.parts) == {*parts, "leg"}
    assert alone.mates == assembly.mates
