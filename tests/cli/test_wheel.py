"""The wheel, installed without a checkout, with all extras and with required libraries only."""

import shutil
import zipfile
from pathlib import Path

import ezdxf
import pytest
import trimesh

from rck.cli.doctor import EXTRAS
from rck.cli.main import COMMANDS
from rck.hooks import CollisionBackend, Exporter, Physics, Solver, discover

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent.parent
FOR_TESTS = {"urdf"}
"""Extras that no command needs."""

EDITOR = """
import asyncio
from pathlib import Path
from rck.editor.app import RckApp
from rck.hooks import discover
from rck.language.session import open_session

async def main():
    app = RckApp(open_session(discover(), Path("arm.rck")))
    async with app.run_test(size=(120, 36)) as pilot:
        for key in ("f2", "f3", "f4", "f5", "f6"):
            await pilot.press(key)
            await pilot.pause()
            print(type(app.screen).__name__)

asyncio.run(main())
"""


@pytest.fixture
def bench(tmp_path):
    """Return a folder with an arm, a cell, and files that need extras to import."""
    for name in ("desk-arm.rck", "desk-cell.rck", "desk-pick.rckp"):
        shutil.copy(ROOT / "examples" / name, tmp_path)
    shutil.copy(ROOT / "examples" / "desk-arm.rck", tmp_path / "arm.rck")
    shutil.copy(ROOT / "tests" / "importers" / "data" / "plate-in-mm.step", tmp_path / "plate.step")
    (tmp_path / "part.dwg").write_bytes(b"AC1032" + bytes(100))
    ring = trimesh.creation.torus(20, 5, major_sections=8, minor_sections=6)
    for ending in ("stl", "3mf", "dae"):
        ring.export(tmp_path / f"ring.{ending}")
    (tmp_path / "arm.xacro").write_text(
        '<robot name="a" xmlns:xacro="http://www.ros.org/wiki/xacro"><link name="${1 + 1}"/></robot>'
    )
    (tmp_path / "cloud.pcd").write_text(
        "# .PCD v0.7\nVERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 4\nHEIGHT 1\n"
        "VIEWPOINT 0 0 0 1 0 0 0\nPOINTS 4\nDATA ascii\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n"
    )
    drawing = ezdxf.new(units=4)
    drawing.modelspace().add_lwpolyline([(0, 0), (120, 0), (120, 60), (0, 60)], close=True)
    drawing.saveas(tmp_path / "side.dxf")
    return tmp_path


def test_wheel_contains_every_file_of_every_package(wheel):
    held = set(zipfile.ZipFile(wheel).namelist())
    for name in {name.split("/")[0] for name in held if not name.startswith("rck-")} - {"rck_examples"}:
        folder = next(
            ROOT / place / name
            for place in (".", "bench", "importers", "parts_library", "plugins")
            if (ROOT / place / name).is_dir()
        )
        files = {f"{name}/{file.relative_to(folder)}" for file in folder.rglob("*") if file.is_file()}
        assert {file for file in files if "__pycache__" not in file} <= held
    assert {f"rck_examples/{file.name}" for file in (ROOT / "examples").iterdir() if file.is_file()} <= held


def test_demo_of_the_installed_wheel_writes_every_format(complete, tmp_path):
    said = complete.run("rck", "demo", cwd=tmp_path)
    assert "gripped" in said
    refused = [line for line in said.splitlines() if "skipped (" in line]
    assert len(refused) == 2  # ROBOSIM link files cannot store branches
    for exporter in discover().all(Exporter):
        assert f"\n{exporter.name}: " in said or exporter.takes != "robot"
    place = "import rck, sys; print(rck.__file__, *sys.path)"
    assert str(ROOT) not in complete.run("python", "-c", place, cwd=tmp_path)


def test_first_arm_of_the_guide_can_be_built_with_the_installed_wheel(complete, tmp_path):
    page = ROOT / "tests" / "docs" / "test_blocks.py"
    # pytest also fails if no test matches the name.
    words = ["-m", "pytest", "-p", "no:cacheprovider", "-k", "first-arm", f"--rootdir={ROOT}", page]
    complete.run("python", *words, cwd=tmp_path)


def test_installed_wheel_with_extras_imports_every_format(complete, bench):
    lines = [
        "import side.dxf --thickness 4mm",
        "import plate.step",
        "import ring.stl",
        "import ring.3mf -o 3mf.rck",
        "import ring.dae -o dae.rck",
        "import arm.xacro -o xacro.rck",
        "plugins new acme-sensor --kind sensor",
        "parts servo",
        "plugins list",
        "doctor --quick",
    ]
    for line, answer in complete.walk(lines, bench).items():
        assert answer["status"] == 0, f"{line}\n{answer['text']}"


def test_feature_without_its_extra_names_it_before_any_work(core, bench):
    plugins = discover()
    # The first command that opens this file reports it.
    (bench / "bad.rck").write_text("rck: 1\nparts: [")
    needs = {
        "3mf": ["import ring.3mf"],
        "collada": ["import ring.dae"],
        "control": ["serve bad.rck", "view bad.rck", "bench serve"],
        "decompose": ["import ring.stl"],
        "dwg": ["import part.dwg"],
        "mujoco": ["simulate bad.rck desk-pick.rckp --physics mujoco", "collide bad.rck --backend mujoco"],
        "open3d": ["import cloud.pcd", "simulate bad.rck desk-pick.rckp --rays open3d"],
        "pinocchio": [
            "ik bad.rck --to 150,0,300 --solver pinocchio",
            "path bad.rck --to 150,0,300 --solver pinocchio",
            "reach bad.rck --solver pinocchio",
        ],
        "usd": ["export arm.rck arm.usdc"],
        "web": ["edit --web bad.rck"],
        "xacro": ["import arm.xacro"],
    }
    choices = [
        *(f"collide bad.rck --backend {one.name}" for one in plugins.all(CollisionBackend)),
        *(f"ik bad.rck --to 150,0,300 --solver {one.name}" for one in plugins.all(Solver)),
        *(f"simulate bad.rck desk-pick.rckp --physics {one.name}" for one in plugins.all(Physics)),
    ]
    answers = core.walk([line for lines in needs.values() for line in lines] + choices, bench)
    for extra, lines in needs.items():
        for line in lines:
            assert f"pip install 'rck[{extra}]'" in answers[line]["text"], line
            assert answers[line]["status"] != 0
    refused = "".join(answers[line]["text"] for line in choices)
    named = {extra.name for extra in EXTRAS if f"pip install 'rck[{extra.name}]'" in refused}
    assert named == {"coal", "mujoco", "open3d", "pinocchio"}
    # Only a few rare surfaces of STEP files need an extra.
    assert named | set(needs) | FOR_TESTS | {"step"} == {extra.name for extra in EXTRAS}


def test_other_features_work_without_extras(core, bench):
    lines = [
        "import side.dxf --thickness 4mm",
        "import plate.step",
        "check arm.rck",
        "collide arm.rck",
        "doctor --quick",
        "fk arm.rck",
        "ik arm.rck --to 150,0,300",
        "loads arm.rck",
        "new other.rck",
        "parts servo",
        "parts show robotis/xm430-w350",
        "path arm.rck --to waist/axis=30",
        "plugins doctor",
        "reach arm.rck --samples 500",
        "render arm.rck -o arm.png",
        "show arm.rck",
        "simulate desk-cell.rck desk-pick.rckp --plot run.png",
    ]
    (bench / "more.rcks").write_text("create objects/cube cube\n")
    (bench / "out").mkdir()
    lines.append("run more.rcks arm.rck")
    endings = {exporter.name: exporter.endings[0] for exporter in discover().all(Exporter) if exporter.takes == "robot"}
    exports = [f"export arm.rck out/{name}{ending}" for name, ending in endings.items() if "robosim" not in name]
    for line, answer in core.walk(lines + exports, bench).items():
        assert answer["status"] == 0, f"{line}\n{answer['text']}"
    done = {line.split()[0] for line in [*lines, *exports]}
    assert done == set(COMMANDS) - {"bench", "demo", "edit", "serve", "view"}


def test_editor_opens_all_screens_without_extras(core, bench):
    said = core.run("python", "-c", EDITOR, cwd=bench)
    assert len(set(said.split())) == 5
