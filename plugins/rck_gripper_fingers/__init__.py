"""Hands with fingers: two that close in parallel, and three that close round an axis."""

from rck_gripper_fingers.plugin import rck_grippers

__all__ = ["rck_grippers"]
