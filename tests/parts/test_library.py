"""Part libraries: override order and the index."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from rck.hooks import discover
from rck.model import RckError
from rck.parts import part as part_module
from rck.parts.library import library_folders, open_catalogue, read_catalogue
from rck.support.lru_cache import LruCache
from rck.support.user_folders import cache_folder, data_folder

Write = Callable[..., Path]


@pytest.fixture
def own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RCK_DATA", str(tmp_path / "data"))
    return tmp_path / "data"


def test_first_library_with_an_id_is_used_and_only_overrides_replace_it(manifest: Write, tmp_path: Path):
    first, second = tmp_path / "first", tmp_path / "second"
    manifest(folder=first)
    manifest(("name: Link", "name: Other"), folder=second, name="x.yaml")
    manifest(("part: toys/link", "part: toys/bar"), folder=first, name="y.yaml")
    catalogue = read_catalogue([first, second])
    assert {entry.id: entry.name for entry in catalogue.entries.values()} == {"toys/link": "Link", "toys/bar": "Link"}
    assert catalogue.part("toys/link").manifest.name == "Link"
    assert read_catalogue([second, first]).part("toys/link").manifest.name == "Other"
    assert read_catalogue([first], [second]).part("toys/link").manifest.name == "Other"


def test_the_user_overrides_plugins_and_the_project_overrides_the_user(manifest: Write, own_data: Path, tmp_path: Path):
    project = tmp_path / "project"
    base = ("part: toys/link", "part: structure/round-base")
    manifest(base, ("name: Link", "name: The user's"), folder=own_data / "parts")
    assert open_catalogue(discover(), project).entries["structure/round-base"].name == "The user's"
    manifest(base, ("name: Link", "name: The project's"), folder=project / "parts" / "deep" / "down")
    catalogue = open_catalogue(discover(), project)
    assert catalogue.entries["structure/round-base"].name == "The project's"
    assert "robotis/xm540-w270" in catalogue.entries
    assert library_folders(discover(), project)[-2:] == [own_data / "parts", project / "parts"]


def test_user_folders_are_those_of_the_test_run():
    assert "rck-tests-" in str(data_folder())
    assert "rck-tests-" in str(cache_folder())


def test_duplicate_id_in_one_library_is_a_finding(manifest: Write, tmp_path: Path):
    manifest(folder=tmp_path / "a")
    manifest(folder=tmp_path / "b")
    (finding,) = read_catalogue([tmp_path]).findings
    assert finding.code == 705
    assert str(tmp_path / "a" / "link.yaml") in finding.message
    assert str(tmp_path / "b" / "link.yaml") in finding.message


def test_up_to_date_index_reads_no_manifest(manifest: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    manifest()
    cold = read_catalogue([tmp_path])

    def never(path: Path) -> None:
        raise AssertionError(f"{path} was read")

    monkeypatch.setattr(part_module, "read_part_file", never)
    assert read_catalogue([tmp_path]).entries == cold.entries


def test_index_detects_changed_added_and_removed_files(manifest: Write, tmp_path: Path):
    path = manifest()
    read_catalogue([tmp_path])
    manifest(("name: Link", "name: Kink"))
    os.utime(path, ns=(1, 1))
    assert read_catalogue([tmp_path]).entries["toys/link"].name == "Kink"
    manifest(("part: toys/link", "part: toys/bar"), name="bar.yaml")
    assert set(read_catalogue([tmp_path]).entries) == {"toys/link", "toys/bar"}
    path.unlink()
    assert set(read_catalogue([tmp_path]).entries) == {"toys/bar"}


def test_damaged_or_missing_index_is_rebuilt(manifest: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    manifest(folder=tmp_path / "parts")
    monkeypatch.setenv("RCK_CACHE", str(tmp_path / "cache"))
    entries = read_catalogue([tmp_path / "parts"]).entries
    (index,) = (tmp_path / "cache").iterdir()
    for damage in (b"", b"\xc1", index.read_bytes()[:-5], b"\x80"):
        index.write_bytes(damage)
        assert read_catalogue([tmp_path / "parts"]).entries == entries
    (tmp_path / "a file").write_text("")
    monkeypatch.setenv("RCK_CACHE", str(tmp_path / "a file"))
    assert read_catalogue([tmp_path / "parts"]).entries == entries


def test_entry_has_mass_size_ports_and_figures_in_si_units(manifest: Write, tmp_path: Path):
    manifest()
    entry = read_catalogue([tmp_path]).entries["toys/link"]
    assert entry.figures == pytest.approx({"payload": 2.5, "reach": 0.8, "mass": 0.1, "dof": 0})
    assert entry.size == pytest.approx((0.2, 0.02, 0.01))
    assert entry.ports == {"a": "flange", "b": "flange"}
    assert entry.parameters == ("length", "holes")


def test_the_same_part_is_built_once(manifest: Write, tmp_path: Path):
    manifest()
    catalogue = read_catalogue([tmp_path])
    assert catalogue.part("toys/link", {"length": 100.0}) is catalogue.part("toys/link", {"length": 100.0})
    assert catalogue.part("toys/link") is not catalogue.part("toys/link", {"length": 100.0})


def test_an_unknown_part_suggests_the_nearest(manifest: Write, tmp_path: Path):
    manifest()
    with pytest.raises(RckError, match="did you mean toys/link"):
        read_catalogue([tmp_path]).part("toys/lnik")


def test_lru_cache_drops_the_least_recently_used_entry():
    made: list[int] = []

    def make(number: int) -> int:
        made.append(number)
        return number

    recent: LruCache[int, int] = LruCache(most=2)
    for number in (1, 2, 1, 3, 1, 2):
        assert recent.get(number, lambda number=number: make(number)) == number
    assert made == [1, 2, 3, 2]
