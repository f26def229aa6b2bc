"""Inverse-kinematics solvers."""
