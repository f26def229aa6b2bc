"""What a robot is: subitems, items, joints, robots, worlds, and the findings that checks report."""

from rck.model.device import Device, DeviceKind, build_device
from rck.model.events import EventList, JointEvent
from rck.model.finding import Built, Finding, ModelError, RckError, Severity
from rck.model.frame import Frame, build_frame
from rck.model.item import Item, build_item
from rck.model.joint import Joint, JointKind, Limits, Mimic, build_joint
from rck.model.motion import at_positions, with_positions
from rck.model.origin import Origin
from rck.model.pair_rule import PairRule, Reason
from rck.model.robot import Robot, build_robot
from rck.model.subitem import GREY, Colour, Subitem, build_subitem, subitem_of
from rck.model.visual import Visual
from rck.model.world import World, build_world, flatten, split

__all__ = [
    "GREY",
    "Built",
    "Colour",
    "Device",
    "DeviceKind",
    "EventList",
    "Finding",
    "Frame",
    "Item",
    "Joint",
    "JointEvent",
    "JointKind",
    "Limits",
    "Mimic",
    "ModelError",
    "Origin",
    "PairRule",
    "RckError",
    "Reason",
    "Robot",
    "Severity",
    "Subitem",
    "Visual",
    "World",
    "at_positions",
    "build_device",
    "build_frame",
    "build_item",
    "build_joint",
    "build_robot",
    "build_subitem",
    "build_world",
    "flatten",
    "split",
    "subitem_of",
    "with_positions",
]
