"""The plugins in examples/plugins: their tests pass in development and installed, and users can use them."""

import os
import pty
import re
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rck.hooks.plugin_settings import develop

EXAMPLES = Path(__file__).parents[2] / "examples" / "plugins"
NAMES = sorted(path.parent.name for path in EXAMPLES.glob("*/pyproject.toml"))
OPTIONS = ["-q", "-p", "no:cacheprovider", "--import-mode=importlib"]
BUILD = """
import os, sys
from hatchling.build import build_wheel
for folder in sys.argv[1:]:
    os.chdir(folder)
    build_wheel(os.path.dirname(folder))
"""


def sources(tmp_path: Path) -> Path:
    """Return a copy of the plugins, outside the checkout."""
    return Path(shutil.copytree(EXAMPLES, tmp_path / "plugins", ignore=shutil.ignore_patterns("__pycache__")))


@pytest.mark.slow
def test_plugins_in_development_pass_their_tests(tmp_path):
    folder = sources(tmp_path)
    for name in NAMES:
        develop(tmp_path / "config", folder / name, on=True)
    own = os.environ | {"RCK_CONFIG": str(tmp_path / "config"), "RCK_DATA": str(tmp_path / "data")}
    command = [sys.executable, "-m", "pytest", *OPTIONS, "-p", "no:xdist", str(folder)]
    done = subprocess.run(command, cwd=folder, env=own, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def plugged(complete, fresh, tmp_path_factory):
    """Return an environment with RCK and all example plugins installed, and the folder of their sources."""
    environment = fresh("example-plugins")
    environment.link(complete.site.iterdir())
    folder = sources(tmp_path_factory.mktemp("sources"))
    environment.run("python", "-c", BUILD, *(folder / name for name in NAMES), cwd=folder)
    environment.install(*folder.glob("*.whl"))
    return environment, folder


@pytest.mark.slow
def test_installed_plugins_pass_their_tests(plugged, tmp_path):
    environment, folder = plugged
    environment.run("python", "-m", "pytest", *OPTIONS, folder, cwd=tmp_path)


@pytest.mark.slow
def test_installed_plugins_are_used_at_the_shell(plugged, tmp_path, monkeypatch):
    environment, _ = plugged
    monkeypatch.setenv("RCK_CONFIG", str(tmp_path / "config"))
    shutil.copy(EXAMPLES.parent / "desk-arm.rck", tmp_path)
    (tmp_path / "tower.stack").write_text("stack\nfoot 200 50\ntop 60 30\n")
    (tmp_path / "ball.rcks").write_text(
        "create spoked/wheel spike diameter=80\narray-on-sphere spike 6 --about 0,0,150\nset spike colour=#000000\n"
    )
    said = environment.walk(
        [
            "run ball.rcks ball.rck",
            "check ball.rck",
            "check ball.rck --fix",
            "export ball.rck ball.scad",
            "import tower.stack --turn 45deg",
            "ik desk-arm.rck --to=-182.62,-128.60,548.92 --pose shoulder/axis=15 --solver ccd --budget 4000",
            "plugins set house-rules heaviest=0.1",
            "check desk-arm.rck",
            f"plugins doctor {' '.join(NAMES)}",
        ],
        tmp_path,
    )
    assert "VIS101" in said["check ball.rck"]["text"]
    assert "fixed: set spike colour=#404040" in said["check ball.rck --fix"]["text"]
    assert (tmp_path / "ball.scad").read_text().count("multmatrix(") == 6
    assert "2 items" in said["import tower.stack --turn 45deg"]["text"]
    assert "HSE101" in said["check desk-arm.rck"]["text"]
    assert said[f"plugins doctor {' '.join(NAMES)}"]["status"] == 0
    ik = said["ik desk-arm.rck --to=-182.62,-128.60,548.92 --pose shoulder/axis=15 --solver ccd --budget 4000"]
    assert ik["status"] == 0, ik["text"]


class Terminal:
    """The editor in a terminal of its own."""

    def __init__(self, command: list[str], cwd: Path, environment: dict[str, str]) -> None:
        self._end, inner = pty.openpty()
        size = {"COLUMNS": "140", "LINES": "45", "TERM": "xterm-256color", "COLORTERM": "truecolor"}
        self._process = subprocess.Popen(
            command, cwd=cwd, env=environment | size, stdin=inner, stdout=inner, stderr=inner, start_new_session=True
        )
        os.close(inner)
        self.seen = ""

    def wait_for(self, text: str, seconds: float = 60.0) -> None:
        """Wait until the terminal has received the text; a change of style may separate its letters."""
        pattern = r"(?:\x1b\[[0-9;?]*[A-Za-z])*".join(re.escape(letter) for letter in text)
        end = time.monotonic() + seconds
        while not re.search(pattern, self.seen):
            assert time.monotonic() < end, f"{text!r} is missing in: {self.seen[-3000:]!r}"
            if select.select([self._end], [], [], 0.1)[0]:
                self.seen += os.read(self._end, 65536).decode(errors="replace")

    def wait_for_style(self, code: str) -> None:
        """Wait until the terminal has received a colour."""
        end = time.monotonic() + 60
        while code not in self.seen:
            assert time.monotonic() < end, f"{code} is missing"
            if select.select([self._end], [], [], 0.1)[0]:
                self.seen += os.read(self._end, 65536).decode(errors="replace")

    def choose(self, entry: str) -> None:
        """Choose an entry of the command palette."""
        self.send("\x10")
        self.wait_for("Search for commands")
        self.send(entry)
        self.wait_for(entry)
        time.sleep(0.5)
        self.send("\r")

    def send(self, keys: str) -> None:
        """Send keys, and forget what was shown before."""
        self.seen = ""
        os.write(self._end, keys.encode())

    def close(self) -> None:
        """End the program."""
        self._process.kill()
        self._process.wait()
        os.close(self._end)


@pytest.mark.slow
def test_installed_plugins_are_used_in_a_real_terminal(plugged, tmp_path, monkeypatch):
    environment, _ = plugged
    monkeypatch.setenv("RCK_CONFIG", str(tmp_path / "config"))
    (tmp_path / "bent.rcks").write_text(
        "create robotis/xm430-w350 motor\ntool tip motor.horn\npose bent motor/axis=30\ngo bent\n"
    )
    environment.walk(["run bent.rcks bent.rck", "plugins set house-rules heaviest=0.01"], tmp_path)
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    own |= {"RCK_CONFIG": str(tmp_path / "config"), "RCK_DATA": str(tmp_path / "data")}
    python = str(environment.folder / "bin" / "python")
    terminal = Terminal([python, "-m", "rck.cli", "edit", "bent.rck"], tmp_path, own)
    try:
        terminal.wait_for("manipulability")
        terminal.wait_for("tip: w = ")
        terminal.wait_for("HSE101")  # a lifecycle hook, with the setting of the user
        terminal.send("\x1b[20~")  # F9
        terminal.wait_for("home positions")
        terminal.send(":")
        terminal.wait_for(":")
        terminal.send("create spoked/wheel spike\r")
        terminal.wait_for("spike")
        terminal.choose("overlay: footprint")
        terminal.wait_for("footprint ")
        terminal.choose("Theme")
        terminal.wait_for("night-shift")
        terminal.send("night-shift")
        terminal.wait_for("night-shift")
        terminal.send("\r")
        terminal.wait_for_style("2;232;184;168")
    finally:
        terminal.close()
