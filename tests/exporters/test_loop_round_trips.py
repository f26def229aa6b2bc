"""Loops survive an export and an import: the same joints are free, and the links move in the same way."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import rck_plugins.exporters.mjcf
import rck_plugins.exporters.sdf
import rck_plugins.exporters.urdf
import rck_plugins.exporters.usd

from rck.exporting import legal_name
from rck.hooks import Job, discover
from rck.hooks.file_exchange import read_file, require_robot
from rck.model import LoopKind, Robot, Severity
from rck.model.closure import closure_of
from rck.model.forward_kinematics import forward_batch
from rck.model.robot_arrays import robot_arrays
from rck.parts.part import build_part, read_part_file
from rck.testing.mechanisms import five_bar, planar_linkage

LIBRARY = Path(__file__).parents[2] / "parts_library" / "rck_parts"
FORMATS = {
    ".xml": rck_plugins.exporters.mjcf,
    ".sdf": rck_plugins.exporters.sdf,
    ".urdf": rck_plugins.exporters.urdf,
    ".usda": rck_plugins.exporters.usd,
}
MECHANISMS = [
    "mechanisms/four-bar",
    "mechanisms/delta",
    "mechanisms/scissor-lift",
    "mechanisms/stewart-platform",
    "grippers/parallel/2f-85-linkage",
]


def mechanism(name: str) -> Robot:
    return build_part(read_part_file(LIBRARY / f"{name}.yaml")).unwrap().robot


def again(robot: Robot, folder: Path, ending: str) -> Robot:
    if ending == ".usda":
        pytest.importorskip("pxr.Usd", reason="usd-core is not installed")
    (exporter,) = FORMATS[ending].rck_exporters()[:1]
    path = folder / f"robot{ending}"
    for name, content in exporter.write(robot, path.name, {}, Job()).files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return require_robot(read_file(path, discover()), path)


@pytest.mark.parametrize("ending", FORMATS)
@pytest.mark.parametrize("name", MECHANISMS)
def test_a_mechanism_moves_in_the_same_way_after_a_round_trip(name: str, ending: str, tmp_path: Path) -> None:
    robot = mechanism(name)
    back = again(robot, tmp_path, ending)
    assert [one.kind for one in back.loops] == [one.kind for one in robot.loops]
    short = {legal_name(joint.name): joint for joint in robot.free_joints}
    columns = {joint.source_name or joint.name: number for number, joint in enumerate(back.free_joints)}
    if ending == ".sdf" and name.endswith("2f-85-linkage"):
        columns = {key.rpartition("/")[2]: number for key, number in columns.items()}
    assert set(columns) == set(short)
    change = np.random.default_rng(1).uniform(-0.02, 0.02, (5, len(short)))
    if name.endswith("2f-85-linkage"):
        change = np.abs(change)
    vectors = change + robot.positions
    theirs = np.empty_like(vectors)
    for number, joint_name in enumerate(short):
        start = 0.0 if ending == ".sdf" else robot.positions[number]
        theirs[:, columns[joint_name]] = change[:, number] + start
    poses, moved = (forward_batch(robot_arrays(one), batch) for one, batch in ((robot, vectors), (back, theirs)))
    compared = 0
    for item in back.items:
        known = [one for one in robot.items if legal_name(one.name) == (item.source_name or item.name)]
        for one in known:
            compared += 1
            ours = poses[:, robot.item_index[one.name], :3, 3]
            assert np.abs(moved[:, back.item_index[item.name], :3, 3] - ours).max() < 1e-6, item.name
    assert compared >= len(robot.items) - 2


@pytest.mark.parametrize("kind", LoopKind)
def test_urdf_has_a_file_of_loops_and_says_so(kind: LoopKind, tmp_path: Path) -> None:
    (exporter,) = rck_plugins.exporters.urdf.rck_exporters()
    robot = mechanism("mechanisms/four-bar")
    changed = build_part_with(robot, kind)
    made = exporter.write(changed, "robot.urdf", {}, Job())
    assert "robot.loops.yaml" in made.files
    (finding,) = [one for one in made.findings if "loops" in one.message]
    assert finding.severity is Severity.WARNING
    assert "pin" in finding.message
    balls = made.files["robot.urdf"].count(b"<drake:ball_constraint>")
    assert balls == {"connect": 1, "revolute": 2, "weld": 3, "prismatic": 0}[kind.value]
    back = again(changed, tmp_path, ".urdf")
    assert [(one.name, one.kind) for one in back.loops] == [("pin", kind)]


def build_part_with(robot: Robot, kind: LoopKind) -> Robot:
    return replace(robot, loops=tuple(replace(loop, kind=kind) for loop in robot.loops))


def test_tags_of_drake_alone_close_the_loops(tmp_path: Path) -> None:
    robot = five_bar(0.2, 0.25, 0.35)
    again(robot, tmp_path, ".urdf")
    (tmp_path / "robot.loops.yaml").unlink()
    path = tmp_path / "robot.urdf"
    back = require_robot(read_file(path, discover()), path)
    closure = closure_of(back)
    assert closure is not None
    assert closure.residual < 1e-12
    assert [one.kind for one in back.loops] == [LoopKind.CONNECT]
    assert robot.mobility.rank == back.mobility.rank == 2


def test_link_with_two_parents_is_a_loop(tmp_path: Path) -> None:
    # A square of four links; the last one has two parents.
    corners = [(0, 0), (1, 0), (1, 1), (0, 1)]
    assert planar_linkage(np.array(corners, dtype=float)).mobility.rank == 2
    links = "".join(f'<link name="{name}"/>' for name in "abcd")
    joints = "".join(
        f'<joint name="{name}" type="{kind}"><origin xyz="{xyz}"/><parent link="{base}"/><child link="{moves}"/>'
        '<axis xyz="0 0 1"/></joint>'
        for name, kind, xyz, base, moves in (
            ("j1", "continuous", "0 0 0", "a", "b"),
            ("j2", "continuous", "1 0 0", "b", "c"),
            ("j3", "continuous", "0 1 0", "a", "d"),
            ("j4", "continuous", "0 1 0", "c", "d2"),
        )
    )
    text = f'<robot name="square">{links}{joints}</robot>'.replace('"d2"', '"d"').replace('"0 1 0" base', "")
    path = tmp_path / "square.urdf"
    path.write_text(text)
    imported = read_file(path, discover())
    robot = require_robot(imported, path)
    assert [joint.name for joint in robot.joints] == ["j1", "j2", "j3"]
    (loop,) = robot.loops
    assert (loop.name, loop.kind, loop.items) == ("j4", LoopKind.REVOLUTE, ("c", "d"))
    assert any("joint j4 closes a loop between c and d" in one.message for one in imported.findings)
    closure = closure_of(robot)
    assert closure is not None
    assert closure.residual < 1e-12
    path.write_text(text.replace('name="j4" type="continuous"', 'name="j4" type="planar"'))
    assert read_file(path, discover()).findings[0].code == 203


def test_bushings_of_drake_are_read_and_written_back(tmp_path: Path) -> None:
    bushing = (
        '<frame name="fa" link="b" xyz="1 0 0" rpy="0 0 0"/><frame name="fc" link="c" xyz="0 0 0" rpy="0 0 0"/>'
        '<drake:linear_bushing_rpy><drake:bushing_frameA name="fa"/><drake:bushing_frameC name="fc"/>'
        '<drake:bushing_torque_stiffness value="5 0 5"/><drake:bushing_torque_damping value="0 0 0"/>'
        '<drake:bushing_force_stiffness value="1e4 1e4 1e4"/><drake:bushing_force_damping value="9 9 9"/>'
        "</drake:linear_bushing_rpy>"
    )
    joints = "".join(
        f'<joint name="{name}" type="continuous"><origin xyz="{xyz}"/><parent link="a"/><child link="{moves}"/>'
        '<axis xyz="0 1 0"/></joint>'
        for name, xyz, moves in (("j1", "0 0 0", "b"), ("j2", "1 0 0", "c"))
    )
    links = "".join(f'<link name="{name}"/>' for name in "abc")
    path = tmp_path / "arm.urdf"
    path.write_text(f'<robot name="arm" xmlns:drake="https://drake.mit.edu">{links}{joints}{bushing}</robot>')
    robot = require_robot(read_file(path, discover()), path)
    (loop,) = robot.loops
    assert loop.kind is LoopKind.REVOLUTE
    np.testing.assert_allclose(loop.poses[0][:3, 2], (0, 1, 0), atol=1e-12)
    (tmp_path / "out").mkdir()
    again(robot, tmp_path / "out", ".urdf")
    written = (tmp_path / "out/robot.urdf").read_text()
    assert '<drake:bushing_torque_stiffness value="5.0 0.0 5.0"' in written
    (tmp_path / "out/robot.loops.yaml").unlink()
    back = require_robot(read_file(tmp_path / "out/robot.urdf", discover()), path)
    np.testing.assert_allclose(back.loops[0].poses[0], loop.poses[0], atol=1e-9)


def test_urdf_has_mimic_joints_for_a_parallelogram(tmp_path: Path) -> None:
    robot = planar_linkage(np.array([[0.0, 0.0], [0.05, 0.2], [0.35, 0.2], [0.3, 0.0]]))
    back = again(robot, tmp_path, ".urdf")
    assert not back.loops
    assert not (tmp_path / "robot.loops.yaml").exists()
    assert sorted(joint.mimic.ratio for joint in back.joints if joint.mimic) == [-1.0, 1.0]
    vectors = np.linspace(-1.0, 1.0, 11)[:, None]
    ours, theirs = (forward_batch(robot_arrays(one), vectors) for one in (robot, back))
    assert np.abs(ours[:, -1, :3, 3] - theirs[:, back.item_index["link-3"], :3, 3]).max() < 1e-9
