"""The command `rck render`."""

import io
import os
import re
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest
from click.testing import CliRunner

from rck.cli.main import cli
from rck.exporting.export import export
from rck.hooks import discover
from rck.hooks.file_exchange import read_file
from rck.model import EventList, JointEvent, with_positions
from rck.simulation.events import from_event_list
from rck.simulation.recording import record, save_recording
from rck.simulation.simulation import Simulation
from rck.testing.robots import six_axis_arm


@pytest.fixture(scope="module")
def arm(tmp_path_factory):
    """A robot in a file, in the seed simulator's format."""
    path = tmp_path_factory.mktemp("arm") / "arm.robot"
    plugins = discover()
    written, _ = export(six_axis_arm(), path, plugins, {}, "robot-file")
    return written[0]


@pytest.fixture(scope="module")
def assembly(tmp_path_factory):
    """An assembly of two pieces from the catalogue."""
    folder = tmp_path_factory.mktemp("assembly")
    script = folder / "script"
    commands = ["create structure/round-base base", "create robotis/xm540-w270 yaw", "mate base.top yaw.back --force"]
    script.write_text("\n".join([*commands, "tool grip yaw.horn"]))
    done = CliRunner().invoke(cli, ["run", str(script), str(folder / "stand.rck")], standalone_mode=False)
    assert done.exception is None, done.output
    return folder / "stand.rck"


def render(*arguments, **environment):
    return CliRunner(env={"NO_COLOR": None, "FORCE_COLOR": None, "COLUMNS": "40", "LINES": "14"} | environment).invoke(
        cli, ["render", *map(str, arguments)], standalone_mode=False
    )


def pixels(path):
    image = pytest.importorskip("PIL.Image", reason="Pillow (pip install pillow) is not installed")
    return np.array(image.open(io.BytesIO(path.read_bytes())).convert("RGB"))


def test_picture_file_is_reproducible(arm, tmp_path):
    out = tmp_path / "arm.png"
    done = render(arm, "-o", out, "--size", "120x80")
    assert done.stdout == f"wrote {out}: 120 x 80 pixels\n"
    assert pixels(out).shape == (80, 120, 3)
    first = out.read_bytes()
    render(arm, "-o", out, "--size", "120x80")
    assert out.read_bytes() == first


@pytest.mark.parametrize(
    "options",
    [
        ["--view", "top"],
        ["--parallel"],
        ["--wire", "--hidden", "dashed"],
        ["--joints"],
        ["--select", "item2"],
        ["--pose", "joint2=40", "--pose", "joint3=0.5rad"],
        ["--bare"],
        ["--theme", "light"],
        ["--eye", "1,-1,500mm", "--target", "0,0,0.2"],
        ["--target", "0.3,0,0"],
        ["--angle", "60deg"],
        ["--near", "1.4"],
    ],
)
def test_every_option_changes_the_picture(arm, tmp_path, options):
    plain, changed = tmp_path / "plain.png", tmp_path / "changed.png"
    assert render(arm, "-o", plain, "--size", "90x60").exception is None
    assert render(arm, "-o", changed, "--size", "90x60", *options).exception is None
    assert (pixels(plain) != pixels(changed)).any()


def test_turntable_is_a_gif_of_one_turn(arm, tmp_path):
    image = pytest.importorskip("PIL.Image", reason="Pillow (pip install pillow) is not installed")
    out = tmp_path / "arm.gif"
    done = render(arm, "-o", out, "--size", "60x40", "--turntable", "4")
    assert "4 frames" in done.output
    frames = image.open(out)
    assert frames.n_frames == 4
    shots = []
    for number in range(4):
        frames.seek(number)
        shots.append(np.array(frames.convert("RGB")).astype(int))
    assert all((a != b).any() for a, b in pairwise(shots))


def test_rib_file_has_the_camera_of_the_picture(arm, tmp_path):
    done = render(arm, "-o", tmp_path / "arm.rib", "--size", "90x60", "--eye", "1,-2,0.5", "--target", "0,0,0.25")
    assert done.output.startswith(f"wrote {tmp_path / 'arm.rib'}\n")
    text = (tmp_path / "arm.rib").read_text()
    assert "Format 90 60 1\n" in text
    camera_from_world = np.array(re.search(r"Transform \[(.*?)\]", text)[1].split(), dtype=float).reshape(4, 4).T
    assert camera_from_world @ (1, -2, 0.5, 1) == pytest.approx((0, 0, 0, 1), abs=1e-9)
    ahead = camera_from_world @ (0, 0, 0.25, 1)
    assert ahead == pytest.approx((0, 0, np.linalg.norm((1, 2, 0.25)), 1), abs=1e-9)


def test_rib_turntable_has_one_file_per_frame(arm, tmp_path):
    done = render(arm, "-o", tmp_path / "arm.rib", "--turntable", "3")
    assert done.output.startswith(f"wrote {tmp_path / 'arm.0001.rib'} and 2 more\n")
    assert len({path.read_bytes() for path in tmp_path.glob("arm.000?.rib")}) == 3


@pytest.fixture
def recording(arm, tmp_path):
    """A run of a second and a half in which the first joint turns by a right angle."""
    robot = read_file(arm, discover()).robot
    first = robot.joint_index[robot.free_joints[0].name]
    events = from_event_list(EventList((JointEvent(1, first, 90.0, 0, 150),)), robot)
    path = tmp_path / "run.csv"
    save_recording(record(Simulation(robot, events, collisions=False)), path)
    return path


def test_recording_becomes_rib_files_up_to_its_end(arm, recording, tmp_path):
    render(arm, "-o", tmp_path / "run.rib", "--run", recording, "--rate", "4")
    files = sorted(tmp_path.glob("run.*.rib"))
    assert [path.name for path in files] == [f"run.{number:04d}.rib" for number in range(1, 8)]
    robot = read_file(arm, discover()).robot
    turned = with_positions(robot, {robot.free_joints[0].name: robot.positions[0] + np.pi / 2})
    for path, there in ((files[0], robot), (files[-1], turned)):
        matrices = re.findall(r"ConcatTransform \[(.*?)\]", path.read_text())
        poses = [np.array(one.split(), dtype=float).reshape(4, 4).T for one in matrices]
        assert np.array(poses) == pytest.approx(np.array([item.pose for item in there.items]), abs=1e-9)


def test_recording_becomes_a_gif_with_the_frame_rate(arm, recording, tmp_path):
    image = pytest.importorskip("PIL.Image", reason="Pillow (pip install pillow) is not installed")
    done = render(arm, "-o", tmp_path / "run.gif", "--run", recording, "--rate", "4", "--size", "60x40")
    assert "7 frames" in done.output
    frames = image.open(tmp_path / "run.gif")
    assert frames.n_frames == 7
    assert frames.info["duration"] == 250


def test_picture_is_printed_with_its_camera_without_an_output_file(arm):
    done = render(arm)
    lines = done.stdout.splitlines()
    assert len(lines) == 13
    assert "\x1b" not in done.output
    assert max(map(len, lines[:12])) == 40
    assert lines[-1].startswith("arm   --eye ")
    assert "grid 100 mm" in lines[-1]


def test_terminal_gets_colours_unless_they_are_disabled(arm):
    assert "\x1b[38;5;" in render(arm, FORCE_COLOR="1", TERM="xterm-256color").output
    assert ";2;" in render(arm, FORCE_COLOR="1", TERM="xterm", COLORTERM="truecolor").output
    sixteen = render(arm, FORCE_COLOR="1", TERM="xterm", COLORTERM="").output
    assert "\x1b[" in sixteen
    assert ";5;" not in sixteen
    assert "\x1b" not in render(arm, FORCE_COLOR="1", NO_COLOR="1", TERM="xterm").output


def test_wireframes_are_printed_in_braille(arm):
    assert any(0x2800 < ord(letter) < 0x2900 for letter in render(arm, "--wire").output)


@pytest.mark.parametrize("option", ["--ports", "--frames"])
def test_free_ports_and_tools_are_shown(assembly, tmp_path, option):
    plain, marked = tmp_path / "plain.png", tmp_path / "marked.png"
    assert render(assembly, "-o", plain, "--size", "90x60").exception is None
    assert render(assembly, "-o", marked, "--size", "90x60", option).exception is None
    assert (pixels(plain) != pixels(marked)).any()
    # A joint can be named by the end of its name.
    assert render(assembly, "-o", marked, "--size", "90x60", "--pose", "axis=30").exception is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--size", "big"], "not a size in pixels"),
        (["--size", "0x5"], "not a size in pixels"),
        (["-o", "arm.bmp"], r"image files are \.png, \.gif or \.rib"),
        (["--turntable", "8"], r"add -o OUT\.gif"),
        (["--turntable", "8", "-o", "arm.png"], r"add -o OUT\.gif"),
        (["-o", "arm.rib", "--wire"], "RIB files do not support"),
        (["-o", "arm.gif", "--rate", "0"], "must be from 0.1 to 100"),
        (["--pose", "joint-9=3"], "there is no movable joint called joint-9"),
        (["--pose", "joint1"], "neither JOINT=VALUE"),
        (["--pose", "joint1=3kg"], "kg is a unit of mass"),
        (["--select", "hand"], "no item or instance 'hand'"),
        (["--eye", "1,2"], "give three lengths"),
        (["--angle", "200deg"], "field of view"),
        (["--ports"], "only assemblies"),
    ],
)
def test_wrong_options_are_refused_with_the_reason(arm, options, message):
    done = render(arm, *options)
    assert done.exception is not None
    assert re.search(message, str(done.exception))


def test_numba_is_not_imported_before_a_picture_is_drawn():
    code = "import sys, rck.rendering, rck.cli.render; print('numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=os.environ, check=True)
    assert done.stdout == "False\n"
