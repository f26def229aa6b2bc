"""Every code block of the README and the guides runs: Python as it stands, and each `rck` line of a shell block."""

import re
import shlex
import shutil
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from rck.cli.main import cli
from rck.hooks import discover
from rck.hooks.exchange import export
from rck.testing.robots import six_axis_arm

ROOT = Path(__file__).parent.parent.parent
PAGES = sorted(["README.md", *(str(page.relative_to(ROOT)) for page in (ROOT / "docs").rglob("*.md"))])
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
STEP = re.compile(r"^cat > (\S+) <<'END'\n(.*?)^END$|^(rck [^\n]*)", re.MULTILINE | re.DOTALL)
WAITING = {"edit", "serve", "view"}
"""Commands that stay until the user leaves; of these only the usage is looked at."""
LONG = {"demo", "bench"}
"""Commands that other tests run."""

HUMANOID = """<mujoco model="humanoid"><worldbody><body name="thigh" pos="0 0 1">
<joint name="knee" axis="0 1 0" range="-90 90"/><geom type="box" size=".05 .05 .2"/></body></worldbody>
<keyframe><key name="squat" qpos="0.5"/></keyframe></mujoco>"""


def blocks(page: str) -> list[tuple[str, str]]:
    """The blocks of a page in their order, each with its language."""
    return FENCE.findall((ROOT / page).read_text(encoding="utf-8"))


def steps(block: str) -> list[tuple[str, str, str]]:
    """Of a shell block: a file and its text, or a line that calls rck."""
    return STEP.findall("\n".join(line.partition("  #")[0] for line in block.replace("\\\n", " ").splitlines()))


@pytest.fixture
def workshop(tmp_path, monkeypatch):
    """A folder with what the guides speak of: examples, an arm, a drawing."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RCK_CONFIG", str(tmp_path / "config"))
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    shutil.copy(ROOT / "examples" / "desk-arm.rck", tmp_path / "arm.rck")
    plugins = discover()
    export(six_axis_arm("ur5"), tmp_path / "ur5.urdf", plugins)
    export(six_axis_arm("gripper"), tmp_path / "gripper.stl", plugins)
    shutil.copy(ROOT / "tests" / "importers" / "data" / "plate-in-mm.step", tmp_path / "housing.step")
    (tmp_path / "humanoid.xml").write_text(HUMANOID)
    shutil.copy(ROOT / "examples" / "side.dxf", tmp_path)
    return tmp_path


def do(block: str, begun: set[str]) -> None:
    """Do what a shell block says; `begun` has the last words of the lines before."""
    for file, text, line in steps(block):
        if file:
            Path(file).write_text(text, encoding="utf-8")
            continue
        words = shlex.split(line)[1:]
        if words[0] in LONG:
            continue
        if words[0] in WAITING:
            cli.get_command(click.Context(cli), words[0]).make_context(words[0], words[1:])
            continue
        if words[0] in ("new", "run") and words[-1] not in begun:
            # The page begins this file; what the workshop has under its name is not meant.
            Path(words[-1]).unlink(missing_ok=True)
        begun.add(words[-1])
        done = CliRunner().invoke(cli, words, standalone_mode=False)
        assert done.exception is None or isinstance(done.exception, SystemExit), f"{line}: {done.exception}"
        assert done.exit_code == 0, f"{line}\n{done.output}"


@pytest.mark.parametrize("page", [page for page in PAGES if {"sh", "python"} & {label for label, _ in blocks(page)}])
def test_what_a_page_says_can_be_done(page, workshop):
    names = {"__name__": page}
    begun: set[str] = set()
    for label, text in blocks(page):
        if label == "sh":
            do(text, begun)
        elif label == "python":
            exec(compile(text, page, "exec"), names)


def test_blocks_say_what_they_are():
    known = {"sh", "python", "text", "yaml", "toml", "lisp", "mermaid"}
    for page in PAGES:
        assert {label for label, _ in blocks(page)} <= known, page
