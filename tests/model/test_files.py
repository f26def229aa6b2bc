"""Files are replaced atomically."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from rck.support.files import finish_write, write_atomically, write_files

ROOT = Path(__file__).resolve().parents[2]


def test_file_and_parent_folders_are_created(tmp_path):
    path = tmp_path / "a" / "b" / "robot.rck"
    write_atomically(path, b"rck: 1\n")
    assert path.read_bytes() == b"rck: 1\n"


def test_new_content_replaces_old_without_leftovers(tmp_path):
    path = tmp_path / "robot.rck"
    write_atomically(path, b"a long first version")
    write_atomically(path, b"short")
    assert path.read_bytes() == b"short"
    assert list(tmp_path.iterdir()) == [path]


def test_permissions_are_kept_and_new_files_follow_umask(tmp_path):
    path, plain = tmp_path / "secret.rck", tmp_path / "plain.rck"
    plain.touch()
    write_atomically(path, b"1")
    assert path.stat().st_mode == plain.stat().st_mode
    path.chmod(0o600)
    write_atomically(path, b"2")
    assert path.stat().st_mode & 0o777 == 0o600


def test_symbolic_link_is_kept(tmp_path):
    real, link = tmp_path / "real" / "robot.rck", tmp_path / "link.rck"
    write_atomically(real, b"1")
    link.symlink_to(real)
    write_atomically(link, b"2")
    assert link.is_symlink()
    assert real.read_bytes() == b"2"


def test_failed_write_keeps_old_file_without_leftovers(tmp_path):
    path = tmp_path / "robot.rck"
    write_atomically(path, b"old")
    with pytest.raises(TypeError):
        write_atomically(path, "a text is not bytes")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_existing_folder_is_not_replaced(tmp_path):
    path = tmp_path / "robot.rck"
    path.mkdir()
    with pytest.raises(OSError, match="is a folder"):
        write_atomically(path, b"x")
    assert path.is_dir()
    assert list(tmp_path.iterdir()) == [path]


def test_reader_sees_old_or_new_version_while_writer_is_killed(tmp_path):
    path = tmp_path / "robot.rck"
    versions = [b"a" * 100_000, b"b" * 200_000]
    write_atomically(path, versions[0])
    script = (
        "import sys; from pathlib import Path; from rck.support.files import write_atomically\n"
        "path = Path(sys.argv[1]); print('go', flush=True)\n"
        "while True:\n"
        "    write_atomically(path, b'b' * 200_000); write_atomically(path, b'a' * 100_000)\n"
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen([sys.executable, "-c", script, str(path)], env=environment, stdout=subprocess.PIPE) as writer:
        writer.stdout.readline()
        for _ in range(200):
            assert path.read_bytes() in versions
        writer.kill()
    assert path.read_bytes() in versions


def test_concurrent_writers_do_not_mix(tmp_path):
    path = tmp_path / "robot.rck"
    versions = [bytes([letter]) * 50_000 for letter in range(4)]
    threads = [threading.Thread(target=write_atomically, args=(path, version)) for version in versions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert path.read_bytes() in versions
    assert list(tmp_path.iterdir()) == [path]


WRITE_TWO = """
import os, signal, sys
from pathlib import Path
from rck.support import files
folder, kill_at = Path(sys.argv[1]), int(sys.argv[2])
calls = 0
replace = Path.replace
def counted(path, target):
    global calls
    if calls == kill_at:
        os.kill(os.getpid(), signal.SIGKILL)
    calls += 1
    return replace(path, target)
Path.replace = counted
files.write_files({folder / "arm.rck": b"new", folder / "arm.assets" / "a.bin": b"new", folder / "b.bin": b"new"})
"""


@pytest.mark.parametrize("kill_at", range(5))
def test_files_that_belong_together_are_replaced_together_when_the_process_is_killed(tmp_path, kill_at):
    paths = [tmp_path / "arm.rck", tmp_path / "arm.assets" / "a.bin", tmp_path / "b.bin"]
    write_files(dict.fromkeys(paths, b"old"))
    ran = subprocess.run([sys.executable, "-c", WRITE_TWO, tmp_path, str(kill_at)], check=False)
    assert ran.returncode == (-9 if kill_at < 4 else 0)
    finish_write(paths[0])
    contents = {path.read_bytes() for path in paths}
    # The list of the files is in place before the second rename.
    assert contents == {b"new" if kill_at >= 1 else b"old"}
    subprocess.run([sys.executable, "-c", WRITE_TWO, tmp_path, "9"], check=True)
    assert sorted(path for path in tmp_path.rglob("*") if path.is_file()) == sorted(paths)


def test_list_of_a_downloaded_folder_cannot_name_files_elsewhere(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    folder = tmp_path / "download"
    folder.mkdir()
    (folder / ".x.part").write_text("theirs")
    (folder / ".arm.rck.pending").write_text('[[".x.part", "../mine.txt"]]')
    finish_write(folder / "arm.rck")
    assert (tmp_path / "mine.txt").read_text() == "mine"
    (folder / ".arm.rck.pending").write_text("[1")
    finish_write(folder / "arm.rck")
    assert [path.name for path in folder.iterdir()] == [".x.part"]


def test_one_file_that_cannot_be_written_leaves_all_unchanged(tmp_path):
    (tmp_path / "b").mkdir()
    with pytest.raises(IsADirectoryError):
        write_files({tmp_path / "a": b"1", tmp_path / "b": b"2", tmp_path / "new" / "c": b"3"})
    assert [path.name for path in tmp_path.rglob("*")] == ["b"]
