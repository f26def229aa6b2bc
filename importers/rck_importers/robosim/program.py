"""Exporter of a serial robot as a program in the ROBOSIM language, from which ROBOSIM builds its link files.

Programs use the syntax of R2, the editor of ROBOSIM (*Workstation Implementation of ROBOSIM*, table 1).

Each object is built at the origin, rotated about the fixed axes, translated and added to register B; the link
assembled there is then stored. Lengths are in the unit of the option `length-unit`, angles in degrees.
"""

from collections.abc import Iterator, Sequence
from math import degrees
from pathlib import PurePath

import numpy as np

from rck.exporting import legal_name, loss
from rck.geometry.arrays import Floats
from rck.geometry.box_detection import box_of
from rck.geometry.transforms import apply, invert, to_euler
from rck.hooks import Exported, Job, Values
from rck.hooks.options import units_per_metre
from rck.model import Finding, Item, Robot, Subitem
from rck.rendering.camera import fit, named_camera
from rck_importers.robosim.chain import Chain, serial_chain
from rck_importers.robosim.link_file import LinkFile, RobosimJoint
from rck_importers.robosim.prisms import prism_of
from rck_importers.robosim.writer import link_files, merge_losses

_WORDS = {RobosimJoint.REVOLUTE: "R-JOINT", RobosimJoint.PRISMATIC: "P-JOINT", RobosimJoint.FIXED: "F-JOINT"}


def write(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    """Write the program; refuse robots that are not a serial chain."""
    chain = serial_chain(robot, name)
    if isinstance(chain, Finding):
        return Exported(findings=(chain,))
    per_metre = units_per_metre(values, "mm")
    stem = legal_name(PurePath(name).stem).upper()
    lines = [*_look(chain, per_metre)]
    for number, ((_, items), link) in enumerate(zip(chain, link_files(chain, per_metre), strict=True)):
        job.progress(number / len(chain), "links")
        lines += _link(items, link, per_metre)
        lines.append(f"STORE-LINK {stem}.{number or 'LOC'}")
    lines += ["VIEW", "END"]
    text = "\n".join(lines) + "\n"
    unit = values.get("length-unit", "mm")
    message = f"units are not supported by ROBOSIM programs: lengths are in {unit}, angles in degrees"
    return Exported({name: text.encode("ascii")}, (loss(name, message), *merge_losses(chain, name)))


def _look(chain: Chain, per_metre: float) -> Iterator[str]:
    """Yield the camera commands of the program."""
    items = [item for _, group in chain for item in group]
    balls = [[*apply(item.pose, item.sphere.centre), item.sphere.radius] for item in items if item.sphere is not None]
    camera = fit(named_camera("home"), np.array(balls).reshape(-1, 4), aspect=1.0)
    yield f"LOOK-FROM {_point(per_metre * np.array(camera.eye))}"
    yield f"LOOK-AT {_point(per_metre * np.array(camera.target))}"


def _link(items: Sequence[Item], link: LinkFile, per_metre: float) -> Iterator[str]:
    """Yield the commands that build a link in register B, its joints first, and load it from there."""
    yield from ("CLEAR", "STORE B")
    for side, joint, frame in (
        ("I", link.joint_before, link.frame_before),
        ("I+1", link.joint_after, link.frame_after),
    ):
        if joint is not RobosimJoint.NONE:
            yield from _added([f"{_WORDS[joint]}-{side}"], frame)
    link_from_world = invert(items[0].pose)
    for item in items:
        for subitem in item.subitems:
            yield from _solid(subitem, link_from_world @ item.pose, per_metre)
    yield "LOAD B"


def _added(made: Sequence[str], pose: Floats) -> Iterator[str]:
    """Yield the commands that build an object, place it (lengths in the file's unit) and add it to register B."""
    yield from made
    for axis, angle in zip("XYZ", to_euler(pose), strict=True):
        if (text := _number(degrees(angle))) != "0.":
            yield f"ROTATE {axis}={text}"
    if pose[:3, 3].any():
        yield f"TRANSLATE {_point(pose[:3, 3])}"
    yield from ("ADD B", "STORE B", "CLEAR")


def _solid(subitem: Subitem, link_from_item: Floats, per_metre: float) -> Iterator[str]:
    """Yield the commands of a solid: a box, an extruded polygon or, for any other shape, its faces."""
    shape = subitem.shape
    if (box := box_of(shape)) is not None:
        made, pose = [f"BOX {_point(per_metre * box.sides)}"], link_from_item @ box.pose
    elif (prism := prism_of(shape)) is not None:
        corners = [_point(corner) for corner in per_metre * np.insert(prism.contour, 2, 0.0, axis=1)]
        made = [*_loop(corners), f"EXTRUDE-SURFACE Z={_number(per_metre * prism.height)}"]
        pose = link_from_item @ prism.pose
    else:
        corners = [_point(corner) for corner in per_metre * shape.vertices]
        made = [line for face in shape.faces for line in _loop([corners[corner] for corner in face])]
        pose = link_from_item
    scaled = pose.copy()
    scaled[:3, 3] *= per_metre
    yield from _added(made, scaled)


def _loop(corners: Sequence[str]) -> Iterator[str]:
    """Yield the commands that draw a closed polygon."""
    yield f"MOVE {corners[0]}"
    yield from (f"DRAW {corner}" for corner in (*corners[1:], corners[0]))


def _point(point: Floats) -> str:
    x, y, z = map(_number, point.tolist())
    return f"X={x}, Y={y}, Z={z}"


def _number(value: float) -> str:
    """Format a number as FORTRAN does: up to nine decimals, a decimal point, no exponent; zero has no sign."""
    return f"{round(value, 9) + 0.0:.9f}".rstrip("0")
