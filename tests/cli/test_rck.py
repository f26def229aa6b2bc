"""The command line as a user meets it: answers, exit statuses, errors without tracebacks."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
ROBOT = Path(__file__).parent.parent / "formats" / "data" / "simple.robot"


def rck(*words, cwd=None, text=None):
    command = [sys.executable, "-m", "rck.cli", *map(str, words)]
    return subprocess.run(command, cwd=cwd, input=text, capture_output=True, text=True, check=False)


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


def test_a_script_builds_a_file_that_show_check_and_export_understand(tmp_path):
    assert rck("run", EXAMPLES / "desk-arm.rcks", tmp_path / "arm.rck").returncode == 0
    shown = rck("show", tmp_path / "arm.rck")
    assert shown.returncode == 0
    assert "shoulder/axis" in shown.stdout
    checked = rck("check", tmp_path / "arm.rck", "--json")
    assert checked.returncode == 0
    assert json.loads(checked.stdout) == []
    assert rck("export", tmp_path / "arm.rck", tmp_path / "arm.robot").returncode == 0
    assert (tmp_path / "arm.robot").exists()


def test_a_script_from_standard_input_is_all_or_nothing(tmp_path):
    done = rck("run", "-", "x.rck", cwd=tmp_path, text="create objects/cube\ncreate nothing/here\n")
    assert done.returncode == 2
    assert ":2:" in done.stderr
    assert not (tmp_path / "x.rck").exists()


def test_an_import_becomes_an_assembly_with_the_same_robot(tmp_path):
    done = rck("import", ROBOT, "-o", tmp_path / "simple.rck")
    assert done.returncode == 0, done.stderr
    before = json.loads(rck("show", ROBOT, "--json").stdout)
    after = json.loads(rck("show", tmp_path / "simple.rck", "--json").stdout)
    assert after["mass"] == pytest.approx(before["mass"], rel=1e-9)
    assert len(after["items"]) == len(before["items"])
    assert len(after["joints"]) == len(before["joints"])


@pytest.mark.parametrize(
    ("words", "said", "status"),
    [
        (["shwo"], "did you mean show", 2),
        (["show", "missing.rck"], "missing.rck", 2),
        (["parts", "no-such-thing-at-all"], "0 of", 1),
        (["parts", "show", "robotis/xm540-w27"], "did you mean", 2),
        (["parts", "payloda>=3kg"], "did you mean payload", 2),
        (["parts", "payload>=3parsec"], "parsec", 2),
        (["plugins", "info", "nothing"], "no plugin", 2),
        (["bench", "nothing"], "no area", 2),
    ],
)
def test_a_mistake_gets_one_clear_message_and_no_traceback(tmp_path, words, said, status):
    done = rck(*words, cwd=tmp_path)
    assert done.returncode == status
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_damaged_file_is_refused_with_file_line_and_key(tmp_path):
    (tmp_path / "bad.rck").write_text("rck: 1\nname: bad\nparts:\n  a: {prat: x}\n")
    done = rck("show", "bad.rck", cwd=tmp_path)
    assert done.returncode == 2
    assert "bad.rck:4" in done.stderr
    assert "part" in done.stderr
    assert "Traceback" not in done.stderr


def test_without_a_terminal_rck_alone_prints_its_help():
    done = rck()
    assert done.returncode == 0
    assert "Commands" in done.stdout
