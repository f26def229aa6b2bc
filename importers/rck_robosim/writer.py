"""Writing a serial robot as ROBOSIM link files."""

from collections.abc import Iterator, Sequence
from math import degrees
from pathlib import Path

import numpy as np

from rck.exporting.losses import lost, moving_joints
from rck.geometry.arrays import Floats
from rck.geometry.mass import combine, moved
from rck.geometry.mesh import faces_of
from rck.geometry.transforms import apply, from_dh, invert
from rck.hooks import Exported, Job, Values
from rck.hooks.numbers import units_per_metre
from rck.kinematics import Axis, denavit_hartenberg, dh_parameters
from rck.model import Finding, Item, JointKind, Robot
from rck_robosim.chain import Chain, serial_chain
from rck_robosim.link_file import DRAW, MOVE, LinkFile, LinkJoint, print_link, pseudo_inertia

_TYPE_OF_KIND = {
    JointKind.REVOLUTE: LinkJoint.REVOLUTE,
    JointKind.CONTINUOUS: LinkJoint.REVOLUTE,
    JointKind.PRISMATIC: LinkJoint.PRISMATIC,
}


def write(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    """One file per link, `name.loc` for the base; robots that are no serial chain are refused."""
    chain = serial_chain(robot, name)
    if isinstance(chain, Finding):
        return Exported(findings=(chain,))
    stem = Path(name).stem
    files = {}
    for number, link in enumerate(link_files(chain, units_per_metre(values, "mm"))):
        job.progress(number / len(chain), "links")
        files[f"{stem}.{number or 'loc'}"] = print_link(link).encode("ascii")
    return Exported(files, tuple(_losses(robot, [items for _, items in chain], name)))


def link_files(chain: Chain, per_metre: float) -> Iterator[LinkFile]:
    """The links with lengths in the file's unit; each has the coordinates of its first item."""
    joints = [joint for joint, _ in chain if joint is not None]
    axes = [Axis(joint.kind, np.array(joint.start), joint.direction) for joint in joints]
    dh = denavit_hartenberg(axes, tip=chain[-1][1][0].pose)
    steps = [dh.base] + [from_dh(row.theta, row.d, row.a, row.alpha) for row in dh.rows]
    types = [LinkJoint.FIXED, *(_TYPE_OF_KIND[joint.kind] for joint in joints), LinkJoint.NONE]
    world_from_joint = np.eye(4)
    for number, ((_, items), step) in enumerate(zip(chain, steps, strict=True)):
        link_from_world = invert(items[0].pose)
        world_from_next = world_from_joint @ step
        theta, d, a, alpha = dh_parameters(step)
        bodies = (moved(item.mass_properties, link_from_world @ item.pose) for item in items)
        yield LinkFile(
            (degrees(theta), d * per_metre, a * per_metre, degrees(alpha)),
            types[number],
            types[number + 1],
            pseudo_inertia(combine(bodies), per_metre),
            _scaled(link_from_world @ world_from_joint, per_metre),
            _scaled(link_from_world @ world_from_next, per_metre),
            _outlines(items, link_from_world) * (per_metre, per_metre, per_metre, 1.0),
        )
        world_from_joint = world_from_next


def _scaled(matrix: Floats, per_metre: float) -> Floats:
    scaled = matrix.copy()
    scaled[:3, 3] *= per_metre
    return scaled


def _outlines(items: Sequence[Item], link_from_world: Floats) -> Floats:
    """Each face of each subitem as a closed loop: move to its first vertex, draw round it. Shape (n, 4)."""
    loops = [np.empty((0, 4))]
    for item in items:
        link_from_item = link_from_world @ item.pose
        for subitem in item.subitems:
            points = apply(link_from_item, subitem.shape.vertices)
            for face in faces_of(subitem.shape):
                loop = np.full((len(face) + 1, 4), DRAW)
                loop[:, :3] = points[[*face, face[0]]]
                loop[0, 3] = MOVE
                loops.append(loop)
    return np.concatenate(loops)


def _losses(robot: Robot, groups: Sequence[Sequence[Item]], name: str) -> Iterator[Finding]:
    """What the format has no place for."""
    moving = moving_joints(robot)
    if any(group[0].name != f"link{number}" for number, group in enumerate(groups)):
        yield lost(name, "the names of items and joints are left out; numbers remain")
    if any(len(group) > 1 for group in groups):
        yield lost(name, "items that fixed joints hold together are written as one link")
    if any(joint.limits is not None for joint in moving):
        yield lost(name, "the limits of the joints are left out", matters=True)
    if any(joint.position != 0 for joint in moving):
        yield lost(name, "the positions of the joints are left out; the links are written as they stand at zero")
    if any(joint.mimic is not None for joint in moving):
        yield lost(name, "joints that follow others are written as free", matters=True)
    if any(joint.speed or joint.acceleration or joint.effort or joint.damping or joint.friction for joint in moving):
        yield lost(name, "speeds, accelerations, efforts, damping and friction of joints are left out")
    if any(item.subitems for item in robot.items):
        yield lost(name, "colours, densities and strengths are left out; each link keeps its mass")
    if robot.frames:
        yield lost(name, "frames are left out")
    if robot.devices:
        yield lost(name, "sensors and grippers are left out")
    if any(item.mobile for item in robot.items):
        yield lost(name, "that items may be pushed along is left out")
