"""Mates align points and oppose axes, compared with poses computed independently."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from rck.assembly.compiler import Compiled, Compiler
from rck.assembly.definitions import Definitions
from rck.assembly.document import Assembly, Instance, JointSetting, LocalPart, Mate, MateJoint
from rck.assembly.mate_ends import End, end_frame, parse_end
from rck.assembly.mates import at_from_put, mate_reaching
from rck.language.document import compile_file
from rck.model import Port, RckError
from rck.model.port_fit import port_mismatch
from rck.model.quantities import PoseSpec, Quantities, Units
from rck.parts.library import Catalogue
from rck.parts.manifest import PartItem, PartPort, Shape

BLOCK = LocalPart(
    items={"body": PartItem(shapes=[Shape(box=(100.0, 60.0, 20.0))], mass=1.0)},
    ports={
        "top": PartPort(at=(10.0, 5.0, 10.0), z="z", type="flange"),
        "side": PartPort(at=(50.0, 0.0, 0.0), z="x", x=(0.0, 1.0, 1.0), type="flange"),
        "under": PartPort(at=(0.0, 0.0, -10.0), rpy=(180.0, 0.0, 30.0)),
    },
)
ROD = LocalPart(
    items={"rod": PartItem(shapes=[Shape(box=(20.0, 20.0, 80.0), at=(0.0, 0.0, 40.0))], mass=1.0)},
    ports={"a": PartPort(z="-z", type="flange"), "b": PartPort(at=(0.0, 0.0, 80.0), z="z", x="y", type="other")},
)
PIECES = {"block": BLOCK, "rod": ROD}

angles = st.floats(-360, 360)
lengths = st.floats(-500, 500)
triples = st.tuples(lengths, lengths, lengths)
turns = st.tuples(st.floats(-179, 179), st.floats(-89, 89), st.floats(-179, 179))
places = st.builds(lambda at, rpy: PoseSpec(at=at, rpy=rpy), triples, turns)
BLOCK_PORTS, ROD_PORTS = st.sampled_from(list(BLOCK.ports)), st.sampled_from(list(ROD.ports))


def compiled(*mates: Mate, place: PoseSpec | None = None, **more: object) -> Compiled:
    parts = {"block": Instance("block", place=place), "rod": Instance("rod")}
    assembly = Assembly("test", parts=parts, mates=list(mates), local_parts=PIECES, **more)
    return Compiler(Definitions(Catalogue({}), Path(), compile_file)).compile(assembly).unwrap()


def ports(robot: Compiled, *ends: str) -> list[np.ndarray]:
    return [robot.ports[end].world_pose(robot.robot) for end in ends]


@settings(max_examples=60)
@given(places, BLOCK_PORTS, ROD_PORTS, angles, triples | lengths, st.booleans())
def test_mated_ports_face_each_other(place, block_port, rod_port, turn, offset, flip):
    mate = Mate(f"block.{block_port}", f"rod.{rod_port}", turn=turn, offset=offset, flip=flip, force=True)
    at, put = ports(compiled(mate, place=place), mate.at, mate.put)
    away = np.array(offset if isinstance(offset, tuple) else (0.0, 0.0, offset)) / 1000
    np.testing.assert_allclose(put[:3, 3], at[:3, 3] + at[:3, :3] @ away, atol=1e-12)
    np.testing.assert_allclose(put[:3, 2], at[:3, 2] if flip else -at[:3, 2], atol=1e-12)
    turned = Rotation.from_rotvec(np.radians(turn) * at[:3, 2]).apply(at[:3, 0])
    np.testing.assert_allclose(put[:3, 0], turned, atol=1e-12)


def test_mate_equals_the_pose_computed_by_hand():
    # The side of the block is at (50, 0, 0) and faces +x; its x axis is (0, s, s). The rod's end b is put 2 mm
    # before it: it faces -x, so the rod's z axis is (-1, 0, 0), and its x axis, which is the rod's y axis, is
    # (0, s, s). The rod begins 80 mm behind its end b.
    pose = compiled(Mate("block.side", "rod.b", offset=2.0, force=True)).robot.item("rod/rod").pose
    s = np.sqrt(0.5)
    np.testing.assert_allclose(pose, [[0, 0, -1, 0.132], [-s, s, 0, 0], [s, s, 0, 0], [0, 0, 0, 1]], atol=1e-12)


@settings(max_examples=40)
@given(turns, triples, angles)
def test_roll_pitch_and_yaw_rotate_the_mated_end(rpy, offset, turn):
    plain = Mate("block.top", "rod.a", offset=offset, turn=turn)
    turned = Mate("block.top", "rod.a", offset=offset, turn=turn, rpy=rpy)
    (before,) = ports(compiled(plain), "rod.a")
    (after,) = ports(compiled(turned), "rod.a")
    np.testing.assert_allclose(after[:3, 3], before[:3, 3], atol=1e-12)
    further = Rotation.from_euler("xyz", rpy, degrees=True).as_matrix()
    np.testing.assert_allclose(after[:3, :3], before[:3, :3] @ further, atol=1e-12)


@settings(max_examples=40)
@given(places, turns, triples, angles)
def test_ends_without_port_are_mated_frame_to_frame(place, rpy, offset, turn):
    robot = compiled(Mate("block", "rod", offset=offset, rpy=rpy, turn=turn), place=place).robot
    relative = np.linalg.inv(robot.item("block/body").pose) @ robot.item("rod/rod").pose
    rotation = Rotation.from_euler("z", turn, degrees=True) * Rotation.from_euler("xyz", rpy, degrees=True)
    np.testing.assert_allclose(relative[:3, 3], np.array(offset) / 1000, atol=1e-12)
    np.testing.assert_allclose(relative[:3, :3], rotation.as_matrix(), atol=1e-12)


@settings(max_examples=40)
@given(st.integers(0, 5), st.integers(0, 5), angles, lengths)
def test_mated_faces_share_their_centres_with_opposite_normals(block_face, rod_face, turn, offset):
    mate = Mate(f"block.body#0.{block_face}", f"rod.rod#0.{rod_face}", turn=turn, offset=offset)
    robot = compiled(mate).robot

    def centre_and_normal(item, face):
        body = robot.item(item)
        shape = body.subitems[0].shape
        corners = shape.vertices[list(shape.faces[face])] @ body.pose[:3, :3].T + body.pose[:3, 3]
        normal = np.cross(corners[1] - corners[0], corners[2] - corners[1])
        return corners.mean(axis=0), normal / np.linalg.norm(normal)

    at, out = centre_and_normal("block/body", block_face)
    put, back = centre_and_normal("rod/rod", rod_face)
    np.testing.assert_allclose(back, -out, atol=1e-12)
    np.testing.assert_allclose(put, at + out * offset / 1000, atol=1e-12)


def test_centre_of_a_face_is_the_centroid_of_its_area():
    # A right triangle with legs 3 and 6 has its centre at a third of each.
    wedge = LocalPart({"w": PartItem(shapes=[Shape(hull=[(0, 0, 0), (3, 0, 0), (0, 6, 0), (0, 0, 9)])], mass=1.0)})
    assembly = Assembly("w", parts={"w": Instance("w")}, local_parts={"w": wedge})
    body = Definitions(Catalogue({}), Path(), compile_file).body(assembly.parts["w"], assembly)
    shape = body.robot.items[0].subitems[0].shape
    bottom = next(i for i in range(4) if shape.planes[i, 2] < -0.99)
    pose = end_frame(End("w", f"w#0.{bottom}"), body.robot, body.ports).pose
    np.testing.assert_allclose(pose[:3, 3], [0.001, 0.002, 0.0], atol=1e-12)
    np.testing.assert_allclose(pose[:3, 2], [0, 0, -1], atol=1e-12)


@settings(max_examples=60)
@given(st.booleans(), st.booleans(), st.booleans(), angles, triples, turns)
def test_mate_can_be_adjusted_to_reach_any_pose(at_faces, put_faces, flip, turn, offset, rpy):
    block = end_frame(End("block", "top" if at_faces else ""), *_robot_and_ports("block"))
    rod = end_frame(End("rod", "a" if put_faces else ""), *_robot_and_ports("rod"))
    wanted = np.eye(4)
    wanted[:3, 3] = np.array(offset) / 1000
    wanted[:3, :3] = Rotation.from_euler("xyz", rpy, degrees=True).as_matrix()
    for units in (Units(), Units(length="in", angle="rad")):
        reached = mate_reaching(Mate("block", "rod", turn=turn, flip=flip), block, rod, wanted, units)
        assert (reached.turn, reached.flip) == (turn, flip)
        np.testing.assert_allclose(at_from_put(reached, block, rod, Quantities(units)), wanted, atol=1e-9)


def _robot_and_ports(name):
    assembly = Assembly("test", parts={name: Instance(name)}, local_parts=PIECES)
    body = Definitions(Catalogue({}), Path(), compile_file).body(assembly.parts[name], assembly)
    return body.robot, body.ports


@pytest.mark.parametrize(
    ("kind", "position", "moved"),
    [
        ("revolute", 40.0, lambda p: Rotation.from_euler("z", 40, degrees=True).apply(p)),
        ("continuous", -100.0, lambda p: Rotation.from_euler("z", -100, degrees=True).apply(p)),
        ("prismatic", 25.0, lambda p: p + np.array([0, 0, 0.025])),
    ],
)
def test_mate_joint_moves_about_the_axis_of_the_parent_port(kind, position, moved):
    limits = None if kind == "continuous" else (-200.0, 200.0)
    mate = Mate("block.top", "rod.a", offset=(5.0, 0.0, 0.0), joint=MateJoint(**{kind: "z"}, limits=limits))
    still = compiled(mate).robot
    driven = compiled(mate, joints={"rod/mate": JointSetting(position=position)}).robot
    (joint,) = [joint for joint in driven.joints if joint.kind.moves]
    assert (joint.base, joint.moves, joint.kind.value) == ("block/body", ("rod/rod",), kind)
    np.testing.assert_allclose(joint.start, [0.01, 0.005, 0.01], atol=1e-12)
    np.testing.assert_allclose(joint.direction, [0, 0, 1], atol=1e-12)
    origin = np.array(joint.start)
    expected = origin + moved(still.item("rod/rod").pose[:3, 3] - origin)
    np.testing.assert_allclose(driven.item("rod/rod").pose[:3, 3], expected, atol=1e-12)


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        (("flange", None), ("flange", None), ""),
        (("flange", "male"), ("flange", "female"), ""),
        (("flange", "male"), ("flange", None), ""),
        (("any", "male"), ("flange", "male"), ""),
        (("flange", "male"), ("flange", "male"), "two male ports of type flange"),
        (("flange", None), ("horn", None), "flange does not fit horn"),
        (("flange", "male"), ("horn", "female"), "flange does not fit horn"),
    ],
)
def test_ports_are_compatible_by_type_and_gender(one, other, said):
    ports = [Port("", "", type=kind, gender=gender) for kind, gender in (one, other)]
    assert port_mismatch(*ports).startswith(said)
    assert bool(port_mismatch(*ports)) == bool(said) == bool(port_mismatch(*reversed(ports)))


@pytest.mark.parametrize("text", ["", ".", ".top", "base."])
def test_incomplete_mate_end_is_refused(text):
    with pytest.raises(RckError, match="not a valid end"):
        parse_end(text)


@pytest.mark.parametrize(
    ("text", "instance", "place"),
    [("base", "base", ""), ("base.top", "base", "top"), ("hand.arm/b#0.3", "hand", "arm/b#0.3"), ("a.b.c", "a", "b.c")],
)
def test_mate_end_is_an_instance_and_a_port_or_face(text, instance, place):
    assert parse_end(text) == End(instance, place)
    assert str(parse_end(text)) == text


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("tpo", "did you mean top"),
        ("body#1.0", "1 subitems"),
        ("body#0.6", "6 faces"),
        ("lid#0.0", "no port"),
        ("body#0.-1", "no port"),
        (f"body#0.{'9' * 5000}", "no port"),
        ("body#0", "no port"),
    ],
)
def test_unknown_mate_end_is_refused(place, said):
    with pytest.raises(RckError, match=said):
        end_frame(End("block", place), *_robot_and_ports("block"))
