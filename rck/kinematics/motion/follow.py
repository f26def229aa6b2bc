"""Leading a tip along a curve: joint vectors that follow it within a tolerance, timed under the limits.

Each place is solved from the one before, so that the arm stays in its configuration; where joints would have to
jump, or a place is out of reach, the answer says where.
"""

from collections.abc import Callable, Sequence
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
from rck.kinematics.motion.slowing import slowed
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
_GRID = 200
"""Parts in which a way is looked at that is too fast somewhere."""


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


@dataclass(frozen=True, eq=False)
class _Timing:
    """When samples of a way are passed."""

    times: Floats
    """Shape (samples,), in seconds."""
    rates: Floats
    """How fast the share of the way grows there. Shape (samples,), in 1/s."""
    middles: Floats
    """The share at half the time between one sample and the next. Shape (samples - 1,)."""


_Law = Callable[[Floats, Floats], _Timing]
"""From shares and the joint vectors there to when they are passed."""


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
    it goes at the speed of the tool; where a joint cannot keep up, it goes slower there, with a warning. Goals out of
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

    def wished(shares: Floats) -> _Timing:
        moments = form.time(shares)
        moments[0], moments[-1] = 0.0, 1.0
        middles = form.share((moments[:-1] + moments[1:]) / 2)
        return _Timing(total * moments, form.law.speed_at(moments)[:, 0] / total, middles)

    path, shares, vectors = _refined(way, lambda shares, _: wished(shares), *sampled)
    over = _over(path, limits)
    busiest = int(np.argmax(over))
    if over[busiest] <= 1 + 1e-3:
        return Built(path)
    slower = _slower(way, wished, limits, shares, vectors)
    # Between two samples the limits may be passed by a little.
    slower = stretched(slower, max(1.0, float(_over(slower, limits).max())))
    whole = stretched(path, float(over[busiest]))
    best = min(slower, whole, key=lambda one: one.duration)
    return Built(best, (too_fast(f"joint {limits.joints[busiest]}", total, best.duration),))


def _over(path: Path, limits: MotionLimits) -> Floats:
    """How many times as long a path had to take for each joint to keep its limits. Shape (joints,)."""
    speeds, accelerations = peaks(path)
    over: Floats = np.maximum(speeds / limits.speeds, np.sqrt(accelerations / limits.accelerations))
    return over


def _slower(
    way: _Way, wished: Callable[[Floats], _Timing], limits: MotionLimits, shares: Floats, vectors: Floats
) -> Path:
    """The path as it is wished, but slower where a joint cannot keep up."""

    def law(shares: Floats, vectors: Floats) -> _Timing:
        wish = wished(shares)
        rates = slowed(shares, *_derivatives(shares, vectors), wish.rates, limits)
        # The rate grows evenly in time between two samples.
        spans, wanted = 2 * np.diff(shares) / (rates[:-1] + rates[1:]), np.diff(wish.times)
        middles = shares[:-1] + spans * (3 * rates[:-1] + rates[1:]) / 8
        times = np.concatenate([[0.0], np.cumsum(np.maximum(spans, wanted))])
        return _Timing(times, rates, np.where(spans > wanted, middles, wish.middles))

    more = []
    for number, width in enumerate(np.diff(shares)):
        count = int(np.ceil(_GRID * width))
        between = shares[number] + width * np.arange(1, count) / max(count, 1)
        more += [(float(share), way.solved(share, vectors[number])[0]) for share in between]
    return _refined(way, law, *_with(shares, vectors, more))[0]


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


def _refined(way: _Way, law: _Law, shares: Floats, vectors: Floats) -> tuple[Path, Floats, Floats]:
    """The path through the samples, with more where it would leave the tolerance between two; and all samples."""
    for _ in range(_REFINEMENTS):
        timing = law(shares, vectors)
        path = _through(way, timing, shares, vectors)
        places = path.at((path.times[:-1] + path.times[1:]) / 2)
        where = timing.middles
        far = [number for number in range(len(where)) if way.off(places[number], where[number]) > 1]
        extra = [(where[number], way.solved(where[number], places[number])[0]) for number in far]
        more, them = _with(shares, vectors, extra)
        if len(more) == len(shares):
            break
        shares, vectors = more, them
    return path, shares, vectors


def _with(shares: Floats, vectors: Floats, extra: Sequence[tuple[float, Floats | None]]) -> tuple[Floats, Floats]:
    """Samples and further ones, those left out for which there is no joint vector, in order."""
    found = [(share, vector) for share, vector in extra if vector is not None]
    if not found:
        return shares, vectors
    more = np.concatenate([shares, [share for share, _ in found]])
    order = np.argsort(more, kind="stable")
    return more[order], np.concatenate([vectors, [vector for _, vector in found]])[order]


def _derivatives(shares: Floats, vectors: Floats) -> tuple[Floats, Floats]:
    """How the joint vectors change with the share of the way, and how that changes. Shapes (shares, joints)."""
    from scipy.interpolate import CubicSpline

    spline = CubicSpline(shares, vectors)
    return spline(shares, 1), spline(shares, 2)


def _through(way: _Way, timing: _Timing, shares: Floats, vectors: Floats) -> Path:
    """A path through joint vectors at shares of the way, with the speeds that timing and way give it there."""
    # Speed is how fast the share grows times how far the joints go in it.
    speeds = timing.rates[:, None] * _derivatives(shares, vectors)[0]
    pieces = []
    for number, span in enumerate(np.diff(timing.times)):
        a, b = vectors[number], vectors[number + 1]
        rise, fall = span * speeds[number], span * speeds[number + 1]
        pieces.append([a, rise, 3 * (b - a) - 2 * rise - fall, 2 * (a - b) + rise + fall])
    return path_of(way.chain.joints, timing.times, pieces)
