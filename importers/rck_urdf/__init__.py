"""Robots in URDF, the description format of ROS, with SRDF beside it and xacro where it is installed."""

from rck_urdf.plugin import rck_importers

__all__ = ["rck_importers"]
