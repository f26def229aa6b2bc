"""Overlay of the 3D views: the joint axes, with the names of joints that are near a limit."""

import numpy as np

from rck.hooks import EditorContext, LegendEntry, Overlay, OverlayLines, OverlayShapes, OverlayText, hookimpl

LOW, HIGH = (96, 190, 92), (232, 80, 76)
"""Colours of a joint near the middle of its range, and near a limit."""


@hookimpl
def rck_overlays() -> list[Overlay]:
    """Return the overlay."""
    return [Overlay("my-plugin", "joints that are near a limit", draw_joints)]


def draw_joints(context: EditorContext) -> OverlayShapes:
    """Return a line along each joint axis; the robot is None while the assembly has errors."""
    if context.robot is None:
        return OverlayShapes()
    lines, texts = [], []
    for joint, position in zip(context.robot.free_joints, context.robot.positions, strict=True):
        is_near = False
        if joint.limits is not None:
            low, high = joint.limits.lower, joint.limits.upper
            is_near = bool(min(position - low, high - position) < 0.1 * (high - low))
        middle, along = np.array(joint.start), np.array(joint.end) - np.array(joint.start)
        along *= 0.1 / max(float(np.linalg.norm(along)), 1e-9)
        ends = np.array([[middle - along, middle + along]])
        lines.append(OverlayLines(ends, HIGH if is_near else LOW))
        if is_near:
            x, y, z = middle.tolist()
            texts.append(OverlayText(joint.name, (x, y, z)))
    legend = (LegendEntry(LOW, "free"), LegendEntry(HIGH, "near a limit"))
    return OverlayShapes(lines=tuple(lines), texts=tuple(texts), legend=legend)
