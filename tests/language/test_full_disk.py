"""A full disk, a limit on the size of files, and a read-only folder: errors are reported and completed work stays."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from rck.assembly.journal import recoverable
from rck.assembly.native_file import read_assembly
from rck.language.session import new_session, open_session
from rck.model import RckError
from rck.support.files import write_files

FILL = """
import resource, sys
from pathlib import Path
from rck.hooks import Plugins
from rck.language.session import open_session
from rck.model import RckError
path, limit = Path(sys.argv[1]), int(sys.argv[2])
session = open_session(Plugins([]), path)
print(session.begin_journal() or "journal")
if limit:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
for number in range(300):
    try:
        outcome = session.do(f"make box b{number} size=1,2,3")
        print("warned" if "cannot write the journal" in outcome.message else "done")
        if "warned" in outcome.message or session.journal is None:
            break
    except RckError as error:
        print("refused", error)
for number in range(300, 600):
    session.do(f"make box c{number} size=1,2,3")
try:
    session.save()
    print("saved")
except RckError as error:
    print("unsaved", error)
"""


def edited_until_full(path: Path, limit: int) -> list[str]:
    ran = subprocess.run([sys.executable, "-c", FILL, path, str(limit)], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.splitlines()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 1 MiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)]
    if sys.platform != "linux" or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("mounting is not permitted")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def start(folder: Path, plugins) -> Path:
    session = new_session(plugins, folder)
    session.do("make box a size=1,2,3")
    return session.save(folder / "arm.rck")


def check_nothing_lost(path: Path, said: list[str]) -> None:
    """Require that the file is unchanged and that the journal has every command before the first warning."""
    assert list(read_assembly(path).parts) == ["a"]
    assert said[-1].startswith("unsaved")
    assert "nothing was saved" in said[-1]
    recovery = recoverable(path)
    assert recovery is not None
    completed = said.count("done")
    assert completed > 5
    assert [entry.command for entry in recovery.entries][:completed] == [
        f"make box b{number} size=1,2,3" for number in range(completed)
    ]
    assert "warned" in said
    names = {one.name for one in path.parent.iterdir()} - {"filler"}
    assert names <= {path.name, f".{path.name}.journal"}


@pytest.mark.slow
def test_limit_on_file_sizes_loses_no_completed_command(tmp_path, plugins):
    path = start(tmp_path, plugins)
    check_nothing_lost(path, edited_until_full(path, 4000))


@pytest.mark.slow
def test_full_disk_loses_no_completed_command(small_disk, plugins):
    path = start(small_disk, plugins)
    (small_disk / "filler").write_bytes(bytes((1 << 20) - 16 * 1024))
    check_nothing_lost(path, edited_until_full(path, 0))
    (small_disk / "filler").unlink()
    session = open_session(plugins, path)
    recovery = recoverable(path)
    assert recovery is not None
    session.recover_from(recovery)
    session.save()
    assert len(read_assembly(path).parts) > 5


def test_full_disk_leaves_files_that_belong_together_unchanged(small_disk):
    paths = [small_disk / "a", small_disk / "b"]
    write_files(dict.fromkeys(paths, b"old"))
    with pytest.raises(OSError, match="No space left") as full:
        write_files({paths[0]: b"new", paths[1]: bytes(1 << 20)})
    assert full.value.filename == str(paths[1])
    assert sorted(small_disk.iterdir()) == paths
    assert {path.read_bytes() for path in paths} == {b"old"}


def test_read_only_folder_is_reported_and_commands_still_work(small_disk, plugins):
    path = start(small_disk, plugins)
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    session = open_session(plugins, path)
    warning = session.begin_journal()
    assert "cannot be recovered after a crash" in warning
    session.do("make box b size=1,2,3")
    with pytest.raises(RckError, match=r"not writable|Read-only"):
        session.do("save")
    assert [one.name for one in small_disk.iterdir()] == ["arm.rck"]
    saved = session.save(small_disk.parent / "copy.rck")
    assert list(read_assembly(saved).parts) == ["a", "b"]
