"""Motor loads: the effort, speed and power of each joint in a simulation with physics, and the joint limits."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from math import degrees, sqrt

import numpy as np

from rck.geometry.arrays import Floats
from rck.hooks import Physics, PhysicsWorld, Plugins, Values, read_options
from rck.kinematics.loads import continuous_text
from rck.model.motor import UNKNOWN_MOTOR, EffortLimits, Motor, Verdict, motor_data, motors_of
from rck.model.robot import Robot
from rck.support.finding import Finding, Severity
from rck.support.units import effort_unit


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
    usage: float | None = None
    """Largest share of the motor that the run takes, by the torque-speed line; None if no limit is known."""
    usage_effort: float = 0.0
    """Effort at that moment."""
    usage_speed: float = 0.0
    """Speed at that moment, positive in the direction of the effort."""
    motor: Motor = UNKNOWN_MOTOR

    @property
    def share(self) -> float | None:
        """Peak effort divided by the effort limit; None if the limit is unknown."""
        return None if not self.effort_limit else self.peak_effort / self.effort_limit

    @property
    def verdict(self) -> Verdict | None:
        """The comparison with the motor: peaks with its torque-speed line, the RMS effort with its continuous one."""
        return self.motor.run_verdict(self.rms_effort, self.usage)

    def data(self) -> dict[str, object]:
        """Return the load as JSON shows it."""
        values = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "motor"}
        return values | motor_data(self.motor) | {"verdict": self.verdict}


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
        known = motors_of(robot)
        self._motors = [known.get(joint.name, UNKNOWN_MOTOR) for joint in robot.free_joints]
        self._limits = EffortLimits(self._motors)
        # Rows: peaks of effort, speed, power and position error. Shape (4, free joints).
        self._peaks = np.zeros((4, len(robot.free_joints)))
        # Rows: largest usage, with the effort and the speed at that moment. Shape (3, free joints).
        self._usage = np.zeros((3, len(robot.free_joints)))
        # Rows: integrals of effort squared and of power over time. Shape (2, free joints).
        self._sums = np.zeros((2, len(robot.free_joints)))

    def note(self, world: PhysicsWorld, targets: Floats, seconds: float) -> None:
        """Record the last step; `targets` are the target positions of the joints. Shape (free joints,)."""
        efforts, speeds = world.efforts, world.speeds
        powers = np.maximum(efforts * speeds, 0.0)
        now = (np.abs(efforts), np.abs(speeds), powers, np.abs(world.positions - targets))
        np.maximum(self._peaks, now, out=self._peaks)
        self._sums += seconds * np.array((efforts**2, powers))
        usage = self._limits.usage(efforts, speeds)
        moment = (usage, np.abs(efforts), np.where(efforts >= 0.0, speeds, -speeds))
        self._usage = np.where(usage > self._usage[0], moment, self._usage)
        self._seconds += seconds

    def loads(self) -> Loads:
        """Return the loads of all recorded steps."""
        means = self._sums / self._seconds if self._seconds > 0 else self._sums
        figures = zip(
            self._robot.free_joints,
            self._motors,
            self._peaks.T.tolist(),
            means.T.tolist(),
            self._usage.T.tolist(),
            strict=True,
        )
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
                    usage=None if motor.peak is None else usage,
                    usage_effort=at_effort,
                    usage_speed=at_speed,
                    motor=motor,
                )
                for joint, motor, (effort, speed, power, off), (square, mean_power), (
                    usage,
                    at_effort,
                    at_speed,
                ) in figures
            )
        )


def too_weak(loads: Loads) -> tuple[Finding, ...]:
    """Return a warning for each joint whose motor cannot give what the run needs."""
    findings = []
    for load in loads.joints:
        if load.verdict is not Verdict.TOO_WEAK:
            continue
        unit = effort_unit(load.turns)
        if load.motor.peak is not None and load.peak_effort > load.motor.peak:
            limit = f"its effort limit is {load.motor.peak:.3g} {unit}"
            message = f"needs {load.peak_effort:.3g} {unit}, but {limit}"
        else:
            given = f"its motor gives {load.motor.effort_at(load.usage_speed):.3g} {unit} at that speed"
            message = f"needs {load.usage_effort:.3g} {unit} at {_speed_text(load, load.usage_speed)}, but {given}"
        fix = "choose a stronger or faster motor, a shorter reach, a lighter load or a slower motion"
        findings.append(Finding(914, Severity.WARNING, f"joint {load.joint}", message, fix))
    return tuple(findings)


def overheating(loads: Loads) -> tuple[Finding, ...]:
    """Return a finding for each joint whose RMS effort exceeds the continuous effort of its motor."""
    findings = []
    for load in loads.joints:
        if load.verdict is Verdict.NEAR_LIMIT:
            unit = effort_unit(load.turns)
            message = f"takes {load.rms_effort:.3g} {unit} RMS, above {continuous_text(load.motor)} {unit}"
            severity = Severity.NOTE if load.motor.is_estimated else Severity.WARNING
            fix = "add pauses, use a stronger motor or a lighter load"
            findings.append(Finding(917, severity, f"joint {load.joint}", message, fix))
    return tuple(findings)


def verdict(loads: Loads) -> str:
    """Return a sentence that says whether the motors are strong enough."""
    known = {load.joint: load.usage for load in loads.joints if load.usage is not None}
    unknown = [load.joint for load in loads.joints if load.usage is None]
    weak = [
        f"{one.joint} ({100 * (one.usage or 0.0):.0f} %)" for one in loads.joints if one.verdict is Verdict.TOO_WEAK
    ]
    if weak:
        return f"too weak for this run: {', '.join(weak)}"
    if not known:
        return "it is unknown whether the motors are strong enough: no joint has an effort limit"
    rest = f"; the effort limit of {', '.join(unknown)} is unknown" if unknown else ""
    near = [load.joint for load in loads.joints if load.verdict is Verdict.NEAR_LIMIT]
    if near:
        return f"near the limit in this run: {', '.join(near)}, above the continuous effort{rest}"
    most = max(known, key=lambda joint: known[joint])
    return f"strong enough for this run: {most} comes closest to its limit, {100 * known[most]:.0f} %{rest}"


def _speed_text(load: JointLoad, speed: float) -> str:
    return f"{degrees(speed):.3g} °/s" if load.turns else f"{1000 * speed:.3g} mm/s"


def load_table(loads: Loads) -> str:
    """Return the loads as a table."""
    rows = [("joint", "peak", "RMS", "limit", "used", "speed", "peak power", "mean power", "position error", "verdict")]
    for load in loads.joints:
        force, speed = (effort_unit(load.turns), "°/s" if load.turns else "mm/s")
        per_unit = degrees(1.0) if load.turns else 1000.0
        fast = f"{per_unit * load.peak_speed:.3g}"
        if load.speed_limit:
            fast += f" of {per_unit * load.speed_limit:.3g}"
        away = f"{degrees(load.off):.3g}°" if load.turns else f"{1000 * load.off:.3g} mm"
        share = "" if load.usage is None else f"{100 * load.usage:.0f} %"
        limit = "unknown" if not load.motor.peak else f"{load.motor.peak:.3g} {force}"
        peak, rms = f"{load.peak_effort:.3g} {force}", f"{load.rms_effort:.3g} {force}"
        if load.motor.continuous:
            rms += f" of {load.motor.continuous:.3g}{' estimated' if load.motor.is_estimated else ''}"
        power = f"{load.peak_power:.3g}"
        if load.motor.max_power:
            power += f" of {load.motor.max_power:.3g}"
        verdict_text = "" if load.verdict is None else load.verdict.value
        powers = f"{power} W", f"{load.mean_power:.3g} W"
        rows.append((load.joint, peak, rms, limit, share, f"{fast} {speed}", *powers, away, verdict_text))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return "\n".join(line.rstrip() for line in lines)
