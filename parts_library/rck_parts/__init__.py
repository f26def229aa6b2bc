"""The parts catalogue that ships with RCK: one folder per category, one YAML manifest per part."""

from pathlib import Path

from rck.hooks import PartLibrary, hookimpl


@hookimpl
def rck_part_libraries() -> list[PartLibrary]:
    """Return the library in this folder."""
    return [PartLibrary("rck-parts", "parts that ship with RCK", Path(__file__).parent)]
