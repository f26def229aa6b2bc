"""Newton's method for arms of six joints, as the first general solvers had it."""

from rck_ik_newton.plugin import rck_solvers

__all__ = ["rck_solvers"]
