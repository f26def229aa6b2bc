"""Kinematics of chains: Denavit-Hartenberg parameters, solvers, configurations, paths, workspace and static loads."""

from rck.kinematics.chain import Chain, chain_between, tip_pose
from rck.kinematics.configuration import Configuration, configuration_of, parse_configuration
from rck.kinematics.denavit_hartenberg import (
    DHChain,
    DHRow,
    ScrewAxis,
    denavit_hartenberg,
    dh_of_robot,
    dh_parameters,
    forward,
    joints_between,
    modified,
)
from rck.kinematics.solver_choice import solver_for

__all__ = [
    "Chain",
    "Configuration",
    "DHChain",
    "DHRow",
    "ScrewAxis",
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
