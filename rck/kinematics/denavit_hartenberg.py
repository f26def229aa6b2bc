"""Denavit-Hartenberg parameters of any serial chain (Denavit and Hartenberg 1955).

A chain is a product of motions along and about alternating z and x axes: ``base Z1 X1 Z2 X2 ... Zn Xn tool`` with
``Zi = Rz(theta) Tz(d)``, which contains the joint, and ``Xi = Tx(a) Rx(alpha)``, the shape of the link. The standard
convention groups it as ``Zi Xi``, the modified one as ``Xi-1 Zi``; the numbers are the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import atan2, cos, sin

import numpy as np

from rck.geometry.arrays import Floats, frozen
from rck.geometry.transforms import apply, from_dh, from_dh_modified, invert, unit_vector
from rck.model.joint import Joint, JointKind
from rck.model.robot import Robot
from rck.support.finding import RckError

PARALLEL = 1e-8
"""Axes that deviate by less than this, in radians, count as parallel.

The common normal of axes that deviate by e is about 1/e away and loses as many digits. At this angle, treating them as
parallel or as skew makes a difference of at most 1e-8 of the size of the robot.
"""

MEETING = 1e-10
"""Axes closer than this, in metres, count as intersecting: their common normal has no reliable direction."""


@dataclass(frozen=True, slots=True)
class DHRow:
    """One joint and the link after it (standard) or before it (modified), with the joint at position zero."""

    theta: float
    """Rotation about z, in radians; the position of a revolute joint is added to it."""
    d: float
    """Translation along z, in metres; the position of a prismatic joint is added to it."""
    a: float
    """Translation along x, in metres."""
    alpha: float
    """Rotation about x, in radians."""
    kind: JointKind


@dataclass(frozen=True, eq=False)
class DHChain:
    """The rows of a chain, with the transforms before the first frame and after the last."""

    rows: tuple[DHRow, ...]
    base: Floats
    """Base item from the first frame. Shape (4, 4)."""
    tool: Floats
    """Last frame from the tip. Shape (4, 4)."""
    joints: tuple[str, ...] = ()
    """The names of the joints, one per row, if known."""
    modified: bool = False
    """True if each row is ``Rx(alpha) Tx(a) Rz(theta) Tz(d)`` instead of ``Rz(theta) Tz(d) Tx(a) Rx(alpha)``."""


@dataclass(frozen=True, eq=False)
class ScrewAxis:
    """The axis of a joint, and its position."""

    kind: JointKind
    point: Floats
    """Any point of the axis. Shape (3,), in metres."""
    direction: Floats
    """Direction, of any length. Shape (3,)."""
    position: float = 0.0
    """In radians or metres."""


def denavit_hartenberg(axes: Sequence[ScrewAxis], tip: Floats, base: Floats | None = None) -> DHChain:
    """Return the standard rows of the axes; all are in one frame, in which the tip's pose is `tip`, shape (4, 4).

    The first frame is as near to `base` (by default the common frame) as possible: its x axis is the common normal of
    the z axis of `base` and the first axis. The last link reaches to the tip's z axis.
    """
    frame = np.eye(4) if base is None else base
    frame = frame @ from_dh(*_step(frame, axes[0].point, axes[0].direction)) if axes else frame
    start = frame
    lines = [(axis.point, axis.direction) for axis in axes[1:]] + [(tip[:3, 3], tip[:3, 2])]
    rows = []
    for axis, (point, direction) in zip(axes, lines, strict=False):
        theta, d, a, alpha = _step(frame, point, direction)
        frame = frame @ from_dh(theta, d, a, alpha)
        if axis.kind.turns:
            theta -= axis.position
        else:
            d -= axis.position
        rows.append(DHRow(theta, d, a, alpha, axis.kind))
    return DHChain(tuple(rows), frozen(start), frozen(invert(frame) @ tip))


def _step(frame: Floats, point: Floats, direction: Floats) -> tuple[float, float, float, float]:
    """Return theta, d, a and alpha that move the z axis of the frame onto the line."""
    origin, x, z = frame[:3, 3], frame[:3, 0], frame[:3, 2]
    line = unit_vector(direction)
    between = point - origin
    normal = np.cross(z, line)
    lean = float(np.sqrt(normal @ normal))
    if lean > PARALLEL:
        next_x = normal / lean
        # The feet of the common normal: origin + d z, and a further along it.
        d = float(np.cross(between, line) @ normal) / lean**2
        a = float(between @ next_x)
    else:
        # Every perpendicular is a common normal: use the one at the origin of the frame.
        across = between - (between @ z) * z
        a = float(np.sqrt(across @ across))
        next_x = across / a if a > MEETING else x
        d = 0.0
    # Orient the normal towards the line or, if the lines intersect, so that x turns least.
    if a < -MEETING or (a <= MEETING and next_x @ x < -MEETING):
        next_x, a = -next_x, -a
    theta = atan2(float(np.cross(x, next_x) @ z), float(x @ next_x))
    alpha = atan2(float(normal @ next_x), float(z @ line))
    return theta, d, a, alpha


def dh_parameters(matrix: Floats) -> tuple[float, float, float, float]:
    """Return theta, d, a and alpha of a matrix made by :func:`from_dh`."""
    theta = atan2(matrix[1, 0], matrix[0, 0])
    alpha = atan2(matrix[2, 1], matrix[2, 2])
    a = cos(theta) * matrix[0, 3] + sin(theta) * matrix[1, 3]
    return theta, float(matrix[2, 3]), float(a), alpha


def modified(chain: DHChain) -> DHChain:
    """Convert a chain to the modified convention (Craig): a and alpha move to the row of the next joint."""
    if chain.modified:
        return chain
    shapes = [(0.0, 0.0)] + [(row.a, row.alpha) for row in chain.rows]
    rows = tuple(
        DHRow(row.theta, row.d, a, alpha, row.kind) for row, (a, alpha) in zip(chain.rows, shapes, strict=False)
    )
    last_a, last_alpha = shapes[-1]
    tool = from_dh(0.0, 0.0, last_a, last_alpha) @ chain.tool
    return DHChain(rows, chain.base, frozen(tool), chain.joints, modified=True)


def forward(chain: DHChain, positions: Sequence[float] | Floats) -> Floats:
    """Return the pose of the tip in the frame of the base item at these positions. Shape (4, 4)."""
    pose = chain.base
    for row, position in zip(chain.rows, positions, strict=True):
        theta = row.theta + position if row.kind.turns else row.theta
        d = row.d if row.kind.turns else row.d + position
        if chain.modified:
            pose = pose @ from_dh_modified(row.alpha, row.a, theta, d)
        else:
            pose = pose @ from_dh(theta, d, row.a, row.alpha)
    return pose @ chain.tool


def joints_between(robot: Robot, base: str, tip: str) -> tuple[Joint, ...]:
    """Return the joints from the item `base` to the item `tip`, which it must carry, in order."""
    tree = robot.tree
    start, here = robot.item_index[base], robot.item_index[tip]
    found: list[Joint] = []
    while here != start:
        joint, parent = tree.joint_of_item[here], tree.parent_of_item[here]
        if joint is None or parent is None:
            raise RckError(f"item {base} does not carry item {tip}")
        found.append(robot.joints[joint])
        here = parent
    return tuple(reversed(found))


def dh_of_robot(robot: Robot, base: str, tip: str) -> DHChain:
    """Return the chain from an item to an item or frame that it carries; fixed joints are part of the links."""
    base_from_world = invert(robot.item(base).pose)
    joints = [joint for joint in joints_between(robot, base, robot.frame(tip).item) if joint.kind.moves]
    axes = [
        ScrewAxis(
            joint.kind,
            apply(base_from_world, joint.start),
            base_from_world[:3, :3] @ joint.direction,
            joint.position,
        )
        for joint in joints
    ]
    chain = denavit_hartenberg(axes, base_from_world @ robot.world_from(tip))
    return DHChain(chain.rows, chain.base, chain.tool, tuple(joint.name for joint in joints))
