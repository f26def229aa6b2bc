from pathlib import Path

import rck_export_mjcf
import rck_export_sdf
import rck_export_urdf
import rck_export_usd

PAGE = Path(__file__).parents[2] / "docs" / "export.md"


def test_every_option_and_ending_is_in_the_documentation():
    text = PAGE.read_text(encoding="utf-8")
    for plugin in (rck_export_urdf, rck_export_mjcf, rck_export_sdf, rck_export_usd):
        (exporter,) = plugin.rck_exporters()
        assert f"`{exporter.name}`" in text
        for option in exporter.options:
            assert f"`{option.name}`" in text
            assert all(f"`{choice}`" in text for choice in option.choices)
        assert all(f"`{ending}`" in text for ending in exporter.endings)
