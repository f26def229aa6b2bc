"""The findings panel selects the subject of a finding and begins the command that fixes it."""

import pytest

from rck.collision.backend import DEFAULT
from rck.editor.engines import Engine
from rck.editor.finding_fixes import fix_lines, subject_of
from rck.editor.properties import properties
from rck.editor.robot_checks import PoseChecker
from rck.editor.widgets.findings_panel import FindingsPanel
from rck.editor.widgets.title_bar import TitleBar
from rck.editor.workbench import Selected, Workbench, run_now

BROKEN = """\
rck: 1
name: broken
units: {length: mm, angle: deg}
parts:
  foot: {part: kit/foot}
  shoulder: {part: kit/servo}
mates:
  - {at: foot.top, put: shoulder.back}
joints:
  shoulder/axis: {position: 400}
  gone/axis: {position: 4}
tools:
  grip: {on: shoulder.nothing}
"""


def test_finding_selects_its_subject_and_offers_the_fix(editor):
    file = editor.folder / "broken.rck"
    file.write_text(BROKEN)

    async def story(player):
        panel = player.app.screen.query_one(FindingsPanel)
        before = len(player.bench.findings)
        assert before == 2
        await player.press("4")
        assert panel.has_focus
        jumped = set()
        for _ in range(before):
            await player.press("down")
            jumped.update(player.bench.selection)
        assert Selected("tool", "grip") in jumped
        number = next(n for n, one in enumerate(panel._shown) if one.code == 807)
        panel.highlighted = number
        await player.press("enter")
        assert player.app.screen.focused.value == "remove joint gone/axis"
        await player.press("enter")
        assert len(player.bench.findings) == before - 1

    editor.play(story, file=file)


def test_every_complete_fix_command_fixes_its_finding(editor):
    file = editor.folder / "broken.rck"
    file.write_text(BROKEN)
    bench = Workbench(editor.session(file))
    for finding in bench.findings:
        for line in fix_lines(finding, bench):
            assert subject_of(finding, bench) is not None or not line.endswith(" "), finding
            if not line.endswith((" ", "=")):
                assert bench.run(line), (line, bench.messages[-1])
                assert finding not in bench.findings
                bench.run("undo")


def test_panel_warns_of_instances_that_nothing_holds(editor):
    bench = Workbench(editor.session(), check_runner=run_now)
    for line in ("create kit/foot", "create kit/foot eye", "move eye 0,500,500"):
        assert bench.run(line), bench.messages[-1]
    bench.start_checks()
    found = {finding.code: finding for finding in bench.findings}
    assert found[813].where == "eye"
    assert bench.run("set eye loose=yes")
    bench.start_checks()
    assert 813 not in {finding.code for finding in bench.findings}


def test_empty_panel_shows_no_findings(editor):
    async def story(player):
        await player.press("4")
        panel = player.app.screen.query_one(FindingsPanel)
        assert str(panel.get_option_at_index(0).prompt) == "no findings"
        await player.press("enter", "down")

    editor.play(story, commands=("create kit/foot",))


OVERLAPPING = ("create kit/foot foot", "create kit/foot other", "move other 10,0,0")


def test_overlapping_parts_are_found_shown_in_the_inspector_and_can_be_allowed(editor):
    bench = Workbench(editor.session(commands=OVERLAPPING), check_runner=run_now)
    bench.start_checks()
    (finding,) = bench.findings
    assert finding.code == 311
    bench.select(Selected("instance", "other"))
    (row,) = [row for row in properties(bench) if row.label == "overlaps"]
    assert row.value.startswith("foot/")
    assert row.value.endswith("mm deep")
    assert subject_of(finding, bench) is not None
    assert fix_lines(finding, bench) == ["move other ", "replace other ", "allow foot/plate other/plate"]
    assert bench.run(fix_lines(finding, bench)[-1])
    assert bench.findings == ()
    assert not [row for row in properties(bench) if row.label == "overlaps"]
    bench.run("undo")
    assert bench.findings == (finding,)


def test_overlaps_appear_in_the_panel_automatically(editor):
    async def story(player):
        panel = player.app.screen.query_one(FindingsPanel)
        for _ in range(200):
            if player.bench.checks is not None:
                break
            await player.pilot.pause(0.05)
        assert [one.code for one in panel._shown] == [311]

    editor.play(story, commands=OVERLAPPING)


def test_panel_and_title_bar_show_the_findings_of_check(editor):
    async def story(player):
        panel = player.app.screen.query_one(FindingsPanel)
        assert [one.code for one in panel._shown] == [311]
        assert "1 finding" in str(player.app.screen.query_one(TitleBar).render())
        assert {str(one) for one in player.bench.findings} == set(player.bench.session.do("check").message.splitlines())
        await player.press("f3")
        player.bench.run("move other 300,0,0")
        await player.rest()
        assert "no findings" in str(player.app.screen.query_one(TitleBar).render())
        await player.press("f2")
        assert "no findings" in str(panel.options[0].prompt)

    editor.play(story, commands=("create kit/foot", "create kit/foot other", "move other 0,0,1"))


@pytest.mark.parametrize(("depth", "colliding"), [(0.05, False), (0.2, True)])
def test_parts_that_rest_on_each_other_are_not_marked_as_colliding(editor, depth, colliding):
    commands = ("create kit/foot", "make box cube size=20,20,20", f"move cube 0,0,{30 - depth}")
    built = editor.session(commands=commands).compile()
    contacts = PoseChecker(editor.plugins).deepest_contacts(built.value.robot, Engine(DEFAULT))
    assert bool(contacts) == colliding
