"""Loops in the command language: mate --loop, rename, remove, undo and saving."""

from pathlib import Path

import numpy as np
import pytest

from rck.hooks import discover
from rck.language.session import Session, new_session, open_session
from rck.model import RckError
from rck.model.closure import closure_of

FOUR_BAR = """\
create structure/bar-link ground length=400
create structure/bar-link crank length=100
create structure/bar-link coupler length=350
create structure/bar-link rocker length=300
mate ground.a-top crank.a --joint continuous --name crank
mate crank.b coupler.a --joint continuous --name elbow
mate ground.b rocker.a --joint continuous --name swing
set joint crank position=90
"""
LOOP = "mate coupler.b-bottom rocker.b --loop connect --name pin\n"


def session_of(tmp_path: Path, *lines: str) -> Session:
    session = new_session(discover(), tmp_path, "edited", tmp_path / "edited.rck")
    session.run_script("".join(lines), "test")
    return session


def test_a_second_mate_offers_a_loop(tmp_path: Path) -> None:
    with pytest.raises(RckError, match=r"rocker is already attached .* or add --loop connect"):
        session_of(tmp_path, FOUR_BAR, "mate coupler.b-bottom rocker.b\n")


@pytest.mark.parametrize("kind", ["connect", "revolute"])
def test_a_loop_closes_and_moves_the_other_joints(tmp_path: Path, kind: str) -> None:
    session = session_of(tmp_path, FOUR_BAR, LOOP.replace("connect", kind))
    built = session.compile()
    robot = built.unwrap().robot
    assert [joint.name for joint in robot.free_joints] == ["crank"]
    closure = closure_of(robot)
    assert closure is not None
    assert closure.residual < 1e-10
    assert robot.joint("crank").position == pytest.approx(1.5707963)
    assert not [finding for finding in built.findings if 211 <= finding.code <= 215]


def test_a_weld_that_cannot_close_is_reported(tmp_path: Path) -> None:
    session = session_of(tmp_path, FOUR_BAR.replace("length=300", "length=900"), LOOP)
    codes = [finding.code for finding in session.compile().findings]
    assert codes.count(211) == 1


def test_loops_follow_rename_remove_undo_and_saving(tmp_path: Path) -> None:
    session = session_of(tmp_path, FOUR_BAR, LOOP, "rename coupler rod\n")
    assert session.assembly.loops["pin"].items == ("rod/link", "rocker/link")
    session.run_script("save\n", "test")
    again = open_session(discover(), tmp_path / "edited.rck")
    assert again.assembly.loops == session.assembly.loops
    session.run_script("remove loop pin\n", "test")
    assert not session.assembly.loops
    session.run_script("undo\n", "test")
    assert "pin" in session.assembly.loops
    session.run_script("remove rod --with-dependents\n", "test")
    assert not session.assembly.loops


def test_the_position_of_a_led_joint_chooses_the_branch(tmp_path: Path) -> None:
    first = session_of(tmp_path, FOUR_BAR, LOOP).compile().unwrap().robot
    swing = first.joint("swing").position
    robot = session_of(tmp_path, FOUR_BAR, LOOP, "set joint swing position=-100\n").compile().unwrap().robot
    assert robot.joint("crank").position == pytest.approx(1.5707963)
    assert robot.joint("swing").position == pytest.approx(-2.35, abs=0.8)
    assert swing > 0 or robot.joint("swing").position != pytest.approx(swing)


def test_options_of_joints_are_refused_for_loops(tmp_path: Path) -> None:
    with pytest.raises(RckError, match="--joint is not for loops"):
        session_of(tmp_path, FOUR_BAR, LOOP.replace("--loop", "--joint continuous --loop"))


def test_driving_a_led_joint_moves_the_free_joints(tmp_path: Path) -> None:
    session = session_of(tmp_path, FOUR_BAR, LOOP, "drive swing 120\n")
    robot = session.compile().unwrap().robot
    assert robot.joint("swing").position == pytest.approx(np.radians(120.0), abs=1e-9)
    assert robot.joint("crank").position == pytest.approx(np.radians(122.057264568), abs=1e-9)
    assert "swing" not in session.assembly.joints
    session.run_script("undo\n", "test")
    assert session.compile().unwrap().robot.joint("crank").position == pytest.approx(np.pi / 2)


def test_a_led_joint_is_not_driven_farther_than_its_loops_allow(tmp_path: Path) -> None:
    session = session_of(tmp_path, FOUR_BAR, LOOP)
    with pytest.raises(RckError, match=r"swing cannot go to 170 deg: its loops let it go to 141\.38 deg"):
        session.run_script("drive swing 170\n", "test")
    with pytest.raises(RckError, match="swing is moved by a loop; drive it alone"):
        session.run_script("drive swing 100 crank=10\n", "test")
