"""Hands that hold by one face: suction cups and magnets."""

from rck_gripper_suction.plugin import rck_grippers

__all__ = ["rck_grippers"]
