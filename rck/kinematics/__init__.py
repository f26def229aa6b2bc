"""Kinematics of chains: Denavit-Hartenberg parameters of the joints between two items."""

from rck.kinematics.denavit_hartenberg import (
    Axis,
    DHChain,
    DHRow,
    denavit_hartenberg,
    dh_of_robot,
    dh_parameters,
    forward,
    joints_between,
    modified,
)

__all__ = [
    "Axis",
    "DHChain",
    "DHRow",
    "denavit_hartenberg",
    "dh_of_robot",
    "dh_parameters",
    "forward",
    "joints_between",
    "modified",
]
