"""The commands `rck fk` and `rck ik`."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

from rck.cli.main import cli


def run(*arguments):
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


def joints_of(line):
    words = [word for word in line.split() if "=" in word]
    return [float(word.partition("=")[2]) for word in words]


def test_fk_prints_pose_of_frame(puma):
    moved = run("fk", puma, "--pose", "arm/j1=90", "--json")
    assert moved.exit_code == 0, moved.output
    data = json.loads(moved.stdout)
    still = json.loads(run("fk", puma, "--json").stdout)
    here, there = (np.array(one["poses"]["hand"]) for one in (still, data))
    # A quarter turn about the vertical: x becomes y.
    np.testing.assert_allclose(there[:3, 3], (-here[1, 3], here[0, 3], here[2, 3]), atol=1e-12)
    assert data["joints"]["arm/j1"] == pytest.approx(np.pi / 2)


def test_robot_file_is_at_its_zero_and_an_assembly_where_it_was_saved(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "arm.xml").write_text("""<mujoco model="arm"><compiler angle="radian"/><worldbody><body name="b">
    <joint name="q" range="-1 2"/><geom size=".1" pos=".5 0 0"/></body></worldbody>
    <keyframe><key name="home" qpos="1.5"/></keyframe></mujoco>""")
    assert run("import", "arm.xml", "-o", "arm.rck").exit_code == 0

    def position(*arguments):
        return pytest.approx(next(iter(json.loads(run("fk", *arguments, "--json").stdout)["joints"].values())))

    assert position("arm.xml") == 0.0
    assert position("arm.xml", "--pose", "home") == 1.5
    # An import stands at home; there the pose is called arm/home.
    assert position("arm.rck") == 1.5
    assert position("arm.rck", "--pose", "q=0", "--pose", "home") == 1.5


def test_ik_inverts_fk(puma):
    given = {"arm/j1": 10, "arm/j2": 40, "arm/j3": -100, "arm/j4": 20, "arm/j5": 30, "arm/j6": 40}
    poses = [word for name, value in given.items() for word in ("--pose", f"{name}={value}")]
    line = next(line for line in run("fk", puma, *poses).stdout.splitlines() if line.startswith("hand"))
    x, y, z, _, r, p, w, _ = line.split()[1:]
    answer = run("ik", puma, f"--to={x},{y},{z},{r},{p},{w}", *poses)
    assert answer.exit_code == 0, answer.output
    # The page shows hundredths of millimetres and degrees.
    np.testing.assert_allclose(joints_of(answer.stdout), list(given.values()), atol=0.05)
    assert "(right" in answer.stdout


def test_ik_lists_all_solutions_and_selects_configuration(puma):
    goal = "--to=400,150,900,0,60,0"
    every = run("ik", puma, goal, "--all", "--json")
    assert every.exit_code == 0, every.output
    data = json.loads(every.stdout)
    assert data["complete"]
    assert len(data["solutions"]) == len(set(data["configurations"])) > 1
    wanted = data["configurations"][-1]
    picked = json.loads(run("ik", puma, goal, "--configuration", wanted, "--json").stdout)
    assert picked["configurations"] == [wanted]
    assert picked["solutions"] == [data["solutions"][-1]]


def test_three_numbers_are_a_position(puma):
    answer = run("ik", puma, "--to=500,100,600", "--json")
    assert answer.exit_code == 0, answer.output
    joints = json.loads(answer.stdout)
    poses = [
        f"{name}={np.degrees(value)}" for name, value in zip(joints["joints"], joints["solutions"][0], strict=True)
    ]
    options = [word for pose in poses for word in ("--pose", pose)]
    hand = np.array(json.loads(run("fk", puma, *options, "--json").stdout)["poses"]["hand"])
    np.testing.assert_allclose(hand[:3, 3], (0.5, 0.1, 0.6), atol=2e-6)


def test_target_out_of_reach_is_refused_with_closest_pose(puma):
    answer = run("ik", puma, "--to=2000,0,600,0,90,0", "--budget", "20")
    assert answer.exit_code == 1
    assert "the target is out of reach of hand" in answer.stderr
    assert "nearest:" in answer.stderr


def test_invalid_arguments_are_usage_errors(puma):
    for words in (["--to=1,2"], ["--to=a,b,c"], ["--to=1,2,3", "--axis"], ["--to=1,2,3", "--pose", "j1"]):
        assert run("ik", puma, *words).exit_code == 2


def test_choose_option_selects_solution(puma):
    goal = ("--to", "400,150,900,0,60,0", "--json")
    every = json.loads(run("ik", puma, *goal, "--all").stdout)["solutions"]
    chosen = {
        how: json.loads(run("ik", puma, *goal, "--choose", how).stdout)["solutions"]
        for how in ("nearest", "safest", "small-nearest")
    }
    # Whole turns are free, so compare what lies within one.
    for how, rows in chosen.items():
        assert len(rows) == 1, how
        assert min(np.abs(np.sin((np.array(rows[0]) - other) / 2)).max() for other in np.array(every)) < 1e-6
    assert np.abs(chosen["nearest"][0]).max() == min(np.abs(row).max() for row in np.array(every))
    # No solution is within 45 degrees of where the arm stands.
    assert chosen["small-nearest"] == chosen["safest"]
    frozen = json.loads(run("ik", puma, *goal, "--choose", "frozen").stdout)
    assert frozen["configurations"] == ["right down noflip"]
