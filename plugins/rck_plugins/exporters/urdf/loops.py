"""Loops next to URDF: constraints for Drake in the file, and a file of all loops that RCK reads back."""

from collections.abc import Iterator, Mapping
from xml.etree.ElementTree import Element

import numpy as np

from rck.exporting import LinkTree
from rck.exporting.file_text import add, element, tidy
from rck.geometry.arrays import Floats
from rck.geometry.transforms import frame, invert, to_euler
from rck.model import Loop, LoopKind
from rck.support.plain_yaml import dump_block

SUFFIX = ".loops.yaml"
"""Replaces the suffix of the URDF file."""
_BALL, _BUSHING = "drake:ball_constraint", "drake:bushing"
_REMARK = "# Written by RCK: the loops that URDF cannot store. `rck import` reads this file with the URDF file.\n"
_ARM = 0.1
"""Distance in metres of the points that hold an axis or a frame."""
_POINTS: Mapping[LoopKind, tuple[tuple[float, float, float], ...]] = {
    LoopKind.CONNECT: ((0.0, 0.0, 0.0),),
    LoopKind.REVOLUTE: ((0.0, 0.0, 0.0), (0.0, 0.0, _ARM)),
    LoopKind.WELD: ((0.0, 0.0, 0.0), (0.0, 0.0, _ARM), (_ARM, 0.0, 0.0)),
}


def loop_elements(tree: LinkTree) -> Iterator[Element]:
    """Yield the constraints of Drake; it has none for prismatic loops."""
    for number, loop in enumerate(tree.robot.loops):
        links, poses = _ends(tree, loop)
        if "force_stiffness" in loop.extensions.get("urdf", {}):
            yield from _bushing(loop, links, poses, f"loop_{number + 1}")
            continue
        for point in _POINTS.get(loop.kind, ()):
            made = element(_BALL)
            for side, link in zip("AB", links, strict=True):
                add(made, f"{_BALL}_body_{side}", name=link)
            for side, pose in zip(("p_AP", "p_BQ"), poses, strict=True):
                add(made, f"{_BALL}_{side}", value=tidy((pose @ [*point, 1.0])[:3]))
            yield made


def _bushing(loop: Loop, links: tuple[str, str], poses: tuple[Floats, Floats], name: str) -> Iterator[Element]:
    """Yield the bushing that a loop comes from, and its frames."""
    data = loop.extensions["urdf"]
    turn = frame((0.0, 0.0, 0.0), z=np.eye(3)["xyz".index(data.get("axis", "z"))])
    made = element("drake:linear_bushing_rpy")
    for side, link, pose in zip("AC", links, poses, strict=True):
        own = pose @ invert(turn) if loop.kind is LoopKind.REVOLUTE else pose
        yield element("frame", name=f"{name}_{side}", link=link, xyz=tidy(own[:3, 3]), rpy=tidy(to_euler(own, "xyz")))
        add(made, f"{_BUSHING}_frame{side}", name=f"{name}_{side}")
    for term in ("torque_stiffness", "torque_damping", "force_stiffness", "force_damping"):
        add(made, f"{_BUSHING}_{term}", value=data.get(term, "0 0 0"))
    yield made


def loop_file(tree: LinkTree) -> bytes:
    """Return the file of the loops of a robot."""
    robot = tree.robot
    loops = {}
    for loop in robot.loops:
        links, poses = _ends(tree, loop)
        frames = [
            {"xyz": pose[:3, 3].tolist(), "rpy": [float(angle) for angle in to_euler(pose, "xyz")]} for pose in poses
        ]
        loops[loop.name] = {"kind": loop.kind.value, "links": list(links), "frames": frames}
    looped = {tree.joint_names[one.name]: one for one in robot.joints if one.name in robot.mobility.looped}
    positions = {name: float(one.position) for name, one in looped.items()}
    springs = {name: [one.stiffness, one.spring_position] for name, one in looped.items() if one.stiffness}
    return f"{_REMARK}{dump_block({'loops': loops, 'positions': positions, 'springs': springs})}\n".encode()


def _ends(tree: LinkTree, loop: Loop) -> tuple[tuple[str, str], tuple[Floats, Floats]]:
    """Return the links of a loop, and link from frame of both, shapes (4, 4)."""
    (one, first), (other, second) = (tree.link_of_item[item] for item in loop.items)
    return (tree.links[one].name, tree.links[other].name), (first @ loop.poses[0], second @ loop.poses[1])
