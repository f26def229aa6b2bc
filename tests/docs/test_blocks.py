"""Every code block of the README and the guides runs: Python blocks, and each `rck` line of shell blocks."""

import re
import shlex
import shutil
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from rck.cli.main import cli
from rck.exporting.export import export
from rck.hooks import discover
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
    """Return the code blocks of a page in order, each with its language."""
    return FENCE.findall((ROOT / page).read_text(encoding="utf-8"))


def steps(block: str) -> list[tuple[str, str, str]]:
    """Return the steps of a shell block: a file with its text, or a line that calls rck."""
    return STEP.findall("\n".join(line.partition("  #")[0] for line in block.replace("\\\n", " ").splitlines()))


@pytest.fixture
def workshop(tmp_path, monkeypatch):
    """Return a folder with the files that the guides use: examples, an arm, a drawing."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RCK_CONFIG", str(tmp_path / "config"))
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    shutil.copy(ROOT / "examples" / "desk-arm.rck", tmp_path / "arm.rck")
    plugins = discover()
    export(six_axis_arm("ur5"), tmp_path / "ur5.urdf", plugins)
    export(six_axis_arm("gripper"), tmp_path / "gripper.stl", plugins)
    shutil.copy(ROOT / "tests" / "importers" / "data" / "plate-in-mm.step", tmp_path / "housing.step")
    shutil.copy(ROOT / "tests" / "importers" / "data" / "step" / "gearbox.step", tmp_path)
    (tmp_path / "humanoid.xml").write_text(HUMANOID)
    shutil.copy(ROOT / "examples" / "side.dxf", tmp_path)
    return tmp_path


def do(block: str, begun: set[str]) -> None:
    """Run a shell block; `begun` has the last words of earlier lines."""
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
            # The page creates this file; remove the prepared file of the same name.
            Path(words[-1]).unlink(missing_ok=True)
        begun.add(words[-1])
        done = CliRunner().invoke(cli, words, standalone_mode=False)
        assert done.exception is None or isinstance(done.exception, SystemExit), f"{line}: {done.exception}"
        assert done.exit_code == 0, f"{line}\n{done.output}"


@pytest.mark.parametrize("page", [page for page in PAGES if {"sh", "python"} & {label for label, _ in blocks(page)}])
def test_code_blocks_of_a_page_run(page, workshop):
    names = {"__name__": page}
    begun: set[str] = set()
    for label, text in blocks(page):
        if label == "sh":
            do(text, begun)
        elif label == "python":
            exec(compile(text, page, "exec"), names)


def test_code_blocks_name_their_language():
    known = {"sh", "python", "text", "yaml", "toml", "lisp", "mermaid"}
    for page in PAGES:
        assert {label for label, _ in blocks(page)} <= known, page
