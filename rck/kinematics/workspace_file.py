"""Maps of what an arm reaches, as tables, as point clouds, and as items that a view draws."""

from collections.abc import Sequence

import numpy as np

from rck.geometry.arrays import Bools, Floats
from rck.geometry.primitives import box
from rck.geometry.transforms import invert, to_euler
from rck.kinematics.workspace import Placement, Workspace
from rck.model import Item, Robot, build_item, build_robot, build_subitem

_BANDS = 8
"""Colours, from what is hardly reached to what is reached in every orientation."""
_SHRUNK = 0.7
"""The edge of a cube that stands for a cell, over that of the cell."""


def colours_of(shares: Floats) -> Floats:
    """From blue over green to red as shares go from 0 to 1. Shape (shares, 3), from 0 to 1."""
    stops = np.array([(0.15, 0.25, 0.7), (0.1, 0.65, 0.75), (0.3, 0.75, 0.25), (0.95, 0.8, 0.2), (0.85, 0.2, 0.15)])
    at = np.linspace(0, 1, len(stops))
    return np.stack([np.interp(shares, at, stops[:, channel]) for channel in range(3)], axis=1)


def workspace_csv(found: Workspace) -> bytes:
    """A row for each cell: its middle in metres, in the frame of the base, and what is known of it."""
    lines = ["x_m,y_m,z_m,hits,reachable,manipulability,collision_free"]
    columns = zip(found.centres, found.hits, found.reachable, found.manipulability, found.free, strict=True)
    lines += [
        f"{x:.6g},{y:.6g},{z:.6g},{hits},{share:.4f},{best:.6g},{free:.4f}"
        for (x, y, z), hits, share, best, free in columns
    ]
    return ("\n".join(lines) + "\n").encode()


def workspace_ply(found: Workspace) -> bytes:
    """A point cloud, coloured by the share of orientations that are reached."""
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
    """Which cells are not before the base's xz plane, so that one sees into the map; half of them at least.

    Shape (cells,).
    """
    plane = min(0.0, float(np.median(found.centres[:, 1])))
    shown: Bools = found.centres[:, 1] > plane - found.cell / 2
    return shown


def with_map(robot: Robot, found: Workspace, world_from_base: Floats, *, cut: bool = True) -> Robot:
    """The robot with a cube for each cell, coloured by its share; `cut` as :func:`cut_open` has it."""
    kept = cut_open(found) if cut else np.ones(len(found.centres), bool)
    bands = np.minimum((found.reachable * _BANDS).astype(int), _BANDS - 1)
    shape = box(*(_SHRUNK * found.cell,) * 3)
    items: list[Item] = []
    for band in range(_BANDS):
        chosen = found.centres[kept & (bands == band)]
        if not len(chosen):
            continue
        red, green, blue = colours_of(np.array([(band + 0.5) / _BANDS]))[0]
        colour = (float(red), float(green), float(blue), 1.0)
        cubes = [build_subitem(shape.vertices + centre, shape.faces, colour=colour).unwrap() for centre in chosen]
        items.append(build_item(f"reach-{band}", cubes, pose=world_from_base).unwrap())
    return build_robot(robot.name, [*robot.items, *items], robot.joints, robot.frames).unwrap()


def placements_csv(found: Sequence[Placement], world_from_base: Floats, goals: int) -> bytes:
    """A row for each place of the base: how it is moved and turned from where it stands, and how it does there."""
    lines = ["x_mm,y_mm,z_mm,roll_deg,pitch_deg,yaw_deg,goals,reached,free,manipulability,room,error_mm,error_deg"]
    for one in found:
        moved = one.base @ invert(world_from_base)
        place = [*(1000 * moved[:3, 3]), *np.degrees(to_euler(moved))]
        numbers = ",".join(f"{value + 0.0:.6g}" for value in place)
        lines.append(
            f"{numbers},{goals},{one.reached},{one.free},{one.manipulability:.6g},{one.room:.4f},"
            f"{1000 * one.away:.6g},{np.degrees(one.turned):.6g}"
        )
    return ("\n".join(lines) + "\n").encode()
