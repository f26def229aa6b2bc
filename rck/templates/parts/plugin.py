"""A library of parts: one YAML manifest for each, in the folder `parts` beside this file."""

from pathlib import Path

from rck.hooks import PartLibrary, hookimpl


@hookimpl
def rck_part_libraries() -> list[PartLibrary]:
    """What this plugin adds."""
    return [PartLibrary("my-plugin", "parts of our workshop", Path(__file__).parent / "parts")]
