"""Writing a serial robot as a program in the ROBOSIM language, from which ROBOSIM makes its link files.

Programs are as those of R2, the editor of ROBOSIM (*Workstation Implementation of ROBOSIM*, table 1).

Each object is made at the origin, turned about the fixed axes, moved, and added to register B; then the link that has
come together there is stored. Lengths are in the unit that was asked for, angles in degrees.
"""

from collections.abc import Iterator, Sequence
from math import degrees
from pathlib import PurePath

import numpy as np

from rck.exporting import legal_name, lost, some
from rck.exporting.losses import lost_by_all, lost_stance, moving_joints
from rck.geometry.arrays import Floats
from rck.geometry.boxes import box_of
from rck.geometry.transforms import apply, invert, to_euler
from rck.hooks import Exported, Job, Values
from rck.hooks.numbers import units_per_metre
from rck.model import Finding, Item, Robot, Subitem
from rck.render.camera import fit, named_camera
from rck_robosim.chain import Chain, serial_chain
from rck_robosim.link_file import LinkFile, LinkJoint
from rck_robosim.prisms import prism_of
from rck_robosim.writer import link_files

_WORDS = {LinkJoint.REVOLUTE: "R-JOINT", LinkJoint.PRISMATIC: "P-JOINT", LinkJoint.FIXED: "F-JOINT"}


def write(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    """The program; robots that are no serial chain are refused, as for link files."""
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
    return Exported({name: text.encode("ascii")}, tuple(_losses(robot, chain, unit, name)))


def _look(chain: Chain, per_metre: float) -> Iterator[str]:
    """Where ROBOSIM's picture is taken from."""
    items = [item for _, group in chain for item in group]
    balls = [[*apply(item.pose, item.sphere.centre), item.sphere.radius] for item in items if item.sphere is not None]
    camera = fit(named_camera("home"), np.array(balls).reshape(-1, 4), aspect=1.0)
    yield f"LOOK-FROM {_point(per_metre * np.array(camera.eye))}"
    yield f"LOOK-AT {_point(per_metre * np.array(camera.target))}"


def _link(items: Sequence[Item], link: LinkFile, per_metre: float) -> Iterator[str]:
    """The objects of a link, its joints first, gathered in register B and taken from there."""
    yield from ("CLEAR", "STORE B")
    for side, joint, frame in (
        ("I", link.joint_before, link.frame_before),
        ("I+1", link.joint_after, link.frame_after),
    ):
        if joint is not LinkJoint.NONE:
            yield from _added([f"{_WORDS[joint]}-{side}"], frame)
    link_from_world = invert(items[0].pose)
    for item in items:
        for subitem in item.subitems:
            yield from _solid(subitem, link_from_world @ item.pose, per_metre)
    yield "LOAD B"


def _added(made: Sequence[str], pose: Floats) -> Iterator[str]:
    """An object put in its place, in the file's unit, and added to register B."""
    yield from made
    for axis, angle in zip("XYZ", to_euler(pose), strict=True):
        if (text := _number(degrees(angle))) != "0.":
            yield f"ROTATE {axis}={text}"
    if pose[:3, 3].any():
        yield f"TRANSLATE {_point(pose[:3, 3])}"
    yield from ("ADD B", "STORE B", "CLEAR")


def _solid(subitem: Subitem, link_from_item: Floats, per_metre: float) -> Iterator[str]:
    """A box, an extruded polygon or, for every other shape, its faces drawn one by one."""
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
    """Once round a polygon, back to where it began."""
    yield f"MOVE {corners[0]}"
    yield from (f"DRAW {corner}" for corner in (*corners[1:], corners[0]))


def _point(point: Floats) -> str:
    x, y, z = map(_number, point.tolist())
    return f"X={x}, Y={y}, Z={z}"


def _number(value: float) -> str:
    """Nine decimals, without an exponent and with a point, as FORTRAN writes them; zero has no sign."""
    return f"{round(value, 9) + 0.0:.9f}".rstrip("0")


def _losses(robot: Robot, chain: Chain, unit: str, name: str) -> Iterator[Finding]:
    """What the language has no words for."""
    moving = moving_joints(robot)
    yield lost(name, f"the language has no word for units; lengths are in {unit}, angles in degrees")
    yield from lost_by_all(robot, name)
    yield from lost_stance(robot, name)
    if any(item.mass for item in robot.items):
        yield lost(name, "masses and inertias are left out", matters=True)
    if limited := [joint.name for joint in moving if joint.limits is not None]:
        yield lost(name, f"the limits of joints are left out: {some(limited)}", matters=True)
    if led := [joint.name for joint in moving if joint.mimic is not None]:
        yield lost(name, f"joints that follow others are free: {some(led)}", matters=True)
    if any(joint.speed or joint.effort or joint.damping or joint.friction for joint in moving):
        yield lost(name, "speeds, efforts, damping and friction of joints are left out")
    if any(len(items) > 1 for _, items in chain):
        yield lost(name, "items that never move against each other are one link")
    if robot.items:
        yield lost(name, "names and colours are left out; links have numbers")
    if robot.frames or robot.devices:
        yield lost(name, "frames, sensors and grippers are left out")
    if any(item.visuals for item in robot.items):
        yield lost(name, "what is only seen is left out")
