"""Newton's method for arms of six joints, as the first general solvers had it (SEEDS R6)."""

from rck_ik_newton.plugin import rck_solvers

__all__ = ["rck_solvers"]
