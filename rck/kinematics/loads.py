"""The most that gravity can ask of each joint, wherever the arm stands: is the motor strong enough?"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from math import degrees, pi, tau

import numpy as np
from numpy.typing import ArrayLike

from rck.geometry.arrays import Floats, Ints
from rck.geometry.transforms import apply, invert
from rck.kinematics.statics import GRAVITY
from rck.kinematics.tip import default_tip
from rck.model import Finding, Frame, RckError, Robot, Severity
from rck.model.arrays import robot_arrays
from rck.model.units import effort_unit, format_quantity, rounded

_STARTS = 8
"""From so many places the worst position is looked for, for each joint and either sign."""
_ROUNDS = 20
_SAME = 1e-9
MOST_JOINTS = 100
"""Of a robot that is looked at unasked."""
_GRID = 9
"""Positions tried for a joint that others follow."""


@dataclass(frozen=True, eq=False)
class Load:
    """What a joint must hold where that is most."""

    joint: str
    effort: float
    """In N m or N, never negative."""
    most: float | None
    """What the joint can give, where that is known."""
    positions: Mapping[str, float]
    """Of all free joints, in radians or metres: where it is needed."""

    @property
    def share(self) -> float | None:
        """Of what the joint can give."""
        return self.effort / self.most if self.most else None

    @property
    def too_much(self) -> bool:
        """Whether the joint gives way."""
        return self.share is not None and self.share > 1.0


def worst_loads(
    robot: Robot,
    payload: float = 0.0,
    at: Frame | None = None,
    *,
    joints: Collection[str] | None = None,
    gravity: ArrayLike = GRAVITY,
) -> tuple[Load, ...]:
    """For each free joint, or for those named, the most that it must hold against gravity within all limits.

    The payload, in kg, is a point at the origin of the frame. While one joint turns and the others stand still,
    what any of them must hold changes like a sine; so the best position of one joint after the other is known
    exactly, and the search climbs from several places. Where a joint is followed by others, or has no limits and
    slides, it is tried on a grid, or stays where it is. Collisions are not looked at.
    """
    if not 0.0 <= payload < 1e6:
        raise RckError(f"a payload is a mass of zero or more, not {payload:g} kg")
    if payload and at is None:
        raise RckError("a payload needs a place: name a tool or a frame that carries it")
    names = [joint.name for joint in robot.free_joints]
    asked = {number for number, name in enumerate(names) if joints is None or name in joints}
    search = _Search(robot, payload, at, np.asarray(gravity, dtype=float))
    loads: dict[int, Load] = {}
    for together in _mechanisms(robot):
        wanted = [number for number in together if number in asked]
        for number, vector, effort in zip(wanted, *search.climb(wanted, together), strict=True):
            joint = robot.free_joints[number]
            positions = dict(zip(names, vector.tolist(), strict=True))
            loads[number] = Load(joint.name, max(float(effort), 0.0), joint.effort or None, positions)
    return tuple(loads[number] for number in sorted(loads))


def _mechanisms(robot: Robot) -> list[list[int]]:
    """The numbers of the free joints that stand on the same item in the end."""
    groups: dict[int, list[int]] = {}
    for number, joint in enumerate(robot.free_joints):
        groups.setdefault(robot.tree.root_of_item[robot.item_index[joint.base]], []).append(number)
    return list(groups.values())


def carrying_frame(robot: Robot, name: str | None = None) -> Frame:
    """Return the frame that a payload hangs at: that of the name, else the first tool, gripper or default tip."""
    grippers = {one.name: Frame(one.name, one.item, one.pose) for one in robot.devices if one.kind.grips}
    if name is not None:
        return grippers.get(name) or robot.place(name)
    tools = [frame for frame in robot.frames if frame.tool]
    return next(iter([*tools, *grippers.values()]), None) or robot.place(default_tip(robot))


def load_findings(robot: Robot) -> list[Finding]:
    """The joints that cannot even hold what they carry themselves, where that is hardest; not of very large robots."""
    known = [joint.name for joint in robot.free_joints if joint.effort]
    if len(robot.free_joints) > MOST_JOINTS:
        return []
    return [
        Finding(
            915,
            Severity.WARNING,
            f"joint {load.joint}",
            f"it must hold {load.effort:.3g} of the {load.most:.3g} {_unit(robot, load)} that it can give",
            "take a stronger motor, a shorter or lighter arm, or narrower limits; `rck loads` tells where",
        )
        for load in worst_loads(robot, joints=known)
        if load.too_much
    ]


def _unit(robot: Robot, load: Load) -> str:
    return effort_unit(robot.joint(load.joint).kind.turns)


def load_lines(
    robot: Robot, loads: Sequence[Load], figures: Mapping[str, str] | None = None, payload: float = 0.0
) -> list[str]:
    """A table for people, and where the joint with the least to spare needs the most.

    `figures` says, by joint, what data sheets call that which it can give, such as `stall torque`; `payload` is what
    was reckoned with, in kilograms.
    """
    figures = figures or {}
    width = max((len(load.joint) for load in loads), default=0)
    room = 13 + max((1 + len(figures[load.joint]) for load in loads if load.joint in figures), default=0)
    lines = []
    if payload and loads:
        lines.append(f"with a payload of {format_quantity(payload, 'mass', 'g' if payload < 1 else 'kg', 4)}")
    for load in loads:
        unit = _unit(robot, load)
        given = f"of {load.most:.3g} {unit} {figures.get(load.joint, '')}".rstrip() if load.most else unit
        share = "" if load.share is None else f" {load.share:5.0%}"
        weak = "  too weak" if load.too_much else ""
        lines.append(f"{load.joint:{width}}  {load.effort:7.2f} {given:{room}}{share}{weak}".rstrip())
    shares = [load for load in loads if load.share]
    if shares:
        most = max(shares, key=lambda load: load.share or 0.0)
        turning = {joint.name for joint in robot.free_joints if joint.kind.turns}
        places = " ".join(
            f"{name}={rounded(degrees(x) if name in turning else 1000 * x, 1):g}" for name, x in most.positions.items()
        )
        if "stall torque" in figures.values():
            lines.append("a motor gives its stall torque for moments only, and holds less than that for long")
        lines.append(f"{most.joint} has the least to spare, at {places}")
    return lines


class _Search:
    def __init__(self, robot: Robot, payload: float, at: Frame | None, gravity: Floats) -> None:
        self.robot, self.arrays, self.gravity = robot, robot_arrays(robot), gravity
        free = {joint.name: number for number, joint in enumerate(robot.free_joints)}
        moving = [(number, joint) for number, joint in enumerate(robot.joints) if joint.kind.moves]
        owner = [(joint.mimic.joint, joint.mimic.ratio) if joint.mimic else (joint.name, 1.0) for _, joint in moving]
        self.share = np.zeros((len(free), len(moving)))
        for column, (name, ratio) in enumerate(owner):
            # What a joint must hold itself falls on the one that it follows.
            self.share[free[name], column] = ratio
        carried = np.zeros((len(moving), len(robot.items)))
        for row, (number, _) in enumerate(moving):
            carried[row, list(robot.tree.carried_by(number))] = 1.0
        self.masses = np.array([item.mass for item in robot.items])
        self.centres = np.array([item.mass_properties.centre for item in robot.items])
        if at is not None and payload:
            number = robot.item_index[at.item]
            carried = np.hstack([carried, carried[:, [number]]])
            self.masses = np.append(self.masses, payload)
            self.centres = np.vstack([self.centres, at.pose[:3, 3]])
            self.holder: Ints = np.array([*range(len(robot.items)), number])
        else:
            self.holder = np.arange(len(robot.items))
        self.carried = carried
        self.bases = np.array([robot.item_index[joint.base] for _, joint in moving])
        self.turns = np.array([joint.kind.turns for _, joint in moving])
        into = [invert(robot.items[base].pose) for base in self.bases]
        self.starts = np.array([apply(m, joint.start) for m, (_, joint) in zip(into, moving, strict=True)])
        self.axes = np.array([m[:3, :3] @ joint.direction for m, (_, joint) in zip(into, moving, strict=True)])
        self.followed = (self.share != 0).sum(axis=1) > 1

    def efforts(self, vectors: Floats) -> Floats:
        """What each free joint must hold at each joint vector, shape (rows, free). Shape (rows, free)."""
        from rck.model.forward import forward_batch

        poses = forward_batch(self.arrays, vectors, threads=1)
        held = poses[:, self.holder]
        centres = np.einsum("rixy,iy->rix", held[..., :3, :3], self.centres) + held[..., :3, 3]
        sums = self.carried @ (self.masses[:, None] * centres)
        weights = self.carried @ self.masses
        bases = poses[:, self.bases]
        starts = np.einsum("rjxy,jy->rjx", bases[..., :3, :3], self.starts) + bases[..., :3, 3]
        axes = np.einsum("rjxy,jy->rjx", bases[..., :3, :3], self.axes)
        moments = np.cross(sums - weights[:, None] * starts, self.gravity)
        pulls = np.where(self.turns[:, None], moments, weights[:, None] * self.gravity)
        return np.asarray(-(pulls * axes).sum(axis=2) @ self.share.T)

    def climb(self, asked: Sequence[int], among: Sequence[int]) -> tuple[Floats, Floats]:
        """For each free joint asked, the joint vector where it holds most, and how much that is.

        Only those `among` are moved; all are given by their numbers.
        """
        joints = self.robot.free_joints
        count = len(joints)
        rng = np.random.default_rng(0)
        spans = np.array([self._span(number) for number in range(count)])
        first = np.array([joint.position for joint in joints])
        begin = spans[:, 0] + rng.random((2 * len(asked) * _STARTS, count)) * (spans[:, 1] - spans[:, 0])
        begin[::_STARTS] = first
        target = np.repeat(asked, 2 * _STARTS)
        sign = np.tile(np.repeat([1.0, -1.0], _STARTS), len(asked))
        rows = np.arange(len(begin))

        def wanted(vectors: Floats) -> Floats:
            efforts = self.efforts(vectors).reshape(-1, len(rows), count)
            return np.asarray(sign * efforts[:, rows, target]).reshape(-1)

        others = np.setdiff1d(np.arange(count), among)
        begin[:, others] = first[others]
        if not len(begin):
            return begin, np.empty(0)
        vectors, best = begin, wanted(begin)
        for _ in range(_ROUNDS):
            before = best
            for number in among:
                tries = self._tries(number, vectors, spans[number], wanted)
                several = np.repeat(vectors[None], len(tries), axis=0)
                several[:, :, number] = tries
                values = wanted(several.reshape(-1, count)).reshape(len(tries), -1)
                chosen = values.argmax(axis=0)
                # What makes no difference stays where it is.
                better = values[chosen, rows] > best + _SAME * (1.0 + np.abs(best))
                vectors = np.where(better[:, None], several[chosen, rows], vectors)
                best = np.where(better, values[chosen, rows], best)
            if (best == before).all():
                break
        per_joint = best.reshape(len(asked), -1)
        highest = per_joint.max(axis=1, keepdims=True)
        winner = (per_joint >= highest - _SAME * (1.0 + np.abs(highest))).argmax(axis=1)
        each = np.arange(len(asked))
        return vectors.reshape(len(asked), -1, count)[each, winner], per_joint[each, winner]

    def _span(self, number: int) -> tuple[float, float]:
        joint = self.robot.free_joints[number]
        if joint.limits is not None:
            return joint.limits.lower, joint.limits.upper
        return (-pi, pi) if joint.kind.turns else (joint.position, joint.position)

    def _tries(self, number: int, vectors: Floats, span: Floats, wanted: Callable[[Floats], Floats]) -> Floats:
        """Positions of a joint among which the best is, for each row. Shape (tries, rows)."""
        low, high = span
        ends = np.repeat(span[:, None], len(vectors), axis=1)
        if self.followed[number]:
            return np.repeat(np.linspace(low, high, _GRID)[:, None], len(vectors), axis=1)
        if not self.robot.free_joints[number].kind.turns:
            return ends
        three = np.repeat(vectors[None], 3, axis=0)
        angles = np.array([0.0, tau / 3, 2 * tau / 3])
        three[:, :, number] = angles[:, None]
        values = wanted(three.reshape(-1, vectors.shape[1])).reshape(3, -1)
        peak = np.arctan2(np.sin(angles) @ values, np.cos(angles) @ values)
        within = low + (peak - low) % tau
        return np.vstack([ends, np.where(within <= high, within, low)])
