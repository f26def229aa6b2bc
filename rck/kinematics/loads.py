"""Largest static load of each joint against gravity, and whether the joint can hold it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import degrees

import numpy as np
from numpy.typing import ArrayLike

from rck.kinematics.load_search import GravityModel, LoadSearch
from rck.kinematics.statics import GRAVITY
from rck.kinematics.tip import default_tip
from rck.model import Finding, Frame, RckError, Robot, Severity
from rck.model.units import effort_unit, format_quantity, rounded

MOST_JOINTS = 100
"""Of a robot that is looked at unasked."""


@dataclass(frozen=True, eq=False)
class Load:
    """The largest effort that gravity asks of a joint."""

    joint: str
    effort: float
    """In N m or N, never negative."""
    most: float | None
    """The effort limit of the joint, where that is known."""
    positions: Mapping[str, float]
    """Positions of all free joints at which it is needed, in radians or metres."""

    @property
    def share(self) -> float | None:
        """The effort as a share of the limit."""
        return self.effort / self.most if self.most else None

    @property
    def too_much(self) -> bool:
        """Whether the effort exceeds the limit."""
        return self.share is not None and self.share > 1.0


def worst_loads(
    robot: Robot,
    payload: float = 0.0,
    at: Frame | None = None,
    *,
    joints: Collection[str] | None = None,
    gravity: ArrayLike = GRAVITY,
) -> tuple[Load, ...]:
    """The largest effort that gravity asks of each free joint, or of those named, within the limits of all joints.

    The payload, in kg, is a point at the origin of the frame. :mod:`rck.kinematics.load_search` says how the largest is
    found. Collisions are ignored. A joint that slides without limits stays where it is.
    """
    if not 0.0 <= payload < 1e6:
        raise RckError(f"a payload is a mass of zero or more, not {payload:g} kg")
    if payload and at is None:
        raise RckError("a payload needs a place: name a tool or a frame that carries it")
    names = [joint.name for joint in robot.free_joints]
    model = GravityModel(robot, np.asarray(gravity, dtype=float), payload, at)
    loads = []
    for number, joint in enumerate(robot.free_joints):
        if joints is None or joint.name in joints:
            vector, effort = LoadSearch(model, number).worst()
            positions = dict(zip(names, vector.tolist(), strict=True))
            loads.append(Load(joint.name, max(effort, 0.0), joint.effort or None, positions))
    return tuple(loads)


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
            lines.append("stall torque is a momentary peak; continuous torque is lower")
        lines.append(f"{most.joint} has the least to spare, at {places}")
    return lines
