"""The actions of simulations, as Python programs use them: `rck.actions`."""

from rck.hooks.actions import (
    Announce,
    Condition,
    DefineGrasp,
    MoveJoint,
    MoveJoints,
    MoveToGrasp,
    MoveTool,
    RunFile,
    SetSpeed,
    SwitchCamera,
    SwitchSensor,
    UseGripper,
    Wait,
    WaitFor,
)
from rck.simulation.events import FollowPath

__all__ = [
    "Announce",
    "Condition",
    "DefineGrasp",
    "FollowPath",
    "MoveJoint",
    "MoveJoints",
    "MoveToGrasp",
    "MoveTool",
    "RunFile",
    "SetSpeed",
    "SwitchCamera",
    "SwitchSensor",
    "UseGripper",
    "Wait",
    "WaitFor",
]
