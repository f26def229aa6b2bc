"""The Build screen: place, rotate, copy, replace and remove parts by keys and mouse."""

from math import pi
from pathlib import Path

import pytest

from rck.editor.placement import clear_distance, rotate, start_placement
from rck.editor.widgets.assembly_tree import AssemblyTree
from rck.editor.widgets.catalogue_panel import CataloguePanel, PartTree
from rck.editor.workbench import Selected

ARM = Path(__file__).parents[2] / "examples" / "small-arm.xml"


def test_first_part_is_placed_on_the_floor_at_once(editor):
    async def story(player):
        await player.type("foot")
        await player.press("enter")
        assert list(player.bench.assembly.parts) == ["foot"]
        assert player.bench.selected_instances == ["foot"]
        assert player.said == "created foot"

    editor.play(story)


def test_ghost_is_rotated_flipped_and_moved_to_other_ports_before_placing(editor, arm):
    async def story(player):
        await player.press("slash")
        await player.type("strong")
        await player.press("enter")
        before = player.text
        first = player.bench.placing
        assert first is not None
        assert player.bench.preview is not None
        assert player.bench.preview.ghosts == {"strong-servo/body", "strong-servo/horn"}
        await player.press("t", "f", "n", "b")
        now = player.bench.placing
        assert (now.turn, now.flip) == (90, True)
        assert now.end != first.end
        assert now.own_port != first.own_port
        assert player.text == before
        await player.press("enter")
        assert player.bench.placing is None
        mate = next(one for one in player.bench.assembly.mates if one.put.startswith("strong-servo"))
        assert (mate.at, mate.put, mate.turn, mate.flip) == (now.end, f"strong-servo.{now.own_port}", 90, True)

    editor.play(story, commands=arm[:2])


def test_rotating_and_copying_work_in_other_units(editor, arm):
    session = editor.session(commands=(*arm, "set units angle=rad length=m"))
    in_metres, in_millimetres = (
        clear_distance(each.assembly, each.compile().value, "foot") for each in (session, editor.session(commands=arm))
    )
    assert 1000 * float(in_metres) == float(in_millimetres)
    placing = rotate(start_placement(session, "kit/strong-servo", None), 90)
    session.do(placing.line)
    mate = next(one for one in session.assembly.mates if one.put.startswith("strong-servo"))
    assert mate.turn == pi / 2


def test_escape_cancels_placing_without_a_change(editor, arm):
    async def story(player):
        before = player.text
        await player.press("slash")
        await player.type("link")
        await player.press("enter", "t", "escape")
        assert player.bench.placing is None
        assert player.bench.preview is None
        assert player.text == before
        await player.press("colon")
        await player.type("remove shoulder --with-dependents")
        assert player.bench.preview is not None
        await player.press("escape")
        assert player.bench.preview is None
        assert player.text == before
        assert player.app.screen.focused.id == "view"

    editor.play(story, commands=arm)


def test_offset_is_typed_in_the_command_line(editor, arm):
    async def story(player):
        await player.press("slash")
        await player.type("link")
        await player.press("enter", "o")
        box = player.app.screen.focused
        assert box.value.endswith("--offset 10")
        assert player.bench.preview is not None
        await player.press("enter")
        assert next(mate for mate in player.bench.assembly.mates if mate.put == "link.a").offset == 10

    editor.play(story, commands=arm[:2])


def test_part_that_fits_no_port_is_mounted_by_an_adaptor(editor):
    async def story(player):
        panel = player.app.screen.query_one(CataloguePanel)
        await player.place("plug")
        assert panel.border_title == "Adaptors for plug"
        assert [node.data.id for node in panel.query_one(PartTree).root.children] == ["kit/coupler"]
        await player.press("enter")
        assert (player.bench.placing.part, player.bench.placing.end) == ("kit/coupler", "plug.end")
        await player.press("enter")
        assert (player.bench.placing.part, player.bench.placing.end) == ("kit/plug", "coupler.b")
        await player.press("enter")
        assert list(player.bench.assembly.parts) == ["plug", "coupler", "plug-2"]
        await player.press("slash", "escape")
        assert panel.border_title == "Catalogue"

    editor.play(story, commands=("create kit/plug",))


def test_part_without_fitting_port_or_adaptor_can_be_created_unattached(editor):
    async def story(player):
        await player.place("lamp")
        assert player.bench.placing is None
        assert player.app.screen.focused.value == "create kit/lamp"
        assert player.bench.preview is not None
        assert list(player.bench.assembly.parts) == ["plug"]
        await player.press("enter")
        assert list(player.bench.assembly.parts) == ["plug", "lamp"]

    editor.play(story, commands=("create kit/plug",))


def test_choice_of_an_adaptor_is_cancelled_by_escape(editor):
    async def story(player):
        panel = player.app.screen.query_one(CataloguePanel)
        await player.place("plug")
        await player.press("escape")
        assert panel.border_title == "Catalogue"
        assert list(player.bench.assembly.parts) == ["plug"]

    editor.play(story, commands=("create kit/plug",))


def test_robot_is_exploded_by_a_key_and_joined_again_by_undo(editor):
    async def story(player):
        player.bench.select(Selected("instance", "arm"))
        await player.rest()
        await player.press("E")
        assert player.app.screen.focused.value == "explode arm"
        await player.press("enter")
        assert {"base", "palm", "left_finger"} <= set(player.bench.assembly.parts)
        assert player.said.startswith("exploded arm into 9 instances with 8 joints")
        await player.press("escape", "ctrl+z")
        assert list(player.bench.assembly.parts) == ["arm"]

    editor.play(story, commands=(f'import "{ARM}" arm',))


SELECTED = {
    "copy": ("c", "enter"),
    "mirror": ("m", "enter"),
    "pattern": ("p", "enter"),
    "remove": ("delete",),
}


@pytest.mark.parametrize("keys", SELECTED.values(), ids=SELECTED)
def test_selection_key_is_one_command_that_undoes_exactly(editor, arm, keys):
    async def story(player):
        before = player.text
        player.bench.select(Selected("instance", "hand" if "delete" in keys else "foot"))
        await player.rest()
        await player.press(*keys)
        after = player.text
        assert after != before
        await player.press("escape", "ctrl+z")
        assert player.text == before
        await player.press("ctrl+y")
        assert player.text == after

    editor.play(story, commands=arm[:-1])


def test_removing_an_instance_with_dependents_offers_to_remove_them_too(editor, arm):
    async def story(player):
        player.bench.select(Selected("instance", "shoulder"))
        await player.rest()
        await player.press("delete")
        assert player.app.screen.focused.value == "remove shoulder --with-dependents"
        await player.press("enter")
        assert list(player.bench.assembly.parts) == ["foot"]

    editor.play(story, commands=arm)


def test_replace_and_rename_start_with_the_name_and_keep_the_mates(editor, arm):
    async def story(player):
        player.bench.select(Selected("instance", "elbow"))
        await player.rest()
        await player.press("x")
        panel = player.app.screen.query_one(CataloguePanel)
        assert panel.border_title == "Replace elbow"
        tree = panel.query_one(PartTree)
        offered = [node.data.id for node in tree.root.children]
        assert "kit/strong-servo" in offered
        assert not {"kit/servo", "kit/foot", "kit/plug"} & set(offered)
        await player.type("strong")
        assert "instead of Servo" in str(panel.query_one("#card-text").render())
        await player.press("enter")
        assert player.app.screen.focused.value == "replace elbow kit/strong-servo"
        await player.press("enter")
        assert panel.border_title == "Catalogue"
        assert player.bench.assembly.parts["elbow"].part == "kit/strong-servo"
        assert any(mate.at == "elbow.horn" for mate in player.bench.assembly.mates)
        await player.press("r")
        await player.type("forearm")
        await player.press("enter")
        assert "forearm" in player.bench.assembly.parts
        await player.press("ctrl+z", "ctrl+z")
        assert player.bench.assembly.parts["elbow"].part == "kit/servo"

    editor.play(story, commands=arm)


def test_several_instances_are_marked_copied_and_removed_together(editor):
    async def story(player):
        before = player.text
        await player.press("2", "down")
        assert player.bench.selected_instances == ["block"]
        await player.press("space", "down", "space")
        assert player.bench.selected_instances == ["block", "post"]
        await player.press("c")
        assert set(player.bench.assembly.parts) == {"block", "foot", "post", "block-2", "post-2"}
        await player.press("ctrl+z", "ctrl+z")
        assert player.text == before
        assert player.bench.selected_instances == ["block", "post"]
        await player.press("delete")
        assert list(player.bench.assembly.parts) == ["foot"]
        await player.press("ctrl+z")
        assert player.text == before

    editor.play(
        story, commands=("create kit/foot", "create kit/foot post", "create kit/foot block", "move block 0,500,0")
    )


def test_selection_is_shared_by_tree_view_inspector_and_commands(editor, arm):
    async def story(player):
        tree = player.app.screen.query_one(AssemblyTree)
        await player.press("2", "down", "down")
        assert player.bench.selection == (Selected("instance", "shoulder"),)
        inspector = player.app.screen.query_one("#inspector")
        assert "shoulder" in str(inspector.border_title)
        await player.press("right", "down", "down")
        chosen = player.bench.selection[0]
        assert chosen == Selected("item", "shoulder/body")
        assert "shoulder/body" in str(inspector.border_title)
        await player.press("escape")
        player.bench.select(Selected("instance", "hand"))
        await player.rest()
        assert tree.cursor_node.data == Selected("instance", "hand")
        await player.press("escape")
        assert player.bench.selection == ()

    editor.play(story, commands=arm)


def test_tree_shows_mates_items_subitems_joints_ports_and_tools(editor, arm):
    async def story(player):
        tree = player.app.screen.query_one(AssemblyTree)
        await player.press("2", "down", "down", "right", "down", "down", "right")
        kinds = {node.data.kind for node in tree.root.children[1].children}
        assert kinds == {"mate", "item", "joint", "port"}
        item = tree.root.children[1].children[1]
        assert [node.data.name for node in item.children] == ["shoulder/body#0"]
        assert tree.root.children[-1].data == Selected("tool", "grip")
        shown = [node.data for node in tree.root.children[1].children]
        await player.command("drive shoulder/axis 30")
        assert [node.data for node in tree.root.children[1].children] == shown
        labels = [str(node.label) for node in tree.root.children[1].children]
        assert any("30°" in label for label in labels)

    editor.play(story, commands=arm)


def test_double_click_on_a_part_starts_placing_and_clicking_the_port_places_it(editor, arm):
    async def story(player):
        screen = player.app.screen
        tree = screen.query_one(PartTree)
        line = next(number for number in range(10) if str(tree.get_node_at_line(number).label).startswith("links"))
        await player.click(tree, (4, line))
        await player.click(tree, (6, line + 1))
        assert player.bench.placing is None
        assert "Link" in str(screen.query_one("#card-text").render())
        await player.click(tree, (6, line + 1), times=2)
        assert player.bench.placing is not None
        assert player.bench.placing.part == "kit/link"
        view = screen.query_one("#view")
        place = await port_on_screen(player, view, player.bench.placing.end)
        await player.click(view, place)
        assert player.bench.placing is None
        assert "link" in player.bench.assembly.parts
        await player.click(view, (1, 1))
        assert player.bench.selection == ()

    editor.play(story, commands=arm[:2], size=(120, 36), drawing=True)


async def port_on_screen(player, view, end):
    """The cell of the view that shows a port."""
    await player.rest()
    for y in range(view.size.height):
        for x in range(view.size.width):
            thing = view.thing_at(x + 1, y + 1)
            if thing is not None and thing.name == end:
                return x + 1, y + 1
    raise AssertionError(f"{end} is not to be seen")


def test_hovering_shows_the_part_card(editor):
    async def story(player):
        await player.press("slash")
        await player.type("servo")
        card = player.app.screen.query_one("#card-text")
        await player.pilot.hover(PartTree, offset=(4, 1))
        await player.rest()
        assert "Strong servo" in str(card.render())

    editor.play(story, size=(120, 36))


def test_part_card_names_the_document_of_a_part_without_source_text(real_editor):
    async def story(player):
        await player.paste("SO-101 follower")
        card = player.app.screen.query_one("#card-text")
        assert "source: TheRobotStudio, Simulation/SO101/so101_new_calib.urdf" in str(card.render())

    real_editor.play(story)


def test_search_reports_no_results_and_finds_figures(editor):
    async def story(player):
        await player.paste("zeppelin")
        card = player.app.screen.query_one("#card-text")
        assert "No matching part" in str(card.render())
        await player.press("ctrl+u")
        await player.paste("stall-torque>5")
        tree = player.app.screen.query_one(PartTree)
        assert [node.data.id for node in tree.root.children] == ["kit/strong-servo"]

    editor.play(story)


def test_names_with_brackets_and_long_names_are_shown_literally(editor):
    long = "a-very-long-name-" * 8 + "end"

    async def story(player):
        await player.type("hand")
        tree = player.app.screen.query_one(PartTree)
        assert str(tree.root.children[0].label).strip() == "Hand [two fingers]"
        await player.press("enter")
        await player.command(f"rename hand {long}")
        await player.press("2", "down", "3")
        assert player.bench.selected_instances == [long]
        await player.command("set assembly notes='[bold] [/] [@click=app.quit]x[/]'")
        assert player.bench.assembly.notes == "[bold] [/] [@click=app.quit]x[/]"
        await player.press("escape", "3")

    editor.play(story, size=(80, 24))
