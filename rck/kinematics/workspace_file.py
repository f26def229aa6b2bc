"""Workspaces as tables, point clouds, and items for display."""

from collections.abc import Sequence

import numpy as np

from rck.geometry.arrays import Bools, Floats
from rck.geometry.primitives import box
from rck.geometry.transforms import to_euler
from rck.kinematics.workspace import BasePlacement, Workspace
from rck.model import Item, Robot, build_item, build_robot, build_subitem

_BANDS = 8
"""Number of colours, from barely reachable to reachable in every orientation."""
_SHRUNK = 0.7
"""The edge of the cube that displays a cell, as a fraction of the cell."""


def colours_of(shares: Floats) -> Floats:
    """Return colours from blue over green to red for fractions from 0 to 1. Shape (shares, 3), from 0 to 1."""
    stops = np.array([(0.15, 0.25, 0.7), (0.1, 0.65, 0.75), (0.3, 0.75, 0.25), (0.95, 0.8, 0.2), (0.85, 0.2, 0.15)])
    at = np.linspace(0, 1, len(stops))
    return np.stack([np.interp(shares, at, stops[:, channel]) for channel in range(3)], axis=1)


def workspace_csv(found: Workspace) -> bytes:
    """Write a CSV row for each cell: its centre in metres, in the base frame, and its properties."""
    lines = ["x_m,y_m,z_m,hits,reachable,manipulability,collision_free"]
    columns = zip(found.centres, found.hits, found.reachable, found.manipulability, found.free, strict=True)
    lines += [
        f"{x:.6g},{y:.6g},{z:.6g},{hits},{share:.4f},{best:.6g},{free:.4f}"
        for (x, y, z), hits, share, best, free in columns
    ]
    return ("\n".join(lines) + "\n").encode()


def workspace_ply(found: Workspace) -> bytes:
    """Write a PLY point cloud, coloured by the fraction of reachable orientations."""
    header = [
        "ply",
        "format ascii 1.0",
        "comment metres, in the frame of the base",
        f"element vertex {len(found.centres)}",
        *(f"property float {name}" for name in ("x", "y", "z")),
        *(f"property uchar {name}" for name in ("red", "green", "blue")),
        *(f"property float {name}" for name in ("reachable", "manipulability", "collision_free")),
        "end_header",
    ]
    rows = np.concatenate(
        [
            found.centres,
            np.round(255 * colours_of(found.reachable)),
            found.reachable[:, None],
            found.manipulability[:, None],
            found.free[:, None],
        ],
        axis=1,
    )
    return ("\n".join([*header, *(" ".join(f"{value:.6g}" for value in row) for row in rows)]) + "\n").encode()


def cut_open(found: Workspace) -> Bools:
    """Return True for the cells behind the base's xz plane, at least half of them. Shape (cells,)."""
    plane = min(0.0, float(np.median(found.centres[:, 1])))
    shown: Bools = found.centres[:, 1] > plane - found.cell / 2
    return shown


def with_map(robot: Robot, found: Workspace, world_from_base: Floats, *, cut: bool = True) -> Robot:
    """Add a cube for each cell to the robot, coloured by its fraction; `cut` keeps the cells of :func:`cut_open`."""
    shown = cut_open(found) if cut else np.ones(len(found.centres), bool)
    bands = np.minimum((found.reachable * _BANDS).astype(int), _BANDS - 1)
    shape = box(*(_SHRUNK * found.cell,) * 3)
    items: list[Item] = []
    for band in range(_BANDS):
        chosen = found.centres[shown & (bands == band)]
        if not len(chosen):
            continue
        red, green, blue = colours_of(np.array([(band + 0.5) / _BANDS]))[0]
        colour = (float(red), float(green), float(blue), 1.0)
        cubes = [build_subitem(shape.vertices + centre, shape.faces, colour=colour).unwrap() for centre in chosen]
        items.append(build_item(f"reach-{band}", cubes, pose=world_from_base).unwrap())
    return build_robot(robot.name, [*robot.items, *items], robot.joints, robot.frames).unwrap()


def placements_csv(found: Sequence[BasePlacement], goals: int) -> bytes:
    """Return a table with a row for each base placement: the pose of the base in the world, and its results."""
    lines = ["x_mm,y_mm,z_mm,roll_deg,pitch_deg,yaw_deg,goals,reached,free,manipulability,room,error_mm,error_deg"]
    for placement in found:
        pose = [*(1000 * placement.base[:3, 3]), *np.degrees(to_euler(placement.base))]
        numbers = ",".join(f"{value + 0.0:.6g}" for value in pose)
        lines.append(
            f"{numbers},{goals},{placement.reached},{placement.free},{placement.manipulability:.6g},"
            f"{placement.room:.4f},{1000 * placement.away:.6g},{np.degrees(placement.turned):.6g}"
        )
    return ("\n".join(lines) + "\n").encode()
