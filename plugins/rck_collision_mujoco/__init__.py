"""Collision by MuJoCo, an optional extra."""

from rck_collision_mujoco.plugin import rck_collision_backends

__all__ = ["rck_collision_backends"]
