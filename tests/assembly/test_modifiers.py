"""Scale, mirror, colour and loose modifiers of instances."""

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rck.assembly.document import Assembly, Instance, Mate
from rck.geometry.transforms import AXES, mirror, scaling
from rck.model import RckError, with_positions
from rck.parts.part_checks import surface_distance

factors = st.floats(0.2, 5)
scales = factors | st.tuples(factors, factors, factors)
kinds = st.sampled_from(["block", "servo", "gripper"])


def one(pieces, instance):
    return Assembly("one", parts={"it": instance}, local_parts=pieces)


@settings(max_examples=40)
@given(kinds, scales, st.sampled_from([None, "x", "y", "z"]))
def test_every_vertex_is_transformed_by_scale_and_mirror(pieces, compiled, vertices, kind, scale, side):
    plain = vertices(compiled(one(pieces, Instance(kind))).robot)
    changed = vertices(compiled(one(pieces, Instance(kind, scale=scale, mirror=side))).robot)
    matrix = scaling(scale) if side is None else mirror(AXES[side]) @ scaling(scale)
    for name, points in plain.items():
        np.testing.assert_allclose(changed[name], points @ matrix[:3, :3].T, atol=1e-12)


@settings(max_examples=40)
@given(kinds, scales, st.sampled_from([None, "x", "y", "z"]))
def test_scaling_keeps_density_and_scales_mass_with_volume(pieces, compiled, kind, scale, side):
    plain = compiled(one(pieces, Instance(kind))).robot
    changed = compiled(one(pieces, Instance(kind, scale=scale, mirror=side))).robot
    growth = float(np.prod(np.broadcast_to(scale, 3)))
    assert changed.mass_properties.mass == pytest.approx(growth * plain.mass_properties.mass)


@settings(max_examples=40)
@given(kinds, scales, st.sampled_from([None, "x", "y", "z"]))
def test_ports_stay_on_the_surface_and_perpendicular_to_it(pieces, compiled, kind, scale, side):
    for matrix, instance in ((1.0, Instance(kind)), (scale, Instance(kind, scale=scale, mirror=side))):
        assembly = compiled(one(pieces, instance))
        for port in assembly.ports.values():
            pose = port.world_pose(assembly.robot)
            near = surface_distance(assembly.robot.item(port.item), pose[:3, 3])
            out = surface_distance(assembly.robot.item(port.item), pose[:3, 3] + 1e-3 * pose[:3, 2])
            assert np.linalg.det(pose[:3, :3]) == pytest.approx(1)
            if matrix == 1.0:
                on_surface = near < 1e-9
            elif on_surface:
                assert near < 1e-9
                assert out == pytest.approx(1e-3, rel=1e-6)


@settings(max_examples=30)
@given(factors, st.floats(-2, 2), st.floats(0, 0.017))
def test_doubling_the_scale_doubles_the_travel(pieces, compiled, vertices, factor, angle, stroke):
    parts = {"base": Instance("block"), "arm": Instance("servo"), "hand": Instance("gripper")}
    mates = [Mate("base.top", "arm.back"), Mate("arm.horn", "hand.mount")]
    plain = Assembly("machine", parts=parts, mates=mates, local_parts=pieces)
    larger = {name: msgspec.structs.replace(one, scale=factor) for name, one in parts.items()}
    large = msgspec.structs.replace(plain, parts=larger)
    small_robot = with_positions(compiled(plain).robot, {"arm/axis": angle, "hand/close": stroke})
    large_robot = compiled(large).robot
    slide = large_robot.joint("hand/close")
    assert slide.limits.upper == pytest.approx(0.017 * factor)
    assert slide.speed == pytest.approx(0.05 * factor)
    assert large_robot.joint("hand/other").mimic.ratio == pytest.approx(1)
    moved = vertices(with_positions(large_robot, {"arm/axis": angle, "hand/close": factor * stroke}))
    for name, points in vertices(small_robot).items():
        np.testing.assert_allclose(moved[name], factor * points, atol=1e-12)


@settings(max_examples=30)
@given(st.sampled_from("xyz"), st.floats(-2, 2), st.floats(0, 0.017))
def test_mirrored_mechanism_moves_as_the_mirror_image(pieces, compiled, vertices, side, angle, stroke):
    for kind, positions in (("servo", {"it/axis": angle}), ("gripper", {"it/close": stroke})):
        plain = with_positions(compiled(one(pieces, Instance(kind))).robot, positions)
        image = with_positions(compiled(one(pieces, Instance(kind, mirror=side))).robot, positions)
        flip = mirror(AXES[side])[:3, :3]
        seen = vertices(image)
        for name, points in vertices(plain).items():
            np.testing.assert_allclose(seen[name], points @ flip, atol=1e-12)


def test_children_of_a_scaled_part_follow_its_ports(pieces, compiled):
    parts = {"base": Instance("block", scale=(1.0, 1.0, 3.0)), "arm": Instance("servo")}
    robot = compiled(Assembly("a", parts=parts, mates=[Mate("base.top", "arm.back")], local_parts=pieces)).robot
    # The block is 20 mm high, its top at 10; three times that, and the servo's back is 20 mm below its origin.
    assert robot.item("arm/body").pose[2, 3] == pytest.approx(0.030 + 0.020)


def test_colour_and_loose_flag_change_nothing_else(pieces, compiled, vertices):
    plain = compiled(one(pieces, Instance("servo"))).robot
    changed = compiled(one(pieces, Instance("servo", colour="#ff0000", loose=True))).robot
    assert all(item.mobile for item in changed.items)
    assert {subitem.colour for item in changed.items for subitem in item.subitems} == {(1.0, 0.0, 0.0, 1.0)}
    for name, points in vertices(plain).items():
        np.testing.assert_array_equal(vertices(changed)[name], points)
    assert changed.mass_properties.mass == plain.mass_properties.mass


@pytest.mark.parametrize("scale", [0.0, -1.0, 1e-9, 1e9, (1.0, 0.0, 1.0), (1.0, 1.0, -2.0)])
def test_zero_negative_or_extreme_scale_is_refused(pieces, compiled, scale):
    with pytest.raises(RckError, match="a scale factor must be between"):
        compiled(one(pieces, Instance("block", scale=scale)))
