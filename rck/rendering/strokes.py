"""The straight lines of a scene: grid, axes, joint axes, port marks and point clouds."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from rck.geometry.arrays import Floats
from rck.geometry.transforms import apply, frame, invert
from rck.model.joint import Joint, JointKind
from rck.rendering.palette import Palette, Rgb
from rck.rendering.posed_robot import PosedRobot
from rck.rendering.scene import Floor, PointCloud, PortMark, Scene

_MIN_GRID_SPACING = 5.0
"""Grid lines closer than this, in pixels, are not drawn."""
_MIN_DOT = 1.5
"""Minimum size of a point in pixels."""
_OBLIQUE = np.array([0.48, 0.36, 0.8])
"""A direction that is not along the line of sight of any standard view."""


@dataclass(frozen=True, eq=False)
class Strokes:
    """Straight lines in the world, one per row."""

    starts: Floats
    """Shape (lines, 3), in metres."""
    ends: Floats
    colours: Floats
    """Red, green, blue, opacity, 0 to 1. Shape (lines, 4)."""
    hidden: Floats
    """Fraction of the opacity where solids hide the line. Shape (lines,)."""
    widths: Floats
    """Line widths in pixels. Shape (lines,)."""


def strokes(
    points: ArrayLike, colour: Rgb, *, opacity: ArrayLike = 1.0, hidden: float = 0.0, width: float = 1.0
) -> Strokes:
    """Return lines of one colour from pairs of points, shape (lines, 2, 3)."""
    ends = np.asarray(points, dtype=float).reshape(-1, 2, 3)
    count = len(ends)
    colours = np.empty((count, 4))
    colours[:, :3] = np.array(colour) / 255
    colours[:, 3] = opacity
    return Strokes(ends[:, 0], ends[:, 1], colours, np.full(count, hidden), np.full(count, width))


def joined(parts: Iterable[Strokes]) -> Strokes:
    """Concatenate strokes into contiguous arrays."""
    all_parts = [strokes([], (0, 0, 0)), *parts]
    starts, ends, colours, hidden, widths = (
        np.concatenate([getattr(part, name) for part in all_parts])
        for name in ("starts", "ends", "colours", "hidden", "widths")
    )
    return Strokes(starts, ends, colours, hidden, widths)


def scene_strokes(scene: Scene, palette: Palette, pixels: float) -> Strokes:
    """Return all lines of a scene, for an image with `pixels` per metre."""
    mark = scene.mark_size or 0.06 * scene.figure.size
    parts: list[Strokes] = []
    if scene.floor is not None:
        parts.append(grid_strokes(scene.floor, palette, pixels))
    if scene.axes:
        level = scene.floor.height if scene.floor is not None else 0.0
        base = np.eye(4)
        base[2, 3] = level
        parts += triad(base, 0.25 * scene.figure.size, palette, hidden=0.0)
    for frame_ in scene.figure.robot.frames:
        if frame_.name in scene.frames:
            on = scene.figure.robot.item_index[frame_.item]
            parts += triad(scene.figure.poses[on] @ frame_.pose, mark, palette, hidden=0.5)
    parts += [
        joint_strokes(scene.figure, joint, 1.5 * mark, palette)
        for joint in scene.figure.robot.joints
        if joint.name in scene.joints
    ]
    for joint in scene.world_joints:
        start, end = np.array([joint.start, joint.end])
        parts.append(axis_strokes(joint, np.array([(start + end) / 2, end]), 1.5 * mark, palette))
    parts += [port_strokes(scene.figure, port, 0.5 * mark, palette) for port in scene.ports]
    parts += [cloud_strokes(cloud, pixels) for cloud in scene.clouds]
    parts += [strokes(one.ends, one.colour, hidden=one.hidden, width=one.width) for one in scene.lines]
    return joined(parts)


def cloud_strokes(cloud: PointCloud, pixels: float) -> Strokes:
    """Return a dot for each point, as a stroke as long as wide, for an image with `pixels` per metre."""
    width = max(_MIN_DOT, cloud.size * pixels)
    half = 0.5 * width / max(pixels, 1e-9) * _OBLIQUE
    dots = strokes(np.stack([cloud.points - half, cloud.points + half], axis=1), (0, 0, 0), width=width)
    return replace(dots, colours=np.hstack([cloud.colours, np.ones((len(cloud.colours), 1))]))


def grid_strokes(floor: Floor, palette: Palette, pixels: float) -> Strokes:
    """Return the grid lines, cell by cell, fading towards the border; every fifth line is stronger.

    If the lines would be closer than a few pixels, only the strong ones are drawn. `pixels` is per metre.
    """
    fade = float(np.clip((floor.spacing * pixels - _MIN_GRID_SPACING) / _MIN_GRID_SPACING, 0.0, 1.0))
    half = floor.cells // 2
    steps = np.arange(-half, half + 1)
    x0, y0 = floor.middle
    # Count from the world origin, so that the strong lines are at round coordinates.
    first_x, first_y = round(x0 / floor.spacing), round(y0 / floor.spacing)
    parts = []
    for along, across, first in ((0, 1, first_y), (1, 0, first_x)):
        line, cell = (index.ravel() for index in np.meshgrid(steps, steps[:-1], indexing="ij"))
        ends = np.empty((len(line), 2, 3))
        ends[:, :, 2] = floor.height
        ends[:, 0, along] = cell
        ends[:, 1, along] = cell + 1
        ends[:, :, across] = line[:, None]
        ends[:, :, :2] = ends[:, :, :2] * floor.spacing + (x0, y0)
        distance = np.hypot(line, cell + 0.5) / half
        opacity = np.clip(1.0 - distance, 0.0, 1.0) ** 0.8
        main = (line + first) % 5 == 0
        opacity[~main] *= fade
        shown = opacity > 0.02
        for colour, mask in ((palette.grid, shown & ~main), (palette.grid_main, shown & main)):
            parts.append(strokes(ends[mask], colour, opacity=opacity[mask]))
    return joined(parts)


def triad(world_from_frame: Floats, length: float, palette: Palette, hidden: float) -> list[Strokes]:
    """Return the three axes of a frame."""
    origin = world_from_frame[:3, 3]
    colours = (palette.axis_x, palette.axis_y, palette.axis_z)
    return [
        strokes([[origin, origin + length * world_from_frame[:3, k]]], colour, hidden=hidden, width=1.6)
        for k, colour in enumerate(colours)
    ]


def joint_strokes(figure: PosedRobot, joint: Joint, length: float, palette: Palette) -> Strokes:
    """Return the axis of a joint, with a circular arrow if it rotates, a straight one if it slides."""
    base, child = (figure.robot.item_index[name] for name in (joint.base, joint.moves[0]))
    # Long enough to stick out of the smaller item, but at most twice the default length.
    radius = min(figure.shapes.arrays.solids.item_spheres[[base, child], 3])
    length = min(max(length, 1.2 * radius), 2.0 * length)
    moved = figure.poses[base] @ invert(figure.robot.items[base].pose)
    return axis_strokes(joint, apply(moved, [joint.start, joint.end]), length, palette)


def axis_strokes(joint: Joint, ends: Floats, length: float, palette: Palette) -> Strokes:
    """Return the axis of a joint through two points of the world, shape (2, 3), with an arrow for its motion."""
    start, end = ends
    world_from_axis = frame(start, z=end - start if joint.kind.moves else (0.0, 0.0, 1.0))
    paths = [[(0.0, 0.0, -length), (0.0, 0.0, length)]]
    if joint.kind is JointKind.PRISMATIC:
        tip = 0.25 * length
        paths += [[(side * tip / 2, 0.0, length - tip), (0.0, 0.0, length)] for side in (-1, 1)]
    elif joint.kind.turns:
        angles = np.linspace(0.0, 1.5 * np.pi, 13)
        arc = 0.3 * length
        paths.append([(arc * np.cos(a), arc * np.sin(a), 0.0) for a in angles])
        # The arrow head at the end of the arc, where its direction is +x.
        paths += [[(-0.4 * arc, -arc + side * 0.3 * arc, 0.0), (0.0, -arc, 0.0)] for side in (-1, 1)]
    return _path_strokes(paths, world_from_axis, palette.joint, hidden=0.45, width=1.5)


def port_strokes(figure: PosedRobot, port: PortMark, length: float, palette: Palette) -> Strokes:
    """Return the mark of a port: a ring in its xy plane, a pin along z and a tick along x."""
    world_from_port = figure.poses[figure.robot.item_index[port.item]] @ port.pose
    angles = np.linspace(0.0, 2.0 * np.pi, 17)
    radius = 0.45 * length
    ring = [(radius * np.cos(a), radius * np.sin(a), 0.0) for a in angles]
    paths = [ring, [(0.0, 0.0, 0.0), (0.0, 0.0, length)], [(0.0, 0.0, 0.0), (radius, 0.0, 0.0)]]
    colour = palette.fitting if port.fits else palette.port
    return _path_strokes(paths, world_from_port, colour, hidden=0.25, width=2.0 if port.fits else 1.4)


def _path_strokes(
    paths: Sequence[Sequence[tuple[float, float, float]]], pose: Floats, colour: Rgb, *, hidden: float, width: float
) -> Strokes:
    pairs = [pair for path in paths for pair in pairwise(path)]
    return strokes(apply(pose, pairs), colour, hidden=hidden, width=width)
