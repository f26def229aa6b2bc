"""Writing robots and worlds as SDFormat, the format of Gazebo."""

from rck_export_sdf.plugin import rck_exporters

__all__ = ["rck_exporters"]
