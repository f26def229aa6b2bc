"""Motor loads: the effort, speed and power of each joint in a simulation with physics, and the joint limits."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import degrees, sqrt

import numpy as np

from rck.geometry.arrays import Floats
from rck.hooks import Physics, PhysicsWorld, Plugins, Values, read_options
from rck.model.robot import Robot
from rck.support.finding import Finding, Severity


@dataclass(frozen=True, slots=True)
class JointLoad:
    """Load of one joint in a run. N m, rad and rad/s, or N, m and m/s; W."""

    joint: str
    turns: bool
    peak_effort: float
    rms_effort: float
    """Root mean square of the effort, which determines the heating of the motor."""
    peak_speed: float
    peak_power: float
    """Highest mechanical power of the motor."""
    mean_power: float
    """Mean mechanical power, without the power that flows back."""
    off: float
    """Largest position error."""
    effort_limit: float | None
    speed_limit: float | None

    @property
    def share(self) -> float | None:
        """Peak effort divided by the effort limit; None if the limit is unknown."""
        return None if not self.effort_limit else self.peak_effort / self.effort_limit


@dataclass(frozen=True, slots=True)
class Loads:
    """Loads of all joints in a run with physics."""

    joints: tuple[JointLoad, ...]


def physics_named(plugins: Plugins, name: str) -> Physics:
    """Return the physics engine of that name, unless a requirement is missing."""
    return plugins.choose(name, plugins.all(Physics), "physics")


def physics_maker(
    plugins: Plugins, name: str, given: Mapping[str, str] | None = None
) -> Callable[[Robot], PhysicsWorld]:
    """Return a function that makes a physics world; its motors have no effort limits unless `limited` is given."""
    engine = physics_named(plugins, name)
    values = read_options(engine.options, given or {})
    wanted = values if "limited" in (given or {}) else demanding(values)
    return lambda robot: engine.make(robot, wanted)


def demanding(values: Values) -> Values:
    """Return the options of an engine without effort limits of motors, to find the efforts that a run needs."""
    return {**values, "limited": False} if "limited" in values else values


class LoadMeter:
    """Meter of the loads of motors. It keeps peaks and sums: its size does not grow with the length of a run."""

    def __init__(self, robot: Robot) -> None:
        self._robot = robot
        self._seconds = 0.0
        # Rows: peaks of effort, speed, power and position error. Shape (4, free joints).
        self._peaks = np.zeros((4, len(robot.free_joints)))
        # Rows: integrals of effort squared and of power over time. Shape (2, free joints).
        self._sums = np.zeros((2, len(robot.free_joints)))

    def note(self, world: PhysicsWorld, targets: Floats, seconds: float) -> None:
        """Record the last step; `targets` are the target positions of the joints. Shape (free joints,)."""
        efforts, speeds = world.efforts, world.speeds
        powers = np.maximum(efforts * speeds, 0.0)
        now = (np.abs(efforts), np.abs(speeds), powers, np.abs(world.positions - targets))
        np.maximum(self._peaks, now, out=self._peaks)
        self._sums += seconds * np.array((efforts**2, powers))
        self._seconds += seconds

    def loads(self) -> Loads:
        """Return the loads of all recorded steps."""
        means = self._sums / self._seconds if self._seconds > 0 else self._sums
        figures = zip(self._robot.free_joints, self._peaks.T.tolist(), means.T.tolist(), strict=True)
        return Loads(
            tuple(
                JointLoad(
                    joint.name,
                    joint.kind.turns,
                    peak_effort=effort,
                    rms_effort=sqrt(square),
                    peak_speed=speed,
                    peak_power=power,
                    mean_power=mean_power,
                    off=off,
                    effort_limit=joint.effort,
                    speed_limit=joint.speed,
                )
                for joint, (effort, speed, power, off), (square, mean_power) in figures
            )
        )


def too_weak(loads: Loads) -> tuple[Finding, ...]:
    """Return a warning for each joint whose peak effort exceeds its effort limit."""
    findings = []
    for load in loads.joints:
        if load.effort_limit and load.peak_effort > load.effort_limit:
            unit = "N m" if load.turns else "N"
            message = f"needs {load.peak_effort:.3g} {unit}, but its effort limit is {load.effort_limit:.3g} {unit}"
            fix = "choose a stronger motor, a shorter reach, a lighter load or a slower motion"
            findings.append(Finding(914, Severity.WARNING, f"joint {load.joint}", message, fix))
    return tuple(findings)


def verdict(loads: Loads) -> str:
    """Return a sentence that says whether the motors are strong enough."""
    known = {load.joint: load.share for load in loads.joints if load.share is not None}
    unknown = [load.joint for load in loads.joints if load.share is None]
    weak = [f"{joint} ({100 * share:.0f} %)" for joint, share in known.items() if share > 1.0]
    if weak:
        return f"too weak for this run: {', '.join(weak)}"
    if not known:
        return "it is unknown whether the motors are strong enough: no joint has an effort limit"
    most = max(known, key=lambda joint: known[joint])
    rest = f"; the effort limit of {', '.join(unknown)} is unknown" if unknown else ""
    return f"strong enough for this run: {most} comes closest to its effort limit, {100 * known[most]:.0f} %{rest}"


def load_table(loads: Loads) -> str:
    """Return the loads as a table."""
    rows = [("joint", "peak", "RMS", "limit", "", "speed", "peak power", "mean power", "position error")]
    for load in loads.joints:
        force, speed = ("N m", "°/s") if load.turns else ("N", "mm/s")
        per_unit = degrees(1.0) if load.turns else 1000.0
        fast = f"{per_unit * load.peak_speed:.3g}"
        if load.speed_limit:
            fast += f" of {per_unit * load.speed_limit:.3g}"
        away = f"{degrees(load.off):.3g}°" if load.turns else f"{1000 * load.off:.3g} mm"
        share = "" if load.share is None else f"{100 * load.share:.0f} %"
        limit = "unknown" if not load.effort_limit else f"{load.effort_limit:.3g} {force}"
        peak, rms = f"{load.peak_effort:.3g} {force}", f"{load.rms_effort:.3g} {force}"
        powers = f"{load.peak_power:.3g} W", f"{load.mean_power:.3g} W"
        rows.append((load.joint, peak, rms, limit, share, f"{fast} {speed}", *powers, away))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return "\n".join(line.rstrip() for line in lines)
