"""Panel with the manipulability of the tool, and a button that keeps the present pose.

The measure is that of T. Yoshikawa, "Manipulability of robotic mechanisms", 1985.
"""

from collections.abc import Iterator

import numpy as np

from rck.geometry import Floats
from rck.hooks import EditorContext, EditorPanel, PanelBar, PanelButton, PanelContent, PanelText, hookimpl
from rck.kinematics import chain_between
from rck.kinematics.chain import axes_at, tip_pose
from rck.model import RckError, Robot


@hookimpl
def rck_editor_panels() -> list[EditorPanel]:
    """Return the panel."""
    return [EditorPanel("manipulability", "how well the tool can move", show, screens=("build", "move"))]


def show(context: EditorContext) -> Iterator[PanelContent]:
    """Yield the measure and the velocity ellipsoid of the tool, as bars."""
    if context.robot is None or not context.tool:
        yield PanelText("no tool", "dim")
        return
    speeds = tool_speeds(context.robot, context.tool)
    yield PanelText(f"{context.tool}: w = {np.prod(speeds):.3g}", "bold")
    for number, speed in enumerate(speeds, start=1):
        style = "good" if speed > 0.1 * max(speeds) else "bad"
        yield PanelBar(f"axis {number}", speed / max(speeds[0], 1e-12), f"{speed:.3f} m/s", style)
    yield PanelButton("Keep this pose", keep)


def keep(context: EditorContext) -> None:
    """Save the present joint positions as a pose."""
    poses = context.document.assembly.poses
    name = next(f"agile-{number}" for number in range(1, 1000) if f"agile-{number}" not in poses)
    if context.robot is None or not context.positions:
        raise RckError("the robot has no joints")
    units = {joint.name: "rad" if joint.kind.turns else "m" for joint in context.robot.free_joints}
    settings = " ".join(f"{joint}={value:.9g}{units[joint]}" for joint, value in context.positions.items())
    context.do(f"pose {name} {settings}")
    context.notify(f"kept as pose {name}", "done")


def tool_speeds(robot: Robot, tool: str) -> Floats:
    """Return the singular values of the translational Jacobian, largest first, in m/s for joints at 1 rad/s."""
    root = robot.items[0].name
    chain = chain_between(robot, root, tool)
    points, axes = axes_at(chain, chain.reference)
    tip = tip_pose(chain, chain.reference)[:3, 3]
    turns = {joint.name: joint.kind.turns for joint in robot.joints}
    columns = [
        np.cross(axis, tip - point) if turns[name] else axis
        for name, point, axis in zip(chain.joints, points, axes, strict=False)
    ]
    return np.asarray(np.linalg.svd(np.array(columns).T, compute_uv=False))
