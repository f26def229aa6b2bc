"""Robots for tests: simple ones, and random ones for hypothesis."""

from collections.abc import Callable
from itertools import pairwise, product
from math import pi
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from rck.geometry.arrays import Floats
from rck.geometry.transforms import apply, from_dh, from_euler, invert, translation
from rck.model.device import Device, DeviceKind, build_device
from rck.model.frame import Frame
from rck.model.item import Item, build_item
from rck.model.joint import Joint, JointKind, Mimic, build_joint
from rck.model.robot import Robot, build_robot
from rck.model.subitem import Subitem, build_subitem

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

# Universal Robots, "DH parameters for calculations of kinematics and dynamics", UR5: d, a in metres, alpha.
_UR5 = (
    (0.089159, 0.0, pi / 2),
    (0.0, -0.425, 0.0),
    (0.0, -0.39225, 0.0),
    (0.10915, 0.0, pi / 2),
    (0.09465, 0.0, -pi / 2),
    (0.0823, 0.0, 0.0),
)


# Corner k of a box has its high x, y, z if bit 4, 2, 1 of k is set.
_BOX_FACES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))


def box_between(low: ArrayLike, high: ArrayLike) -> Subitem:
    """Return a box between two opposite corners."""
    corners = np.array(list(product(*zip(np.asarray(low, float), np.asarray(high, float), strict=True))))
    return build_subitem(corners, _BOX_FACES).unwrap()


def six_axis_arm(name: str = "six-axis-arm", half_width: float = 0.04) -> Robot:
    """Return an arm with the axes of a UR5 at position zero, boxes as links, and a tool frame."""
    frames = [np.eye(4)]
    for d, a, alpha in _UR5:
        frames.append(frames[-1] @ from_dh(0.0, d, a, alpha))
    margin = np.full(3, half_width)
    items = [build_item("base", [box_between(-2 * margin, 2 * margin)]).unwrap()]
    joints = []
    for number, (here, after) in enumerate(pairwise(frames), start=1):
        tip = (invert(here) @ after)[:3, 3]
        shape = box_between(np.minimum(tip, 0.0) - margin, np.maximum(tip, 0.0) + margin)
        items.append(build_item(f"link-{number}", [shape], pose=here).unwrap())
        joints.append(_turning(f"joint-{number}", items[-2].name, items[-1].name, here))
    tool = Frame("tool", items[-1].name, invert(frames[-2]) @ frames[-1])
    return build_robot(name, items, joints, [tool]).unwrap()


def planar_arm(axes: int, length: float = 0.5) -> Robot:
    """Return an arm with links along x that rotate about z, and a tool frame at its end."""
    thin = 0.02
    items = [build_item("base", [box_between((-0.1, -0.1, -0.1), (0.1, 0.1, 0.0))]).unwrap()]
    joints = []
    for number in range(1, axes + 1):
        here = translation(((number - 1) * length, 0.0, 0.0))
        shape = box_between((0.0, -thin, 0.0), (length, thin, thin))
        items.append(build_item(f"link-{number}", [shape], pose=here).unwrap())
        joints.append(_turning(f"joint-{number}", items[-2].name, items[-1].name, here))
    tool = Frame("tool", items[-1].name, translation((length if axes else 0.0, 0.0, 0.0)))
    return build_robot(f"planar-{axes}", items, joints, [tool]).unwrap()


def _turning(name: str, base: str, moves: str, world_from_joint: Floats) -> Joint:
    start, end = apply(world_from_joint, [(0.0, 0.0, 0.0), (0.0, 0.0, 1.0)]).tolist()
    return build_joint(name, "revolute", base, moves, start=start, end=end, limits=(-2 * pi, 2 * pi)).unwrap()


def robots(*, most_joints: int = 6, most_devices: int = 0) -> "SearchStrategy[Robot]":
    """Return a strategy for robots: trees with branches and loose items, joints of every kind, and mimic joints.

    A joint may carry several items, have any position within its limits, and be listed before the joint that carries
    it. Devices are of every kind, at any pose, with any number of known figures.
    """
    from hypothesis import strategies as st

    return st.composite(_draw_robot)(most_joints, most_devices)


def joint_vectors(robot: Robot) -> "SearchStrategy[Floats]":
    """Return a strategy for joint vectors of a robot, shape (free joints,), within its limits or not."""
    from hypothesis import strategies as st

    count = len(robot.free_joints)
    return st.lists(st.floats(-7.0, 7.0), min_size=count, max_size=count).map(lambda row: np.array(row, dtype=float))


def _draw_robot(draw: Callable[..., Any], most_joints: int, most_devices: int) -> Robot:
    from hypothesis import strategies as st

    items = [_draw_item(draw, f"root-{number}") for number in range(draw(st.integers(1, 2)))]
    joints: list[Joint] = []
    for number in range(draw(st.integers(0, most_joints))):
        base = draw(st.sampled_from(items)).name
        moved = [_draw_item(draw, f"item-{number}-{which}") for which in range(draw(st.integers(1, 2)))]
        joints.append(_draw_joint(draw, f"joint-{number}", base, tuple(item.name for item in moved), joints))
        items += moved
    frames = [
        Frame(f"frame-{number}", draw(st.sampled_from(items)).name, _draw_pose(draw))
        for number in range(draw(st.integers(0, 2)))
    ]
    devices = [
        _draw_device(draw, f"device-{number}", draw(st.sampled_from(items)).name, [joint.name for joint in joints])
        for number in range(draw(st.integers(0, most_devices)))
    ]
    # No code may rely on the order of items and joints.
    items, joints = draw(st.permutations(items)), draw(st.permutations(joints))
    return build_robot("random", items, joints, frames, devices).unwrap()


def _draw_item(draw: Callable[..., Any], name: str) -> Item:
    from hypothesis import strategies as st

    half = np.array(draw(st.tuples(*[st.floats(0.01, 0.3)] * 3)))
    shapes = [box_between(-half, half)]
    if draw(st.booleans()):
        shapes.append(box_between(half, 2 * half))
    return build_item(name, shapes, pose=_draw_pose(draw), mobile=draw(st.booleans())).unwrap()


_FIGURES = {
    "angular-resolution": (0.2, 1.0),
    "channels": (1, 16),
    "field-of-view": (0.01, 2 * pi),
    "field-of-view-vertical": (0.01, 2 * pi),
    "force": (0.0, 1e3),
    "max-range": (1.0, 100.0),
    "min-range": (0.0, 0.5),
    "moment": (0.0, 100.0),
    "payload": (0.0, 100.0),
    "rate": (1, 1000),
    "resolution-x": (1, 4000),
    "resolution-y": (1, 4000),
}
"""The figures that a device may have, and their values."""


def _draw_device(draw: Callable[..., Any], name: str, item: str, joints: list[str]) -> Device:
    from hypothesis import strategies as st

    known = draw(st.lists(st.sampled_from(sorted(_FIGURES)), unique=True))
    values = {figure: float(draw(st.sampled_from(_FIGURES[figure]))) for figure in known}
    worked = draw(st.lists(st.sampled_from(joints), unique=True, max_size=2)) if joints else []
    kind = draw(st.sampled_from(DeviceKind))
    return build_device(name, kind, item, pose=_draw_pose(draw), joints=worked, values=values).unwrap()


def _draw_joint(draw: Callable[..., Any], name: str, base: str, moves: tuple[str, ...], others: list[Joint]) -> Joint:
    from hypothesis import strategies as st

    kind = draw(st.sampled_from(JointKind))
    start = np.array(draw(st.tuples(*[st.floats(-1.0, 1.0)] * 3)))
    axis = from_euler(draw(st.tuples(*[st.floats(-pi, pi)] * 2)), "xy")[:3, 2]
    end = start + draw(st.floats(0.1, 2.0)) * axis
    position, below, above = draw(st.tuples(st.floats(-3.0, 3.0), st.floats(0.0, 3.0), st.floats(0.0, 3.0)))
    leaders = [other for other in others if other.kind.moves and other.mimic is None]
    mimic = None
    if leaders and kind.moves and draw(st.booleans()):
        leader = draw(st.sampled_from(leaders))
        mimic = Mimic(leader.name, draw(st.floats(-2.0, 2.0)), draw(st.floats(-1.0, 1.0)))
        position = mimic.position_at(leader.position)
    return build_joint(
        name,
        kind,
        base,
        moves,
        start=tuple(start.tolist()),
        end=tuple(end.tolist()),
        limits=(position - below, position + above),
        position=position,
        mimic=mimic,
    ).unwrap()


def _draw_pose(draw: Callable[..., Any]) -> Floats:
    from hypothesis import strategies as st

    turns = draw(st.tuples(*[st.floats(-pi, pi)] * 3))
    return translation(draw(st.tuples(*[st.floats(-1.0, 1.0)] * 3))) @ from_euler(turns)
