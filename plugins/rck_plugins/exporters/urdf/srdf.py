"""Write SRDF, the companion of URDF for motion planners: groups, end effectors, a group state, disabled collisions.

After https://wiki.ros.org/srdf. Pinocchio and MoveIt read it.
"""

from xml.etree.ElementTree import Element

from rck.exporting import ExportLink, LinkTree, PlacedDevice, rigid_pairs, untested_pairs
from rck.exporting.device_data import placed_devices
from rck.exporting.file_text import add, element, xml_bytes
from rck.kinematics.tip import arm_tips
from rck.model import Reason

_REMARK = "Written by RCK. Radians and metres."

STATE = "reference"
"""The name of the group state with the joint positions of the robot."""


def srdf_bytes(tree: LinkTree, base: str) -> bytes:
    """Return the bytes of the file; `base` is the root link of the URDF."""
    root = element("robot", name=tree.name)
    tips = _tips(tree)
    grippers = [(link, placed) for link, placed in placed_devices(tree) if placed.device.kind.grips]
    everything = _unused("all", [*tips, *(placed.name for _, placed in grippers)])
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
        state = add(root, "group_state", name=STATE, group=everything)
        for joint in free:
            add(state, "joint", name=tree.joint_names[joint.name], value=joint.position)
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


def _add_gripper(root: Element, tree: LinkTree, palm: ExportLink, placed: PlacedDevice) -> None:
    """Add a group with the palm and the finger joints, and an end effector if the palm has a parent."""
    group = add(root, "group", name=placed.name)
    add(group, "link", name=palm.name)
    for joint in placed.device.joints:
        if joint in tree.joint_names:
            add(group, "joint", name=tree.joint_names[joint])
    if palm.parent is not None:
        carrier = tree.links[palm.parent].name
        add(root, "end_effector", name=placed.name, parent_link=carrier, group=placed.name)


def _tips(tree: LinkTree) -> list[str]:
    """Return the links at the tips of the arms; frames are links too."""
    link_of = {placed.item.name: link.name for link in tree.links for placed in link.items}
    link_of |= {placed.frame.name: placed.name for link in tree.links for placed in link.frames}
    return [link_of[tip] for tip in arm_tips(tree.robot)]


def _unused(name: str, others: list[str]) -> str:
    while name in others:
        name += "_joints"
    return name
