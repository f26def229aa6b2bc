"""Models in MJCF, the format of MuJoCo."""

from rck_mjcf.plugin import rck_importers

__all__ = ["rck_importers"]
