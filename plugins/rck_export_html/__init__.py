"""Writing a robot as one HTML page that shows it in 3D, moves its joints and lists its figures, without a network."""

from rck_export_html.plugin import rck_exporters

__all__ = ["rck_exporters"]
