"""Leading a tip along a curve: joint vectors that follow it within a tolerance, timed under the limits.

Each place is solved from the one before, so that the arm stays in its configuration; where joints would have to
jump, or a place is out of reach, the answer says where.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import degrees

import numpy as np
from numpy.typing import ArrayLike

from rck.geometry.arrays import Floats
from rck.hooks.solving import ChainSolver, Goal, Wants
from rck.kinematics.chain import Chain, tip_pose
from rck.kinematics.choice import largest_moves
from rck.kinematics.configuration import configuration_of
from rck.kinematics.deviation import deviation
from rck.kinematics.motion.curve import Curve
from rck.kinematics.motion.joint_move import check_duration, too_fast, vector_of
from rck.kinematics.motion.limits import GATHERING, MotionLimits
from rck.kinematics.motion.path import Path, joined, path_of, peaks, resting, stretched
from rck.kinematics.motion.profiles import Profile, fitting_profile
from rck.model.finding import Built, Finding, RckError, Severity

TOLERANCE = 1e-4
"""How far the tip may be off its way, in metres."""
LEVER = 0.1
"""The tip may be turned against its way by the tolerance over this length, in metres."""

_BUDGET = 0.02
"""Seconds for one place; most take microseconds."""
_FIRST_STEP = 1 / 8
_FINEST_STEP = 1e-6
"""Shares of a curve: the first step, and the one below which joints jump."""
_LARGEST_MOVE = 0.35
"""The most that a joint moves between neighbouring places, in radians or reaches."""
_REFINEMENTS = 8


@dataclass(frozen=True, slots=True)
class ToolSpeed:
    """How fast a tip goes where no duration is asked for."""

    linear: float = 0.25
    """In m/s: the reduced speed of ISO 10218-1."""
    angular: float = 1.0
    """In rad/s."""


REDUCED = ToolSpeed()
"""The speed at which people may be near."""


@dataclass(frozen=True, eq=False)
class _Way:
    """One curve and all that is needed to follow it."""

    solver: ChainSolver
    chain: Chain
    curve: Curve
    ends: Floats
    """The share of the whole curve at which each part ends. Shape (parts,)."""
    wants: Wants
    tolerance: float

    def pose_at(self, share: float) -> Floats:
        part = min(int(np.searchsorted(self.ends, share)), len(self.ends) - 1)
        begin = self.ends[part - 1] if part else 0.0
        span = self.ends[part] - begin
        return self.curve.parts[part].pose_at((share - begin) / span if span > 0 else 1.0)

    def off(self, vector: Floats, share: float) -> float:
        """How far a joint vector leaves the tip off its place, in tolerances."""
        away, turned = deviation(tip_pose(self.chain, vector), self.pose_at(share), self.wants)
        return max(away, LEVER * turned) / self.tolerance

    def solved(self, share: float, seed: Floats) -> tuple[Floats | None, str]:
        """The joint vector nearest to the seed, or why there is none."""
        goal = Goal(self.pose_at(share), self.wants, min(1e-6, self.tolerance / 10))
        answer = self.solver.solve(goal, seed, budget=_BUDGET)
        return (answer.solutions[0], "") if answer.solved else (None, answer.reason)

    def place(self, share: float) -> str:
        x, y, z = 1000 * self.pose_at(share)[:3, 3]
        return f"{100 * share:.4g} % of the way, at {x:.2f} {y:.2f} {z:.2f} mm from {self.chain.base}"


def follow(
    solver: ChainSolver,
    chain: Chain,
    curves: Sequence[Curve],
    start: ArrayLike,
    limits: MotionLimits,
    *,
    tool: ToolSpeed = REDUCED,
    profile: str = "trapezoidal",
    duration: float | None = None,
    tolerance: float = TOLERANCE,
    wants: Wants = "pose",
) -> Built[Path]:
    """The joints of a chain from `start`, shape (joints,), along curves, with a stop between one and the next.

    At every moment the tip is within `tolerance` metres of its place on the curve. Without a duration, in seconds,
    it goes at the speed of the tool; where a joint cannot keep up, all takes longer, with a warning. Goals out of
    reach, and places at which joints would jump to another configuration, are refused.
    """
    check_duration(duration)
    here = vector_of(limits, start)
    if limits.joints != chain.joints:
        raise RckError(f"the limits are of other joints than {', '.join(chain.joints)}")
    ways = [_way(solver, chain, curve, tool, wants, tolerance) for curve in curves]
    if ways and ways[0][0].off(here, 0.0) > 1:
        raise RckError(f"the curve does not begin where the joints bring {chain.tip}")
    for way, _ in ways:
        # Goals first: what cannot be reached is refused before anything moves.
        reachable, reason = way.solved(1.0, here)
        if reachable is None:
            return Built(None, (Finding(901, Severity.ERROR, way.place(1.0), reason),))
    nominal = sum(seconds for _, seconds in ways)
    paths = [resting(chain.joints, here)]
    findings: tuple[Finding, ...] = ()
    for way, seconds in ways:
        if seconds == 0:
            continue
        asked = None if duration is None else duration * seconds / nominal
        built = _one_curve(way, seconds, here, limits, profile, asked)
        findings += built.findings
        if built.value is None:
            return Built(None, findings)
        paths.append(built.value)
        here = built.value.end
    return Built(joined(paths), findings)


def _way(
    solver: ChainSolver, chain: Chain, curve: Curve, tool: ToolSpeed, wants: Wants, tolerance: float
) -> tuple[_Way, float]:
    """A curve with the shares of its parts, and the seconds that it takes at the speed of the tool."""
    if not (tool.linear > 0 and tool.angular > 0 and tolerance > 0):
        raise RckError("the speed of a tool and the tolerance of its way must be above zero")
    spins = 0.0 if wants == "position" else 1.0
    seconds = [max(part.length / tool.linear, spins * part.turn / tool.angular) for part in curve.parts]
    total = sum(seconds)
    ends = np.cumsum(seconds) / total if total > 0 else np.ones(len(seconds))
    return _Way(solver, chain, curve, ends, wants, tolerance), total


def _one_curve(
    way: _Way, seconds: float, start: Floats, limits: MotionLimits, profile: str, asked: float | None
) -> Built[Path]:
    form = fitting_profile(profile, 1 / seconds, 1 / (seconds * GATHERING))
    total = form.peak_speed * seconds if asked is None else asked
    sampled = _sampled(way, form, start)
    if isinstance(sampled, Finding):
        return Built(None, (sampled,))
    path = _refined(way, form, total, *sampled)
    speeds, accelerations = peaks(path)
    over = np.maximum(speeds / limits.speeds, np.sqrt(accelerations / limits.accelerations))
    busiest = int(np.argmax(over))
    if over[busiest] <= 1 + 1e-3:
        return Built(path)
    warning = too_fast(f"joint {limits.joints[busiest]}", total, total * over[busiest])
    return Built(stretched(path, float(over[busiest])), (warning,))


def _sampled(way: _Way, form: Profile, start: Floats) -> tuple[Floats, Floats] | Finding:
    """Shares and joint vectors, so near that straight ways between them keep the tolerance; or what hinders it."""
    # Where the way bends or its speed begins to change, it must not be smoothed over.
    stops = np.unique(np.concatenate([way.ends, form.share(form.law.times), (1.0,)]))
    shares, vectors, step = [0.0], [start], _FIRST_STEP
    for stop in stops[stops > _FINEST_STEP]:
        while stop - shares[-1] > 1e-12:
            here = shares[-1]
            width = min(step, float(stop) - here)
            middle, reason = way.solved(here + width / 2, vectors[-1])
            there = None
            if middle is not None:
                there, reason = way.solved(here + width, middle)
            if there is not None and middle is not None and _straight(way, vectors[-1], middle, there, here, width):
                shares += [here + width / 2, here + width]
                vectors += [middle, there]
                step = 2 * width
            elif width > _FINEST_STEP:
                step = width / 2
            else:
                return _hindrance(way, here, vectors[-1], there, reason)
    return np.array(shares), np.array(vectors)


def _straight(way: _Way, before: Floats, middle: Floats, after: Floats, share: float, width: float) -> bool:
    rows = np.array([middle - before, after - middle])
    if largest_moves(way.chain, rows, np.zeros(len(before))).max() > _LARGEST_MOVE:
        return False
    return way.off((before + after) / 2, share + width / 2) <= 1


def _hindrance(way: _Way, share: float, before: Floats, after: Floats | None, reason: str) -> Finding:
    if after is None:
        return Finding(901, Severity.ERROR, way.place(share), reason)
    chain = way.chain
    jumps = [
        f"{name} by {degrees(way_of):.4g}°" if turns else f"{name} by {1000 * way_of:.4g} mm"
        for name, way_of, turns in zip(chain.joints, after - before, chain.turning, strict=True)
        if abs(way_of) > 0.01
    ]
    words = [str(configuration_of(chain, vector)) for vector in (before, after)]
    change = f"from {words[0]} to {words[1]} " if words[0] != words[1] else ""
    message = f"the arm would have to change its configuration {change}here: {', '.join(jumps)} at once"
    return Finding(902, Severity.ERROR, way.place(share), message, "start in another configuration, or go round")


def _refined(way: _Way, form: Profile, total: float, shares: Floats, vectors: Floats) -> Path:
    """The path through the samples, with more of them where it would leave the tolerance between two."""
    for _ in range(_REFINEMENTS):
        path = _through(way, form, total, shares, vectors)
        middles = (path.times[:-1] + path.times[1:]) / 2
        where = form.share(middles / total)
        places = path.at(middles)
        far = [number for number in range(len(where)) if way.off(places[number], where[number]) > 1]
        extra = [(where[number], way.solved(where[number], places[number])[0]) for number in far]
        extra = [(share, vector) for share, vector in extra if vector is not None]
        if not extra:
            return path
        shares = np.concatenate([shares, [share for share, _ in extra]])
        vectors = np.concatenate([vectors, [vector for _, vector in extra]])
        order = np.argsort(shares, kind="stable")
        shares, vectors = shares[order], vectors[order]
    return _through(way, form, total, shares, vectors)


def _through(way: _Way, form: Profile, total: float, shares: Floats, vectors: Floats) -> Path:
    """A path through joint vectors at shares of the way, with the speeds that profile and way give it there."""
    from scipy.interpolate import CubicSpline

    slopes = CubicSpline(shares, vectors)(shares, 1)
    moments = form.time(shares)
    moments[0], moments[-1] = 0.0, 1.0
    # Speed is how fast the share grows times how far the joints go in it.
    speeds = form.law.speed_at(moments) * slopes
    pieces = []
    for number in range(len(shares) - 1):
        span = moments[number + 1] - moments[number]
        a, b = vectors[number], vectors[number + 1]
        rise, fall = span * speeds[number], span * speeds[number + 1]
        pieces.append([a, rise, 3 * (b - a) - 2 * rise - fall, 2 * (a - b) + rise + fall])
    return path_of(way.chain.joints, total * moments, pieces)
