"""Writing RIB, the scene files of RenderMan: a snapshot, or a file for each frame of a motion."""

from rck_export_rib.plugin import rck_exporters

__all__ = ["rck_exporters"]
