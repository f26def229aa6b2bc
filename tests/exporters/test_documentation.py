"""The page about exporting names all that exporters take."""

from pathlib import Path

from rck.hooks import Exporter, discover

DOCS = Path(__file__).parents[2] / "docs"


def test_every_option_and_ending_is_in_the_documentation():
    text = "".join((DOCS / page).read_text(encoding="utf-8") for page in ("export.md", "formats.md"))
    for exporter in discover().all(Exporter):
        assert f"`{exporter.name}`" in text
        for option in exporter.options:
            assert f"`{option.name}`" in text, exporter.name
            assert all(f"`{choice}`" in text for choice in option.choices), exporter.name
        assert all(f"`{ending}`" in text for ending in exporter.endings), exporter.name
