"""The default solver of inverse kinematics: a search that serves any chain, redundant ones included."""

from rck_ik_numeric.plugin import rck_solvers

__all__ = ["rck_solvers"]
