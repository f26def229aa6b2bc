"""Gravity, contact forces and motors by MuJoCo, an optional extra."""

from rck_physics_mujoco.plugin import rck_physics

__all__ = ["rck_physics"]
