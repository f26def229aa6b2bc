"""The command explode: a robot becomes one instance for each link, and stays the same robot."""

import os
from pathlib import Path

import numpy as np
import pytest

from rck.assembly.document import replaced
from rck.exporting.export import export
from rck.geometry.mesh import Mesh
from rck.hooks import discover
from rck.language.session import Session, new_session, open_session
from rck.model import Item, Mimic, RckError, Robot, Severity, Visual, build_item, build_joint, build_robot
from rck.model.joint_positions import at_positions, random_vectors
from rck.model.quantities import PoseSpec
from rck.parts.manifest import LoopSpec
from rck.testing.robots import box_between

ARM = Path(__file__).parents[2] / "examples" / "small-arm.xml"
SO_100 = Path(os.environ.get("RCK_CORPUS") or "no corpus") / "robots" / "trs_so_arm100" / "so_arm100.xml"
LINKS = ("world", "base", "shoulder", "upper_arm", "forearm", "wrist", "palm", "left_finger", "right_finger")


def session_of(tmp_path: Path, *lines: str) -> Session:
    session = new_session(discover(), tmp_path, "edited", tmp_path / "edited.rck")
    session.run_script("\n".join([*lines, ""]), "test")
    return session


def imported(tmp_path: Path, *lines: str) -> Session:
    return session_of(tmp_path, f'import "{ARM}" arm', *lines)


def robot_of(session: Session) -> Robot:
    return session.compile().unwrap().robot


def link_poses(robot: Robot, vector: np.ndarray) -> dict[str, np.ndarray]:
    return {item.source_name: item.pose for item in at_positions(robot, vector).items}


def test_links_become_instances_with_the_same_kinematics_names_and_order(tmp_path: Path) -> None:
    session = imported(tmp_path)
    before = robot_of(session)
    session.do("explode arm")
    after = robot_of(session)
    assert tuple(session.assembly.order) == LINKS
    assert set(session.assembly.parts) == set(session.assembly.local_parts) == set(LINKS)
    assert [item.source_name for item in after.items] == [item.source_name for item in before.items]
    assert [joint.source_name for joint in after.joints] == [joint.source_name for joint in before.joints]
    assert [joint.name for joint in after.free_joints][:3] == ["pan", "lift", "elbow"]
    for vector in random_vectors(before, 5):
        one, other = link_poses(before, vector), link_poses(after, vector)
        for name, pose in one.items():
            np.testing.assert_allclose(other[name], pose, atol=1e-12)


def test_exploded_urdf_has_the_kinematics_and_dynamics_of_its_file_in_pinocchio(tmp_path: Path) -> None:
    pin = pytest.importorskip("pinocchio", reason="pinocchio is not installed")
    source, again = tmp_path / "source.urdf", tmp_path / "again.urdf"
    export(robot_of(imported(tmp_path)), source, discover())
    session = session_of(tmp_path, f'import "{source}" arm', "explode arm")
    export(robot_of(session), again, discover())
    models = [pin.buildModelFromUrdf(str(path)) for path in (source, again)]
    assert list(models[0].names) == list(models[1].names)
    dice = np.random.default_rng(0)
    for _ in range(5):
        q = dice.uniform(-1, 1, models[0].nq)
        found = []
        for model in models:
            data = model.createData()
            pin.framesForwardKinematics(model, data, q)
            bodies = [n for n, one in enumerate(model.frames) if one.type == pin.FrameType.BODY]
            poses = {model.frames[n].name: data.oMf[n].homogeneous for n in bodies}
            found.append((poses, pin.crba(model, data, q).copy(), pin.computeGeneralizedGravity(model, data, q).copy()))
        for name, pose in found[0][0].items():
            np.testing.assert_allclose(found[1][0][name], pose, atol=1e-9)
        np.testing.assert_allclose(np.triu(found[1][1]), np.triu(found[0][1]), atol=1e-9)
        np.testing.assert_allclose(found[1][2], found[0][2], atol=1e-9)


def test_motors_poses_rules_sensors_and_format_data_survive(tmp_path: Path) -> None:
    session = imported(tmp_path)
    before = robot_of(session)
    session.do("explode arm")
    after = robot_of(session)
    assert [one.name for one in after.actuators] == ["pan", "lift", "elbow", "wrist_pitch", "grip"]
    assert [one.gain for one in after.actuators] == [one.gain for one in before.actuators]
    assert after.joint("right_slide").mimic == Mimic("left_slide")
    home = after.poses[0]
    assert home.name == "home"
    assert home.extensions == before.poses[0].extensions
    assert home.positions["elbow"] == pytest.approx(1.2, abs=1e-15)
    assert after.extensions == before.extensions
    assert [device.source_name for device in after.devices] == [device.source_name for device in before.devices]
    excluded = {frozenset(rule.items) for rule in after.rules if not rule.tested}
    assert frozenset(("base/body", "upper_arm/body")) in excluded


def test_undo_joins_the_links_again_in_one_step(tmp_path: Path) -> None:
    session = imported(tmp_path)
    before = session.assembly
    session.do("explode arm")
    session.do("undo")
    assert session.assembly is before


def test_saved_assembly_reads_back_equal(tmp_path: Path) -> None:
    session = imported(tmp_path, "explode arm", "save")
    opened = open_session(discover(), tmp_path / "edited.rck")
    assert opened.assembly == session.assembly


def test_attached_robot_stays_attached_and_carries_its_hand(tmp_path: Path) -> None:
    lines = ("make box table size=400,400,100", "mate table.top arm.base", "make box cube size=20,20,20",
             "mate arm.grasp cube.bottom", "tool tip arm.grasp", "pose up arm/pan=30", "drive arm/elbow 40",
             "allow arm table", "group all arm cube")  # fmt: skip
    session = imported(tmp_path, *lines)
    before = robot_of(session)
    session.do("explode arm")
    after = robot_of(session)
    for name in ("table/body", "cube/body"):
        np.testing.assert_allclose(after.item(name).pose, before.item(name).pose, atol=1e-12)
    np.testing.assert_allclose(after.world_from("tip"), before.world_from("tip"), atol=1e-12)
    np.testing.assert_allclose(after.item("palm/body").pose, before.item("arm/palm").pose, atol=1e-12)
    assert session.assembly.poses["up"] == {"pan": 30}
    assert session.assembly.joints["elbow"].position == 40
    assert session.assembly.groups["all"] == [*LINKS, "cube"]
    allowed = {frozenset(rule.items) for rule in after.rules if not rule.tested}
    assert all(frozenset((f"{link}/body", "table/body")) in allowed for link in LINKS)


def test_two_equal_robots_get_different_names(tmp_path: Path) -> None:
    session = imported(tmp_path, f'import "{ARM}" other', "explode arm", "explode other")
    robot = robot_of(session)
    assert {"elbow", "other-elbow"} <= {joint.name for joint in robot.joints}
    assert {"palm", "palm-2"} <= set(session.assembly.parts)
    assert {"grip", "other-grip"} <= {one.name for one in robot.actuators}


def test_removing_a_link_removes_what_refers_to_it(tmp_path: Path) -> None:
    session = imported(tmp_path, "explode arm")
    with pytest.raises(RckError, match="actuator grip"):
        session.do("remove left_finger")
    session.do("remove left_finger --with-dependents")
    robot = robot_of(session)
    assert [one.name for one in robot.actuators] == ["pan", "lift", "elbow", "wrist_pitch"]
    assert robot.joint("right_slide").mimic is None
    assert "left_slide" not in robot.poses[0].positions


def test_renaming_links_and_joints_changes_their_references(tmp_path: Path) -> None:
    session = imported(tmp_path, "explode arm", "rename palm hand", "rename joint left_slide jaw")
    robot = robot_of(session)
    assert session.assembly.order[6] == "hand"
    assert robot.item("hand/body").source_name == "palm"
    assert robot.joint("jaw").source_name == "left_slide"
    assert robot.joint("right_slide").mimic == Mimic("jaw")
    assert robot.actuators[-1].joint == "jaw"


def test_arm_of_the_catalogue_keeps_its_exported_names(tmp_path: Path) -> None:
    session = session_of(tmp_path, "create universal-robots/ur5e arm")
    before = robot_of(session)
    message = session.do("explode arm").message
    after = robot_of(session)
    assert "the bill of materials lists its links as local parts" in message
    texts = []
    for number, robot in enumerate((before, after)):
        out = tmp_path / f"{number}.urdf"
        export(robot, out, discover())
        lines = [line.strip() for line in out.read_text().splitlines()]
        texts.append([line for line in lines if line.startswith(("<link", "<joint name", "<parent", "<child"))])
    assert texts[0] == texts[1]
    for vector in random_vectors(before, 3):
        one = [item.pose for item in at_positions(before, vector).items]
        other = [item.pose for item in at_positions(after, vector).items]
        np.testing.assert_allclose(other, one, atol=1e-12)


def test_replacing_a_link_drops_what_refers_to_its_item_and_names_it(tmp_path: Path) -> None:
    session = imported(tmp_path, "explode arm")
    loop = LoopSpec("connect", ("left_finger/body", "base/body"), (PoseSpec(), PoseSpec()))
    session.apply("close a loop", replaced(session.assembly, loops={"shut": loop}))
    message = session.do("replace left_finger universal-robots/ur5e --port left_slide=base").message
    assert message.endswith("dropped, because they refer to what is gone: loop shut")
    assert "grip" in session.assembly.actuators
    excluded = {rule.between for rule in session.assembly.contacts if not rule.test}
    assert ("left_finger", "wrist/body") in excluded
    built = session.compile()
    assert [one for one in built.findings if one.severity is not Severity.NOTE] == []
    rules = {frozenset(rule.items) for rule in built.unwrap().robot.rules if not rule.tested}
    assert frozenset(("left_finger/forearm", "wrist/body")) in rules


def test_detaching_a_link_names_what_its_joint_takes_along(tmp_path: Path) -> None:
    session = imported(tmp_path, "explode arm")
    lines = session.do("detach left_finger").message.splitlines()
    assert lines == [
        "detached left_finger; it keeps its pose",
        "dropped, because they refer to what is gone: "
        + ", ".join(("motor grip", "the settings of joint left_slide", "left_slide in pose home",
                     "the coupling of right_slide to left_slide")),
    ]  # fmt: skip
    session.do("undo")
    assert "grip" in session.assembly.actuators


def test_holes_of_links_become_ports(tmp_path: Path) -> None:
    tip = build_item("tip", [box_between((0, 0, 0), (1, 1, 1))]).unwrap()
    turn = build_joint("turn", "continuous", "plate", "tip", end=(0, 0, 1)).unwrap()
    robot = build_robot("plate", [plate_with_hole(), tip], [turn]).unwrap()
    export(robot, tmp_path / "plate.urdf", discover())
    session = session_of(tmp_path, "import plate.urdf plate", "explode plate", "make box cube size=10,10,10")
    ports = session.assembly.local_parts["plate-2"].ports
    assert {name: port.note for name, port in ports.items() if port.note} == {
        "hole1-a": "hole of 6 mm",
        "hole1-b": "hole of 6 mm",
    }
    session.do("mate plate-2.hole1-b cube.bottom")
    place = robot_of(session).item("cube/body").pose
    assert place[:3, 3] == pytest.approx((0.02, 0.03, 0.01 + 0.005), abs=1e-6)


def plate_with_hole() -> Item:
    """A plate of 10 mm with a hole of 6 mm at (20, 30) mm, of which the visual is a mesh."""
    angles = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    ring = np.column_stack([np.cos(angles), np.sin(angles)])
    # The outer ring is a square, on the same rays.
    square = ring / np.abs(ring).max(axis=1, keepdims=True) * 0.01
    rows = [np.column_stack([np.array([0.02, 0.03]) + flat, np.full(24, z)])
            for flat, z in ((0.003 * ring, 0), (0.003 * ring, 0.01), (square, 0), (square, 0.01))]  # fmt: skip
    inner_low, inner_high, outer_low, outer_high = range(0, 96, 24)
    faces = []
    for now in range(24):
        new = (now + 1) % 24
        for one, other in ((inner_high, inner_low), (outer_high, inner_high), (outer_low, outer_high),
                           (inner_low, outer_low)):  # fmt: skip
            faces.append([one + now, one + new, other + new, other + now])
    surface = Mesh(np.vstack(rows), np.arange(0, 4 * len(faces) + 1, 4), np.ravel(faces))
    hull = box_between((0.01, 0.02, 0), (0.03, 0.04, 0.01))
    return build_item("plate", [hull], visuals=[Visual(surface)]).unwrap()


def test_single_link_is_refused(tmp_path: Path) -> None:
    session = session_of(tmp_path, "make box cube size=20,20,20")
    with pytest.raises(RckError, match="has only one link"):
        session.do("explode cube")


@pytest.mark.skipif(not SO_100.exists(), reason="RCK_CORPUS names no folder with the SO-100")
def test_so_100_gets_another_gripper_and_servo_and_is_written_back(tmp_path: Path) -> None:
    mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")
    lines = (f'import "{SO_100}" arm', "explode arm", "remove Moving_Jaw Fixed_Jaw --with-dependents",
             "create robonine/so-arm-gripper hand", "mate Wrist_Pitch_Roll.Wrist_Roll hand.mount", "detach Lower_Arm",
             "create robotis/xl430-w250 servo", "mate Upper_Arm.Elbow servo.back",
             "mate servo.horn Lower_Arm.Elbow")  # fmt: skip
    robot = robot_of(session_of(tmp_path, *lines))
    for ending in ("xml", "urdf"):
        out = tmp_path / f"edited.{ending}"
        export(robot, out, discover())
        model = mujoco.MjModel.from_xml_path(str(out))
        names = {model.joint(number).name for number in range(model.njnt)}
        assert names == {"Rotation", "Pitch", "servo_axis", "Wrist_Pitch", "hand_grip", "hand_left"}
