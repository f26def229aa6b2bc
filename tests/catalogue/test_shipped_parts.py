"""The parts that ship are all found, each under an id and a category of its own."""

from pathlib import Path

import pytest

from rck.catalogue.library import library_folders, manifest_paths, open_catalogue, read_catalogue
from rck.hooks import discover

LIBRARY = Path(__file__).parents[2] / "parts_library" / "rck_parts"
CATEGORIES = sorted({path.parent.relative_to(LIBRARY).as_posix() for path in manifest_paths(LIBRARY)})


def test_the_shipped_library_is_found_through_its_plugin():
    assert LIBRARY in [folder.resolve() for folder in library_folders(discover())]


def test_every_shipped_manifest_is_in_the_catalogue_under_an_id_of_its_own():
    catalogue = read_catalogue([LIBRARY])
    assert catalogue.findings == ()
    assert len(catalogue.entries) == len(manifest_paths(LIBRARY))
    assert set(catalogue.entries) <= set(open_catalogue(discover()).entries)


@pytest.mark.parametrize("category", CATEGORIES)
def test_a_shipped_part_says_the_category_of_its_folder(category: str):
    entries = read_catalogue([LIBRARY]).entries.values()
    said = {entry.category for entry in entries if Path(entry.path).parent == LIBRARY / category}
    assert said == {category}
