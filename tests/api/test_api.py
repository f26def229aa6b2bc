"""The Python interface that `import rck` offers."""

import subprocess
import sys
from pathlib import Path

import mujoco
import numpy as np
import pytest

import rck

EXAMPLES = Path(__file__).parents[2] / "examples"
EVENTS = "events:\n- {at: 0, until: 1, move: shoulder/axis, by: 30 deg}\n"


@pytest.fixture(scope="module")
def ur5e():
    assembly = rck.Assembly()
    assembly.create("universal-robots/ur5e", "ur")
    return assembly.robot()


@pytest.fixture(scope="module")
def desk_arm():
    return rck.load(EXAMPLES / "desk-arm.rck")


def test_dir_lists_the_documented_names():
    assert dir(rck) == sorted(rck.__all__)
    page = (EXAMPLES.parent / "docs" / "python.md").read_text(encoding="utf-8")
    assert [name for name in rck.__all__ if f"rck.{name}" not in page] == []


def test_import_loads_neither_numpy_nor_plugins():
    code = "import rck, sys; print(sorted({'numpy', 'numba', 'pluggy', 'rck.api'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"


def test_functions_are_not_hidden_by_subpackages():
    code = "import rck, rck.api, rck.parts, rck.rendering; print(callable(rck.render), callable(rck.catalogue))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "True True\n"


def test_unknown_attribute_is_refused():
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        rck.nonsense  # noqa: B018


def test_fk_agrees_with_mujoco(ur5e, tmp_path):
    rck.export(ur5e, tmp_path / "ur.xml")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "ur.xml"))
    data = mujoco.MjData(model)
    q = np.array([0.3, -1.0, 0.8, -0.4, 0.9, 0.2])
    data.qpos[:] = q
    mujoco.mj_kinematics(model, data)
    for name in ur5e.items[1:]:
        body = data.body(name.removeprefix("ur/").replace("-", "_") + "_link")
        np.testing.assert_allclose(ur5e.fk(q, name)[:3, 3], body.xpos, atol=1e-9)
        np.testing.assert_allclose(ur5e.fk(q, name)[:3, :3], body.xmat.reshape(3, 3), atol=1e-9)


def test_fk_without_name_returns_every_item_and_frame(ur5e):
    assert set(ur5e.fk()) == {*ur5e.items, *ur5e.frames}


def test_positions_are_a_vector_or_a_mapping(ur5e):
    vector = ur5e.positions({"ur/elbow": 0.5})
    np.testing.assert_array_equal(ur5e.fk(vector, ur5e.tip), ur5e.fk({"ur/elbow": 0.5}, ur5e.tip))
    with pytest.raises(rck.RckError, match="elbow"):
        ur5e.fk({"ur/elbo": 0.5})


def test_arm_finds_all_solutions_and_moves_the_tip_in_a_straight_line(ur5e):
    arm = ur5e.arm()
    start = np.array([0.3, -1.0, 0.8, -0.4, 0.9, 0.2])
    solutions = arm.ik(arm.fk(start), start, most=8).solutions
    np.testing.assert_allclose(solutions[0], start, atol=1e-6)
    for q in solutions:
        np.testing.assert_allclose(arm.fk(q), arm.fk(start), atol=1e-6)
    target = arm.fk(start)
    target[2, 3] -= 0.1
    path = arm.follow(start, target)
    np.testing.assert_allclose(arm.fk(path.at(path.duration)), target, atol=1e-6)
    for time in np.linspace(0.0, path.duration, 20):
        np.testing.assert_allclose(arm.fk(path.at(time))[:2, 3], target[:2, 3], atol=2e-4)
    away = arm.ik(translation_of(5.0), start)
    assert not away.solved
    assert "out of reach" in away.reason


def translation_of(x):
    pose = np.eye(4)
    pose[0, 3] = x
    return pose


def test_arm_redirects_a_move_to_a_joint_vector_and_to_a_pose(ur5e):
    arm = ur5e.arm()
    start, end = np.array([0.3, -1.0, 0.8, -0.4, 0.9, 0.2]), np.array([0.9, -1.2, 0.9, -0.4, 0.9, 0.2])
    move = arm.move(start, end)
    assert (np.abs(move.at(move.duration) - end) < 1e-9).all()
    for target in (start, arm.fk(start)):
        path = arm.redirect(move, 0.2, target)
        np.testing.assert_allclose(path.at(0.2), move.at(0.2), atol=1e-9)
        np.testing.assert_allclose(arm.fk(path.at(path.duration)), arm.fk(start), atol=1e-6)


def test_jacobian_of_an_arm_is_the_derivative_of_its_tip(ur5e):
    arm, q = ur5e.arm(), np.array([0.3, -1.0, 0.8, -0.4, 0.9, 0.2])
    rates = [(arm.fk(q + step)[:3, 3] - arm.fk(q - step)[:3, 3]) / 2e-6 for step in np.eye(6) * 1e-6]
    np.testing.assert_allclose(arm.jacobian(q)[:3].T, rates, atol=1e-6)
    assert arm.singularities(q) == []
    assert arm.singularities([0.3, -1.0, 0.0, -0.4, 0.9, 0.2]) != []


def test_simulation_takes_timed_actions(desk_arm):
    simulation = desk_arm.simulation([(0.5, rck.actions.MoveJoint("shoulder/axis", 0.5, 1.0))])
    simulation.run()
    assert simulation.time == pytest.approx(1.5)
    assert dict(zip(desk_arm.joints, simulation.vector, strict=True))["shoulder/axis"] == pytest.approx(0.5)
    recording = rck.simulate(desk_arm, [(0.0, rck.actions.MoveJoint("shoulder/axis", 0.5, 1.0))])
    assert recording.columns["joint shoulder/axis [rad]"][-1] == pytest.approx(0.5)


def test_executor_carries_out_instructions():
    executor = rck.load(EXAMPLES / "puma-cell.rck").executor()
    reply = executor.move_joints_absolute("puma", np.radians([10, 0, 0, 0, 0, 0]))
    assert reply.done, reply.text


def test_ik_solutions_reach_the_target(ur5e):
    target = ur5e.fk([0.3, -1.0, 0.8, -0.4, 0.9, 0.2], ur5e.tip)
    solutions = ur5e.ik(target, most=8)
    assert len(solutions) >= 4
    for q in solutions:
        np.testing.assert_allclose(ur5e.fk(q, ur5e.tip), target, atol=1e-6)


def test_ik_of_a_point_leaves_the_orientation_free(ur5e):
    point = [0.3, 0.3, 0.4]
    np.testing.assert_allclose(ur5e.fk(ur5e.ik(point)[0], ur5e.tip)[:3, 3], point, atol=1e-6)


def test_unreachable_target_is_refused_with_the_reason(ur5e):
    with pytest.raises(rck.RckError, match="cannot reach"):
        ur5e.ik([9.0, 0.0, 0.0])


def test_jacobian_is_the_derivative_of_fk(ur5e):
    q, step = np.array([0.3, -1.0, 0.8, -0.4, 0.9, 0.2]), 1e-6
    columns = [
        (ur5e.fk(q + move, ur5e.tip)[:3, 3] - ur5e.fk(q - move, ur5e.tip)[:3, 3]) / (2 * step)
        for move in step * np.eye(6)
    ]
    np.testing.assert_allclose(ur5e.jacobian(q)[:3], np.transpose(columns), atol=1e-8)


def test_contacts_name_the_items_that_collide(ur5e):
    assert ur5e.contacts() == []
    folded = ur5e.contacts({"ur/elbow": 3.1})
    assert folded
    assert all(set(contact.items) <= set(ur5e.items) for contact in folded)


def test_loads_carry_the_payload(ur5e):
    empty, loaded = (ur5e.loads(payload)[1].effort for payload in (0.0, 1.0))
    assert empty < loaded < empty + 9.81 * 1.2


def test_reach_is_between_wrist_and_stretched_flange(ur5e):
    assert 0.85 < ur5e.reach(samples=2_000, collisions=False).reach < 1.1


def test_assembly_is_edited_undone_saved_and_loaded(tmp_path):
    assembly = rck.Assembly(tmp_path / "arm.rck")
    assembly.create("structure/round-base", "base", diameter=160)
    assembly.create("robotis/xm540-w270", "shoulder", at="base.top")
    assembly.create("structure/tube-link", "upper")
    assembly.mate("shoulder.horn", "upper.a")
    assembly.set("upper", length=220)
    before = assembly.document
    assembly.set("upper", length="30 cm")
    assembly.undo()
    assert assembly.document == before
    saved = rck.load(assembly.save())
    assert saved.items == assembly.robot().items
    assert rck.Assembly(tmp_path / "arm.rck").document == before


def test_refused_command_changes_nothing():
    assembly = rck.Assembly()
    before = assembly.document
    with pytest.raises(rck.RckError, match="did you mean"):
        assembly.create("robotis/xm540-w27", "servo")
    assert assembly.document is before


def test_export_and_load_keep_the_robot(ur5e, tmp_path):
    (written,) = [path for path in rck.export(ur5e, tmp_path / "ur.urdf") if path.suffix == ".urdf"]
    again = rck.load(written)
    q = [0.3, -1.0, 0.8, -0.4, 0.9, 0.2]
    np.testing.assert_allclose(again.fk(q, again.tip), ur5e.fk(q, ur5e.tip), atol=1e-9)


def test_file_without_robot_is_refused(tmp_path):
    (tmp_path / "broken.urdf").write_text("<robot name='x'><link")
    with pytest.raises(rck.RckError, match=r"broken\.urdf"):
        rck.load(tmp_path / "broken.urdf")


def test_render_writes_a_png(desk_arm, tmp_path):
    path = rck.render(desk_arm, tmp_path / "arm.png", size=(160, 100))
    assert path.read_bytes().startswith(b"\x89PNG")


def test_simulate_returns_and_writes_the_recording(desk_arm, tmp_path):
    (tmp_path / "swing.yaml").write_text(EVENTS)
    recording = rck.simulate(desk_arm, tmp_path / "swing.yaml", out=tmp_path / "swing.csv")
    swing = recording.columns["joint shoulder/axis [rad]"]
    assert swing[-1] - swing[0] == pytest.approx(np.radians(30))
    assert (tmp_path / "swing.csv").exists()


def test_catalogue_finds_and_builds_parts():
    parts = rck.catalogue()
    found = parts.search("servo stall-torque>=4 mass<200g")
    assert 0 < len(found) < len(parts)
    assert parts.part("structure/tube-link", length="0.3 m").robot.items
