"""Tool paths: joint trajectories that move a tip along a curve within a tolerance and the motion limits.

Each pose is solved from the previous one, so that the arm stays in its configuration. Findings name the poses at which
joints would have to jump, or that are out of reach.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import degrees

import numpy as np
from numpy.typing import ArrayLike

from rck.geometry.arrays import Floats
from rck.hooks.ik_types import ChainSolver, Goal, Wants
from rck.kinematics.chain import Chain, tip_pose
from rck.kinematics.configuration import configuration_of
from rck.kinematics.ik_answers import deviation
from rck.kinematics.motion.curve import ToolCurve
from rck.kinematics.motion.joint_move import check_duration, too_fast, vector_of
from rck.kinematics.motion.motion_limits import RAMP_TIME, MotionLimits
from rck.kinematics.motion.path import JointPath, joined, path_of, peaks, resting, stretched
from rck.kinematics.motion.time_scaling import limit_rates
from rck.kinematics.motion.velocity_profiles import Profile, fitting_profile
from rck.kinematics.solution_choice import largest_moves
from rck.support.finding import Built, Finding, RckError, Severity

TOLERANCE = 1e-4
"""Default deviation of the tip from its curve, in metres."""
LEVER = 0.1
"""The rotation of the tip may deviate by the tolerance over this length, in metres."""

_BUDGET = 0.02
"""Time for one pose, in seconds; most take microseconds."""
_FIRST_STEP = 1 / 8
_FINEST_STEP = 1e-6
"""Fractions of a curve: the first step, and the step below which joints jump."""
_LARGEST_MOVE = 0.35
"""The largest joint move between neighbouring poses, in radians or reaches."""
_REFINEMENTS = 8
_GRID = 200
"""Samples of a curve that is too fast somewhere."""


@dataclass(frozen=True, slots=True)
class ToolSpeed:
    """The speed of a tip if no duration is requested."""

    linear: float = 0.25
    """In m/s: the reduced speed of ISO 10218-1."""
    angular: float = 1.0
    """In rad/s."""


REDUCED = ToolSpeed()
"""The speed limit with people nearby."""


@dataclass(frozen=True, eq=False)
class _CurveTask:
    """A curve, and the solver and chain that follow it."""

    solver: ChainSolver
    chain: Chain
    curve: ToolCurve
    ends: Floats
    """The fraction of the whole curve at which each part ends. Shape (parts,)."""
    wants: Wants
    tolerance: float

    def pose_at(self, share: float) -> Floats:
        part = min(int(np.searchsorted(self.ends, share)), len(self.ends) - 1)
        begin = self.ends[part - 1] if part else 0.0
        span = self.ends[part] - begin
        return self.curve.parts[part].pose_at((share - begin) / span if span > 0 else 1.0)

    def deviation(self, vector: Floats, share: float) -> float:
        """Return the deviation of the tip from its pose at a joint vector, in tolerances."""
        away, turned = deviation(tip_pose(self.chain, vector), self.pose_at(share), self.wants)
        return max(away, LEVER * turned) / self.tolerance

    def solve(self, share: float, seed: Floats) -> tuple[Floats | None, str]:
        """Return the joint vector nearest to the seed, or None and the reason."""
        goal = Goal(self.pose_at(share), self.wants, min(1e-6, self.tolerance / 10))
        answer = self.solver.solve(goal, seed, budget=_BUDGET)
        return (answer.solutions[0], "") if answer.solved else (None, answer.reason)

    def location(self, share: float) -> str:
        x, y, z = 1000 * self.pose_at(share)[:3, 3]
        return f"{100 * share:.4g} % of the path, at {x:.2f} {y:.2f} {z:.2f} mm from {self.chain.base}"


@dataclass(frozen=True, eq=False)
class _Timing:
    """The timing of samples of a curve."""

    times: Floats
    """Shape (samples,), in seconds."""
    rates: Floats
    """Rate of the completed fraction there. Shape (samples,), in 1/s."""
    middles: Floats
    """The fraction at half the time between two samples. Shape (samples - 1,)."""


_Law = Callable[[Floats, Floats], _Timing]
"""A function from fractions and the joint vectors there to their timing."""


def follow(
    solver: ChainSolver,
    chain: Chain,
    curves: Sequence[ToolCurve],
    start: ArrayLike,
    limits: MotionLimits,
    *,
    tool: ToolSpeed = REDUCED,
    profile: str = "trapezoidal",
    duration: float | None = None,
    tolerance: float = TOLERANCE,
    wants: Wants = "pose",
) -> Built[JointPath]:
    """Move the joints of a chain from `start`, shape (joints,), along curves, with a stop after each.

    The tip stays within `tolerance` metres of the curve. Without a duration, in seconds, it moves at the speed of the
    tool; where a joint cannot keep up, it slows down, with a warning. Goals out of reach, and poses at which joints
    would jump to another configuration, are refused.
    """
    check_duration(duration)
    here = vector_of(limits, start)
    if limits.joints != chain.joints:
        raise RckError(f"the limits must be those of the joints {', '.join(chain.joints)}")
    tasks = [_curve_task(solver, chain, curve, tool, wants, tolerance) for curve in curves]
    if tasks and tasks[0][0].deviation(here, 0.0) > 1:
        raise RckError(f"the curve does not start at the pose of {chain.tip}")
    for task, _ in tasks:
        # Check the goals first: refuse before computing the motion.
        reachable, reason = task.solve(1.0, here)
        if reachable is None:
            return Built(None, (Finding(901, Severity.ERROR, task.location(1.0), reason),))
    nominal = sum(seconds for _, seconds in tasks)
    paths = [resting(chain.joints, here)]
    findings: tuple[Finding, ...] = ()
    for task, seconds in tasks:
        if seconds == 0:
            continue
        requested = None if duration is None else duration * seconds / nominal
        built = _follow_curve(task, seconds, here, limits, profile, requested)
        findings += built.findings
        if built.value is None:
            return Built(None, findings)
        paths.append(built.value)
        here = built.value.end
    return Built(joined(paths), findings)


def _curve_task(
    solver: ChainSolver, chain: Chain, curve: ToolCurve, tool: ToolSpeed, wants: Wants, tolerance: float
) -> tuple[_CurveTask, float]:
    """Return the task of a curve, and its duration at the speed of the tool, in seconds."""
    if not (tool.linear > 0 and tool.angular > 0 and tolerance > 0):
        raise RckError("the tool speed and the path tolerance must be positive")
    spins = 0.0 if wants == "position" else 1.0
    seconds = [max(part.length / tool.linear, spins * part.turn / tool.angular) for part in curve.parts]
    total = sum(seconds)
    ends = np.cumsum(seconds) / total if total > 0 else np.ones(len(seconds))
    return _CurveTask(solver, chain, curve, ends, wants, tolerance), total


def _follow_curve(
    task: _CurveTask, seconds: float, start: Floats, limits: MotionLimits, profile: str, requested: float | None
) -> Built[JointPath]:
    form = fitting_profile(profile, 1 / seconds, 1 / (seconds * RAMP_TIME))
    total = form.peak_speed * seconds if requested is None else requested
    sampled = _sample(task, form, start)
    if isinstance(sampled, Finding):
        return Built(None, (sampled,))

    def desired(shares: Floats) -> _Timing:
        moments = form.time(shares)
        moments[0], moments[-1] = 0.0, 1.0
        middles = form.share((moments[:-1] + moments[1:]) / 2)
        return _Timing(total * moments, form.law.speed_at(moments)[:, 0] / total, middles)

    path, shares, vectors = _refine(task, lambda shares, _: desired(shares), *sampled)
    over = _overload(path, limits)
    busiest = int(np.argmax(over))
    if over[busiest] <= 1 + 1e-3:
        return Built(path)
    slower = _slow_down(task, desired, limits, shares, vectors)
    # The limits may be exceeded slightly between two samples.
    slower = stretched(slower, max(1.0, float(_overload(slower, limits).max())))
    whole = stretched(path, float(over[busiest]))
    best = min(slower, whole, key=lambda path: path.duration)
    return Built(best, (too_fast(f"joint {limits.joints[busiest]}", total, best.duration),))


def _overload(path: JointPath, limits: MotionLimits) -> Floats:
    """Return the factor by which each joint's limits require a longer duration. Shape (joints,)."""
    speeds, accelerations = peaks(path)
    over: Floats = np.maximum(speeds / limits.speeds, np.sqrt(accelerations / limits.accelerations))
    return over


def _slow_down(
    task: _CurveTask, desired: Callable[[Floats], _Timing], limits: MotionLimits, shares: Floats, vectors: Floats
) -> JointPath:
    """Return the desired path, slowed down where a joint cannot keep up."""

    def law(shares: Floats, vectors: Floats) -> _Timing:
        wanted = desired(shares)
        rates = limit_rates(shares, *_derivatives(shares, vectors), wanted.rates, limits)
        # The rate is linear in time between two samples.
        spans, least = 2 * np.diff(shares) / (rates[:-1] + rates[1:]), np.diff(wanted.times)
        middles = shares[:-1] + spans * (3 * rates[:-1] + rates[1:]) / 8
        times = np.concatenate([[0.0], np.cumsum(np.maximum(spans, least))])
        return _Timing(times, rates, np.where(spans > least, middles, wanted.middles))

    more = []
    for number, width in enumerate(np.diff(shares)):
        count = int(np.ceil(_GRID * width))
        between = shares[number] + width * np.arange(1, count) / max(count, 1)
        more += [(float(share), task.solve(share, vectors[number])[0]) for share in between]
    return _refine(task, law, *_add_samples(shares, vectors, more))[0]


def _sample(task: _CurveTask, form: Profile, start: Floats) -> tuple[Floats, Floats] | Finding:
    """Sample fractions and joint vectors closely enough for linear interpolation; or return a finding."""
    # Sample where the curve bends or its acceleration changes, so that interpolation does not smooth it.
    stops = np.unique(np.concatenate([task.ends, form.share(form.law.times), (1.0,)]))
    shares, vectors, step = [0.0], [start], _FIRST_STEP
    for stop in stops[stops > _FINEST_STEP]:
        while stop - shares[-1] > 1e-12:
            here = shares[-1]
            width = min(step, float(stop) - here)
            middle, reason = task.solve(here + width / 2, vectors[-1])
            there = None
            if middle is not None:
                there, reason = task.solve(here + width, middle)
            if there is not None and middle is not None and _straight(task, vectors[-1], middle, there, here, width):
                shares += [here + width / 2, here + width]
                vectors += [middle, there]
                step = 2 * width
            elif width > _FINEST_STEP:
                step = width / 2
            else:
                return _obstacle_finding(task, here, vectors[-1], there, reason)
    return np.array(shares), np.array(vectors)


def _straight(task: _CurveTask, before: Floats, middle: Floats, after: Floats, share: float, width: float) -> bool:
    rows = np.array([middle - before, after - middle])
    if largest_moves(task.chain, rows, np.zeros(len(before))).max() > _LARGEST_MOVE:
        return False
    return task.deviation((before + after) / 2, share + width / 2) <= 1


def _obstacle_finding(task: _CurveTask, share: float, before: Floats, after: Floats | None, reason: str) -> Finding:
    if after is None:
        return Finding(901, Severity.ERROR, task.location(share), reason)
    chain = task.chain
    jumps = [
        f"{name} by {degrees(move):.4g}°" if turns else f"{name} by {1000 * move:.4g} mm"
        for name, move, turns in zip(chain.joints, after - before, chain.turning, strict=True)
        if abs(move) > 0.01
    ]
    words = [str(configuration_of(chain, vector)) for vector in (before, after)]
    change = f"from {words[0]} to {words[1]} " if words[0] != words[1] else ""
    message = f"the arm would have to change its configuration {change}here: {', '.join(jumps)} at once"
    return Finding(
        902, Severity.ERROR, task.location(share), message, "start in another configuration, or choose another path"
    )


def _refine(task: _CurveTask, law: _Law, shares: Floats, vectors: Floats) -> tuple[JointPath, Floats, Floats]:
    """Return the path through the samples, with samples added to stay within tolerance, and all samples."""
    for _ in range(_REFINEMENTS):
        timing = law(shares, vectors)
        path = _through(task, timing, shares, vectors)
        places = path.at((path.times[:-1] + path.times[1:]) / 2)
        where = timing.middles
        far = [number for number in range(len(where)) if task.deviation(places[number], where[number]) > 1]
        extra = [(where[number], task.solve(where[number], places[number])[0]) for number in far]
        more, them = _add_samples(shares, vectors, extra)
        if len(more) == len(shares):
            break
        shares, vectors = more, them
    return path, shares, vectors


def _add_samples(
    shares: Floats, vectors: Floats, extra: Sequence[tuple[float, Floats | None]]
) -> tuple[Floats, Floats]:
    """Merge further samples, without those that have no joint vector, in order."""
    found = [(share, vector) for share, vector in extra if vector is not None]
    if not found:
        return shares, vectors
    more = np.concatenate([shares, [share for share, _ in found]])
    order = np.argsort(more, kind="stable")
    return more[order], np.concatenate([vectors, [vector for _, vector in found]])[order]


def _derivatives(shares: Floats, vectors: Floats) -> tuple[Floats, Floats]:
    """Return the first and second derivatives of the joint vectors by the fraction. Shapes (shares, joints)."""
    from scipy.interpolate import CubicSpline

    spline = CubicSpline(shares, vectors)
    return spline(shares, 1), spline(shares, 2)


def _through(task: _CurveTask, timing: _Timing, shares: Floats, vectors: Floats) -> JointPath:
    """Return the path through joint vectors at fractions of the curve, with the velocities of the timing."""
    # Velocity is the rate of the fraction times the derivative by the fraction.
    speeds = timing.rates[:, None] * _derivatives(shares, vectors)[0]
    pieces = []
    for number, span in enumerate(np.diff(timing.times)):
        a, b = vectors[number], vectors[number + 1]
        rise, fall = span * speeds[number], span * speeds[number + 1]
        pieces.append([a, rise, 3 * (b - a) - 2 * rise - fall, 2 * (a - b) + rise + fall])
    return path_of(task.chain.joints, timing.times, pieces)
