"""Collision face by face, as the seed simulator did it: slow, and easy to follow."""

from rck_collision_faces.plugin import rck_collision_backends

__all__ = ["rck_collision_backends"]
