"""Static loads of joints under gravity: at the current position, and the largest within the limits."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import degrees

import numpy as np
from numpy.typing import ArrayLike

from rck.geometry.transforms import apply
from rck.kinematics.closed_load_search import ClosedLoadSearch
from rck.kinematics.load_search import GravityModel, LoadSearch
from rck.kinematics.tip import default_tip
from rck.model import Finding, Frame, JointKind, RckError, Robot, Severity
from rck.model.closure import Closure, closure_of
from rck.model.motor import CONTINUOUS_SHARE, UNKNOWN_MOTOR, Motor, Verdict, motors_of
from rck.support.units import effort_unit, format_quantity, rounded

GRAVITY = (0.0, 0.0, -9.80665)
"""Standard gravity in m/s2, z up."""

MOST_JOINTS = 100
"""Larger robots are not checked automatically."""


@dataclass(frozen=True, eq=False)
class Load:
    """The largest effort that gravity requires of a joint."""

    joint: str
    effort: float
    """In N m or N, never negative."""
    most: float | None
    """The effort limit of the joint, if known."""
    positions: Mapping[str, float]
    """Positions of all free joints at which it is needed, in radians or metres."""
    motor: Motor = UNKNOWN_MOTOR

    @property
    def share(self) -> float | None:
        """The effort as a fraction of the limit."""
        return self.effort / self.most if self.most else None

    @property
    def verdict(self) -> Verdict | None:
        """The comparison with the motor; None if its effort limit is unknown."""
        return self.motor.verdict(self.effort)

    @property
    def too_much(self) -> bool:
        """True if the effort exceeds the limit."""
        return self.verdict is Verdict.TOO_WEAK


def static_efforts(robot: Robot) -> Mapping[str, float]:
    """Return the effort, in N m or N, that holds each movable joint at its current position.

    Positive efforts push towards larger positions. Mimic joints are included, each for the items that it carries. With
    loops, the free joints hold everything, mimic joints too; the other joints need none.
    """
    pull = np.array(GRAVITY)
    masses = np.array([item.mass for item in robot.items])
    centres = np.array([apply(item.pose, item.mass_properties.centre) for item in robot.items])
    efforts = {}
    for number, joint in enumerate(robot.joints):
        if not joint.kind.moves:
            continue
        carried = list(robot.tree.carried_by(number))
        weight = masses[carried].sum() * pull
        if joint.kind is JointKind.PRISMATIC:
            efforts[joint.name] = float(-(weight @ joint.direction))
        else:
            arms = centres[carried] - np.asarray(joint.start)
            moment = np.cross(arms, masses[carried, None] * pull).sum(axis=0)
            efforts[joint.name] = float(-(moment @ joint.direction))
    closure = closure_of(robot)
    return efforts if closure is None else _through_loops(robot, closure, efforts)


def _through_loops(robot: Robot, closure: Closure, efforts: Mapping[str, float]) -> Mapping[str, float]:
    """Return efforts with those of joints in loops carried over to the free joints, by virtual work."""
    slopes = closure.slopes(closure.seed)
    column_of = {joint.name: number for number, joint in enumerate(closure.joints)}
    whole = np.zeros(len(closure.joints))
    for joint in robot.joints:
        if joint.kind.moves:
            leader, ratio = (joint.mimic.joint, joint.mimic.ratio) if joint.mimic else (joint.name, 1.0)
            whole[column_of[leader]] += ratio * efforts[joint.name]
    needed = whole @ slopes
    result = dict.fromkeys(efforts, 0.0)
    for joint, number in zip(robot.free_joints, range(len(needed)), strict=True):
        result[joint.name] = float(needed[number])
    return result


def worst_loads(
    robot: Robot,
    payload: float = 0.0,
    at: Frame | None = None,
    *,
    joints: Collection[str] | None = None,
    gravity: ArrayLike = GRAVITY,
) -> tuple[Load, ...]:
    """Return the largest effort that gravity requires of each free joint, or of those named, within all limits.

    The payload, in kg, is a point mass at the origin of the frame. :mod:`rck.kinematics.load_search` describes the
    search. Collisions are ignored. Prismatic joints without limits do not move.
    """
    if not 0.0 <= payload < 1e6:
        raise RckError(f"payload must be at least 0 kg, not {payload:g} kg")
    if payload and at is None:
        raise RckError("a payload needs a frame: name the tool or frame that carries it")
    names = [joint.name for joint in robot.free_joints]
    motors = motors_of(robot)
    pull = np.asarray(gravity, dtype=float)
    closed = ClosedLoadSearch(robot, payload, at, pull) if robot.closing_loops else None
    model = GravityModel(robot, pull, payload, at)
    loads = []
    for number, joint in enumerate(robot.free_joints):
        if joints is None or joint.name in joints:
            vector, effort = LoadSearch(model, number).worst() if closed is None else closed.worst(number)
            positions = dict(zip(names, vector.tolist(), strict=True))
            motor = motors.get(joint.name, UNKNOWN_MOTOR)
            loads.append(Load(joint.name, max(effort, 0.0), motor.peak, positions, motor))
    return tuple(loads)


def carrying_frame(robot: Robot, name: str | None = None) -> Frame:
    """Return the frame that carries a payload: the frame, item or gripper of the name, or the default tip."""
    if name is None:
        return robot.frame(default_tip(robot))
    grippers = (device for device in robot.devices if device.kind.grips and device.name == name)
    gripper = next(grippers, None)
    return robot.frame(name) if gripper is None else Frame(name, gripper.item, gripper.pose)


def load_findings(robot: Robot) -> list[Finding]:
    """Return a finding for each joint that cannot hold the robot itself in its worst pose, at all or for long.

    Very large robots are skipped.
    """
    known = [joint for joint, motor in motors_of(robot).items() if motor.peak]
    if not known or len(robot.free_joints) > MOST_JOINTS:
        return []
    return [finding for load in worst_loads(robot, joints=known) for finding in _findings(robot, load)]


def _findings(robot: Robot, load: Load) -> Iterator[Finding]:
    where, fix = f"joint {load.joint}", "use a stronger motor, a shorter or lighter arm, or narrower limits"
    must = f"must hold {load.effort:.3g}"
    if load.verdict is Verdict.TOO_WEAK:
        message = f"{must}, above its effort limit of {load.most:.3g} {_unit(robot, load)}"
        yield Finding(915, Severity.WARNING, where, message, f"{fix}; `rck loads` shows the pose")
    elif load.verdict is Verdict.NEAR_LIMIT:
        message = f"{must} {_unit(robot, load)} in its worst pose, above {continuous_text(load.motor)}"
        yield Finding(916, Severity.NOTE, where, message, f"stay there briefly, or {fix}; `rck loads` shows the pose")


def continuous_text(motor: Motor) -> str:
    """Return the continuous effort of a motor as a phrase."""
    return f"its {'estimated ' if motor.is_estimated else ''}continuous effort of {motor.continuous:.3g}"


def _unit(robot: Robot, load: Load) -> str:
    return effort_unit(robot.joint(load.joint).kind.turns)


def load_lines(
    robot: Robot,
    loads: Sequence[Load],
    figures: Mapping[str, str] | None = None,
    payload: float = 0.0,
    at: Frame | None = None,
) -> list[str]:
    """Format a table of loads, and the pose in which the joint with the smallest margin needs the most.

    `figures` has, by joint, the datasheet name of its effort limit, such as `stall torque`. A payload, in kg, is
    carried `at` a frame.
    """
    figures = figures or {}
    width = max((len(load.joint) for load in loads), default=0)
    column = 13 + max((1 + len(figures[load.joint]) for load in loads if load.joint in figures), default=0)
    lines = []
    if payload and loads and at is not None:
        mass = format_quantity(payload, "mass", "g" if payload < 1 else "kg", 4)
        lines.append(f"with a payload of {mass} at {at.name} (choose another frame or item with --at)")
    for load in loads:
        unit = _unit(robot, load)
        given = f"of {load.most:.3g} {unit} {figures.get(load.joint, '')}".rstrip() if load.most else unit
        share = "" if load.share is None else f" {load.share:5.0%}"
        verdict = "" if load.verdict in (None, Verdict.OK) else f"  {load.verdict.value}"
        lines.append(f"{load.joint:{width}}  {load.effort:7.2f} {given:{column}}{share}{verdict}".rstrip())
    shares = [load for load in loads if load.share]
    if shares:
        most = max(shares, key=lambda load: load.share or 0.0)
        turning = {joint.name for joint in robot.free_joints if joint.kind.turns}
        pose = " ".join(
            f"{name}={rounded(degrees(x) if name in turning else 1000 * x, 1):g}" for name, x in most.positions.items()
        )
        lines += _continuous_lines(robot, loads)
        lines.append(f"{most.joint} has the smallest margin, at {pose}")
    return lines


def _continuous_lines(robot: Robot, loads: Sequence[Load]) -> Iterator[str]:
    """Yield what the verdict `near limit` means, and the continuous efforts behind it."""
    near = [load for load in loads if load.verdict is Verdict.NEAR_LIMIT]
    if not near:
        return
    efforts = ", ".join(f"{load.joint} {load.motor.continuous:.3g} {_unit(robot, load)}" for load in near)
    yield f"near limit: above the continuous effort, the motor overheats in time ({efforts})"
    if any(load.motor.is_estimated for load in near):
        yield f"the continuous effort of a servo without a published one is estimated: {CONTINUOUS_SHARE:.0%} of stall"
