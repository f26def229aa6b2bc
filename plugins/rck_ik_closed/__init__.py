"""Closed forms of inverse kinematics: every solution at once, for the arms that have them."""

from rck_ik_closed.plugin import rck_solvers

__all__ = ["rck_solvers"]
