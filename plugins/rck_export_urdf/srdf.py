"""Writing SRDF, the companion of URDF for motion planners: groups, end effectors, a named stance, pairs that may touch.

After https://wiki.ros.org/srdf. Pinocchio and MoveIt read it.
"""

from xml.etree.ElementTree import Element

from rck.exporting import Link, LinkTree, PlacedDevice, rigid_pairs, untested_pairs
from rck.exporting.devices import placed_devices
from rck.exporting.xml_text import add, element, xml_bytes
from rck.kinematics.tip import arm_tips
from rck.model import Reason

_REMARK = "Written by RCK. Radians and metres."

STANCE = "reference"
"""The name of the joint positions at which the robot was exported."""


def srdf_bytes(tree: LinkTree, base: str) -> bytes:
    """The whole file; `base` is the link that everything hangs on."""
    root = element("robot", name=tree.name)
    tips = _tips(tree)
    grippers = [(link, placed) for link, placed in placed_devices(tree) if placed.device.kind.grips]
    everything = _unlike("all", [*tips, *(placed.name for _, placed in grippers)])
    free = [joint for joint in tree.robot.free_joints if joint.name in tree.joint_names]
    if free:
        group = add(root, "group", name=everything)
        for joint in free:
            add(group, "joint", name=tree.joint_names[joint.name])
    for tip in tips:
        if tip != base:
            add(add(root, "group", name=tip), "chain", base_link=base, tip_link=tip)
    for palm, placed in grippers:
        _add_gripper(root, tree, palm, placed)
    if free:
        stance = add(root, "group_state", name=STANCE, group=everything)
        for joint in free:
            add(stance, "joint", name=tree.joint_names[joint.name], value=joint.position)
    for link in tree.links:
        if link.mimic is not None:
            add(root, "passive_joint", name=link.joint_name)
    pairs = dict.fromkeys(rigid_pairs(tree), Reason.ADJACENT) | untested_pairs(tree)
    for (one, other), reason in sorted(pairs.items()):
        add(
            root,
            "disable_collisions",
            link1=tree.links[one].name,
            link2=tree.links[other].name,
            reason=reason.capitalize(),
        )
    return xml_bytes(root, _REMARK)


def _add_gripper(root: Element, tree: LinkTree, palm: Link, placed: PlacedDevice) -> None:
    """A group of what opens and closes, and an end effector where something carries the palm."""
    group = add(root, "group", name=placed.name)
    add(group, "link", name=palm.name)
    for joint in placed.device.joints:
        if joint in tree.joint_names:
            add(group, "joint", name=tree.joint_names[joint])
    if palm.parent is not None:
        carrier = tree.links[palm.parent].name
        add(root, "end_effector", name=placed.name, parent_link=carrier, group=placed.name)


def _tips(tree: LinkTree) -> list[str]:
    """The links at the tips of the robot's arms; frames are links too."""
    link_of = {placed.item.name: link.name for link in tree.links for placed in link.items}
    link_of |= {placed.frame.name: placed.name for link in tree.links for placed in link.frames}
    return [link_of[tip] for tip in arm_tips(tree.robot)]


def _unlike(name: str, others: list[str]) -> str:
    while name in others:
        name += "_joints"
    return name
