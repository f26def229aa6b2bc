"""Crash recovery: a real editor in a terminal is killed, and the next one recovers its work."""

import os
import sys
from pathlib import Path

import pytest
from rck_bench.terminal import Terminal
from textual.widgets import Button, Static

from rck.assembly.journal import journal_path, recoverable, unnamed_path
from rck.assembly.native_file import read_assembly
from rck.editor.dialogs.basic import Choice, ChoiceDialog
from rck.editor.journal_recovery import find_recoverable_work
from rck.support.file_lock import lock_file

EDIT = (sys.executable, "-c", "from rck.cli.main import main; main()", "edit")


@pytest.fixture
def places(tmp_path):
    return {"RCK_CONFIG": str(tmp_path / "config"), "RCK_DATA": str(tmp_path / "data")}


def test_unsaved_work_is_recovered_after_sigkill(arm_file, places, kit_in):
    kit_in(arm_file.parent)
    with Terminal([*EDIT, str(arm_file)], 80, 24, places) as first:
        first.wait_for("Command")
        first.send(":drive shoulder/axis 25\r")
        first.wait_for("shoulder/axis at 25")
        first.send(":create kit/foot other\r")
        first.wait_for("created other")
        first.kill()
    assert "other" not in read_assembly(arm_file).parts
    with Terminal([*EDIT, str(arm_file)], 80, 24, places) as second:
        second.wait_for("without saving 2 commands")
        second.send("r")
        second.wait_for("recovered 2 commands")
        second.send("\x13")
        second.wait_for("saved")
    saved = read_assembly(arm_file)
    assert "other" in saved.parts
    assert saved.joints["shoulder/axis"].position == 25


@pytest.fixture
def crashed(arm_file, places, kit_in):
    """A file that another program changed after an editor with unsaved commands was killed."""
    kit_in(arm_file.parent)
    with Terminal([*EDIT, str(arm_file)], 80, 24, places) as first:
        first.wait_for("Command")
        first.send(":create kit/foot other\r")
        first.wait_for("created other")
        first.kill()
    arm_file.write_text(arm_file.read_text().replace("name: untitled", "name: theirs"))
    return arm_file


@pytest.mark.slow
def test_unsaved_work_on_a_changed_file_is_saved_to_another_file(crashed, places):
    with Terminal([*EDIT, str(crashed)], 80, 24, places) as second:
        second.wait_for("Another program")
        second.send("c")
        second.wait_for("+  other:")
        second.send("\x1b")
        second.wait_for("Another program")
        second.send("s")
        second.wait_for("saved the unsaved work")
        second.kill()
    saved = crashed.with_name("arm-recovered.rck")
    assert "other" in read_assembly(saved).parts
    assert read_assembly(saved).name == "untitled"
    assert read_assembly(crashed).name == "theirs"
    assert recoverable(crashed) is None


def test_all_answers_of_a_question_are_visible_on_a_small_terminal(editor):
    choices = tuple(Choice(name, name.capitalize()) for name in ("recover", "save-copy", "compare", "discard"))

    async def story(player):
        player.app.push_screen(ChoiceDialog("What shall be done? " * 5, choices))
        await player.pilot.pause()
        box = player.app.screen.query_one("#ask").content_region
        for button in player.app.screen.query(Button):
            assert box.contains_region(button.region), button.label

    editor.play(story, size=(80, 24))


@pytest.mark.slow
def test_unsaved_work_on_a_changed_file_is_kept_on_escape(crashed, places):
    with Terminal([*EDIT, str(crashed)], 80, 24, places) as second:
        second.wait_for("Another program")
        second.send("\x1b")
        second.wait_for("kept in")
        second.kill()
    assert b"create kit/foot other" in crashed.with_name(".arm.rck.journal-1").read_bytes()


def damage(path: Path, *records: int) -> None:
    """Damage records of the journal of a file."""
    journal = journal_path(path)
    texts = journal.read_bytes().split(b"\n\n")
    journal.write_bytes(b"\n\n".join(b"?" + text[1:] if n in records else text for n, text in enumerate(texts)))


@pytest.mark.parametrize(
    ("records", "text"),
    [((0,), "without saving 2 commands."), ((1,), "without saving 2 commands."), ((0, 1), "damaged at its start")],
)
def test_work_is_recovered_from_a_journal_with_a_damaged_start(editor, arm_file, records, text):
    async def story(player):
        await player.command("create kit/foot other")
        await player.command("drive elbow/axis 10")

    editor.play(story, file=arm_file)
    damage(arm_file, *records)

    async def next_story(player):
        question = str(player.app.screen.query_one("#ask Static", Static).render())
        assert text in question.replace("\n", " ")
        assert "Another program" not in question
        await player.press("r")
        assert player.said == "recovered 2 commands"

    editor.play(next_story, file=arm_file)


def test_journal_without_an_intact_command_is_kept_and_announced(editor, arm_file):
    async def story(player):
        await player.command("create kit/foot other")
        await player.command("drive elbow/axis 10")

    editor.play(story, file=arm_file)
    damage(arm_file, 2)

    async def next_story(player):
        assert not isinstance(player.app.screen, ChoiceDialog)
        assert "0 commands not saved; 2 damaged records cannot be recovered" in player.said
        assert "rename it to .arm.rck.journal" in player.said

    editor.play(next_story, file=arm_file)
    assert b"drive elbow/axis 10" in arm_file.with_name(".arm.rck.journal-1").read_bytes()


@pytest.mark.slow
def test_unsaved_work_is_replayed_on_a_changed_file(crashed, places):
    with Terminal([*EDIT, str(crashed)], 80, 24, places) as second:
        second.wait_for("Another program")
        second.send("r")
        second.wait_for("recovered 1 command")
        second.send("\x13")
        second.wait_for("saved")
    assert "other" in read_assembly(crashed).parts
    assert read_assembly(crashed).name == "theirs"


MISTAKEN = """
from rck.cli.main import main
from rck.editor.app import RckApp
def mistaken(app):
    raise LookupError("a mistake of the editor's own")
RckApp.action_help = mistaken
main()
"""


def test_crash_is_reported_in_one_line_and_the_next_editor_recovers_the_work(arm_file, places, kit_in):
    kit_in(arm_file.parent)
    with Terminal([sys.executable, "-c", MISTAKEN, "edit", str(arm_file)], 80, 24, places) as first:
        first.wait_for("Command")
        first.send(":drive shoulder/axis 25\r")
        first.wait_for("shoulder/axis at 25")
        first.send("\x1b")
        first.send("\x1bOP")
        first.wait_for("the editor crashed")
        assert b"Traceback" not in first.written
    report = Path(places["RCK_DATA"]) / "crash-report.txt"
    assert "LookupError: a mistake of the editor's own" in report.read_text()
    with Terminal([*EDIT, str(arm_file)], 80, 24, places) as second:
        second.wait_for("without saving 1 command")


@pytest.fixture
def kit_in():
    """Puts the parts of the tests where a session in that folder finds them."""

    def put(folder: Path) -> None:
        (folder / "parts").symlink_to(Path(__file__).with_name("library"))

    return put


def test_unnamed_assembly_is_recovered_by_escape(editor):
    async def story(player):
        await player.place("foot")
        await player.place("servo")

    built = editor.play(story).workbench.assembly
    assert len(recoverable(unnamed_path()).entries) == 2

    async def next_story(player):
        assert isinstance(player.app.screen, ChoiceDialog)
        await player.press("escape")
        assert player.bench.assembly == built
        assert player.said == "recovered 2 commands"
        await player.press("ctrl+z")
        assert list(player.bench.assembly.parts) == ["foot"]

    editor.play(next_story)


def test_discarded_work_is_not_offered_again(editor):
    async def story(player):
        await player.place("foot")

    editor.play(story)

    async def discarding(player):
        await player.press("d")
        assert player.bench.assembly.parts == {}

    editor.play(discarding)

    async def quiet(player):
        assert not isinstance(player.app.screen, ChoiceDialog)

    editor.play(quiet)


@pytest.mark.slow
def test_recovered_work_survives_a_second_crash(editor, arm_file):
    async def story(player):
        await player.command("create kit/foot mistaken")
        await player.command("undo")
        await player.command("create kit/foot other")

    editor.play(story, file=arm_file)

    async def second(player):
        await player.press("r")
        await player.command("drive elbow/axis 10")

    editor.play(second, file=arm_file)

    async def third(player):
        await player.press("r")
        assert "other" in player.bench.assembly.parts
        assert "mistaken" not in player.bench.assembly.parts
        assert player.bench.assembly.joints["elbow/axis"].position == 10

    editor.play(third, file=arm_file)


def test_file_open_in_another_editor_gives_a_warning_and_keeps_its_journal(editor, arm_file, places, kit_in):
    kit_in(arm_file.parent)
    with Terminal([*EDIT, str(arm_file)], 80, 24, places) as other:
        other.wait_for("Command")
        other.send(":create kit/foot theirs\r")
        other.wait_for("created theirs")

        async def story(player):
            assert "open in another editor" in player.said
            assert not isinstance(player.app.screen, ChoiceDialog)
            await player.command("create kit/foot ours")
            assert player.bench.session.journal is None

        editor.play(story, file=arm_file)
        assert [entry.command for entry in recoverable(arm_file).entries] == ["create kit/foot theirs"]


@pytest.mark.slow
def test_two_unnamed_assemblies_keep_separate_journals(editor, places):
    with Terminal(EDIT, 80, 24, places) as other:
        other.wait_for("search parts")
        other.send("round base\r")
        other.wait_for("created round-base")

        async def quiet(player):
            assert not isinstance(player.app.screen, ChoiceDialog)
            await player.place("foot")

        editor.play(quiet)
    left = find_recoverable_work(editor.session())
    assert left is not None
    left.forget()


def test_file_lock_ends_with_its_process(tmp_path):
    path = tmp_path / "arm.rck"
    ours = lock_file(path)
    assert ours is not None
    assert lock_file(path) is None
    child = os.fork()
    if child == 0:
        os._exit(0 if lock_file(path) is None else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    ours.release()
    again = lock_file(path)
    assert again is not None
    again.release()


def test_loading_another_file_starts_its_journal(editor, arm_file):
    async def story(player):
        await player.command("load arm.rck")
        await player.command("create kit/foot other")
        assert [entry.command for entry in recoverable(arm_file).entries] == ["create kit/foot other"]

    editor.play(story)
