"""What the viewer has to know of a robot, as a value that JSON can hold. Metres, radians; matrices column by column."""

from typing import Any

from rck.exporting import Link, LinkTree, Shapes
from rck.exporting.web import surface_text
from rck.exporting.xml_text import tidy, tidy_colour
from rck.geometry.arrays import Floats


def scene_data(tree: LinkTree, shapes: Shapes) -> dict[str, Any]:
    """Links with their joints, the surfaces that are seen, each once, and where they are drawn."""
    mover_of_name = {link.mover.name: link for link in tree.links if link.mover is not None}
    # Sliders stand in the order of the robot's joints.
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


def _link(link: Link, joint_of_name: dict[str, int]) -> dict[str, Any]:
    return {
        "parent": link.parent,
        "pose": _columns(link.pose),
        "axis": tidy(link.axis).tolist(),
        "anchor": tidy(link.anchor).tolist(),
        "joint": None if link.mover is None else joint_of_name[link.mover.name],
    }


def _joint(link: Link, joint_of_name: dict[str, int]) -> dict[str, Any]:
    joint = link.mover
    assert joint is not None  # only links that move are asked for
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
