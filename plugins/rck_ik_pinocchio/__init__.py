"""Inverse kinematics on pinocchio's model and Jacobian: an example of wrapping a library as a solver."""

from rck_ik_pinocchio.plugin import rck_solvers

__all__ = ["rck_solvers"]
