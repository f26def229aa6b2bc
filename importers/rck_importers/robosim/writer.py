"""Write a serial robot as ROBOSIM link files."""

from collections.abc import Iterator, Sequence
from math import degrees
from pathlib import Path

import numpy as np

from rck.exporting.losses import loss
from rck.geometry.arrays import Floats
from rck.geometry.mass_properties import combine, moved
from rck.geometry.mesh import faces_of
from rck.geometry.transforms import apply, from_dh, invert
from rck.hooks import Exported, Job, Values
from rck.hooks.options import units_per_metre
from rck.kinematics import ScrewAxis, denavit_hartenberg, dh_parameters
from rck.model import Finding, Item, JointKind, Robot
from rck_importers.robosim.chain import Chain, serial_chain
from rck_importers.robosim.link_file import DRAW, MOVE, LinkFile, RobosimJoint, print_link, pseudo_inertia

_TYPE_OF_KIND = {
    JointKind.REVOLUTE: RobosimJoint.REVOLUTE,
    JointKind.CONTINUOUS: RobosimJoint.REVOLUTE,
    JointKind.PRISMATIC: RobosimJoint.PRISMATIC,
}


def write(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    """Write a file per link, `name.loc` for the base; refuse robots that are not a serial chain."""
    chain = serial_chain(robot, name)
    if isinstance(chain, Finding):
        return Exported(findings=(chain,))
    stem = Path(name).stem
    files = {}
    for number, link in enumerate(link_files(chain, units_per_metre(values, "mm"))):
        job.progress(number / len(chain), "links")
        files[f"{stem}.{number or 'loc'}"] = print_link(link).encode("ascii")
    return Exported(files, merge_losses(chain, name))


def merge_losses(chain: Chain, name: str) -> tuple[Finding, ...]:
    """Return the loss of the items of rigid groups, which become one link."""
    merged = any(len(items) > 1 for _, items in chain)
    return (loss(name, "the items of a rigid group are exported as one link"),) if merged else ()


def link_files(chain: Chain, per_metre: float) -> Iterator[LinkFile]:
    """Yield the links, with lengths in the unit of the file, each in the frame of its first item."""
    joints = [joint for joint, _ in chain if joint is not None]
    axes = [ScrewAxis(joint.kind, np.array(joint.start), joint.direction) for joint in joints]
    dh = denavit_hartenberg(axes, tip=chain[-1][1][0].pose)
    steps = [dh.base] + [from_dh(row.theta, row.d, row.a, row.alpha) for row in dh.rows]
    types = [RobosimJoint.FIXED, *(_TYPE_OF_KIND[joint.kind] for joint in joints), RobosimJoint.NONE]
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
    """Return each face of each subitem as a closed loop: a move to its first vertex, then lines. Shape (n, 4)."""
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
