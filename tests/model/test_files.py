"""Files are replaced atomically."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from rck.support.files import write_atomically

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
