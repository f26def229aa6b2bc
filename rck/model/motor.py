"""Motors: what the data sheet of an actuator says about the efforts and speeds that it can give a joint.

A DC motor at constant voltage loses torque in proportion to its speed: from the stall torque at standstill to none at
the no-load speed. A drive whose current is limited gives at most its peak torque, below that line.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from math import inf

import numpy as np

from rck.geometry.arrays import Floats
from rck.model.actuator import Actuator, ActuatorKind, Range
from rck.model.joint import Joint
from rck.model.robot import Robot

CONTINUOUS_SHARE = 0.2
"""The share of its stall torque that a smart servo is assumed to hold continuously, if its data sheet does not say."""


_FULL_EFFORT_ERROR = 0.02
"""The position error, in rad or m, at which a servo without stated gains applies its whole effort."""
_RESPONSE = 0.002
"""The shortest time, in seconds, in which such a servo reduces an error: faster ones are unstable at common steps."""


class Verdict(str, Enum):
    """The result of a comparison of a load with a motor."""

    OK = "ok"
    NEAR_LIMIT = "near limit"
    """Above the continuous effort: the motor overheats if the load stays."""
    TOO_WEAK = "too weak"


@dataclass(frozen=True, slots=True)
class Motor:
    """The efforts and speeds that a motor can give its joint, in N m and rad/s or in N and m/s; None if unknown."""

    peak: float | None = None
    """The largest effort, at standstill."""
    stall: float | None = None
    """The effort at which the torque-speed line reaches standstill; above `peak` if the current is limited."""
    no_load_speed: float | None = None
    """The speed at which the torque-speed line reaches zero effort."""
    continuous: float | None = None
    """The effort that it can give without end."""
    is_estimated: bool = False
    """True if the continuous effort is estimated from the stall torque."""
    rotor_inertia: float | None = None
    """Inertia of the rotor as seen from the joint, in kg m2 or kg."""

    def effort_at(self, speed: float) -> float:
        """Return the largest effort in the direction of motion at a speed; infinite if nothing is known."""
        peak = inf if self.peak is None else self.peak
        return peak if not self._line else max(min(peak, self._line[0] * (1.0 - abs(speed) / self._line[1])), 0.0)

    @property
    def max_power(self) -> float | None:
        """The largest mechanical power, in W: with a straight line, at half of the no-load speed."""
        if not self._line:
            return None
        stall, no_load_speed = self._line
        effort = min(stall / 2, inf if self.peak is None else self.peak)
        return effort * no_load_speed * (1.0 - effort / stall)

    @property
    def damping(self) -> float:
        """Effort lost per speed, in N m s/rad or N s/m: the slope of the torque-speed line; 0 if unknown."""
        return self._line[0] / self._line[1] if self._line else 0.0

    def verdict(self, effort: float) -> Verdict | None:
        """Return the verdict on a lasting effort at standstill; None if the peak effort is unknown."""
        return self.run_verdict(effort, effort / self.peak if self.peak else None)

    def run_verdict(self, rms: float, usage: float | None) -> Verdict | None:
        """Return the verdict on a run with this root mean square effort and this largest usage."""
        if usage is None:
            return None
        if usage > 1.0:
            return Verdict.TOO_WEAK
        return Verdict.NEAR_LIMIT if self.continuous is not None and rms > self.continuous else Verdict.OK

    @property
    def _line(self) -> tuple[float, float] | None:
        return (self.stall, self.no_load_speed) if self.stall and self.no_load_speed else None


UNKNOWN_MOTOR = Motor()
"""A motor of which nothing is known."""


def motors_of(robot: Robot) -> dict[str, Motor]:
    """Return the motor of each joint with an effort limit or a motor with a data sheet, by joint."""
    driving: dict[str, list[Actuator]] = {}
    for actuator in robot.actuators:
        if actuator.joint:
            driving.setdefault(actuator.joint, []).append(actuator)
    found = {}
    for joint in robot.joints:
        actuators = driving.get(joint.name, [])
        # The data sheets of several motors on one joint do not add up to one line.
        motor = motor_of(joint, actuators[0] if len(actuators) == 1 else None)
        if motor != UNKNOWN_MOTOR:
            found[joint.name] = motor
    return found


def motor_of(joint: Joint, actuator: Actuator | None) -> Motor:
    """Return the motor of a joint: the figures of its actuator, and its effort limit."""
    limit = joint.effort or None
    if actuator is None or not actuator.values or not actuator.gear:
        return Motor(limit)
    known = dict(actuator.values)
    # Figures of servos and geared drives are those of the output: only a gear that follows changes them.
    ratio = abs(actuator.gear)
    lever = ratio * (known.get("efficiency", 1.0) if ratio != 1.0 else 1.0)
    stall, peak = known.get("stall-torque"), known.get("peak-torque", known.get("stall-torque"))
    rated, free = known.get("rated-torque"), known.get("speed")
    rated_speed = known.get("rated-speed", inf)
    if rated is not None and free is not None and rated_speed < free:
        # The line passes through or above the rated operating point.
        stall = max(stall or peak or rated, rated / (1.0 - rated_speed / free))
    stall = stall or peak
    is_estimated = rated is None and actuator.kind is ActuatorKind.POSITION and "stall-torque" in known
    if is_estimated:
        rated = CONTINUOUS_SHARE * known["stall-torque"]
    most = min((x for x in (limit, peak and peak * lever) if x), default=None)
    return Motor(
        most,
        stall and stall * lever,
        free and free / ratio,
        None if rated is None else min(rated * lever, most or inf),
        is_estimated,
        reflected_inertia(actuator),
    )


def reflected_inertia(actuator: Actuator) -> float | None:
    """Return the inertia of the rotor as seen from the joint, in kg m2; None if the data sheet does not give it."""
    inertia = actuator.values.get("rotor-inertia")
    turns = actuator.values.get("gear-ratio", 1.0) * actuator.gear
    return None if inertia is None else inertia * turns**2


def motor_data(motor: Motor) -> dict[str, object]:
    """Return the figures of a motor as JSON shows them, in SI units."""
    return {
        "stall_effort": motor.stall,
        "no_load_speed": motor.no_load_speed,
        "max_power": motor.max_power,
        "continuous_effort": motor.continuous,
        "continuous_is_estimated": motor.is_estimated,
        "rotor_inertia": motor.rotor_inertia,
    }


def with_law(actuator: Actuator, motor: Motor) -> Actuator:
    """Return an actuator with the gains and ranges that its file does not state, but that follow from its data sheet.

    A servo pulls back with its whole effort at a small position error; a drive is limited to its peak effort, and a DC
    motor to its voltage.
    """
    if not actuator.values or motor.peak is None:
        return actuator
    peak = motor.peak / abs(actuator.gear)
    whole = Range(-peak, peak)
    if actuator.kind is ActuatorKind.MOTOR:
        return actuator if actuator.control or actuator.force else replace(actuator, control=whole)
    if actuator.kind is ActuatorKind.DC_MOTOR and "voltage" in actuator.values and actuator.control is None:
        return replace(actuator, control=Range(-actuator.values["voltage"], actuator.values["voltage"]))
    if actuator.kind is not ActuatorKind.POSITION or actuator.has_gains:
        return actuator
    error = max(_FULL_EFFORT_ERROR, _RESPONSE * (motor.no_load_speed or 0.0)) * abs(actuator.gear)
    gain = float(f"{peak / error:.12g}")
    return replace(actuator, gain=gain, bias=(0.0, -gain, 0.0), force=actuator.force or whole)


class EffortLimits:
    """The efforts that the motors of joints can give at any speed. Arrays have shape (joints,)."""

    def __init__(self, motors: Sequence[Motor]) -> None:
        self.peak: Floats = np.array([inf if one.peak is None else one.peak for one in motors], dtype=float)
        self._stall: Floats = np.array([one.stall if one.damping else inf for one in motors], dtype=float)
        self._no_load: Floats = np.array([one.no_load_speed if one.damping else inf for one in motors], dtype=float)
        self._damping: Floats = np.array([one.damping for one in motors], dtype=float)

    @property
    def is_limited(self) -> bool:
        """True if any motor has a limit."""
        return bool(np.isfinite(self.peak).any() or self._damping.any())

    def clip(self, efforts: Floats, speeds: Floats) -> Floats:
        """Return the efforts that the motors give at these speeds if they should give `efforts`."""
        loss = self._damping * speeds
        upper = np.clip(self._stall - loss, 0.0, self.peak)
        lower = np.clip(-self._stall - loss, -self.peak, 0.0)
        return np.clip(efforts, lower, upper)

    def usage(self, efforts: Floats, speeds: Floats) -> Floats:
        """Return the share of each motor that an effort takes at a speed: above 1, it cannot give it.

        It is the share of the peak effort or of the voltage, whichever is larger: the voltage drives the current that
        makes the effort, and overcomes the back electromotive force. It is 0 for motors without a known limit.
        """
        along = np.where(efforts >= 0.0, speeds, -speeds)
        return np.maximum(np.abs(efforts) / self.peak, np.abs(efforts) / self._stall + along / self._no_load)
