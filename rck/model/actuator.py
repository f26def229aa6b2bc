"""Actuators: the motors of a robot, and the tendons by which a motor drives several joints."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from math import isfinite
from types import MappingProxyType

from rck.model.extensions import Extensions, no_extensions
from rck.model.joint import JointLimits
from rck.support.finding import Finding, Severity
from rck.support.names import name_findings


class ActuatorKind(str, Enum):
    """The quantity that the control signal of an actuator commands."""

    MOTOR = "motor"
    """The force or torque."""
    POSITION = "position"
    """The position, held by a proportional-derivative controller, as in a smart servo."""
    VELOCITY = "velocity"
    """The velocity."""
    DC_MOTOR = "dcmotor"
    """The voltage of a DC motor; `values` has its constants."""
    GENERAL = "general"
    """Any quantity; `gain` and `bias` define the force."""


@dataclass(frozen=True, slots=True)
class Range:
    """A range of values."""

    lower: float
    upper: float


@dataclass(frozen=True, eq=False)
class Actuator:
    """A motor that drives one joint or one tendon, or a thruster that acts on a frame.

    With the control signal u, and the position q and velocity v of the motor, its force is
    gain * u + bias[0] + bias[1] * q + bias[2] * v, within `force`. The gear multiplies the force on its way to the
    joint, and the joint position on its way to the motor.
    """

    name: str
    kind: ActuatorKind
    joint: str = ""
    """The joint that it drives; empty otherwise."""
    tendon: str = ""
    """The tendon that it drives; empty otherwise."""
    frame: str = field(default="", kw_only=True)
    """The frame or item that it acts on, as thrusters and suction cups do; empty if it drives a joint or a tendon."""
    gear: float = 1.0
    gain: float = 1.0
    """Force per control signal."""
    bias: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Constant force, force per position, force per velocity."""
    force: Range | None = None
    """Before the gear, in N or N m; None if unlimited."""
    control: Range | None = None
    """Range of the control signal; None if unlimited."""
    values: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    """Datasheet values in SI units, by the names of figures in docs/parts.md: `voltage`, `stall-torque`,
    `speed` (without load), ... They are those before `gear`; unknown values are missing.
    """
    extensions: Extensions = field(default_factory=no_extensions)

    @property
    def has_gains(self) -> bool:
        """True if gains are stated; those of a servo of the catalogue follow from its data sheet."""
        return self.gain != 1.0 or any(self.bias)


@dataclass(frozen=True, eq=False)
class Tendon:
    """A fixed tendon: its length is the weighted sum of joint positions."""

    name: str
    joints: tuple[tuple[str, float], ...]
    """Each joint with its coefficient. Empty for a tendon of another kind, which only its extension data describe."""
    limits: JointLimits | None = None
    stiffness: float = 0.0
    spring_length: float | None = None
    """The length at which its spring is relaxed; None for the length in the zero configuration."""
    damping: float = 0.0
    friction: float = 0.0
    armature: float = 0.0
    extensions: Extensions = field(default_factory=no_extensions)


def position_actuator(name: str, joint: str, stiffness: float, damping: float, force: Range | None) -> Actuator:
    """Return an actuator that holds a position: stiffness in N m/rad or N/m, damping in N m s/rad or N s/m."""
    return Actuator(name, ActuatorKind.POSITION, joint, gain=stiffness, bias=(0.0, -stiffness, -damping), force=force)


def actuator_findings(actuator: Actuator) -> Iterator[Finding]:
    """Yield the errors in the values of an actuator."""
    where = f"actuator {actuator.name}"
    yield from name_findings(actuator.name, where)
    if sum(map(bool, (actuator.joint, actuator.tendon, actuator.frame))) != 1:
        message = "needs exactly one of a joint, a tendon and a frame"
        yield Finding(104, Severity.ERROR, where, message, "name one of them")
    numbers = [actuator.gear, actuator.gain, *actuator.bias, *actuator.values.values()]
    for limits in (actuator.force, actuator.control):
        if limits is not None:
            numbers += [limits.lower, limits.upper]
            if limits.lower > limits.upper:
                message = f"range {limits.lower:g} to {limits.upper:g} is reversed"
                yield Finding(404, Severity.ERROR, where, message, "swap the two limits")
    if not all(map(isfinite, numbers)):
        yield Finding(101, Severity.ERROR, where, "a number is not finite")


def tendon_findings(tendon: Tendon) -> Iterator[Finding]:
    """Yield the errors in the values of a tendon."""
    where = f"tendon {tendon.name}"
    yield from name_findings(tendon.name, where)
    if not tendon.joints and not tendon.extensions:
        yield Finding(104, Severity.ERROR, where, "has no joints", "name the joints and their coefficients")
    numbers = [coefficient for _, coefficient in tendon.joints]
    numbers += [tendon.stiffness, tendon.damping, tendon.friction, tendon.armature, tendon.spring_length or 0.0]
    numbers += [tendon.limits.lower, tendon.limits.upper] if tendon.limits else []
    if not all(map(isfinite, numbers)):
        yield Finding(101, Severity.ERROR, where, "a number is not finite")
