"""Write the page, with everything that it needs. Matrices are column-major, in metres and radians."""

import json
from collections.abc import Iterable, Sequence
from html import escape
from importlib.resources import files
from math import degrees
from string import Template
from typing import Any

import numpy as np

from rck.exporting import ExportLink, LinkTree, MeshAssets, link_tree, shapes_of
from rck.exporting.file_text import tidy, tidy_colour
from rck.exporting.web import bundled, surface_text
from rck.geometry.arrays import Floats
from rck.geometry.transforms import apply
from rck.hooks import Exported, Job, Values
from rck.model import Joint, Robot


def write(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    """Write the page."""
    data = scene_data(link_tree(robot), shapes_of(robot))
    job.progress(0.6, "page")
    here = files("rck_plugins.exporters.html")
    page = Template(here.joinpath("page.html").read_text(encoding="utf-8")).substitute(
        title=escape(robot.name),
        style=here.joinpath("page.css").read_text(encoding="utf-8"),
        overview=overview(robot),
        joints=joint_table(robot),
        items=item_table(robot),
        # A name that contains </script> must not end the script.
        scene=json.dumps(data, separators=(",", ":")).replace("<", "\\u003c"),
        script=bundled(here.joinpath("viewer.js").read_text(encoding="utf-8")),
    )
    return Exported({name: page.encode()})


def scene_data(tree: LinkTree, shapes: MeshAssets) -> dict[str, Any]:
    """Return the data of the viewer: links with their joints, the visible surfaces, each once, and their poses."""
    mover_of_name = {link.mover.name: link for link in tree.links if link.mover is not None}
    # Sliders are in the order of the joints of the robot.
    movers = [mover_of_name[joint.name] for joint in tree.robot.joints if joint.name in mover_of_name]
    joint_of_name = {link.mover.name: number for number, link in enumerate(movers) if link.mover is not None}
    meshes: dict[tuple[str, ...], int] = {}
    drawn = []
    for number, link in enumerate(tree.links):
        for placed in link.items:
            for shape in shapes.of_item[placed.number]:
                if shape.seen and len(shape.surface.face_vertices):
                    mesh = meshes.setdefault(tuple(surface_text(shape.surface).values()), len(meshes))
                    colour = tidy_colour(shape.colour).tolist()
                    drawn.append({"link": number, "mesh": mesh, "pose": _columns(placed.pose), "colour": colour})
    return {
        "name": tree.robot.name,
        "links": [_link(link, joint_of_name) for link in tree.links],
        "joints": [_joint(link, joint_of_name) for link in movers],
        "frames": [
            {"name": name, "link": number, "pose": _columns(pose)}
            for number, link in enumerate(tree.links)
            for name, pose in (
                *((placed.frame.name, placed.pose) for placed in link.frames),
                *((placed.device.name, placed.pose) for placed in link.devices),
            )
        ],
        "meshes": [{"points": points, "corners": corners} for points, corners in meshes],
        "drawn": drawn,
    }


def _link(link: ExportLink, joint_of_name: dict[str, int]) -> dict[str, Any]:
    return {
        "parent": link.parent,
        "pose": _columns(link.pose),
        "axis": tidy(link.axis).tolist(),
        "anchor": tidy(link.anchor).tolist(),
        "joint": None if link.mover is None else joint_of_name[link.mover.name],
    }


def _joint(link: ExportLink, joint_of_name: dict[str, int]) -> dict[str, Any]:
    joint = link.mover
    assert joint is not None  # only moving links are passed
    data: dict[str, Any] = {"name": joint.name, "turns": joint.kind.turns, "position": joint.position}
    if joint.limits is not None:
        data |= {"lower": joint.limits.lower, "upper": joint.limits.upper}
    if joint.mimic is not None:
        leader = joint_of_name[joint.mimic.joint]
        data |= {"leader": leader, "ratio": joint.mimic.ratio, "offset": joint.mimic.offset}
    return data


def _columns(pose: Floats) -> list[float]:
    columns: list[float] = tidy(pose).T.ravel().tolist()
    return columns


def overview(robot: Robot) -> str:
    """Return the data of the whole robot as a list."""
    body = robot.mass_properties
    rows = [
        ("mass", f"{body.mass:.4g} kg"),
        ("centre of mass", f"{_point(body.centre)} mm"),
        ("size", f"{_size(robot)} mm"),
        ("items", str(len(robot.items))),
        ("degrees of freedom", str(len(robot.free_joints))),
        ("sensors and grippers", str(len(robot.devices))),
    ]
    return "".join(f"<dt>{escape(what)}</dt><dd>{escape(value)}</dd>" for what, value in rows)


def joint_table(robot: Robot) -> str:
    """Return a table with a row for each moving joint."""
    head = ("joint", "kind", "from", "to", "velocity limit", "effort limit", "mimics")
    rows = [_joint_row(joint) for joint in robot.joints if joint.kind.moves]
    return _table(head, rows) if rows else ""


def item_table(robot: Robot) -> str:
    """Return a table with a row for each item and the part that it comes from, if known."""
    head = ("item", "part", "vendor", "mass, kg")
    rows = [
        (
            item.name,
            item.origin.name if item.origin else "",
            item.origin.vendor if item.origin else "",
            _four(item.mass),
        )
        for item in robot.items
    ]
    return _table(head, rows) if rows else ""


def _joint_row(joint: Joint) -> tuple[str, ...]:
    unit, force = ("°", "N m") if joint.kind.turns else (" mm", "N")
    ends = [""] * 2 if joint.limits is None else [joint.limits.lower, joint.limits.upper]
    return (
        joint.name,
        joint.kind.value,
        *("" if end == "" else f"{_four(_in_units(joint, float(end)))}{unit}" for end in ends),
        "" if joint.speed is None else f"{_four(_in_units(joint, joint.speed))}{unit}/s",
        "" if joint.effort is None else f"{_four(joint.effort)} {force}",
        joint.mimic.joint if joint.mimic else "",
    )


def _in_units(joint: Joint, value: float) -> float:
    return degrees(value) if joint.kind.turns else 1000.0 * value


def _four(value: float) -> str:
    return f"{value + 0.0:.4g}"


def _point(metres: Iterable[float]) -> str:
    return ", ".join(f"{1000.0 * part + 0.0:.1f}" for part in metres)


def _size(robot: Robot) -> str:
    corners = [apply(item.pose, one.shape.vertices) for item in robot.items for one in item.subitems]
    extent = np.ptp(np.concatenate(corners), axis=0) if corners else np.zeros(3)
    return " × ".join(f"{1000.0 * side:.0f}" for side in extent.tolist())


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    body = "\n".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table>\n<tr>{top}</tr>\n{body}\n</table>"
