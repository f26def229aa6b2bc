"""The integrator that DC motors need."""

from xml.etree.ElementTree import Element

from rck.model import ActuatorKind, Robot
from rck_plugins.exporters.mjcf.names import FORMAT


def add_integrator(option: Element, robot: Robot) -> None:
    """Choose an implicit integrator: the back electromotive force of a motor of little inertia is a stiff damping."""
    driven = any(one.kind is ActuatorKind.DC_MOTOR for one in robot.actuators)
    if driven and FORMAT not in robot.extensions and "integrator" not in option.attrib:
        option.set("integrator", "implicitfast")
