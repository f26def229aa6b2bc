"""The findings panel jumps to the place of a finding and begins the command that mends it."""

from rck.editor.fixes import fix_line, place_of
from rck.editor.properties import properties
from rck.editor.widgets.findings import FindingsPanel
from rck.editor.widgets.title_bar import TitleBar
from rck.editor.workbench import Selected, Workbench, at_once

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


def test_a_finding_is_jumped_to_and_mended(editor):
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


def test_every_line_that_is_offered_as_it_stands_mends_its_finding(editor):
    file = editor.folder / "broken.rck"
    file.write_text(BROKEN)
    bench = Workbench(editor.session(file))
    for finding in bench.findings:
        line = fix_line(finding, bench)
        assert place_of(finding, bench) is not None or not line.endswith(" "), finding
        if line and not line.endswith((" ", "=")):
            assert bench.do(line), (line, bench.said[-1])
            assert finding not in bench.findings
            bench.do("undo")


def test_without_findings_the_panel_says_so(editor, arm):
    async def story(player):
        await player.press("4")
        panel = player.app.screen.query_one(FindingsPanel)
        assert str(panel.get_option_at_index(0).prompt) == "nothing is wrong"
        await player.press("enter", "down")

    editor.play(story, commands=arm)


OVERLAPPING = ("create kit/foot foot", "create kit/foot other", "move other 10,0,0")


def test_parts_that_overlap_are_found_named_in_the_inspector_and_allowed_to(editor):
    bench = Workbench(editor.session(commands=OVERLAPPING), quietly=at_once)
    bench.look_over()
    (finding,) = bench.findings
    assert finding.code == 311
    bench.select(Selected("instance", "other"))
    (row,) = [row for row in properties(bench) if row.label == "touches"]
    assert row.value.startswith("foot/")
    assert row.value.endswith("mm deep")
    assert place_of(finding, bench) is not None
    assert bench.do(fix_line(finding, bench))
    assert bench.findings == ()
    assert not [row for row in properties(bench) if row.label == "touches"]
    bench.do("undo")
    assert bench.findings == (finding,)


def test_overlaps_come_into_the_panel_by_themselves(editor):
    async def story(player):
        panel = player.app.screen.query_one(FindingsPanel)
        for _ in range(200):
            if player.bench.looked_over is not None:
                break
            await player.pilot.pause(0.05)
        assert [one.code for one in panel._shown] == [311]

    editor.play(story, commands=OVERLAPPING)


def test_the_panel_and_the_title_of_every_screen_tell_what_check_finds(editor):
    async def story(player):
        panel = player.app.screen.query_one(FindingsPanel)
        assert [one.code for one in panel._shown] == [311]
        assert "1 finding" in str(player.app.screen.query_one(TitleBar).render())
        assert {str(one) for one in player.bench.findings} == set(player.bench.session.do("check").message.splitlines())
        await player.press("f3")
        player.bench.do("move foot 0,0,300")
        await player.rest()
        assert "no findings" in str(player.app.screen.query_one(TitleBar).render())
        await player.press("f2")
        assert "nothing is wrong" in str(panel.options[0].prompt)

    editor.play(story, commands=("create kit/foot", "create kit/foot other", "move other 0,0,1"))
