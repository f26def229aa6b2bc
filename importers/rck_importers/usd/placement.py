"""Poses of bodies and positions of joints, where the joints of a file have them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import pi

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.transforms import identity, invert, rotation_angle, to_euler
from rck.importing.import_report import Report
from rck_importers.usd.joints import WORLD, Freedom, JointTree, UsdJoint
from rck_importers.usd.poses import motion, turn_about

_NEAR = 1e-4
"""In metres and radians: bodies nearer to where their joint has them stay where the file shows them."""
_ZERO = 1e-6
"""In radians and metres: positions below it are rounding errors of the single precision of USD."""


@dataclass(frozen=True, eq=False)
class PlacedJoint:
    """A joint of the tree with its frames in the world, and the position of each freedom."""

    joint: UsdJoint
    base_frame: Floats
    moving_frame: Floats
    positions: tuple[float, ...]
    """In the order of its freedoms, in radians or metres."""


@dataclass(frozen=True, eq=False)
class Placement:
    """The joints of the tree, and the poses of all bodies."""

    groups: tuple[tuple[PlacedJoint, ...], ...]
    """In the order of the tree; several joints of one group add their freedoms."""
    poses: Mapping[str, Floats]
    """World from link, by path. Shapes (4, 4)."""


def place_bodies(tree: JointTree, shown: Mapping[str, Floats], report: Report) -> Placement:
    """Return where the joints have the bodies; `shown` are the poses in the file.

    A body that is not where its joint has it moves there, with all that it carries.
    """
    shifts: dict[str, Floats] = {path: identity() for path in shown}
    groups = []
    for group in tree.tree:
        base_shift = shifts[group[0].base]
        found = [_positions(joint) for joint in group]
        missing = identity()
        if len(group) == 1:
            missing = _correction(group[0], found[0], report)
        shift = base_shift @ missing
        shifts[group[0].moves] = shift
        groups.append(
            tuple(
                PlacedJoint(joint, base_shift @ joint.base_frame, shift @ joint.moving_frame, positions)
                for joint, positions in zip(group, found, strict=True)
            )
        )
    poses = {path: pose if np.array_equal(shifts[path], np.eye(4)) else shifts[path] @ pose
             for path, pose in shown.items()}  # fmt: skip
    assert np.array_equal(poses[WORLD], shown[WORLD])
    return Placement(tuple(groups), poses)


def _correction(joint: UsdJoint, positions: tuple[float, ...], report: Report) -> Floats:
    """Return the motion in the world that takes a body to where its joint has it; none for rounding errors."""
    wanted = joint.base_frame @ moved_by(joint, positions)
    if joint.kind == "ball":
        wanted[:3, :3] = joint.moving_frame[:3, :3]
    missing = wanted @ invert(joint.moving_frame)
    gap = float(np.linalg.norm(wanted[:3, 3] - joint.moving_frame[:3, 3]))
    turn = rotation_angle(missing)
    if gap <= _NEAR and turn <= _NEAR:
        return identity()
    message = (
        f"the file shows a body {1000 * gap:.3g} mm and {np.degrees(turn):.3g} deg from where its joint has it; "
        "it was moved to the joint"
    )
    report.warn(502, joint.prim.where, message, kind="body away from its joint")
    return missing


def moved_by(joint: UsdJoint, positions: Sequence[float]) -> Floats:
    """Return the pose of the moving joint frame in that of the base at these positions. Shape (4, 4)."""
    pose = identity()
    for freedom, position in zip(joint.freedoms, positions, strict=True):
        pose = pose @ motion(freedom.turns, joint.direction(freedom), position)
    return pose


def _positions(joint: UsdJoint) -> tuple[float, ...]:
    """Return the position of each freedom as the file shows the bodies."""
    if joint.kind == "ball":
        # A ball joint has no zero position: that of the file serves, unless RCK wrote it.
        x, y, z = joint.prim.rck.get("positions", (0.0, 0.0, 0.0))
        return float(x), float(y), float(z)
    relative = invert(joint.base_frame) @ joint.moving_frame
    relative = invert(relative) if joint.is_reversed else relative
    turning = [freedom for freedom in joint.freedoms if freedom.turns]
    angles = to_euler(relative, "XYZ")
    found = []
    for freedom in joint.freedoms:
        if not freedom.turns:
            position = float(relative[freedom.axis, 3])
        elif len(turning) == 1:
            position = turn_about(relative[:3, :3], freedom.direction)
        else:
            position = angles[freedom.axis]
        found.append(_stated(joint, freedom, 0.0 if abs(position) < _ZERO else position))
    return tuple(found)


def _stated(joint: UsdJoint, freedom: Freedom, shown: float) -> float:
    """Return the position that the file states, if the bodies are there; it may have full turns, and more digits."""
    prim = joint.prim
    stated = prim.rck.get("position")
    if stated is None and freedom.turns:
        degrees = prim.number(f"state:{freedom.instance}:physics:position", np.nan)
        # The bodies are more accurate than the number.
        stated = shown + 2 * pi * round((np.radians(degrees) - shown) / (2 * pi)) if np.isfinite(degrees) else None
    if stated is None:
        return shown
    away = float(stated) - shown
    away -= 2 * pi * round(away / (2 * pi)) if freedom.turns else 0.0
    return float(stated) if abs(away) < _NEAR else shown
