"""Collision by coal, the library that pinocchio and others build on; an optional extra."""

from rck_collision_coal.plugin import rck_collision_backends

__all__ = ["rck_collision_backends"]
