"""Every shipped part is found, with a unique id and the category of its folder."""

from pathlib import Path

import pytest

from rck.hooks import discover
from rck.parts.library import library_folders, manifest_paths, open_catalogue, read_catalogue
from rck.parts.part import read_part_file

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


def shipped_parts():
    return [read_part_file(path).manifest for path in manifest_paths(LIBRARY)]


def test_every_commercial_part_names_documents_and_the_origin_of_each_figure():
    missing = []
    for manifest in shipped_parts():
        if not manifest.vendor:
            continue
        if manifest.source or not manifest.sources:
            missing.append(f"{manifest.part}: sources")
        # The number of axes is counted.
        figures = [name for name in (*manifest.figures, *manifest.electrical.figures) if name != "dof"]
        wanted = [*figures, "mass", "centre", "inertia", "shape"]
        missing += [f"{manifest.part}: status of {name}" for name in wanted if name not in manifest.status]
        stated = {name for source in manifest.sources for name in source.figures}
        named = [name for name in figures if manifest.status.get(name) == "published" and manifest.category != "arms"]
        missing += [f"{manifest.part}: source of {name}" for name in named if name not in stated]
    assert missing == []


def test_masses_of_items_that_no_document_states_are_not_called_published():
    wrong = [
        manifest.part
        for manifest in shipped_parts()
        if manifest.status.get("mass") == "published"
        and any(item.mass is None and item.mass_status is None for item in manifest.items.values())
    ]
    assert wrong == []


def test_smart_servos_and_drive_modules_state_supply_and_bus():
    drives = [one for one in shipped_parts() if one.category in ("actuators/servo", "actuators/module")]
    dynamixels = [one for one in drives if "dynamixel" in one.tags]
    assert len(dynamixels) >= 40
    for one in dynamixels:
        electrical = one.electrical
        assert all((electrical.voltage, electrical.bus, electrical.ids)), one.part
        assert electrical.stall_current or electrical.rated_current, one.part
    assert [one.part for one in drives if not one.electrical.bus and "harmonic-drive" not in one.tags] == []
