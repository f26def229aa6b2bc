"""Mobility of closed chains: which joints are independent, counted by the rank of the loop equations."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rck.geometry.arrays import Floats
from rck.model.item import Item
from rck.model.joint import Actuation, Joint
from rck.model.loop import Loop, LoopKind
from rck.model.tree import Tree

# A column is independent of the others if this share of it is left without them; the smaller one is for mechanisms
# that have only poor choices.
_SHARES = (1e-3, 1e-6)


@dataclass(frozen=True, slots=True)
class Mobility:
    """The roles of the joints in the loops of a robot. Make one with :func:`find_mobility`."""

    dependent: frozenset[str]
    """The joints that the loops move."""
    sprung: frozenset[str]
    """The joints that the loops leave free and only springs hold; they take the least spring energy."""
    looped: frozenset[str]
    """All joints in loops, without mimic joints."""
    equations: int
    """The number of equations of all loops."""
    rank: int
    """The number of independent equations; each removes a degree of freedom."""


OPEN = Mobility(frozenset(), frozenset(), frozenset(), 0, 0)
"""The mobility of robots without loops."""


def loop_arms(tree: Tree, bases: Sequence[int], ends: tuple[int, int]) -> list[tuple[int, float]]:
    """Return the joints round a loop between two items, each with 1 if it moves the second item, -1 the first."""
    ways: list[list[int]] = []
    for item in ends:
        way: list[int] = []
        here = tree.joint_of_item[item]
        while here is not None:
            way.append(here)
            here = tree.joint_of_item[bases[here]]
        ways.append(way)
    first, second = ways
    return [(joint, -1.0) for joint in first if joint not in second] + [
        (joint, 1.0) for joint in second if joint not in first
    ]


def find_mobility(
    items: Sequence[Item], joints: Sequence[Joint], loops: Sequence[Loop], tree: Tree, driven: frozenset[str]
) -> Mobility:
    """Choose the dependent joints at the current joint positions.

    Passive joints are preferred as dependent, then joints of unknown actuation, then those with springs, then actuated
    ones; of equal joints, those without an effort limit, then those farther from the root.
    """
    if not loops:
        return OPEN
    index = {item.name: number for number, item in enumerate(items)}
    leader_of = {joint.name: joint.mimic.joint if joint.mimic else joint.name for joint in joints if joint.kind.moves}
    columns: dict[str, Floats] = {}
    equations = 0
    blocks = []
    for loop in loops:
        columns_of_loop, rows = _slopes(loop, items, joints, index, tree, leader_of)
        blocks.append((equations, columns_of_loop))
        equations += rows
    for first, columns_of_loop in blocks:
        for name, values in columns_of_loop.items():
            columns.setdefault(name, np.zeros(equations))[first : first + len(values)] += values
    order = {joint.name: number for number, joint in enumerate(joints)}
    depth = _depths(joints, tree, index)

    def preference(name: str) -> tuple[int, bool, int, int]:
        joint = joints[order[name]]
        return _group(joint, name in driven), joint.effort is not None, -depth[order[name]], -order[name]

    names = sorted(columns, key=preference)
    # Near a singular position, even a poor choice is better than to drive a motor by the loop.
    passive = [name for name in names if _group(joints[order[name]], name in driven) < 3]
    dependent = _independent_columns(columns, (passive, passive, names, names))
    sprung = {
        name
        for name in names
        if name not in dependent
        and joints[order[name]].stiffness > 0.0
        and _group(joints[order[name]], name in driven) < 3
    }
    return Mobility(frozenset(dependent), frozenset(sprung), frozenset(columns), equations, len(dependent))


def _group(joint: Joint, is_driven: bool) -> int:
    if is_driven or joint.actuation is Actuation.ACTUATED:
        return 3
    if joint.stiffness > 0.0:
        return 2
    return 0 if joint.actuation is Actuation.PASSIVE else 1


def _independent_columns(columns: Mapping[str, Floats], passes: Sequence[Sequence[str]]) -> list[str]:
    """Return the first columns, in the order of each pass, of which none is a sum of others."""
    chosen: list[str] = []
    basis: list[Floats] = []
    largest = max((float(np.linalg.norm(column)) for column in columns.values()), default=0.0)
    if largest == 0.0:
        return chosen
    for names, share in zip(passes, (*_SHARES, *_SHARES), strict=True):
        for name in names:
            if name in chosen:
                continue
            rest = columns[name].copy()
            size = float(np.linalg.norm(rest))
            for _ in range(2):
                for unit in basis:
                    rest -= (unit @ rest) * unit
            left = float(np.linalg.norm(rest))
            if size > 1e-9 * largest and left > share * size:
                chosen.append(name)
                basis.append(rest / left)
    return chosen


def _depths(joints: Sequence[Joint], tree: Tree, index: Mapping[str, int]) -> list[int]:
    depths = [0] * len(joints)
    for number in tree.joint_order:
        carrier = tree.joint_of_item[index[joints[number].base]]
        depths[number] = 0 if carrier is None else depths[carrier] + 1
    return depths


def _slopes(
    loop: Loop,
    items: Sequence[Item],
    joints: Sequence[Joint],
    index: Mapping[str, int],
    tree: Tree,
    leader_of: Mapping[str, str],
) -> tuple[dict[str, Floats], int]:
    """Return the derivatives of the equations of a loop by the joints, and the number of equations."""
    ends = index[loop.items[0]], index[loop.items[1]]
    first, second = (items[end].pose @ pose for end, pose in zip(ends, loop.poses, strict=True))
    bases = [index[joint.base] for joint in joints]
    arms = [(joints[n], sign) for n, sign in loop_arms(tree, bases, ends) if joints[n].kind.moves]
    length = loop_length(loop, first, [joint for joint, _ in arms])
    # Equations of the origin, and of the rotation, along the axes of the first frame.
    along = {LoopKind.PRISMATIC: 2}.get(loop.kind, 3)
    about = {LoopKind.CONNECT: 0, LoopKind.REVOLUTE: 2}.get(loop.kind, 3)
    found: dict[str, Floats] = {}
    for joint, sign in arms:
        ratio = joint.mimic.ratio if joint.mimic else 1.0
        axis = sign * ratio * joint.direction
        turning = np.zeros(3)
        linear = axis
        if joint.kind.turns:
            linear = np.cross(axis, second[:3, 3] - np.array(joint.start))
            turning = length * (first[:3, :3].T @ axis)
        values = np.concatenate([(first[:3, :3].T @ linear)[:along], turning[:about]])
        leader = leader_of[joint.name]
        found[leader] = found.get(leader, np.zeros(along + about)) + values
    return found, along + about


def loop_length(loop: Loop, world_from_end: Floats, joints: Sequence[Joint]) -> float:
    """Return the size of a loop in metres: the largest distance of its joints from its end."""
    origin = world_from_end[:3, 3]
    return max(_distances(origin, joints), default=0.0) or 1.0


def _distances(origin: Floats, joints: Sequence[Joint]) -> Iterator[float]:
    for joint in joints:
        if joint.kind.turns:
            away = origin - np.array(joint.start)
            yield float(np.linalg.norm(away - (away @ joint.direction) * joint.direction))
