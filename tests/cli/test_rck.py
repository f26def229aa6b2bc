"""Command line: output, exit statuses, and errors without tracebacks."""

import contextlib
import io
import json
import os
import pty
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from rck.cli.main import main

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
ROBOT = Path(__file__).parent.parent / "formats" / "data" / "simple.robot"


def rck(*words, cwd=None, text=None):
    command = [sys.executable, "-m", "rck.cli", *map(str, words)]
    return subprocess.run(command, cwd=cwd, input=text, capture_output=True, text=True, check=False)


def called(*words):
    """Run `rck`; return its exit status and its output."""
    printed = io.StringIO()
    with (
        contextlib.redirect_stdout(printed),
        contextlib.redirect_stderr(printed),
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr(sys, "argv", ["rck", *words])
        with pytest.raises(SystemExit) as ended:
            main()
    return ended.value.code, printed.getvalue()


def test_help_lists_every_command_and_imports_nothing_heavy():
    code = (
        "import sys; sys.argv = ['rck', '--help']\n"
        "from rck.cli.main import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'scipy', 'numba', 'textual', 'trimesh', 'ezdxf', 'msgspec', 'yaml'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for name in ("show", "check", "import", "export", "parts", "run", "plugins", "bench", "demo"):
        assert name in done.stdout


def test_part_is_shown_with_its_figures_and_brakes():
    status, shown = called("parts", "show", "universal-robots/ur5e")
    assert status == 0
    assert "  payload: 5 kg\n" in shown
    assert "  brakes: yes\n" in shown
    assert "brakes" not in called("parts", "show", "objects/cube")[1]


def test_a_script_builds_a_file_that_show_check_and_export_understand(tmp_path):
    arm = str(tmp_path / "arm.rck")
    assert rck("run", EXAMPLES / "desk-arm.rcks", arm).returncode == 0
    status, shown = called("show", arm)
    assert status == 0
    assert "shoulder/axis" in shown
    ports = called("show", arm, "--ports")[1].removeprefix(shown)
    assert all(line.startswith("◇ ") for line in ports.splitlines())
    assert "◇ hand.tip " in ports
    checked = rck("check", arm, "--json")
    assert checked.returncode == 0
    assert [(one["code"], one["severity"]) for one in json.loads(checked.stdout)] == [(410, "note")]
    assert called("export", arm, str(tmp_path / "arm.robot"))[0] == 0
    assert (tmp_path / "arm.robot").exists()


def test_script_from_standard_input_is_applied_entirely_or_not_at_all(tmp_path):
    done = rck("run", "-", "x.rck", cwd=tmp_path, text="create objects/cube\ncreate nothing/here\n")
    assert done.returncode == 2
    assert ":2:" in done.stderr
    assert not (tmp_path / "x.rck").exists()


def test_an_import_becomes_an_assembly_with_the_same_robot(tmp_path):
    done = rck("import", ROBOT, "-o", tmp_path / "simple.rck")
    assert done.returncode == 0, done.stderr
    before = json.loads(called("show", str(ROBOT), "--json")[1])
    after = json.loads(called("show", str(tmp_path / "simple.rck"), "--json")[1])
    assert after["mass"] == pytest.approx(before["mass"], rel=1e-9)
    assert len(after["items"]) == len(before["items"])
    assert len(after["joints"]) == len(before["joints"])


@pytest.fixture
def workshop(tmp_path, monkeypatch):
    """Return a folder with an arm, an image under two names, and scripts with one error each."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(EXAMPLES / "desk-arm.rck", tmp_path / "arm.rck")
    for name in ("picture.png", "picture.stl"):
        (tmp_path / name).write_bytes(b"\x89PNG\r\n\x1a\n")
    (tmp_path / "part.rcks").write_text("create robotis/xm430-w35 a\n")
    (tmp_path / "port.rcks").write_text(
        "create robotis/xm430-w350 a\ncreate stepperonline/17hs19-2004s1 motor --at a.horn --by face\n"
    )
    (tmp_path / "junk.csv").write_text("a,b\n1,2\n")
    (tmp_path / "far.events").write_text("1\n0 99 1\n0 0 0\n0 1 0\n")
    for name in ("empty.dxf", "empty.rck"):
        (tmp_path / name).touch()
    (tmp_path / "heavy.rcks").write_text("make sphere s diameter=10 mass=-1\n")
    (tmp_path / "latin.rcks").write_bytes(b"# gr\xfcn\n")
    (tmp_path / "word.rcks").write_text("craete objects/cube\n")
    return tmp_path


@pytest.mark.parametrize(
    ("words", "said", "status"),
    [
        (["shwo"], "did you mean show", 2),
        (["show", "missing.rck"], "missing.rck", 2),
        (["parts", "no-such-thing-at-all"], "0 of", 1),
        (["parts", "show", "robotis/xm540-w27"], "did you mean", 2),
        (["parts", "payloda>=3kg"], "did you mean payload", 2),
        (["parts", "payload>=3parsec"], "parsec", 2),
        (["parts", "mass<"], "mass<: a value is missing", 2),
        (["plugins", "info", "nothing"], "no plugin", 2),
        (["bench", "nothing"], "unknown benchmark", 2),
        (["import", "picture.png"], "no importer recognises this file; known endings: ", 2),
        (["import", "picture.stl"], "the ending says mesh, but not the content", 2),
        (["export", "arm.rck", "arm.docx"], "no exporter of robot writes .docx; known extensions: ", 2),
        (["export", "arm.rck", "picture.png/arm.urdf"], "a file is where a folder should be", 2),
        (["export", "arm.rck", "nowhere/at/all/arm.urdf"], "there is no folder nowhere/at/all", 2),
        (["export", "arm.rck", "nowhere/all", "--all"], "there is no folder nowhere", 2),
        (["render", "arm.rck", "-o", "nowhere/arm.png"], "there is no folder nowhere", 2),
        (["new", "nowhere/new.rck"], "there is no folder nowhere", 2),
        (["export", "arm.rck", "/proc/arm.robot"], "/proc/arm.robot: ", 2),
        (["render", "arm.rck", "-o", "arm.jpg"], "image files are .png, .gif or .rib", 2),
        (["simulate", "arm.rck", "arm.rck"], "arm.rck is neither an event file nor a program; ", 2),
        (
            ["simulate", "arm.rck", "junk.csv"],
            "neither an event file nor a program; event files are .events ",
            2,
        ),
        (["import", "empty.dxf"], "empty.dxf is empty", 2),
        (["show", "empty.rck"], "empty.rck: the file is empty", 2),
        (["run", "heavy.rcks", "new.rck"], "mass must not be negative: -1", 2),
        (["ik", "arm.rck", "--to", "5000,0,0"], "the target is out of reach of grip", 1),
        (["fk", "arm.rck", "--pose", "sholder/axis=3"], "did you mean shoulder/axis?", 2),
        (["fk", "arm.rck", "--pose", "1=30"], "known: waist/axis, shoulder/axis", 2),
        (["fk", "arm.rck", "--pose", "shoulder/axis=1e300"], "position 1e300 is out of range", 2),
        (["fk", "arm.rck", "--pose", "shoulder/axis=nan"], "nan", 2),
        (["render", "arm.rck", "--pose", "shoulder/axis=170"], "joint shoulder/axis: 170° is outside its limits, ", 0),
        (["collide", "arm.rck", "--pose", "shoulder/axis=170"], "joint shoulder/axis: 170° is outside its limits", 1),
        (["collide", "arm.rck", "--pose", "reach,elbow/axis=50 deg"], "no contacts", 0),
        (["fk", "arm.rck", "--pose", "reech"], "(did you mean reach?); poses: folded, reach", 2),
        (
            ["simulate", "arm.rck", "far.events"],
            "far.events:2: event 0 moves joint 99, but joints are numbered 0 to",
            2,
        ),
        (["run", "latin.rcks", "new.rck"], "latin.rcks: not a UTF-8 text file", 2),
        (["run", "part.rcks", "new.rck"], "did you mean robotis/xm430-w350?", 2),
        (["run", "port.rcks", "new.rck"], "robotis-x430-horn does not fit nema17: no holes coincide (8 x M2", 2),
        (["run", "word.rcks", "new.rck"], "unknown command 'craete' (did you mean create?)", 2),
        (["edit", "picture.png"], "no importer recognises this file; known endings: ", 2),
        (["edit", "absent.urdf"], "absent.urdf does not exist; the name of a new assembly ends in .rck", 2),
    ],
)
def test_user_error_prints_one_message_and_no_traceback(workshop, words, said, status):
    """Call `main` in this process, as `rck` does, to include its error handling."""
    answer, printed = called(*words)
    assert answer == status
    assert said in printed
    assert not (workshop / "new.rck").exists()


def test_user_error_sets_the_exit_status(tmp_path):
    done = rck("show", "missing.rck", cwd=tmp_path)
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)


def test_edit_is_refused_on_a_dumb_terminal(monkeypatch, workshop):
    monkeypatch.setenv("TERM", "dumb")
    leader, follower = pty.openpty()
    command = [sys.executable, "-m", "rck.cli", "edit", "arm.rck"]
    done = subprocess.run(command, stdin=follower, stdout=follower, stderr=subprocess.PIPE, text=True, check=False)
    os.close(leader)
    os.close(follower)
    assert done.returncode == 2
    assert "TERM=dumb" in done.stderr


def test_output_without_colour_contains_no_escape_sequences(monkeypatch, workshop):
    monkeypatch.setenv("NO_COLOR", "1")
    status, printed = called("render", "arm.rck")
    assert status == 0
    assert "\x1b" not in printed
    assert len(set(printed)) > 4


def test_damaged_file_is_refused_with_file_line_and_key(tmp_path):
    (tmp_path / "bad.rck").write_text("rck: 1\nname: bad\nparts:\n  a: {prat: x}\n")
    done = rck("show", "bad.rck", cwd=tmp_path)
    assert done.returncode == 2
    assert "bad.rck:4" in done.stderr
    assert "part" in done.stderr
    assert "Traceback" not in done.stderr


def test_rck_without_arguments_and_terminal_prints_help():
    done = rck()
    assert done.returncode == 0
    assert "Commands" in done.stdout
