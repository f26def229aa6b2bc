"""Writing robots as URDF, with meshes, an SRDF and, if asked for, a ROS 2 package round them."""

from rck_export_urdf.plugin import rck_exporters

__all__ = ["rck_exporters"]
