"""Robot model: subitems, items, joints, robots, worlds, and findings."""

from rck.model.actuator import Actuator, ActuatorKind, Range, Tendon
from rck.model.device import Device, DeviceKind, build_device
from rck.model.features import Feature, Gap
from rck.model.frame import Frame, build_frame
from rck.model.item import Item, build_item
from rck.model.joint import Actuation, Joint, JointKind, JointLimits, Mimic, build_joint
from rck.model.joint_events import EventList, JointEvent
from rck.model.joint_positions import at_positions, with_positions
from rck.model.loop import Loop, LoopKind
from rck.model.named_pose import NamedPose
from rck.model.origin import Electrical, Origin, Price
from rck.model.part_definition import PartDefinition, Port, compile_part
from rck.model.primitive import Primitive, PrimitiveKind
from rck.model.robot import PairRule, Reason, Robot, build_robot
from rck.model.subitem import GREY, Colour, ContactGroups, Extrusion, Subitem, build_subitem, subitem_of
from rck.model.visual import Texture, Visual
from rck.model.world import World, build_world, flatten, split
from rck.support.finding import Built, Finding, ModelError, RckError, Severity

__all__ = [
    "GREY",
    "Actuation",
    "Actuator",
    "ActuatorKind",
    "Built",
    "Colour",
    "ContactGroups",
    "Device",
    "DeviceKind",
    "Electrical",
    "EventList",
    "Extrusion",
    "Feature",
    "Finding",
    "Frame",
    "Gap",
    "Item",
    "Joint",
    "JointEvent",
    "JointKind",
    "JointLimits",
    "Loop",
    "LoopKind",
    "Mimic",
    "ModelError",
    "NamedPose",
    "Origin",
    "PairRule",
    "PartDefinition",
    "Port",
    "Price",
    "Primitive",
    "PrimitiveKind",
    "Range",
    "RckError",
    "Reason",
    "Robot",
    "Severity",
    "Subitem",
    "Tendon",
    "Texture",
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
    "compile_part",
    "flatten",
    "split",
    "subitem_of",
    "with_positions",
]
