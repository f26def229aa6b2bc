"""Every code block of the README and the guides runs: Python as it stands, and each `rck` line of a shell block."""

import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import click
import ezdxf
import pytest
from click.testing import CliRunner

import rck
from rck.cli.main import cli
from rck.hooks import discover
from rck.hooks.exchange import export
from rck.testing.robots import six_axis_arm

ROOT = Path(rck.__file__).parent.parent
PAGES = sorted(["README.md", *(str(page.relative_to(ROOT)) for page in (ROOT / "docs").rglob("*.md"))])
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
WAITING = {"edit", "serve", "view"}
"""Commands that stay until the user leaves; of these only the usage is looked at."""
LONG = {"demo", "bench"}
"""Commands that other tests run."""


def blocks(page: str) -> Iterator[tuple[str, str]]:
    yield from FENCE.findall((ROOT / page).read_text(encoding="utf-8"))


def shell_lines(page: str) -> list[str]:
    """The lines of shell blocks that call rck, without the comments behind them."""
    lines = []
    for language, text in blocks(page):
        if language == "sh":
            lines += [line.partition(" #")[0].strip() for line in text.replace("\\\n", " ").splitlines()]
    return [line for line in lines if line.startswith("rck ")]


@pytest.fixture
def workshop(tmp_path, monkeypatch):
    """A folder with what the guides speak of: examples, an arm, a drawing."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RCK_CONFIG", str(tmp_path / "config"))
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    shutil.copy(ROOT / "examples" / "desk-arm.rck", tmp_path / "arm.rck")
    plugins = discover()
    export(six_axis_arm("ur5"), tmp_path / "ur5.urdf", plugins)
    drawing = ezdxf.new(units=4)
    space = drawing.modelspace()
    space.add_lwpolyline([(0, 0), (120, 0), (120, 60), (0, 60)], close=True)
    space.add_circle((30, 30), 10)
    drawing.saveas(tmp_path / "side.dxf")
    return tmp_path


@pytest.mark.parametrize("page", [page for page in PAGES if shell_lines(page)])
def test_the_commands_of_a_page_do_what_they_say(page, workshop):
    for line in shell_lines(page):
        words = shlex.split(line)[1:]
        if words[0] in LONG:
            continue
        if words[0] in WAITING:
            command = cli.get_command(click.Context(cli), words[0])
            command.make_context(words[0], words[1:])
            continue
        if words[0] in ("new", "run"):
            # These begin with the file that the page goes on with.
            Path(words[-1]).unlink(missing_ok=True)
        done = CliRunner().invoke(cli, words, standalone_mode=False)
        assert done.exception is None or isinstance(done.exception, SystemExit), f"{line}: {done.exception}"
        assert done.exit_code == 0, f"{line}\n{done.output}"


@pytest.mark.parametrize("page", [page for page in PAGES if any(one == "python" for one, _ in blocks(page))])
def test_the_python_of_a_page_runs(page, workshop):
    names = {"__name__": page}
    for language, text in blocks(page):
        if language == "python":
            exec(compile(text, page, "exec"), names)


def test_blocks_say_what_they_are():
    for page in PAGES:
        assert {language for language, _ in blocks(page)} <= {"sh", "python", "text", "yaml", "toml", "lisp"}, page
