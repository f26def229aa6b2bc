"""Actuators of a part: the motors in its manifest, with the figures of their data sheets."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from rck.model import Actuator, ActuatorKind, Joint, Range
from rck.model.extensions import freeze_extensions
from rck.model.motor import reflected_inertia
from rck.model.quantities import Quantity
from rck.parts.datasheet_figures import figure_value
from rck.parts.manifest import ActuatorSpec, PartSpec

MOTOR_FIGURES = frozenset({
    "efficiency", "gear-ratio", "peak-torque", "power", "rated-speed", "rated-torque", "rotor-inertia",
    "speed", "stall-torque", "voltage",
})  # fmt: skip
"""Figures of the part that apply to a motor; they are those of its output."""


def part_actuators(
    part: PartSpec, figures: Mapping[str, Quantity], joints: Sequence[Joint]
) -> tuple[tuple[Actuator, ...], tuple[Joint, ...]]:
    """Return the actuators, and the joints with the inertia of the rotors that drive them.

    The first actuator has the `figures` of the part; every actuator has its own figures.
    """
    of_part = {name: figure_value(name, figures[name]) for name in figures if name in MOTOR_FIGURES}
    by_name = {joint.name: joint for joint in joints}
    actuators = []
    for number, (name, spec) in enumerate(part.actuators.items()):
        actuator = convert_actuator(name, spec, {**(of_part if number == 0 else {}), **spec.figures})
        actuators.append(actuator)
        joint, inertia = by_name.get(actuator.joint), reflected_inertia(actuator)
        if joint is not None and inertia and not joint.armature:
            by_name[joint.name] = replace(joint, armature=inertia)
    return tuple(actuators), tuple(by_name.values())


def convert_actuator(name: str, spec: ActuatorSpec, values: Mapping[str, float] | None = None) -> Actuator:
    """Return the actuator, not checked yet, with its own figures or those given."""
    return Actuator(
        name,
        ActuatorKind(spec.kind),
        spec.joint,
        spec.tendon,
        spec.gear,
        spec.gain,
        spec.bias,
        None if spec.force is None else Range(*spec.force),
        None if spec.control is None else Range(*spec.control),
        MappingProxyType(dict(spec.figures if values is None else values)),
        freeze_extensions(spec.extensions),
        frame=spec.frame,
    )
