"""The inspector: the properties of every kind of object are edited in place."""

import pytest

from rck.assembly.native_file import format_assembly, parse_assembly
from rck.editor.placement import clear_distance
from rck.editor.properties import properties, title
from rck.editor.widgets.property_table import FieldInput, PropertyTable
from rck.editor.workbench import Selected, Workbench

THINGS = {
    "nothing": (),
    "instance": (Selected("instance", "upper"),),
    "mate": (Selected("mate", "upper"),),
    "item": (Selected("item", "shoulder/body"),),
    "subitem": (Selected("subitem", "shoulder/body#0"),),
    "joint": (Selected("joint", "shoulder/axis"),),
    "follower": (Selected("joint", "hand/follow"),),
    "port": (Selected("port", "foot.top"),),
    "tool": (Selected("tool", "grip"),),
    "several": (Selected("instance", "foot"), Selected("instance", "hand")),
}


@pytest.mark.parametrize("things", THINGS.values(), ids=THINGS)
def test_setting_a_property_to_its_current_value_changes_nothing(editor, arm, things):
    bench = Workbench(editor.session(commands=arm))
    bench.select(*things)
    assert title(bench)
    rows = properties(bench)
    assert rows
    for row in rows:
        if row.command and row.value and not row.command.startswith("rename"):
            before = bench.assembly
            assert bench.run(row.line(row.value)), (row, bench.messages[-1])
            bench.run("undo")
            assert bench.assembly == before


def test_lengths_and_angles_are_shown_in_the_units_of_the_assembly(editor, arm):
    bench = Workbench(editor.session(commands=(*arm, "set units length=in angle=rad", "drive shoulder/axis 0.5")))
    bench.select(Selected("joint", "shoulder/axis"))
    position = next(row for row in properties(bench) if row.label == "position")
    assert (position.value, position.hint) == ("0.5", "rad")
    assert bench.run(position.line("0.25"))
    assert bench.built.value.robot.joint("shoulder/axis").position == 0.25


def test_parameters_are_shown_and_set_in_the_units_of_the_assembly(editor, arm):
    bench = Workbench(editor.session(commands=(*arm, "set upper length=254", "set units length=in")))
    bench.select(Selected("instance", "upper"))
    length = next(row for row in properties(bench) if row.label == "length")
    assert (length.value, length.hint.rpartition(" ")[2]) == ("10", "in")
    assert bench.run(length.line("8"))
    assert bench.built.value.bodies["upper"].robot.items[0].origin.parameters[0][1:] == (203.2, "mm")
    assert bench.run(length.line(""))
    default = next(row for row in properties(bench) if row.label == "length")
    assert float(default.value) * 25.4 == pytest.approx(150, rel=1e-15)


def test_assembly_with_an_unknown_unit_can_still_be_inspected(editor, arm):
    session = editor.session(commands=arm)
    session.begin(parse_assembly(format_assembly(session.assembly).replace("length: mm", "length: smoot")))
    bench = Workbench(session)
    bench.select(Selected("instance", "upper"))
    assert next(row for row in properties(bench) if row.label == "length").value == "150"
    assert clear_distance(bench.assembly, bench.built.value, "foot")


def test_changing_one_number_of_several_keeps_the_others_exactly(editor, arm):
    bench = Workbench(editor.session(commands=(*arm, "set mate upper offset=1,2,3", "set units length=in")))
    bench.select(Selected("instance", "upper"))
    offset = next(row for row in properties(bench) if row.label == "offset")
    assert bench.run(offset.line(",".join([*offset.value.split(",")[:2], "0"])))
    assert bench.run("set units length=mm")
    assert next(mate for mate in bench.assembly.mates if mate.put == "upper.a").offset == (1, 2, 0)


def test_typed_value_is_previewed_and_applied_by_enter(editor, arm):
    async def story(player):
        player.bench.select(Selected("instance", "upper"))
        await player.press("3", "down", "down")
        assert player.app.screen.query_one(PropertyTable).row.label == "length"
        await player.type("20")
        assert player.bench.preview is None
        field = player.app.screen.query_one(FieldInput)
        assert field.has_class("error")
        assert "40" in player.app.screen.query_one(PropertyTable).reason
        await player.type("0mm")
        assert not field.has_class("error")
        assert player.bench.preview is not None
        assert player.bench.assembly.parts["upper"].with_ == {}
        await player.press("enter")
        assert player.bench.assembly.parts["upper"].with_ == {"length": "200mm"}
        assert player.app.screen.focused is player.app.screen.query_one(PropertyTable)
        await player.press("ctrl+z")
        assert player.bench.assembly.parts["upper"].with_ == {}

    editor.play(story, commands=arm)


def test_escape_reverts_a_value_and_a_refused_one_can_be_corrected(editor, arm):
    async def story(player):
        before = player.text
        player.bench.select(Selected("instance", "upper"))
        await player.press("3", "down", "down")
        await player.type("99999")
        await player.press("enter")
        assert player.app.screen.query_one(FieldInput).display
        await player.press("escape")
        assert not player.app.screen.query_one(FieldInput).display
        assert player.bench.preview is None
        assert player.text == before
        await player.press("escape")
        assert player.app.screen.focused.id == "view"

    editor.play(story, commands=arm)


def test_space_toggles_yes_and_no_and_down_applies_and_moves_on(editor, arm):
    async def story(player):
        player.bench.select(Selected("mate", "upper"))
        await player.press("3")
        table = player.app.screen.query_one(PropertyTable)
        assert table.row.label == "turn"
        await player.type("45")
        await player.press("down")
        assert next(mate for mate in player.bench.assembly.mates if mate.put == "upper.a").turn == 45
        assert table.row.label == "flip"
        await player.press("space")
        assert next(m for m in player.bench.assembly.mates if m.put == "upper.a").flip

    editor.play(story, commands=arm)


def test_clicking_a_value_starts_editing(editor, arm):
    async def story(player):
        player.bench.select(Selected("instance", "upper"))
        await player.rest()
        table = player.app.screen.query_one(PropertyTable)
        row = next(number for number, one in enumerate(table.rows) if one.label == "length")
        await player.click(table, (14, row))
        field = player.app.screen.query_one(FieldInput)
        assert field.display
        assert field.value == "150"
        assert field.region.y == table.region.y + row
        await player.click("#view", (3, 3))
        assert not field.display

    editor.play(story, commands=arm, size=(120, 36))


def test_dimensions_of_a_basic_shape_are_edited_in_the_inspector(editor):
    bench = Workbench(editor.session(commands=("make box foot size=120,100,8", "set units length=in")))
    bench.select(Selected("instance", "foot"))
    rows = {row.label: row for row in properties(bench)}
    assert [name for name in rows if name in ("length", "width", "height")] == ["length", "width", "height"]
    assert bench.run(rows["width"].line("2"))
    item = bench.built.value.robot.item("foot/body")
    assert sum(subitem.shape.volume for subitem in item.subitems) == pytest.approx(0.12 * 0.0508 * 0.008)
