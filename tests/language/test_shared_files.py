"""No change is lost when two programs edit one assembly at the same time."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rck.assembly.journal import journal_path, recoverable
from rck.language.session import new_session, open_session
from rck.model import RckError
from rck.support.file_lock import lock_file, lock_holder

RCK = (sys.executable, "-m", "rck.cli")


@pytest.fixture
def arm(tmp_path, plugins) -> Path:
    session = new_session(plugins, tmp_path)
    session.do("make box a size=1,2,3")
    return session.save(tmp_path / "arm.rck")


def test_concurrent_runs_on_one_file_both_keep_their_changes(arm):
    scripts = []
    for name in ("b", "c", "d"):
        script = arm.with_name(f"{name}.rcks")
        script.write_text(f"make box {name} size=1,2,3\n")
        scripts.append(script)
    runs = [subprocess.Popen([*RCK, "run", str(script), str(arm)], stdout=subprocess.DEVNULL) for script in scripts]
    assert [run.wait() for run in runs] == [0, 0, 0]
    assert all(f"  {name}: " in arm.read_text() for name in "abcd")
    assert sorted(path.name for path in arm.parent.iterdir()) == ["arm.rck", "b.rcks", "c.rcks", "d.rcks"]


def test_file_changed_by_another_program_is_not_overwritten(arm, plugins):
    first, second = open_session(plugins, arm), open_session(plugins, arm)
    first.do("make box b size=1,2,3")
    first.save()
    second.do("make box c size=1,2,3")
    with pytest.raises(RckError, match="changed by another program"):
        second.do("save")
    assert "  b: " in arm.read_text()
    second.do("save --overwrite")
    assert "  c: " in arm.read_text()
    second.do("make box d size=1,2,3")
    second.do("save")


def test_lock_names_its_holder_and_ends_with_its_process(arm):
    code = f"from rck.support.file_lock import *; from pathlib import Path; lock_file(Path({str(arm)!r})); import os; "
    process = subprocess.Popen(
        [sys.executable, "-c", code + "print(os.getpid(), flush=True); input()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    pid = int(process.stdout.readline())
    assert lock_file(arm) is None
    assert f"process {pid} on " in lock_holder(arm)
    process.kill()
    process.wait()
    lock = lock_file(arm)
    assert lock is not None
    assert f"process {os.getpid()} " in lock_holder(arm)
    lock.release()
    assert list(arm.parent.iterdir()) == [arm]


def test_commands_refused_on_a_changed_file_are_kept(arm, plugins):
    crashed = open_session(plugins, arm)
    crashed.begin_journal()
    crashed.do("make box b size=1,2,3")
    crashed.do("make box c size=1,2,3")
    other = open_session(plugins, arm)
    other.do("make box c size=1,2,3")
    other.save()
    later = new_session(plugins, arm.parent)
    later.begin_journal()
    with pytest.raises(
        RckError, match=r"2 commands not saved in the last session; another program has changed the file since then"
    ):
        later.do("load arm.rck")
    with pytest.raises(RckError, match=r"recovered 1 of 2 commands; `make box c size=1,2,3` was refused"):
        later.do("load arm.rck --recover")
    kept = journal_path(arm).with_name(".arm.rck.journal-1")
    assert b"make box c" in kept.read_bytes()
    recovery = recoverable(arm)
    assert recovery is not None
    assert [entry.command for entry in recovery.entries] == ["make box b size=1,2,3"]


def test_discarded_commands_are_deleted(arm, plugins):
    crashed = open_session(plugins, arm)
    crashed.begin_journal()
    crashed.do("make box b size=1,2,3")
    later = new_session(plugins, arm.parent)
    later.begin_journal()
    later.do("load arm.rck --discard")
    assert recoverable(arm) is None
    assert not journal_path(arm).with_name(".arm.rck.journal-1").exists()
