"""Loops of URDF: constraints of Drake and Isaac Sim, and the file of loops that RCK writes next to a URDF file."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from rck.geometry.arrays import Floats, frozen
from rck.geometry.transforms import frame, translation
from rck.importing.assets import read_within
from rck.importing.file_errors import refused
from rck.importing.linkage import Linkage
from rck.importing.robot_reader import Reading, pose_of
from rck.importing.xml_file import Element
from rck.model import Loop, LoopKind
from rck.model.extensions import extension
from rck.support.names import did_you_mean
from rck.support.typed_yaml import Strict, convert, parse

SUFFIX = ".loops.yaml"
"""Replaces the suffix of the URDF file."""
BALL, BUSHING, ISAAC = "drake:ball_constraint", "drake:linear_bushing_rpy", "loop_joint"
TAGS = (BALL, BUSHING, ISAAC, "frame")
_TERMS = ("torque_stiffness", "torque_damping", "force_stiffness", "force_damping")


def loops_of(root: Element, links: Mapping[str, Element], reading: Reading) -> Iterator[Loop]:
    """Yield the constraints of Drake and Isaac Sim as loops."""
    for number, element in enumerate(root.all(BALL)):
        bodies, points = [], []
        for body, point in (("A", "p_AP"), ("B", "p_BQ")):
            bodies.append(_link(_part(element, f"{BALL}_body_{body}"), "name", links))
            points.append(frozen(translation(_part(element, f"{BALL}_{point}").numbers("value", 3, (0, 0, 0)))))
        yield Loop(f"ball-{number + 1}", LoopKind.CONNECT, (bodies[0], bodies[1]), (points[0], points[1]))
    for number, element in enumerate(root.all(BUSHING)):
        yield from _bushing(element, f"bushing-{number + 1}", root, links, reading)
    for element in root.all(ISAAC):
        if element.get("type") != "spherical":
            reading.report.lost(f"<{ISAAC}> of type {element.get('type')!r}", element.where)
            continue
        # The documentation of Isaac Sim calls both of them link1.
        ends = [one for one in element if one.tag in ("link1", "link2")]
        if len(ends) != 2:
            raise element.refusal(f"<{ISAAC}> needs two links")
        (first, one), (second, other) = ((_link(end, "link", links), frozen(_origin(end))) for end in ends)
        yield Loop(element.require("name"), LoopKind.CONNECT, (first, second), (one, other))


def _part(element: Element, tag: str) -> Element:
    found = element.first(tag)
    if found is None:
        raise element.refusal(f"<{element.tag}> has no <{tag}>")
    return found


def _link(element: Element, attribute: str, links: Mapping[str, Element]) -> str:
    name = element.require(attribute)
    if name not in links:
        raise element.refusal(f"there is no link {name}{did_you_mean(name, links)}", code=201)
    return name


def _origin(element: Element) -> Floats:
    return pose_of(element.numbers("xyz", 3, (0, 0, 0)), element.numbers("rpy", 3, (0, 0, 0)))


def _bushing(
    element: Element, name: str, root: Element, links: Mapping[str, Element], reading: Reading
) -> Iterator[Loop]:
    """Yield the loop of a bushing whose springs hold the origins together, and no, two or three of the rotations."""
    frames = {one.get("name"): one for one in root.all("frame")}
    ends = []
    for side in "AC":
        end = _part(element, f"drake:bushing_frame{side}")
        if (known := end.require("name")) not in frames:
            raise end.refusal(f"there is no frame {known}{did_you_mean(known, frames)}", code=201)
        ends.append((_link(frames[known], "link", links), _origin(frames[known])))
    values = {term: _part(element, f"drake:bushing_{term}").numbers("value", 3, (0, 0, 0)) for term in _TERMS}
    held = values["torque_stiffness"] > 0.0
    kinds = {0: LoopKind.CONNECT, 2: LoopKind.REVOLUTE, 3: LoopKind.WELD}
    kind = kinds.get(int(held.sum()))
    if kind is None or not (values["force_stiffness"] > 0.0).all():
        reading.report.lost(f"<{BUSHING}> that is no ball, hinge or weld", element.where)
        return
    message = "a bushing is read as a rigid loop; its stiffness and damping are kept for exports to URDF"
    reading.report.note(504, element.where, message, kind="bushing")
    turn = frame((0.0, 0.0, 0.0), z=np.eye(3)[int(np.argmin(held))])
    poses = [frozen(pose @ turn if kind is LoopKind.REVOLUTE else pose) for _, pose in ends]
    kept = {term: " ".join(f"{value!r}" for value in values[term].tolist()) for term in _TERMS}
    data = extension("urdf", kept | {"axis": "xyz"[int(np.argmin(held))]})
    yield Loop(name, kind, (ends[0][0], ends[1][0]), (poses[0], poses[1]), data)


class _Place(Strict, frozen=True):
    """A frame in a link, as the origin of a URDF joint."""

    xyz: tuple[float, float, float]
    rpy: tuple[float, float, float] = (0.0, 0.0, 0.0)


class _LoopRecord(Strict, frozen=True):
    """A loop of the file next to the URDF file."""

    kind: LoopKind
    links: tuple[str, str]
    frames: tuple[_Place, _Place]


class _LoopFile(Strict, frozen=True):
    """The file next to the URDF file."""

    loops: dict[str, _LoopRecord]
    positions: dict[str, float] = {}
    """The position of each joint in a loop, where the loops are closed, in radians or metres."""
    springs: dict[str, tuple[float, float]] = {}
    """The stiffness of each joint in a loop that has a spring, and the position at which it is relaxed, in SI units."""


def with_loop_file(linkage: Linkage, urdf: Path, reading: Reading) -> Linkage:
    """Return the linkage with the loops of the file next to the URDF file, instead of its own; the same without one."""
    path = urdf.with_suffix(SUFFIX)
    if not path.is_file():
        return linkage
    text = read_within(path, reading.assets.limits).decode("utf-8", "replace")
    file = convert(parse(text, path.name), _LoopFile, text, path.name)
    links = {link.name for link in linkage.links}
    found = []
    for name, loop in file.loops.items():
        for link in loop.links:
            if link not in links:
                message = f"loop {name} refers to link {link!r}, which does not exist{did_you_mean(link, links)}"
                raise refused(path.name, message, code=201)
        one, other = (frozen(pose_of(np.array(place.xyz), np.array(place.rpy))) for place in loop.frames)
        found.append(Loop(name, loop.kind, loop.links, (one, other)))
    joints = []
    for joint in linkage.joints:
        stiffness, relaxed = file.springs.get(joint.name, (joint.stiffness, joint.spring_position))
        target = file.positions.get(joint.name) if joint.target is None else joint.target
        joints.append(replace(joint, stiffness=stiffness, spring_position=relaxed, target=target))
    return replace(linkage, loops=tuple(found), joints=tuple(joints))
