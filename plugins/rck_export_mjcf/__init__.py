"""Writing robots and worlds as MJCF, the format of MuJoCo."""

from rck_export_mjcf.plugin import rck_exporters

__all__ = ["rck_exporters"]
