"""The journal: every completed command since the last save, whatever moment the machine stops at."""

import json
from pathlib import Path

import pytest

from rck.assembly.document import Assembly
from rck.assembly.journal import Entry, Journal, Recovery, journal_path, recoverable
from rck.assembly.native import fingerprint_of, write_assembly

ENTRIES = (Entry("make box a size=1,2,3"), Entry("import x.robot", "rck: 1\nname: é\n"), Entry('set a notes="x\\y"'))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "arm.rck"


def written(path: Path, *entries: Entry) -> Journal:
    journal = Journal(path)
    journal.begin()
    for entry in entries:
        journal.record(entry)
    return journal


def test_completed_commands_are_recovered_in_order(path: Path):
    write_assembly(path, Assembly("arm"))
    written(path, *ENTRIES)
    assert recoverable(path) == Recovery(ENTRIES, matches=True)


def test_a_file_that_was_never_saved_has_a_journal_too(path: Path):
    written(path, *ENTRIES)
    assert recoverable(path) == Recovery(ENTRIES, matches=True)


def test_without_commands_there_is_nothing_to_recover(path: Path):
    assert recoverable(path) is None
    journal = written(path)
    assert recoverable(path) is None
    journal.record(ENTRIES[0])
    journal.end()
    assert recoverable(path) is None
    assert list(path.parent.iterdir()) == []


def test_wherever_the_last_line_breaks_off_all_before_it_counts(path: Path):
    written(path, *ENTRIES)
    whole = journal_path(path).read_bytes()
    for length in range(len(whole) + 1):
        journal_path(path).write_bytes(whole[:length])
        found = recoverable(path)
        complete = max(0, whole[:length].count(b"\n") - 1)
        assert (found.entries if found else ()) == ENTRIES[:complete]


def test_a_save_that_broke_off_before_the_file_was_replaced_loses_nothing(path: Path):
    write_assembly(path, Assembly("old"))
    written(path, *ENTRIES).saving(fingerprint_of(Assembly("new")))
    assert recoverable(path) == Recovery(ENTRIES, matches=True)


def test_a_save_that_broke_off_after_the_file_was_replaced_does_nothing_twice(path: Path):
    write_assembly(path, Assembly("old"))
    journal = written(path, *ENTRIES)
    journal.saving(fingerprint_of(Assembly("new")))
    write_assembly(path, Assembly("new"))
    assert recoverable(path) is None
    journal.record(ENTRIES[0])
    assert recoverable(path) == Recovery(ENTRIES[:1], matches=True)


def test_a_file_that_somebody_else_changed_is_noticed(path: Path):
    write_assembly(path, Assembly("old"))
    written(path, *ENTRIES)
    write_assembly(path, Assembly("other"))
    assert recoverable(path) == Recovery(ENTRIES, matches=False)


@pytest.mark.parametrize(
    "junk",
    [b"", b"\n", b"[]\n", b"3\n", b"\xff\xfe\n", b'{"do": 3}\n', b'{"base": null}\n', b"null\n", 99_999 * b"[" + b"\n"],
)
def test_a_journal_of_something_else_holds_nothing(path: Path, junk: bytes):
    journal_path(path).write_bytes(junk)
    assert recoverable(path) is None


def test_a_journal_begins_with_what_was_recovered(path: Path):
    Journal(path).begin(ENTRIES)
    assert recoverable(path) == Recovery(ENTRIES, matches=True)
    assert json.loads(journal_path(path).read_text().splitlines()[0]) == {"base": ""}
