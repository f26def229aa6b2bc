"""Collision by Open3D's ray casting and signed distances, an optional extra."""

from rck_collision_open3d.plugin import rck_collision_backends

__all__ = ["rck_collision_backends"]
