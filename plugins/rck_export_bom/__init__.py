"""Writing the bill of materials of a robot, as CSV or Markdown."""

from rck_export_bom.plugin import rck_exporters

__all__ = ["rck_exporters"]
