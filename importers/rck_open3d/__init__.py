"""Point clouds, and meshes on request, through Open3D."""

from rck_open3d.plugin import rck_importers

__all__ = ["rck_importers"]
