"""Models and worlds in SDF, the format of Gazebo and Drake."""

from rck_sdf.plugin import rck_importers

__all__ = ["rck_importers"]
