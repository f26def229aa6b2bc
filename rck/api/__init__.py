"""The Python interface of RCK: what `import rck` offers.

Names that `dir(rck)` lists stay stable within a minor version. Units are SI throughout: metres, radians, kilograms,
seconds, newtons. Poses are 4x4 matrices that map the frame to the world. A joint vector has one number for each name in
:attr:`RobotModel.joints`; functions that take one also take a mapping from joint names to positions.
"""

from rck.api import actions
from rck.api.arm_model import ArmModel
from rck.api.assembly_session import AssemblySession
from rck.api.part_catalogue import PartCatalogue, catalogue
from rck.api.robot_files import export, load, render, simulate
from rck.api.robot_model import RobotModel

__all__ = [
    "ArmModel",
    "AssemblySession",
    "PartCatalogue",
    "RobotModel",
    "actions",
    "catalogue",
    "export",
    "load",
    "render",
    "simulate",
]
