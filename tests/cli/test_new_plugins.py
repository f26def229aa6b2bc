"""Plugins of `rck plugins new` install, pass their tests, and work in commands and in the editor."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from rck.cli.new_plugin import KINDS, write_plugin
from rck.model import RckError

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
NAMES = {kind: f"acme-{kind}" for kind in KINDS}
BUILD = """
import os, sys
from hatchling.build import build_wheel
for folder in sys.argv[1:]:
    os.chdir(folder)
    build_wheel("..")
"""
PAD = """
part: workshop/pad
name: Pad
category: grippers
summary: A sticky pad that looks at what it takes
source: made in our own workshop
items:
  body: {mass: 0.1, shapes: [{box: [20, 20, 10], at: [0, 0, 5]}]}
ports:
  mount: {at: [0, 0, 0], z: -z, x: x}
  face: {at: [0, 0, 10], z: z, x: x}
devices:
  pad: {gripper: acme, port: face, settings: {gap: 3 mm}}
  eye: {sensor: acme-sensor, port: face, settings: {max-range: 1 m}}
"""
CELL = """
create structure/plate floor length=200 width=200 thickness=10
create workshop/pad pad --at floor.top --by mount
create robotis/xm430-w350 motor
move motor 0,80,40 --to
create objects/cube cube size=20
move cube 0,0,21 --to
"""
EVENTS = """
events:
- {at: 0.1, close: pad/pad}
- {at: 0.2, until: 0.4, move: motor/axis, by: 10 deg}
"""
HEAVY = "create structure/plate floor length=1000 width=1000 thickness=20\n"
HINGE = """
create structure/plate floor
create structure/plate lid
mate floor.top lid.bottom --joint revolute --limits -90..90 --name hinge
"""
PROGRAM = "say hello there\nturn 0 10 10 10\nwait 0.1\n"
ONLY_IN_THE_EDITOR = {"action", "keymap", "overlay", "panel", "screen", "start", "theme"}
EDITOR = Path(__file__).with_name("plugins_in_editor.py")


@pytest.fixture(scope="module")
def plugged(tested, fresh):
    """Return an environment with `rck[test]` and a new plugin of every kind, and the folder of their sources."""
    environment = fresh("plugged")
    environment.link(tested.site.iterdir())
    folder = environment.folder.parent / "sources"
    sources = [folder / name for name in NAMES.values()]
    for (kind, name), source in zip(NAMES.items(), sources, strict=True):
        write_plugin(name, kind, source)
    # Built by this Python: the environment has no build tools.
    subprocess.run([sys.executable, "-c", BUILD, *sources], cwd=folder, check=True)
    environment.install(*folder.glob("*.whl"))
    return environment, folder


@pytest.mark.slow
def test_new_plugins_of_every_kind_are_installed_and_pass_their_tests(plugged, tmp_path):
    environment, folder = plugged
    tests = [folder / name / "tests" for name in NAMES.values()]
    options = ["-q", "-p", "no:cacheprovider", "--import-mode=importlib"]
    environment.run("python", "-m", "pytest", *options, *tests, cwd=tmp_path)


@pytest.mark.slow
def test_new_plugins_pass_a_strict_type_checker(tmp_path):
    pytest.importorskip("mypy", reason="mypy, which checks types, is not installed")
    for kind, name in NAMES.items():
        write_plugin(name, kind, tmp_path / name)
        (tmp_path / name / name.replace("-", "_") / "py.typed").touch()
    # One run for all plugins, because mypy is slow, with the SciPy setting of the two plugins that need it.
    settings = [(tmp_path / name / "pyproject.toml").read_text() for name in ("acme-solver", "acme-collision")]
    assert all('module = "scipy.*"' in text for text in settings)
    (tmp_path / "pyproject.toml").write_text(settings[0])
    folders = [part for name in NAMES.values() for part in (f"{name}/{name.replace('-', '_')}", f"{name}/tests")]
    command = [sys.executable, "-m", "mypy", "--strict", *folders]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_shell_blocks_in_the_readme_of_a_new_plugin_run(kind, plugged, tmp_path):
    environment, folder = plugged
    use = (folder / NAMES[kind] / "README.md").read_text().partition("## Usage")[2]
    assert "editor" in use
    shutil.copy(EXAMPLES / "desk-arm.rck", tmp_path / "arm.rck")
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    own["PATH"] = f"{environment.folder / 'bin'}{os.pathsep}{own['PATH']}"
    blocks = re.findall(r"```sh\n(.*?)```", use, re.DOTALL)
    assert blocks or kind in ONLY_IN_THE_EDITOR
    for block in blocks:
        # The environment links libraries only, not scripts.
        command = ["sh", "-e", "-c", f'rck() {{ python -m rck.cli "$@"; }}\n{block}']
        done = subprocess.run(command, cwd=tmp_path, env=own, capture_output=True, text=True, check=False)
        # `rck check` exits with status 1 if there are warnings.
        assert done.returncode <= int("rck check" in block), f"{block}\n{done.stdout}{done.stderr}"


@pytest.mark.slow
def test_new_plugins_are_used_from_the_command_line(plugged, tmp_path, monkeypatch):
    environment, _ = plugged
    monkeypatch.setenv("RCK_CONFIG", str(tmp_path / "config"))
    (tmp_path / "build.rcks").write_text("create acme-parts/angle corner edge=60\nacme-command #cc3333\n")
    (tmp_path / "shelf.boxes").write_text("boxes\nlow 100 200 10\n")
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "pad.yaml").write_text(PAD)
    (tmp_path / "cell.rcks").write_text(CELL)
    shutil.copy(EXAMPLES / "desk-arm.rck", tmp_path)
    (tmp_path / "take.yaml").write_text(EVENTS)
    (tmp_path / "heavy.rcks").write_text(HEAVY)
    (tmp_path / "hinge.rcks").write_text(HINGE)
    (tmp_path / "wave.turns").write_text(PROGRAM)
    said = environment.walk(
        [
            "plugins list",
            "run build.rcks corner.rck",
            "export corner.rck corner.masses",
            "import shelf.boxes -o shelf.rck",
            "view shelf.rck --with acme-viewer",
            "run cell.rcks cell.rck",
            "collide cell.rck --backend acme-collision",
            "ik desk-arm.rck --to 150,0,300 --solver acme-solver --budget 5000",
            "simulate cell.rck take.yaml --out run.csv",
            "simulate cell.rck take.yaml --physics acme-physics",
            "run heavy.rcks heavy.rck",
            "check heavy.rck",
            "acme-subcommand heavy.rck",
            "simulate desk-arm.rck wave.turns",
            "run hinge.rcks hinge.rck",
            "check hinge.rck",
            "check hinge.rck --fix",
            "plugins set acme-settings heaviest=0.001",
            "check corner.rck",
            "plugins info acme-lifecycle",
        ],
        tmp_path,
    )
    warns = {"check heavy.rck", "check hinge.rck", "check corner.rck"}
    for line, answer in said.items():
        assert answer["status"] == int(line in warns), f"{line}\n{answer['text']}"
    for name in NAMES.values():
        assert f"{name} " in said["plugins list"]["text"]
    assert "#cc3333" in (tmp_path / "corner.rck").read_text()
    assert (tmp_path / "corner.masses").read_text().splitlines()[1].startswith("corner/angle\t")
    assert said["view shelf.rck --with acme-viewer"]["text"].startswith("shelf/low  ")
    assert "gripped: pad/pad holds cube/cube" in said["simulate cell.rck take.yaml --out run.csv"]["text"]
    assert "pad/eye" in (tmp_path / "run.csv").read_text().splitlines()[0]
    assert "more than the 25 kg that one person can carry" in said["check heavy.rck"]["text"]
    assert said["acme-subcommand heavy.rck"]["text"].split()[1] == "floor/plate"
    assert "hello there" in said["simulate desk-arm.rck wave.turns"]["text"]
    assert "ACMEFI101 warning: joint hinge: has no velocity limit" in said["check hinge.rck"]["text"]
    assert "fixed: set joint hinge speed=10rpm" in said["check hinge.rck --fix"]["text"]
    assert "more than 0.001 kg" in said["check corner.rck"]["text"]
    assert "rck_before_save" in said["plugins info acme-lifecycle"]["text"]


@pytest.mark.slow
def test_new_plugins_of_every_kind_are_used_in_the_editor(plugged, tmp_path):
    environment, _ = plugged
    shutil.copy(EXAMPLES / "desk-arm.rck", tmp_path)
    (tmp_path / "shelf.boxes").write_text("boxes\nlow 100 200 10\n")
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "pad.yaml").write_text(PAD)
    (tmp_path / "cell.rcks").write_text(CELL)
    (tmp_path / "take.yaml").write_text(EVENTS)
    (tmp_path / "wave.turns").write_text(PROGRAM)
    environment.walk(["run cell.rcks cell.rck"], tmp_path)
    said = json.loads(environment.run("python", EDITOR, cwd=tmp_path).splitlines()[-1])
    assert set(said) == {*KINDS, "plugins"} - {"subcommand"}, "every kind is used, each where its users would"
    assert said["parts"] == ["corner/angle"]
    assert said["command"] == ["#cc3333", "painted corner"]
    assert "more than the 25 kg that one person can carry" in said["check"]
    assert "weighs" in said["settings"]
    assert "save as two-words.rck" in said["lifecycle"]
    assert said["finding-code"] == pytest.approx(60, abs=1e-6), "degrees per second after Enter on the finding"
    assert "hello there" in said["language"]
    assert said["panel"].startswith("0.165 kg\ncorner/angle ━━━━━━━━━━━━ 0.165 kg")
    assert said["start"] == ["base", "servo"]
    assert said["action"] == [["base", "servo", "base-2"], "copied base"]
    assert said["keymap"] == ["base"], "two steps are undone"
    assert said["overlay"] == 1
    assert "base      structure/round-base" in said["screen"]
    assert said["theme"] == "#5fa8d3"
    assert said["solver"] == pytest.approx(10, abs=0.1), "millimetres that the tool has gone"
    assert "collides" in said["collision"]
    assert "deep" not in said["collision"], "the new backend cannot measure"
    assert "pad/pad holds cube/cube" in said["gripper"]
    assert said["sensor"] == pytest.approx(0.001, abs=1e-6)
    assert said["physics"] == "acme_physics"
    lost, written = said["exporter"]
    assert "not supported by a table of masses: shapes" in lost
    assert written.startswith("item\tmass kg")
    assert said["importer"] == ["low"]
    assert {len(line.split()) for line in said["viewer"].splitlines()} == {4}, "a name and three places in each line"
    for name in NAMES.values():
        assert name in said["plugins"]


@pytest.mark.parametrize("kind", KINDS)
def test_new_plugin_declares_every_library_it_imports(kind, tmp_path):
    write_plugin("mine", kind, tmp_path)
    project = tomllib.loads((tmp_path / "pyproject.toml").read_text())["project"]
    code, tests = (tmp_path / "mine" / "__init__.py").read_text(), (tmp_path / "tests" / "test_mine.py").read_text()
    for library in ("click", "msgspec", "numpy", "scipy", "textual"):
        pattern = rf"^\s*(from|import) {library}\b"
        assert (library in project["dependencies"]) == bool(re.search(pattern, code, re.MULTILINE))
        if re.search(pattern, tests, re.MULTILINE):
            assert library in (*project["dependencies"], *project["optional-dependencies"]["test"])
    assert "pytest" in project["optional-dependencies"]["test"]


def test_new_plugin_does_not_overwrite_existing_files(tmp_path):
    write_plugin("mine", "exporter", tmp_path / "mine")
    with pytest.raises(RckError, match="not empty"):
        write_plugin("mine", "exporter", tmp_path / "mine")


@pytest.mark.parametrize("name", ["sticky", "sticky-gripper"])
def test_gripper_readme_explains_how_a_part_uses_it(name, tmp_path):
    write_plugin(name, "gripper", tmp_path / name)
    assert "{gripper: sticky, port: tip}" in (tmp_path / name / "README.md").read_text()
    code = (tmp_path / name / name.replace("-", "_") / "__init__.py").read_text()
    assert 'Gripper("sticky-gripper"' in code


@pytest.mark.parametrize("name", ["Mine", "1st", "a b", "../x", "a--b", ""])
def test_invalid_package_name_is_refused(name, tmp_path):
    with pytest.raises(RckError, match="not a valid plugin name"):
        write_plugin(name, "exporter", tmp_path / "new")
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("name", "kind", "reason"),
    [
        ("json", "exporter", "it would hide the Python module"),
        ("class", "exporter", "it is a Python keyword"),
        ("rck", "exporter", "it would hide an installed module"),
        ("numpy", "exporter", "it would hide an installed module"),
        ("import-linter", "exporter", "pip would replace an installed package"),
        ("exporter-urdf", "exporter", "an installed plugin"),
        ("show", "subcommand", "`rck show` exists"),
        ("create", "command", "RCK has a command"),
    ],
)
def test_conflicting_plugin_name_is_refused_with_the_reason(name, kind, reason, tmp_path):
    with pytest.raises(RckError, match=f"'{name}' cannot be used as a plugin name: {reason}"):
        write_plugin(name, kind, tmp_path / "new")
    assert not (tmp_path / "new").exists()
