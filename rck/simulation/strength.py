"""Whether motors are strong enough: what a run asks of each joint under physics, against what the joint can give."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import degrees

import numpy as np

from rck.geometry.arrays import Floats
from rck.hooks import Physics, PhysicsWorld, Plugins, Values, read_options
from rck.hooks.choosing import choose
from rck.model.finding import Finding, Severity
from rck.model.robot import Robot


@dataclass(frozen=True, slots=True)
class JointLoad:
    """What a run asked of one joint. N m, rad and rad/s, or N, m and m/s; W."""

    joint: str
    turns: bool
    peak_effort: float
    rms_effort: float
    """Root mean square of the effort: what heats a motor."""
    peak_speed: float
    peak_power: float
    """The most that the motor had to give at a moment."""
    mean_power: float
    """What it gave on the average; what it took back does not count."""
    off: float
    """How far the joint was off its target at most."""
    effort_limit: float | None
    speed_limit: float | None

    @property
    def share(self) -> float | None:
        """The peak effort over what the joint can give; None where that is not known."""
        return None if not self.effort_limit else self.peak_effort / self.effort_limit


@dataclass(frozen=True, eq=False, slots=True)
class Loads:
    """A run under physics."""

    times: Floats
    """Shape (steps,), in seconds."""
    positions: Floats
    """Shape (steps, free joints), as all that follow."""
    speeds: Floats
    efforts: Floats
    joints: tuple[JointLoad, ...]

    @property
    def powers(self) -> Floats:
        """In W."""
        return self.efforts * self.speeds


def physics_named(plugins: Plugins, name: str) -> Physics:
    """The engine of that name, unless what it needs is missing."""
    return choose(name, plugins.all(Physics), "physics", plugins)


def physics_maker(
    plugins: Plugins, name: str, given: Mapping[str, str] | None = None
) -> Callable[[Robot], PhysicsWorld]:
    """What makes the world of forces; its motors are as strong as need be, unless something else is asked for."""
    engine = physics_named(plugins, name)
    values = read_options(engine.options, given or {})
    wanted = values if "limited" in (given or {}) else demanding(values)
    return lambda robot: engine.make(robot, wanted)


def demanding(values: Values) -> Values:
    """The options of an engine with motors as strong as need be: they show what is needed, not what is there."""
    return {**values, "limited": False} if "limited" in values else values


class LoadMeter:
    """Writes down what is asked of motors, step by step."""

    def __init__(self, robot: Robot) -> None:
        self._robot = robot
        self._rows: list[tuple[float, Floats, Floats, Floats, Floats]] = []

    def note(self, world: PhysicsWorld, targets: Floats, seconds: float) -> None:
        """Write down the step that was just made; `targets`, shape (free joints,), is where the joints were to be."""
        rows = (world.positions, world.speeds, np.array(world.efforts), np.array(targets))
        self._rows.append((seconds, *rows))

    def loads(self) -> Loads:
        """What was asked of the motors in all steps."""
        count = len(self._robot.free_joints)
        seconds = np.array([row[0] for row in self._rows])
        table = [np.array([row[place] for row in self._rows]).reshape(len(self._rows), count) for place in range(1, 5)]
        positions, speeds, efforts, targets = table
        powers = np.maximum(efforts * speeds, 0.0)
        weights = seconds / seconds.sum() if len(seconds) else seconds
        loads = [
            JointLoad(
                joint.name,
                joint.kind.turns,
                float(np.abs(efforts[:, column]).max(initial=0.0)),
                float(np.sqrt(weights @ efforts[:, column] ** 2)),
                float(np.abs(speeds[:, column]).max(initial=0.0)),
                float(powers[:, column].max(initial=0.0)),
                float(weights @ powers[:, column]),
                float(np.abs(positions - targets)[:, column].max(initial=0.0)),
                joint.effort,
                joint.speed,
            )
            for column, joint in enumerate(self._robot.free_joints)
        ]
        return Loads(np.cumsum(seconds), positions, speeds, efforts, tuple(loads))


def too_weak(loads: Loads) -> tuple[Finding, ...]:
    """A warning for each joint of which more was asked than it can give."""
    findings = []
    for load in loads.joints:
        if load.effort_limit and load.peak_effort > load.effort_limit:
            unit = "N m" if load.turns else "N"
            message = f"needs {load.peak_effort:.3g} {unit}, but has {load.effort_limit:.3g} {unit}"
            fix = "choose a stronger motor, a shorter reach, a lighter load or a slower motion"
            findings.append(Finding(914, Severity.WARNING, f"joint {load.joint}", message, fix))
    return tuple(findings)


def verdict(loads: Loads) -> str:
    """Whether the motors are strong enough, in a sentence."""
    known = {load.joint: load.share for load in loads.joints if load.share is not None}
    unknown = [load.joint for load in loads.joints if load.share is None]
    weak = [f"{joint} ({100 * share:.0f} %)" for joint, share in known.items() if share > 1.0]
    if weak:
        return f"too weak for this run: {', '.join(weak)}"
    if not known:
        return "whether the motors are strong enough cannot be told: no joint states its effort"
    most = max(known, key=lambda joint: known[joint])
    rest = f"; of {', '.join(unknown)} the effort is unknown" if unknown else ""
    return f"strong enough for this run: {most} gives the most of what it can, {100 * known[most]:.0f} %{rest}"


def load_table(loads: Loads) -> str:
    """The loads for people."""
    rows = [("joint", "peak", "RMS", "can give", "", "speed", "peak power", "mean power", "off target")]
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
