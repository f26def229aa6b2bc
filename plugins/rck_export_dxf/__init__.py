"""Writing robots as AutoCAD drawings that RCK's importer makes the same robot of."""

from rck_export_dxf.plugin import rck_exporters

__all__ = ["rck_exporters"]
