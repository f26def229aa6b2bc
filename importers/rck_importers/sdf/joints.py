"""Conversion of SDF joints to joints of one degree of freedom, with intermediate links if they have more."""

from dataclasses import dataclass, replace
from itertools import pairwise
from math import pi

import numpy as np

from rck.geometry.arrays import Floats, frozen
from rck.geometry.transforms import identity, invert
from rck.importing.linkage import Link, LinkJoint, link_joint
from rck.importing.xml_file import Element
from rck.model import Actuation, JointKind, JointLimits, Loop, LoopKind, Mimic
from rck.model.extensions import extension
from rck_importers.sdf.models import end_of
from rck_importers.sdf.scopes import Scope, link_of, number_of, scope_from_frame, text_of, world_from_scope

_READ = {"parent", "child", "pose", "axis", "axis2", "thread_pitch", "screw_thread_pitch"}
_SILENT = {"physics", "gearbox_ratio", "gearbox_reference_body"}
_READ_OF_AXIS = {"xyz", "limit", "dynamics", "mimic", "use_parent_model_frame"}
_FREEDOMS = {
    "fixed": (),
    "revolute": ("axis",),
    "continuous": ("axis",),
    "prismatic": ("axis",),
    "screw": ("axis",),
    "universal": ("axis", "axis2"),
    "revolute2": ("axis", "axis2"),
    "ball": (),
}


@dataclass(frozen=True, eq=False)
class _Ends:
    """Links and pose of a joint."""

    name: str
    base: str
    moves: str
    world_from_joint: Floats
    where: str


def joints(scope: Scope, name: str, element: Element) -> tuple[list[LinkJoint], list[Link]]:
    """Return the joint as a chain of joints, and the intermediate links."""
    report = scope.reading.report
    for child in element:
        if child.tag not in _READ | _SILENT:
            report.left_out(f"<{child.tag}> of a joint", child.where)
    kind = element.require("type")
    own_name = scope.full_name(element.require("name"))
    where = f"{element.where}: joint {own_name}"
    if kind == "gearbox":
        report.lost("gearbox joint", element.where)
        return [], []
    if kind not in _FREEDOMS:
        raise element.refusal(f"unknown joint type {kind!r}", code=104, fix=f"use {', '.join(_FREEDOMS)}")
    base, moves = (_end(scope, end_of(element, tag), element) for tag in ("parent", "child"))
    world_from_joint = world_from_scope(scope) @ scope_from_frame(scope, name, element)
    ends = _Ends(own_name, base, moves, world_from_joint, where)
    if kind == "fixed":
        return [_plain(ends, JointKind.FIXED, np.array([0.0, 0.0, 1.0]))], []
    if kind == "ball":
        holder, moved = link_of(scope, end_of(element, "child"), element)
        # As in MJCF, the three hinges are about the axes of the link.
        world_from_link = world_from_scope(holder) @ scope_from_frame(holder, moved, element)
        report.note(504, where, "a ball joint was replaced by three continuous joints about x, y and z", kind="ball")
        singles = [
            replace(
                _plain(ends, JointKind.CONTINUOUS, world_from_link[:3, axis]),
                name=f"{ends.name}-{letter}",
                actuation=Actuation.PASSIVE,
                # Exports write the ball joint again.
                extensions=extension("mjcf", {"ball": ends.name}),
            )
            for axis, letter in enumerate("xyz")
        ]
    else:
        singles = [_single(scope, element, tag, kind, ends) for tag in _FREEDOMS[kind]]
        singles = [
            replace(one, name=f"{one.name}-{n + 1}") if len(singles) > 1 else one for n, one in enumerate(singles)
        ]
    if kind == "screw":
        singles.append(_thread(element, singles[0]))
    return _chained(singles, ends)


def ball_loop(scope: Scope, name: str, element: Element) -> Loop:
    """Return a ball joint that closes a loop."""
    world_from_joint = world_from_scope(scope) @ scope_from_frame(scope, name, element)
    own_name = scope.full_name(element.require("name"))
    items, poses = [], []
    for tag in ("parent", "child"):
        holder, link = link_of(scope, end_of(element, tag), element)
        is_world = link == "world" and "world" not in holder.entries
        world_from_link = identity() if is_world else world_from_scope(holder) @ scope_from_frame(holder, link, element)
        items.append(_end(scope, end_of(element, tag), element))
        poses.append(frozen(invert(world_from_link) @ world_from_joint))
    message = f"joint {own_name} closes a loop between {items[0]} and {items[1]}"
    scope.reading.report.note(504, f"{element.where}: joint {own_name}", message, kind="loop")
    return Loop(own_name, LoopKind.CONNECT, (items[0], items[1]), (poses[0], poses[1]))


def child_of(scope: Scope, element: Element) -> str:
    """Return the link that a joint moves."""
    return _end(scope, end_of(element, "child"), element)


def _end(scope: Scope, name: str, element: Element) -> str:
    holder, link = link_of(scope, name, element)
    return "world" if link == "world" and "world" not in holder.entries else holder.full_name(link)


def _plain(ends: _Ends, kind: JointKind, direction: Floats) -> LinkJoint:
    return link_joint(ends.name, kind, ends.base, ends.moves, ends.world_from_joint[:3, 3], direction, ends.where)


def _single(scope: Scope, element: Element, tag: str, kind: str, ends: _Ends) -> LinkJoint:
    axis = element.first(tag)
    if axis is None:
        raise element.refusal(f"joint {element.get('name')} has no <{tag}>")
    joint = _plain(
        ends, JointKind.PRISMATIC if kind == "prismatic" else JointKind.REVOLUTE, _direction(scope, axis, ends)
    )
    for child in axis:
        if child.tag not in _READ_OF_AXIS:
            scope.reading.report.left_out(f"<{child.tag}> of an axis", child.where)
    limit, dynamics, mimic = (axis.first(name) for name in ("limit", "dynamics", "mimic"))
    if limit is not None and kind != "continuous":
        joint = replace(joint, limits=JointLimits(number_of(limit, "lower", -1e16), number_of(limit, "upper", 1e16)))
    if limit is not None:
        effort, speed = number_of(limit, "effort", -1.0), number_of(limit, "velocity", -1.0)
        # A negative value means no limit.
        joint = replace(joint, effort=effort if effort >= 0 else None, speed=speed if speed >= 0 else None)
    if dynamics is not None:
        damping, friction = number_of(dynamics, "damping", 0.0), number_of(dynamics, "friction", 0.0)
        stiffness, rest = number_of(dynamics, "spring_stiffness", 0.0), number_of(dynamics, "spring_reference", 0.0)
        joint = replace(joint, damping=damping, friction=friction, stiffness=stiffness, spring_position=rest)
    if mimic is not None:
        ratio = number_of(mimic, "multiplier", 1.0)
        offset = number_of(mimic, "offset", 0.0) - ratio * number_of(mimic, "reference", 0.0)
        joint = replace(joint, mimic=Mimic(scope.full_name(mimic.require("joint")), ratio, offset))
    return joint


def _direction(scope: Scope, axis: Element, ends: _Ends) -> Floats:
    """Return the axis in the world; by default it is given in the joint frame, before SDF 1.5 in the model frame."""
    xyz = axis.first("xyz")
    vector = np.array([0.0, 0.0, 1.0]) if xyz is None else xyz.numbers_of(xyz.text, "xyz", 3)
    length = float(np.linalg.norm(vector))
    if not length > 1e-9:
        raise axis.refusal("the axis is zero", code=205)
    frame = "" if xyz is None else xyz.get("expressed_in")
    in_model = text_of(axis, "use_parent_model_frame") in ("true", "1") or scope.version < (1, 5)
    turn = ends.world_from_joint
    if frame:
        turn = world_from_scope(scope) @ scope_from_frame(scope, frame, axis)
    elif in_model:
        turn = world_from_scope(scope)
    return np.asarray(turn[:3, :3] @ (vector / length), dtype=float)


def _thread(element: Element, turning: LinkJoint) -> LinkJoint:
    """Return the prismatic joint that mimics the rotation of a screw joint."""
    if element.first("screw_thread_pitch") is not None:
        per_radian = number_of(element, "screw_thread_pitch", 1.0) / (2 * pi)
    else:
        # The older element is in radians per metre, with the opposite sign.
        pitch = number_of(element, "thread_pitch", 1.0)
        if pitch == 0:
            raise element.refusal("thread_pitch is zero", code=104)
        per_radian = -1.0 / pitch
    return LinkJoint(
        f"{turning.name}-thread",
        JointKind.PRISMATIC,
        turning.base,
        turning.moves,
        turning.start,
        turning.end,
        mimic=Mimic(turning.name, per_radian),
        where=turning.where,
    )


def _chained(singles: list[LinkJoint], ends: _Ends) -> tuple[list[LinkJoint], list[Link]]:
    links = [ends.base, *(f"{ends.moves}-on-{joint.name.rpartition('/')[2]}" for joint in singles[:-1]), ends.moves]
    chain = [replace(joint, base=a, moves=(b,)) for joint, (a, b) in zip(singles, pairwise(links), strict=True)]
    return chain, [Link(name, ends.world_from_joint, where=ends.where) for name in links[1:-1]]
