"""AutoCAD drawings, text and binary, Release 12 to 2018, as items, joints and ports."""

from rck_dxf.plugin import rck_importers

__all__ = ["rck_importers"]
