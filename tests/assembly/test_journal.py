"""The journal recovers every completed command since the last save after a crash or damage."""

from pathlib import Path

import pytest

from rck.assembly.document import Assembly
from rck.assembly.journal import Journal, JournalEntry, journal_path, recoverable
from rck.assembly.native_file import fingerprint_of, format_assembly, write_assembly

ENTRIES = (
    JournalEntry("make box a size=1,2,3"),
    JournalEntry("import x.robot", "rck: 1\nname: é\n"),
    JournalEntry('set a notes="x\\y"'),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "arm.rck"


def written(path: Path, *entries: JournalEntry) -> Journal:
    journal = Journal(path)
    journal.begin()
    for entry in entries:
        journal.record(entry)
    return journal


def found(path: Path) -> tuple[tuple[JournalEntry, ...], bool, int]:
    recovery = recoverable(path)
    assert recovery is not None
    return recovery.entries, recovery.matches, recovery.damaged


def test_completed_commands_are_recovered_in_order(path: Path):
    write_assembly(path, Assembly("arm"))
    written(path, *ENTRIES)
    assert found(path) == (ENTRIES, True, 0)


def test_unsaved_file_has_a_journal(path: Path):
    written(path, *ENTRIES)
    assert found(path) == (ENTRIES, True, 0)


def test_journal_without_commands_has_nothing_to_recover(path: Path):
    assert recoverable(path) is None
    journal = written(path)
    assert recoverable(path) is None
    journal.record(ENTRIES[0])
    journal.end()
    assert recoverable(path) is None
    assert list(path.parent.iterdir()) == []


def test_commands_before_a_truncated_last_line_are_recovered(path: Path):
    written(path, *ENTRIES)
    whole = journal_path(path).read_bytes()
    for length in range(len(whole) + 1):
        journal_path(path).write_bytes(whole[:length])
        left = recoverable(path)
        # The last line break is optional.
        ends = [place for place, byte in enumerate(whole) if byte == ord("\n")]
        complete = max(0, sum(end <= length for end in ends[::2]) - 2)
        assert (left.entries if left else ()) == ENTRIES[:complete]
        assert left is None or left.damaged == 0


def test_save_interrupted_before_file_replacement_loses_nothing(path: Path):
    write_assembly(path, Assembly("old"))
    written(path, *ENTRIES).saving(fingerprint_of(format_assembly(Assembly("new"))))
    assert found(path) == (ENTRIES, True, 0)


def test_save_interrupted_after_file_replacement_repeats_no_command(path: Path):
    write_assembly(path, Assembly("old"))
    journal = written(path, *ENTRIES)
    journal.saving(fingerprint_of(format_assembly(Assembly("new"))))
    write_assembly(path, Assembly("new"))
    assert recoverable(path) is None
    journal.record(ENTRIES[0])
    assert found(path) == (ENTRIES[:1], True, 0)


def test_file_changed_by_another_program_is_detected(path: Path):
    write_assembly(path, Assembly("old"))
    written(path, *ENTRIES)
    write_assembly(path, Assembly("other"))
    assert found(path) == (ENTRIES, False, 0)


@pytest.mark.parametrize(
    "junk",
    [b"[]\n", b"3\n", b"\xff\xfe\n", b'{"do": 3}\n', b'{"base": null}\n', b"null\n", 99_999 * b"[" + b"\n"],
)
def test_damaged_journal_is_reported_and_kept(path: Path, junk: bytes):
    journal_path(path).write_bytes(junk)
    assert found(path) == ((), False, 1)
    kept = Journal(path).begin()
    assert kept is not None
    assert kept.read_bytes() == junk


def test_every_damaged_byte_is_detected_and_loses_only_the_commands_from_it_on(path: Path):
    write_assembly(path, Assembly("arm"))
    written(path, *ENTRIES)
    whole = journal_path(path).read_bytes()
    records = [number for number, text in enumerate(whole.split(b"\n\n")) for _ in range(len(text) + 2)]
    for place in range(len(whole)):
        for bit in (1, 0x20, 0x80):
            damaged = bytearray(whole)
            damaged[place] ^= bit
            journal_path(path).write_bytes(bytes(damaged))
            in_command = records[place] >= 2 and whole[place] != ord("\n")
            intact = ENTRIES[: records[place] - 2] if in_command else ENTRIES
            assert found(path) == (intact, bool(intact), len(ENTRIES) - len(intact))


@pytest.mark.parametrize("changed", [False, True])
@pytest.mark.parametrize("lost", [1, 2])
def test_damaged_start_of_a_journal_loses_no_command(path: Path, lost: int, changed: bool):
    write_assembly(path, Assembly("arm"))
    written(path, *ENTRIES)
    if changed:
        write_assembly(path, Assembly("other"))
    records = journal_path(path).read_bytes().split(b"\n\n")
    for first in range(3 - lost):
        damaged = [text[:9] + b"?" + text[10:] if first <= n < first + lost else text for n, text in enumerate(records)]
        journal_path(path).write_bytes(b"\n\n".join(damaged))
        recovery = recoverable(path)
        assert recovery is not None
        assert recovery.entries == ENTRIES
        assert recovery.damaged == 0
        # One record is enough to know the file that the commands start from.
        assert recovery.is_base_damaged == (lost == 2)
        assert recovery.matches == (lost == 1 and not changed)
        assert ("damaged at its start" in recovery.doubt) == (lost == 2)


def test_missing_record_is_noticed(path: Path):
    written(path, *ENTRIES)
    records = journal_path(path).read_bytes().split(b"\n\n")
    for missing, kept in ((2, 0), (3, 1)):
        journal_path(path).write_bytes(b"\n\n".join(records[:missing] + records[missing + 1 :]))
        assert found(path) == (ENTRIES[:kept], bool(kept), len(ENTRIES) - kept - 1)


def test_command_that_merged_into_a_damaged_start_is_noticed(path: Path):
    written(path, *ENTRIES)
    base, document, first, *others = journal_path(path).read_bytes().split(b"\n\n")
    journal_path(path).write_bytes(b"\n\n".join([base, document + b"??" + first, *others]))
    assert found(path) == ((), False, 3)


def test_journals_of_version_0_1_are_read(path: Path):
    journal_path(path).write_text('{"base": ""}\n{"do": "make box a size=1,2,3"}\n')
    assert found(path) == (ENTRIES[:1], True, 0)


def test_journal_with_commands_is_never_replaced(path: Path):
    written(path, *ENTRIES)
    first, second = Journal(path).begin(), Journal(path)
    assert first is not None
    second.record(ENTRIES[0])
    again = Journal(path).begin(ENTRIES[1:])
    assert again is not None
    assert again != first
    assert found(path) == (ENTRIES[1:], True, 0)


def test_journal_contains_the_document_its_commands_start_from(path: Path):
    write_assembly(path, Assembly("arm"))
    written(path, *ENTRIES)
    recovery = recoverable(path)
    assert recovery is not None
    assert recovery.document == path.read_text()


def test_new_journal_begins_with_the_recovered_commands(path: Path):
    Journal(path).begin(ENTRIES)
    assert found(path) == (ENTRIES, True, 0)
    assert Journal(path).begin(ENTRIES) is None
