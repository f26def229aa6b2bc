"""Kinematics of chains: what moves a tip against a base, its Denavit-Hartenberg parameters, its solvers, the choice."""

from rck.kinematics.chain import Chain, chain_between, tip_pose
from rck.kinematics.configuration import Configuration, configuration_of, parse_configuration
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
from rck.kinematics.solver import solver_for

__all__ = [
    "Axis",
    "Chain",
    "Configuration",
    "DHChain",
    "DHRow",
    "chain_between",
    "configuration_of",
    "denavit_hartenberg",
    "dh_of_robot",
    "dh_parameters",
    "forward",
    "joints_between",
    "modified",
    "parse_configuration",
    "solver_for",
    "tip_pose",
]
