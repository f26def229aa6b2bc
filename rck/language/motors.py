"""The data sheet figure that the effort limit of a joint is taken from, such as the stall torque."""

from math import isclose

from rck.catalogue.search import FAMILIES
from rck.language.session import Session
from rck.model import Robot


def effort_figures(session: Session, robot: Robot) -> dict[str, str]:
    """By joint, `stall torque` or the like, where the part that the joint belongs to states it under that name."""
    found = {}
    for joint in robot.free_joints:
        instance = session.assembly.parts.get(joint.name.partition("/")[0])
        entry = None if instance is None else session.catalogue.entries.get(instance.part)
        if entry is None or not joint.effort or not joint.kind.turns:
            continue
        for name in FAMILIES["torque"]:
            if isclose(entry.figures.get(name, 0.0), joint.effort, rel_tol=1e-6):
                found[joint.name] = name.replace("-", " ")
                break
    return found
