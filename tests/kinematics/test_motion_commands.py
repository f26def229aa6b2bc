"""The commands `rck path` and `rck reach`."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

from rck.cli.main import cli

STANDING = ("--pose", "arm/j2=45", "--pose", "arm/j3=-180", "--pose", "arm/j5=30")


def run(*arguments):
    return CliRunner().invoke(cli, [str(argument) for argument in arguments])


def test_line_is_printed_and_written_as_table(puma, tmp_path):
    out = tmp_path / "line.csv"
    done = run("path", puma, *STANDING, "--to", "600,0,700", "--by", "line", "--tool-speed", 100, "-o", out)
    assert done.exit_code == 0, done.output
    assert "arm/j1" in done.stdout
    rows = out.read_text().splitlines()
    assert rows[0] == "time_s," + ",".join(f"arm/j{n}_deg" for n in range(1, 7))
    last = [float(word) for word in rows[-1].split(",")[1:]]
    settings = [word for n, angle in enumerate(last, 1) for word in ("--pose", f"arm/j{n}={angle}")]
    poses = json.loads(run("fk", puma, *settings, "--json").stdout)["poses"]
    np.testing.assert_allclose(np.array(poses["hand"])[:3, 3], (0.6, 0.0, 0.7), atol=1e-5)


def test_joint_goals_are_written_as_event_file(puma, tmp_path):
    out = tmp_path / "run.events"
    done = run("path", puma, *STANDING, "--to", "arm/j1=30,arm/j5=10", "--to", "arm/j1=0", "--smoothing", 5, "-o", out)
    assert done.exit_code == 0, done.output
    numbers = out.read_text().split()
    events = np.array(numbers[1:], dtype=float).reshape(-1, 9)
    assert len(events) == int(numbers[0])
    total = sum(action for joint, action in events[:, 1:3] if joint == 4)
    assert total == pytest.approx(-20, abs=1e-3)


def test_fast_arc_is_extended_with_warning(puma):
    done = run(
        "path", puma, *STANDING, "--to", "600,100,700", "--to", "550,0,700", "--by", "arc", "--duration", 0.1, "--json"
    )
    assert done.exit_code == 0, done.output
    data = json.loads(done.stdout)
    assert data["duration"] > 0.1
    assert [finding["code"] for finding in data["findings"]] == [903]
    assert len(data["times"]) == len(data["positions"])


@pytest.mark.parametrize("by", ["line", "joints"])
def test_goal_out_of_reach_writes_no_file(puma, tmp_path, by):
    out = tmp_path / "far.csv"
    refused = run("path", puma, *STANDING, "--to", "5000,0,700", "--by", by, "-o", out)
    assert refused.exit_code == 1
    assert "RCK901" in refused.stderr
    assert not out.exists()


@pytest.fixture(scope="module")
def walled(tmp_path_factory):
    folder = tmp_path_factory.mktemp("walled")
    script, file = folder / "walled.rcks", folder / "walled.rck"
    script.write_text("create universal-robots/ur5e arm\nmake box wall size=800,20,1500\nmove wall -300,-600,0\n")
    assert run("run", script, file).exit_code == 0
    return file


@pytest.mark.parametrize("goal", ["arm/shoulder-pan=90", "-300,-700,300,180,0,0"])
def test_path_through_a_wall_is_refused_and_not_written(walled, tmp_path, goal):
    out = tmp_path / "path.csv"
    command = ("path", walled, "--pose", "arm/shoulder-pan=-30", "--to", goal, "-o", out)
    refused = run(*command)
    assert refused.exit_code == 1
    assert "RCK905" in refused.stderr
    assert "collides with wall/body" in refused.stderr
    assert not out.exists()
    assert [one["code"] for one in json.loads(run(*command, "--json").stdout)["findings"]] == [905]
    assert run(*command, "--no-collisions").exit_code == 0
    assert out.exists()
    # Away from the wall.
    assert run("path", walled, "--to", "arm/shoulder-pan=-90").exit_code == 0


def test_contact_at_the_start_of_a_path_is_a_warning(walled):
    done = run("path", walled, "--pose", "arm/shoulder-pan=60", "--to", "arm/shoulder-pan=61", "--json")
    assert done.exit_code == 0, done.output
    assert {one["code"] for one in json.loads(done.stdout)["findings"]} == {913}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--to", "1,2"), "3 or 6 numbers"),
        (("--to", "arm/j1=3", "--by", "line"), "use --by joints"),
        (("--to", "1,2,3", "--by", "arc"), "two goals"),
        (("--to", "1,2,3", "--step", "0"), "above zero"),
        (("--to", "1,2,3", "--tool-speed", "nan"), "above zero"),
        (("--to", "1,2,3", "--smoothing", "-1"), "not be negative"),
    ],
)
def test_invalid_goals_are_usage_errors(puma, arguments, message):
    refused = run("path", puma, *arguments)
    assert refused.exit_code == 2
    assert message in refused.output


def test_reach_prints_workspace_and_writes_three_formats(puma, tmp_path):
    outs = [tmp_path / f"map.{ending}" for ending in ("csv", "ply", "png")]
    written = [word for out in outs for word in ("-o", out)]
    done = run("reach", puma, "--cell", 300, "--samples", 500, "--turns", 2, "--json", "--show", *written)
    assert done.exit_code == 0, done.output
    *picture, last = done.stdout.splitlines()
    assert len(picture) >= 8
    data = json.loads(last)
    assert 0 < data["reachable"] < 1
    assert 0.5 < data["collision_free"] <= 1
    assert len(outs[0].read_text().splitlines()) == 1 + data["cells"]
    assert outs[1].read_bytes().startswith(b"ply\n")
    assert outs[2].read_bytes().startswith(b"\x89PNG")


def test_reach_finds_base_placement_that_reaches_all_goals(puma, tmp_path):
    goals, out = tmp_path / "goals.csv", tmp_path / "study.csv"
    goals.write_text("# positioner\n400,150,900,0,60,0\n1200,0,700,180,0,0\n")
    done = run("reach", puma, "--goals", goals, "--x", "0:600:300", "--turn", "0:90:90", "-o", out)
    assert done.exit_code == 0, done.output
    assert "6 base placements were tried" in done.stdout
    rows = [line.split(",") for line in out.read_text().splitlines()]
    reached = rows[0].index("reached")
    assert {row[reached] for row in rows[1:]} >= {"1", "2"}
    assert run("reach", puma, "--goals", goals).exit_code == 1


def test_reach_prints_pose_of_rotated_base(tmp_path):
    script, arm, goals = tmp_path / "arm.rcks", tmp_path / "arm.rck", tmp_path / "goals.csv"
    script.write_text("create universal-robots/ur5e arm\nmove arm 250,0,0\n")
    goals.write_text("400,100,400,180,0,0\n")
    assert run("run", script, arm).exit_code == 0
    done = run("reach", arm, "--goals", goals, "--turn", 90)
    x, y, z, roll, pitch, yaw = (float(word) for word in done.stdout.splitlines()[1].split()[:6])
    assert (x, y, z) == pytest.approx((250, 0, 0), abs=1e-6)
    assert (roll, pitch, yaw) == pytest.approx((0, 0, 90), abs=1e-6)


def test_unreadable_goals_are_reported_once(puma, tmp_path):
    goals = tmp_path / "goals.csv"
    goals.write_text("400,150\n")
    refused = run("reach", puma, "--goals", goals)
    assert refused.exit_code != 0
    assert "goals.csv line 1 takes 3 or 6 numbers" in str(refused.exception)
    assert run("reach", puma, "--x", "1:2", "--goals", goals).exit_code != 0
    assert run("reach", puma, "-o", tmp_path / "map.stl").exit_code == 2
