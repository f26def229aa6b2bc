"""Every shipped part is found, with a unique id and the category of its folder."""

from pathlib import Path

import pytest

from rck.hooks import discover
from rck.parts.library import library_folders, manifest_paths, open_catalogue, read_catalogue

LIBRARY = Path(__file__).parents[2] / "parts_library" / "rck_parts"
CATEGORIES = sorted({path.parent.relative_to(LIBRARY).as_posix() for path in manifest_paths(LIBRARY)})


def test_the_shipped_library_is_found_through_its_plugin():
    assert LIBRARY in [folder.resolve() for folder in library_folders(discover())]


def test_every_shipped_manifest_has_a_unique_id_in_the_catalogue():
    catalogue = read_catalogue([LIBRARY])
    assert catalogue.findings == ()
    assert len(catalogue.entries) == len(manifest_paths(LIBRARY))
    assert set(catalogue.entries) <= set(open_catalogue(discover()).entries)


@pytest.mark.parametrize("category", CATEGORIES)
def test_category_of_a_shipped_part_is_the_name_of_its_folder(category: str):
    entries = read_catalogue([LIBRARY]).entries.values()
    said = {entry.category for entry in entries if Path(entry.path).parent == LIBRARY / category}
    assert said == {category}
