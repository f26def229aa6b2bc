"""Part library: one YAML manifest per part, in the folder `parts` of this package."""

from pathlib import Path

from rck.hooks import PartLibrary, hookimpl


@hookimpl
def rck_part_libraries() -> list[PartLibrary]:
    """Return the part library."""
    return [PartLibrary("spoked-wheels", "wheels with spokes", Path(__file__).parent / "parts")]
