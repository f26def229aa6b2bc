"""A robot with a pose called `home` is shown in it; its zero configuration stays that of the file."""

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from rck import load, render
from rck.cli.main import cli
from rck.exporting.export import export
from rck.hooks import discover, file_exchange
from rck.language.session import Session, new_session
from rck.model.joint_positions import at_home_pose

mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")

ARM = Path(__file__).parents[2] / "examples" / "small-arm.xml"
HOME = {"arm/pan": 0.0, "arm/lift": -0.6, "arm/elbow": 1.2, "arm/wrist_pitch": 0.75}


def imported(tmp_path: Path) -> Session:
    session = new_session(discover(), tmp_path, "home", tmp_path / "home.rck")
    session.run_script(f'import "{ARM}" arm\n', "test")
    return session


def positions(session: Session) -> dict[str, float]:
    return {joint.name: joint.position for joint in session.compile().unwrap().robot.joints}


def test_imported_robot_is_shown_at_home_and_go_home_returns_to_it(tmp_path: Path) -> None:
    session = imported(tmp_path)
    assert {name: positions(session)[name] for name in HOME} == pytest.approx(HOME, abs=1e-12)
    session.do("drive arm/elbow 10")
    session.do("go home")
    assert {name: positions(session)[name] for name in HOME} == pytest.approx(HOME, abs=1e-12)
    session.do("explode arm")
    assert positions(session)["elbow"] == pytest.approx(1.2, abs=1e-12)


@pytest.mark.parametrize("line", ["show joints", "explode arm"])
def test_zero_configuration_and_keyframes_stay_those_of_the_file(line: str, tmp_path: Path) -> None:
    session = imported(tmp_path)
    session.do(line)
    export(session.compile().unwrap().robot, tmp_path / "out.xml", discover())
    original, exported = (mujoco.MjModel.from_xml_path(str(path)) for path in (ARM, tmp_path / "out.xml"))
    assert exported.nkey == original.nkey
    np.testing.assert_allclose(exported.qpos0, original.qpos0, atol=1e-12)
    np.testing.assert_allclose(exported.key_qpos, original.key_qpos, atol=1e-12)
    np.testing.assert_allclose(exported.key_ctrl, original.key_ctrl, atol=1e-12)


def test_pictures_of_a_file_show_it_at_home(tmp_path: Path) -> None:
    robot = file_exchange.read_file(ARM, discover()).robot
    assert robot is not None
    for folder in ("home", "zero", "shown"):
        (tmp_path / folder).mkdir()
    export(at_home_pose(robot), tmp_path / "home" / "arm.html", discover())
    export(robot, tmp_path / "zero" / "arm.html", discover())
    done = CliRunner().invoke(cli, ["export", str(ARM), str(tmp_path / "shown" / "arm.html")])
    assert done.exit_code == 0, done.output
    home, zero, shown = ((tmp_path / folder / "arm.html").read_bytes() for folder in ("home", "zero", "shown"))
    assert shown == home != zero


def test_pictures_of_python_programs_and_poses_of_the_command_line_start_from_home(tmp_path: Path) -> None:
    arm = load(ARM)
    home = [HOME.get(f"arm/{joint}", 0.02) for joint in arm.joints]
    assert arm.positions().tolist() == [0.0] * len(home)
    for name, q in (("default", None), ("home", home), ("zero", arm.positions())):
        render(arm, tmp_path / f"{name}.png", q, size=(120, 80))
    default, at_home, zero = ((tmp_path / f"{name}.png").read_bytes() for name in ("default", "home", "zero"))
    assert default == at_home != zero
    for number, pose in enumerate(("pan=30", "home,pan=30", "lift=0,pan=30")):
        out = tmp_path / f"{number}.png"
        done = CliRunner().invoke(cli, ["render", str(ARM), "-o", str(out), "--pose", pose, "--size", "120x80"])
        assert done.exit_code == 0, done.output
    first, second, third = ((tmp_path / f"{number}.png").read_bytes() for number in range(3))
    assert first == second != third


def test_home_that_limits_do_not_allow_is_the_nearest_position(tmp_path: Path) -> None:
    text = ARM.read_text(encoding="utf-8").replace('qpos="0 -.6 1.2', 'qpos="0 -.6 9')
    (tmp_path / "far.xml").write_text(text, encoding="utf-8")
    session = new_session(discover(), tmp_path, "home", tmp_path / "home.rck")
    session.run_script("import far.xml arm\n", "test")
    assert positions(session)["arm/elbow"] == pytest.approx(np.radians(150))
