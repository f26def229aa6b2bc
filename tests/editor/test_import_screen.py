"""The Import screen: parts of a file are shown, assigned to items, connected by joints, and imported."""

import asyncio
import shutil
from pathlib import Path

import ezdxf
import numpy as np
import pytest
from textual.widgets import DataTable, Input

from rck.editor.app import RckApp
from rck.editor.import_survey import assign_item, connect_joint, declare_joint, read_connection
from rck.geometry.polyhedron import move_polyhedron
from rck.geometry.primitives import box, cylinder
from rck.geometry.transforms import frame
from rck.hooks import discover, read_recipe
from rck.hooks.file_exchange import read_file
from rck.hooks.survey import Survey, SurveyPart
from rck.language.session import new_session
from rck.model import JointKind, RckError
from rck.support.units import parse_quantity

ROBOT = Path(__file__).parent.parent / "formats" / "data" / "simple.robot"


def found(name, shape, item=""):
    return SurveyPart(
        name,
        "solid",
        shapes=(shape,),
        volume=shape.volume,
        low=shape.vertices.min(axis=0),
        high=shape.vertices.max(axis=0),
        item=item,
    )


@pytest.fixture(autouse=True)
def no_unsaved_work_of_others(tmp_path, monkeypatch):
    monkeypatch.setenv("RCK_DATA", str(tmp_path / "data"))


@pytest.fixture
def survey():
    leaning = move_polyhedron(cylinder(0.01, 0.2), frame((0.1, 0.0, 0.3), z=(1.0, 0.0, 1.0)))
    return Survey(
        (found("base", box(0.2, 0.2, 0.05), "BASE"), found("arm", box(0.05, 0.05, 0.4), "ARM"), found("pin", leaning))
    )


def test_part_declared_as_joint_provides_its_long_axis(survey):
    joint = declare_joint(survey, "pin").joints[0]
    direction = np.subtract(joint.end, joint.start)
    assert np.linalg.norm(np.cross(direction, (1, 0, 1))) < 1e-9 * np.linalg.norm(direction) + 1e-9
    assert np.allclose((np.array(joint.start) + joint.end) / 2, (0.1, 0.0, 0.3))
    assert joint.entity == "pin"
    assert joint.doubt


def test_part_is_declared_as_joint_only_once(survey):
    once = declare_joint(survey, "pin")
    assert declare_joint(once, "pin") is once


def test_parts_are_assigned_to_items(survey):
    changed = assign_item(survey, frozenset({"pin", "arm"}), "UPPER")
    assert [piece.item for piece in changed.pieces] == ["BASE", "UPPER", "UPPER"]


def test_joint_connection_is_parsed(survey):
    marked = declare_joint(survey, "pin")
    items = frozenset({"BASE", "ARM"})
    kind, base, moves = read_connection("prismatic BASE > ARM", marked.joints[0], items)
    joint = connect_joint(marked, "pin", kind, base, moves).joints[0]
    assert (joint.kind, joint.base, joint.moves, joint.doubt) == (JointKind.PRISMATIC, "BASE", ("ARM",), "")


@pytest.mark.parametrize("text", ["", "BASE", "> ARM", "BASE >", "sliding BASE > ARM", "BASE > ARN"])
def test_invalid_joint_connection_is_refused_with_reason(survey, text):
    joint = declare_joint(survey, "pin").joints[0]
    with pytest.raises(RckError):
        read_connection(text, joint, frozenset({"BASE", "ARM"}))


def test_file_is_previewed_and_imported_as_one_undoable_command(tmp_path):
    shutil.copy(ROBOT, tmp_path)

    async def walk():
        app = RckApp(new_session(discover(), tmp_path))
        async with app.run_test(size=(110, 34)) as pilot:
            await pilot.press("f5")
            await pilot.pause()
            field = app.screen.query_one("#import-file", Input)
            field.value = "simple.robot"
            await pilot.press("enter")
            await app.workers.wait_for_complete()
            await pilot.pause()
            table = app.screen.query_one("#import-pieces", DataTable)
            assert table.row_count == 5
            await pilot.press("ctrl+a")
            await pilot.pause()
            await app.workers.wait_for_complete()
            assert list(app.workbench.assembly.parts) == ["simple"]
            assert len(app.workbench.built.value.robot.items) == 5
            assert app.workbench.run("undo")
            assert app.workbench.assembly.parts == {}

    asyncio.run(walk())


def test_missing_file_is_reported_and_nothing_changes(tmp_path):
    async def walk():
        app = RckApp(new_session(discover(), tmp_path))
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.press("f5")
            await pilot.pause()
            app.screen.query_one("#import-file", Input).value = "missing.dxf"
            await pilot.press("enter")
            await pilot.pause()
            assert "missing.dxf" in str(app.screen.query_one("#message").render())
            await pilot.press("escape")
            await pilot.pause()
            assert app.current_mode == "build"
            assert app.workbench.assembly.parts == {}

    asyncio.run(walk())


@pytest.mark.parametrize(
    ("by_hand", "names", "typed", "kept"),
    [
        (False, ["plate", "plate-2"], "4mm", "4mm"),
        (True, ["frame", "plate-2"], "4mm", "4mm"),
        (False, ["plate", "plate-2"], "1 1/4", "1 1/4in"),
    ],
)
def test_decisions_about_a_drawing_are_stored_in_its_recipe(tmp_path, by_hand, names, typed, kept):
    document = ezdxf.new(units=4)
    for x in (0, 100):
        document.modelspace().add_lwpolyline([(x, 0), (x + 50, 0), (x + 50, 40), (x, 40)], close=True)
    path = tmp_path / "side.dxf"
    document.saveas(path)

    async def walk():
        session = new_session(discover(), tmp_path)
        session.do("set units length=in")
        app = RckApp(session)
        async with app.run_test(size=(110, 34)) as pilot:
            await pilot.press("f5")
            await pilot.pause()
            app.screen.query_one("#import-file", Input).value = "side.dxf"
            await pilot.press("enter")
            await app.workers.wait_for_complete()
            await pilot.pause()
            thickness = next(one for one in app.screen.query("Input.setting").results(Input) if one.name == "thickness")
            thickness.value = typed
            await thickness.action_submit()
            await app.workers.wait_for_complete()
            await pilot.pause()
            if by_hand:
                app.screen.query_one("#import-pieces", DataTable).focus()
                await pilot.press("enter")
                await pilot.pause()
                app.screen.query_one("#import-item", Input).value = "frame"
                await pilot.press("enter")
                await pilot.pause()
            await pilot.press("ctrl+a")
            await pilot.pause()
            await app.workers.wait_for_complete()
            return app.workbench.built.value.robot.items

    items = asyncio.run(walk())
    assert [item.name.rpartition("/")[2] for item in items] == names
    heights = [np.ptp(item.subitems[0].shape.vertices, axis=0).min() for item in items]
    assert heights == pytest.approx([parse_quantity(kept, "length", "mm")] * 2)
    recipe = read_recipe(path)
    assert recipe.given == {"thickness": kept}
    assert bool(recipe.items) == by_hand
    assert [item.name for item in read_file(path, discover(), {}).robot.items] == names


ENDLESS = """
import time
from rck.hooks import Importer, Survey, hookimpl

def survey(path, values, job):
    return Survey(())

def read(path, values, job):
    while True:
        job.progress(0.42, "counting")
        time.sleep(0.001)

@hookimpl
def rck_importers():
    return [Importer("endless", "never done", (".endless",), lambda path, head: head == b"endless", read, (), survey)]
"""


def test_import_runs_in_the_background_and_escape_stops_it(editor, arm):
    editor.use_plugin("endless_plugin", ENDLESS)
    (editor.folder / "far.endless").write_text("endless")

    async def story(player):
        before = player.bench.assembly
        await player.press("f5")
        await player.paste("far.endless")
        await player.press("enter")
        await player.pilot.press("ctrl+a")
        while player.bench.progress[0] < 0.42:
            await asyncio.sleep(0.01)
        assert player.app.screen.query_one("#import-progress").display
        await player.pilot.press("escape")
        await player.rest()
        assert player.bench.busy == ""
        assert "stopped" in str(player.app.screen.query_one("#message").content)
        assert not player.app.screen.query_one("#import-progress").display
        assert player.bench.assembly == before

    editor.play(story, commands=arm)


def test_unknown_home_folder_is_refused_in_one_line(editor):
    async def story(player):
        await player.press("f5")
        await player.paste("~nobody-of-that-name/side.dxf")
        await player.press("enter")
        assert "~nobody-of-that-name/side.dxf: " in str(player.app.screen.query_one("#message").content)

    editor.play(story)


def test_refused_option_is_not_stored_in_the_recipe(editor):
    drawing = ezdxf.new(units=4)
    drawing.modelspace().add_lwpolyline([(0, 0), (90, 0), (90, 60), (0, 60)], close=True)
    drawing.saveas(editor.folder / "side.dxf")

    async def story(player):
        await player.press("f5")
        await player.paste("side.dxf")
        await player.press("enter", "o")
        await player.paste("much")
        await player.press("enter", "ctrl+a")
        assert "much" in str(player.app.screen.query_one("#message").content)
        assert not list(editor.folder.glob("*.recipe.yaml"))
        assert not player.bench.assembly.parts

    editor.play(story)
