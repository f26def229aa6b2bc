"""Part definitions: the parts that importers and part files describe, in SI units, before they become a robot."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from rck.geometry.arrays import Floats
from rck.model.actuator import Actuator, Tendon
from rck.model.device import Device
from rck.model.extensions import Extensions, merge_extensions, no_extensions
from rck.model.frame import IDENTITY, Frame
from rck.model.interface import Interface
from rck.model.item import Item, check_item
from rck.model.joint import Joint, check_joint
from rck.model.loop import Loop
from rck.model.named_pose import NamedPose
from rck.model.robot import PairRule, Robot, build_robot
from rck.support.finding import Built, Finding, errors_of


@dataclass(frozen=True, eq=False)
class Port:
    """A location on a part where another part can be mounted."""

    name: str
    item: str
    pose: Floats = field(default_factory=lambda: IDENTITY)
    """Part from port: z points out of the part. Shape (4, 4)."""
    type: str = "any"
    """The port type: ports of one type fit, and `any` fits all."""
    gender: Literal["male", "female"] | None = None
    note: str = ""
    """The reason, if the port is not on the surface."""
    interface: Interface | None = None
    """Its geometry, in the frame of the port; None if it is unknown."""


@dataclass(frozen=True, eq=False)
class PartDefinition:
    """A part in its own frame. Nothing is checked yet; :func:`compile_part` does that."""

    name: str
    items: tuple[Item, ...]
    """With poses in the frame of the part, while every joint is at its `position`."""
    joints: tuple[Joint, ...] = ()
    ports: tuple[Port, ...] = ()
    frames: tuple[Frame, ...] = ()
    devices: tuple[Device, ...] = ()
    rules: tuple[PairRule, ...] = ()
    actuators: tuple[Actuator, ...] = ()
    tendons: tuple[Tendon, ...] = ()
    loops: tuple[Loop, ...] = ()
    poses: tuple[NamedPose, ...] = ()
    extensions: Extensions = field(default_factory=no_extensions)


def compile_part(part: PartDefinition) -> Built[Robot]:
    """Return the robot that a definition describes, or the findings that prevent it."""
    return compile_parts([part], part.name)


def compile_parts(parts: Iterable[PartDefinition], name: str) -> Built[Robot]:
    """Return one robot of all definitions, which share one frame and no names."""
    parts = list(parts)
    findings: list[Finding] = []
    items: list[Item] = []
    joints: list[Joint] = []
    for part in parts:
        for item in map(check_item, part.items):
            findings += item.findings
            items += [item.value] if item.value is not None else []
        for joint in map(check_joint, part.joints):
            findings += joint.findings
            joints += [joint.value] if joint.value is not None else []
    if errors_of(findings):
        return Built(None, tuple(findings))
    built = build_robot(
        name,
        items,
        joints,
        [frame for part in parts for frame in part.frames],
        [device for part in parts for device in part.devices],
        [rule for part in parts for rule in part.rules],
        actuators=[actuator for part in parts for actuator in part.actuators],
        tendons=[tendon for part in parts for tendon in part.tendons],
        loops=[loop for part in parts for loop in part.loops],
        poses=[pose for part in parts for pose in part.poses],
        extensions=merge_extensions(*(part.extensions for part in parts)),
    )
    return Built(built.value, (*findings, *built.findings))
