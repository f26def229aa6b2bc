"""The Import screen: parts of a file are shown, assigned to items, connected by joints, and imported."""

import asyncio
import shutil
from pathlib import Path

import ezdxf
import numpy as np
import pytest
from ezdxf.render import MeshBuilder
from textual.widgets import Input, OptionList, Static

from rck.editor.app import RckApp
from rck.editor.dialogs.basic import ChoiceDialog, ListDialog
from rck.editor.import_survey import assign_item, declare_joint, read_connection
from rck.editor.scene_source import SceneBuilder
from rck.editor.widgets.drawing_view import DrawingView
from rck.editor.widgets.option_editor import OptionEditor
from rck.editor.widgets.property_table import FieldInput, PropertyTable
from rck.editor.widgets.row_list import RowList
from rck.editor.widgets.survey_view import SurveyView
from rck.geometry.polyhedron import move_polyhedron
from rck.geometry.primitives import box, cylinder
from rck.geometry.transforms import frame
from rck.hooks import Recipe, discover, read_recipe, write_recipe
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
    assert (kind, base, moves) == (JointKind.PRISMATIC, "BASE", ("ARM",))


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
            rows = app.screen.query_one("#contents", RowList).rows
            assert [row.key.partition(":")[0] for row in rows] == ["part"] * 5 + ["joint"] * 3
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


def draw_side(folder, units=4):
    """Two plates, the first with two holes and a slot, inside a frame that is larger than both."""
    document = ezdxf.new(units=units)
    layout = document.modelspace()
    for x in (10, 110):
        layout.add_lwpolyline([(x, 10), (x + 80, 10), (x + 80, 50), (x, 50)], close=True)
    layout.add_circle((30, 30), 4)
    layout.add_circle((50, 30), 4, dxfattribs={"layer": "DRILL"})
    layout.add_lwpolyline([(0, 0), (200, 0), (200, 60), (0, 60)], close=True)
    path = folder / "side.dxf"
    document.saveas(path)
    return path


async def open_file(player, name="side.dxf"):
    await player.press("f5")
    await player.paste(name)
    await player.press("enter")


async def set_option(player, name, value):
    await player.press("o")
    editor = player.app.screen.query_one(OptionEditor)
    editor.move_to(name)
    await player.press("enter")
    player.app.screen.query_one(FieldInput).value = value
    await player.press("enter")
    await player.press("escape")


def contents(player):
    return player.app.screen.query_one("#contents", RowList)


def rows(player):
    """Name, use and item of each row."""
    return [(row.cells[0].strip(), row.cells[1], row.cells[4]) for row in contents(player).rows]


def shown(player, name):
    """The text of a line of the screen."""
    return str(player.app.screen.query_one(f"#{name}", Static).content)


def test_missing_thickness_is_asked_for_and_the_plates_are_summarised(editor):
    draw_side(editor.folder)

    async def story(player):
        await open_file(player)
        assert "has no thickness. Type the option thickness" in shown(player, "message")
        assert isinstance(player.app.focused, PropertyTable)
        await player.press("4")
        await player.type("mm\r")
        assert shown(player, "import-summary").startswith("2 plates within 180 x 40 x 4 mm, 2 holes (2 x 8), ")
        assert rows(player) == [
            ("region5", "sheet border", ""),
            ("region1", "plate", "plate"),
            ("region3", "hole", ""),
            ("region4", "hole", ""),
            ("region2", "plate", "plate-2"),
        ]

    editor.play(story, size=(120, 40))


def test_roles_of_regions_are_changed_by_key_undone_and_kept_in_the_recipe(editor):
    path = draw_side(editor.folder)

    async def story(player):
        await open_file(player)
        await set_option(player, "thickness", "4mm")
        contents(player).move_to("region:region1")
        await player.press("x")
        assert ("region1", "ignored", "") in rows(player)
        assert shown(player, "import-summary").startswith("1 plate 80 x 40 x 4 mm, 0.03")
        await player.press("ctrl+z")
        assert ("region1", "plate", "plate") in rows(player)
        await player.press("ctrl+y", "x")
        assert ("region1", "plate", "plate") in rows(player)
        contents(player).move_to("region:region4")
        await player.press("p")
        assert ("region4", "plate", "DRILL") in rows(player)
        assert not (editor.folder / "side.dxf.recipe.yaml").exists()
        await player.press("r")
        assert read_recipe(path).regions == {"region4": "plate"}
        assert player.bench.assembly.parts == {}

    editor.play(story, size=(120, 40))


def test_role_is_chosen_from_a_list_that_explains_it(editor):
    path = draw_side(editor.folder)

    async def story(player):
        await open_file(player)
        await set_option(player, "thickness", "4mm")
        contents(player).move_to("region:region5")
        await player.press("enter")
        assert isinstance(player.app.screen, ListDialog)
        await player.press("home", "enter")
        assert ("region5", "plate", "plate-2") in rows(player)
        await player.press("enter", "end", "enter")
        assert ("region5", "sheet border", "") in rows(player)
        await player.press("r")
        assert read_recipe(path).regions == {}

    editor.play(story, size=(120, 40))


def test_recipe_next_to_the_drawing_is_used(editor):
    path = draw_side(editor.folder)
    recipe = Recipe(options={"thickness": "3mm"}, regions={"region2": "ignored"})
    write_recipe(path, recipe)

    async def story(player):
        await player.press("f5")
        files = player.app.screen.query_one("#import-files", RowList)
        assert [row.cells[0] for row in files.rows] == ["side.dxf"]
        assert files.rows[0].cells[3] == "recipe"
        await player.press("enter")
        assert shown(player, "import-summary").startswith("1 plate 80 x 40 x 3 mm, 2 holes (2 x 8), ")
        await player.press("ctrl+a")
        assert read_recipe(path) == recipe

    editor.play(story, size=(120, 40))


def test_clicks_in_the_drawing_select_regions(editor):
    draw_side(editor.folder)

    async def story(player):
        await open_file(player)
        await set_option(player, "thickness", "4mm")
        view = player.app.screen.query_one(DrawingView)
        places = {}
        for y in range(view.size.height):
            for x in range(view.size.width):
                places.setdefault(view.region_at(x, y), []).append((x, y))
        assert places.keys() == {"", "region1", "region2", "region3", "region4", "region5"}
        for region in ("region2", "region3"):
            x, y = places[region][len(places[region]) // 2]
            await player.click(view, (x + 1, y + 1))
            assert contents(player).key == f"region:{region}"
        x, y = places["region4"][0]
        await player.click(view, (x + 1, y + 1), control=True)
        await player.press("h")
        assert contents(player).marked == frozenset()
        await player.pilot.click(view, offset=(x + 1, y + 1), times=2)
        await player.rest()
        assert isinstance(player.app.screen, ListDialog)

    editor.play(story, size=(120, 40))


def test_layers_are_excluded_and_imported_again(editor):
    draw_side(editor.folder)

    async def story(player):
        await open_file(player)
        await set_option(player, "thickness", "4mm")
        await player.press("3", "down", "space")
        assert "1 hole (1 x 8)" in shown(player, "import-summary")
        await player.press("space")
        assert "2 holes (2 x 8)" in shown(player, "import-summary")

    editor.play(story, size=(120, 40))


def test_unit_is_changed_on_the_screen(editor):
    path = draw_side(editor.folder, units=1)

    async def story(player):
        await open_file(player)
        await set_option(player, "thickness", "4mm")
        assert "4572 x 1016 x 4 mm" in shown(player, "import-summary")
        await player.press("u")
        choices = player.app.screen.query_one(OptionList)
        texts = [str(option.prompt) for option in choices.options]
        assert any(text.split() == ["mm", "200", "mm", "large"] for text in texts)
        choices.highlighted = next(n for n, text in enumerate(texts) if text.split()[0] == "mm")
        await player.press("enter")
        assert "180 x 40 x 4 mm" in shown(player, "import-summary")
        await player.press("r")
        assert read_recipe(path).given["length-unit"] == "mm"

    editor.play(story, size=(120, 40))


def test_import_of_a_huge_drawing_asks_for_its_unit(editor):
    draw_side(editor.folder, units=6)

    async def story(player):
        await open_file(player)
        await set_option(player, "thickness", "4mm")
        await player.press("ctrl+a")
        assert isinstance(player.app.screen, ListDialog)
        assert player.bench.assembly.parts == {}
        await player.press("enter")
        assert "180 x 40 x 4 mm" in shown(player, "import-summary")
        await player.press("ctrl+a")
        assert list(player.bench.assembly.parts) == ["plate", "plate-2"]

    editor.play(story, size=(120, 40))


def test_entities_that_cannot_be_used_are_left_out_on_request(editor):
    document = ezdxf.new(units=4)
    layout = document.modelspace()
    layout.add_lwpolyline([(0, 0), (50, 0), (50, 40), (0, 40)], close=True, dxfattribs={"thickness": 3})
    layout.add_lwpolyline([(100, 0), (150, 0), (150, 40), (100, 40)], close=True)
    path = editor.folder / "side.dxf"
    document.saveas(path)

    async def story(player):
        await open_file(player)
        await player.press("ctrl+a")
        assert isinstance(player.app.screen, ChoiceDialog)
        await player.press("l")
        assert list(player.bench.assembly.parts) == ["side"]
        assert read_recipe(path).leave_out == ["region2"]

    editor.play(story, size=(120, 40))


@pytest.mark.parametrize(("typed", "kept"), [("4mm", "4mm"), ("1 1/4", "1 1/4in")])
def test_decisions_about_a_drawing_are_stored_in_its_recipe(editor, typed, kept):
    path = draw_side(editor.folder)
    session = editor.session()
    session.do("set units length=in")

    async def story(player):
        await open_file(player)
        await set_option(player, "thickness", typed)
        contents(player).move_to("region:region2")
        await player.press("i")
        player.app.screen.query_one("#import-item", Input).value = "frame"
        await player.press("enter", "ctrl+a")
        assert list(player.bench.assembly.parts) == ["plate", "frame"]
        items = player.bench.built.value.robot.items
        heights = [np.ptp(item.subitems[0].shape.vertices[:, 2]) for item in items]
        assert heights == pytest.approx([parse_quantity(kept, "length", "mm")] * 2)
        recipe = read_recipe(path)
        assert recipe.given == {"thickness": kept}
        assert recipe.items == {"frame": ["region2"]}

    editor.play(story, session=session, size=(120, 40))


def test_solids_become_joints_that_are_connected_by_typing(editor):
    document = ezdxf.new(units=4)
    layout = document.modelspace()
    for layer, low, high in (
        ("TABLE", (-30, -30, 0), (30, 30, 20)),
        ("PIN", (-5, -5, 10), (5, 5, 50)),
        ("FLAP", (-10, -10, 20), (40, 10, 40)),
    ):
        mesh = MeshBuilder()
        mesh.vertices = [(x, y, z) for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])]
        mesh.faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
        mesh.render_mesh(layout, dxfattribs={"layer": layer})
    path = editor.folder / "hinge.dxf"
    document.saveas(path)

    async def story(player):
        await open_file(player, "hinge.dxf")
        assert not player.app.screen.query_one(DrawingView).display
        contents(player).move_to("part:PIN")
        await player.press("j")
        assert contents(player).key == "joint:PIN"
        await player.press("enter")
        player.app.screen.query_one("#import-item", Input).value = "revolute TABLE > FLAP"
        await player.press("enter")
        assert player.app.screen.query_one(SurveyView)._source.scene().world_joints[0].base == "TABLE"
        await player.press("ctrl+a")
        (joint,) = player.bench.built.value.robot.joints
        assert joint.name.endswith("PIN")
        assert read_recipe(path).joints["PIN"].base == "TABLE"

    editor.play(story, size=(120, 40))


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
        await open_file(player)
        await player.press("enter")
        player.app.screen.query_one(FieldInput).value = "much"
        await player.press("enter")
        assert "much" in player.app.screen.query_one(PropertyTable).reason
        await player.press("escape", "ctrl+a")
        assert "nothing can be imported: it is flat and has no thickness" in shown(player, "message")
        assert not list(editor.folder.glob("*.recipe.yaml"))
        assert not player.bench.assembly.parts

    editor.play(story)


def test_imported_plates_are_mounted_one_after_the_other(editor, arm):
    path = draw_side(editor.folder)
    write_recipe(path, Recipe(options={"thickness": "4mm"}))

    async def story(player):
        await open_file(player)
        await player.press("ctrl+a")
        assert player.app.current_mode == "build"
        assert list(player.bench.assembly.parts)[-2:] == ["plate", "plate-2"]
        first = player.bench.placing
        assert first.line == f"mate {first.end} plate.{first.own_port}"
        assert first.end.partition(".")[0] not in ("plate", "plate-2")
        assert first.own_port.startswith("hole")
        scene = SceneBuilder(player.bench).scene()
        assert "plate/plate" not in [item.name for item in scene.figure.robot.items]
        assert [item.name for item in scene.ghosts[0].robot.items] == ["plate/plate"]
        await player.press("n", "t", "enter")
        assert player.bench.placing.name == "plate-2"
        await player.press("escape")
        assert player.said == "plate-2 stays where its file puts it; `undo` removes it"
        mates = [mate for mate in player.bench.assembly.mates if mate.put.startswith("plate")]
        assert [mate.put for mate in mates] == [f"plate.{first.own_port}"]
        assert mates[0].at != first.end
        await player.command("undo")
        assert not [mate for mate in player.bench.assembly.mates if mate.put.startswith("plate")]
        await player.command("undo")
        assert "plate" not in player.bench.assembly.parts

    editor.play(story, commands=arm, size=(120, 40))


def test_undo_of_an_import_ends_its_placement(editor, arm):
    path = draw_side(editor.folder)
    write_recipe(path, Recipe(options={"thickness": "4mm"}))

    async def story(player):
        await open_file(player)
        await player.press("ctrl+a")
        assert player.bench.placing is not None
        await player.command("undo")
        assert player.bench.placing is None
        assert "plate" not in player.bench.assembly.parts

    editor.play(story, commands=arm, size=(120, 40))


def test_import_into_an_empty_assembly_keeps_the_places_of_the_file(editor):
    path = draw_side(editor.folder)
    write_recipe(path, Recipe(options={"thickness": "4mm"}))

    async def story(player):
        await open_file(player)
        await player.press("ctrl+a")
        assert player.bench.placing is None
        assert not player.bench.assembly.mates

    editor.play(story, size=(120, 40))


def draw_open_box(folder):
    """A box without its lid."""
    document = ezdxf.new(units=4)
    mesh = MeshBuilder()
    mesh.vertices = [(x, y, z) for x in (0, 40) for y in (0, 30) for z in (0, 20)]
    mesh.faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4)]
    mesh.render_3dfaces(document.modelspace())
    path = folder / "tray.dxf"
    document.saveas(path)
    return path


@pytest.mark.parametrize(("keys", "use"), [((), "hull"), (("down",), "thicken=2mm"), (("down", "down"), "visual")])
def test_use_of_an_open_shell_is_chosen_from_a_list(editor, keys, use):
    path = draw_open_box(editor.folder)

    async def story(player):
        await open_file(player, "tray.dxf")
        assert "press Enter to choose what becomes of it" in shown(player, "message")
        await player.press("enter")
        assert isinstance(player.app.screen, ListDialog)
        await player.press(*keys, "enter")
        assert not player.app.screen._survey.pieces[0].refused
        assert player.app.screen.query_one("#import-view").display
        await player.press("ctrl+a")
        assert read_recipe(path).options == {"open": use}
        (item,) = player.bench.built.value.robot.items
        assert bool(item.visuals) == (use == "visual")

    editor.play(story, size=(120, 40))


def test_import_asks_about_open_shells_and_leaves_them_out(editor):
    path = draw_open_box(editor.folder)

    async def story(player):
        await open_file(player, "tray.dxf")
        await player.press("ctrl+a")
        assert isinstance(player.app.screen, ListDialog)
        await player.press("escape")
        assert not player.bench.assembly.parts
        await player.press("enter", "end", "enter")
        assert read_recipe(path) == Recipe()
        await player.press("r")
        assert read_recipe(path).leave_out

    editor.play(story, size=(120, 40))


def test_robot_shows_its_joints_and_cannot_be_edited_before_the_import(editor):
    shutil.copy(ROBOT, editor.folder)

    async def story(player):
        await open_file(player, "simple.robot")
        before = player.app.screen._survey
        assert [joint.name for joint in before.joints] == ["joint0", "joint1", "joint2"]
        scene = player.app.screen.query_one(SurveyView)._source.scene()
        assert [joint.name for joint in scene.world_joints] == ["joint0", "joint1", "joint2"]
        await player.press("x", "j", "i", "p")
        assert player.app.screen._survey is before
        await player.press("enter")
        assert "change it after the import" in shown(player, "message")

    editor.play(story, size=(120, 40))


def test_damaged_file_is_refused_with_its_first_problem(editor):
    lines = draw_side(editor.folder).read_text().splitlines()
    (editor.folder / "half.dxf").write_text("\n".join(lines[:400]))

    async def story(player):
        await open_file(player, "half.dxf")
        assert shown(player, "message").startswith("RCK")
        assert player.app.focused.id == "problems"
        await player.press("ctrl+a")
        assert player.app.current_mode == "import"
        assert shown(player, "message").startswith("RCK")

    editor.play(story, size=(120, 40))


def test_regions_become_further_views_by_key(editor):
    path = draw_side(editor.folder)
    write_recipe(path, Recipe(options={"thickness": "4mm"}))

    async def story(player):
        await open_file(player)
        contents(player).move_to("region:region2")
        await player.press("v")
        assert ("region2", "view", "") in rows(player)
        await player.press("r")
        assert read_recipe(path).regions == {"region2": "view"}

    editor.play(story, size=(120, 40))
