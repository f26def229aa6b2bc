"""Actuators and tendons of MJCF."""

from xml.etree.ElementTree import Element

from rck.exporting.file_text import Value, add
from rck.model import Actuation, Actuator, ActuatorKind, Joint, Range, Tendon
from rck.model.motor import UNKNOWN_MOTOR, with_law
from rck_plugins.exporters.mjcf.devices import add_adhesions, adhesions
from rck_plugins.exporters.mjcf.model import MjcfModel
from rck_plugins.exporters.mjcf.names import data_of, scope_of, xml_in
from rck_plugins.exporters.mjcf.numbers import exact

_MARKS = frozenset({"name", "element", "jointinparent", "ball", "free", "transmission"})
"""Extension data that say how an element is written, and are no attributes of it."""
_NOMINAL = ("voltage", "stall-torque", "speed")
"""The figures of a DC motor from which MuJoCo computes its constants."""


def invented_motors(model: MjcfModel) -> list[Joint]:
    """Return the joints that get a plain motor: free ones without an actuator, unless they are known to be passive."""
    robot = model.robot
    return [
        joint
        for joint in robot.free_joints
        if joint.name not in robot.driven_joints
        and joint.actuation is not Actuation.PASSIVE
        and joint.name not in model.ball_hinges
    ]


def add_actuators(root: Element, model: MjcfModel, motors: bool) -> list[str]:
    """Add the actuators, plain motors for other joints, and adhesion; return the names of actuators that were lost."""
    tree, robot = model.tree, model.robot
    invented = invented_motors(model) if motors else []
    if not (robot.actuators or invented or adhesions(tree)):
        return []
    section = add(root, "actuator")
    lost = [actuator.name for actuator in robot.actuators if not _add_actuator(section, actuator, model)]
    for joint in invented:
        name = tree.joint_names[joint.name]
        reach: dict[str, Value] = {"ctrlrange": (-joint.effort, joint.effort)} if joint.effort else {}
        add(section, "motor", name=name, joint=name, **reach)
    add_adhesions(section, tree)
    return lost


def _add_actuator(section: Element, stated: Actuator, model: MjcfModel) -> bool:
    actuator = with_law(stated, model.motors.get(stated.joint, UNKNOWN_MOTOR))
    data = data_of(actuator.extensions)
    attributes: dict[str, Value] = {"name": model.actuators[actuator.name]}
    if actuator.joint:
        joint = data.get("ball") and model.references.find("joint", data["ball"], scope_of(actuator.name))
        target = joint or model.tree.joint_names.get(actuator.joint)
        attributes["jointinparent" if "jointinparent" in data else "joint"] = target or ""
    elif actuator.tendon:
        attributes["tendon"] = target = model.tendons[actuator.tendon]
    elif "free" in data:
        target = model.references.find("joint", data["free"], scope_of(actuator.name)) or ""
        attributes["jointinparent" if "jointinparent" in data else "joint"] = target
    elif "slidersite" in data:
        # The crank and the slider are among the kept attributes.
        target = model.references.find("site", data["slidersite"], scope_of(actuator.name)) or ""
    elif data.get("transmission") == "body" or actuator.frame in model.body_names:
        attributes["body"] = target = model.body_names.get(actuator.frame, "")
    else:
        attributes["site"] = target = model.sites.get(actuator.frame, "")
    if not target:
        return False
    tag, law = _law(actuator, data)
    attributes |= law
    if "gear" not in data and actuator.gear != 1.0:
        attributes["gear"] = exact([actuator.gear])
    attributes |= _range("ctrl", _control(actuator, model))
    if tag != "dcmotor":
        attributes |= _range("force", actuator.force)
    attributes |= {name: text for name, text in data.items() if name not in _MARKS}
    element = add(section, tag, **attributes)
    references = {
        name: element.get(name, "") for name in ("refsite", "cranksite", "slidersite") if name in element.attrib
    }
    for name, text in references.items():
        element.set(name, model.references.find("site", text, scope_of(actuator.name)) or text)
    return True


def servo_damping(model: MjcfModel, joint: Joint) -> float:
    """Return the damping of a joint by the back electromotive force of its servo, in N m s/rad.

    MuJoCo limits the force of a position actuator, and the damping takes from it what the speed costs: together, they
    are the torque-speed line of the data sheet.
    """
    if joint.name in model.added_damping:
        return model.added_damping[joint.name]
    motor = model.motors.get(joint.name)
    return 0.0 if motor is None or joint.name not in model.servos else motor.damping


def _control(actuator: Actuator, model: MjcfModel) -> Range | None:
    """Return the control range: a catalogue servo without one reaches the limits of its joint."""
    is_servo = actuator.joint in model.servos or actuator.joint in model.added_damping
    if actuator.control is not None or not is_servo:
        return actuator.control
    limits = model.robot.joint(actuator.joint).limits
    return None if limits is None else Range(actuator.gear * limits.lower, actuator.gear * limits.upper)


def _range(what: str, limits: Range | None) -> dict[str, Value]:
    return {} if limits is None else {f"{what}range": exact([limits.lower, limits.upper])}


def _law(actuator: Actuator, data: dict[str, str]) -> tuple[str, dict[str, Value]]:
    """Return the element of an actuator, and the attributes that express its gain and bias."""
    kind, gain, bias = actuator.kind, actuator.gain, actuator.bias
    tag = data.get("element", "general")
    if kind is ActuatorKind.DC_MOTOR:
        figures = [actuator.values.get(name) for name in _NOMINAL]
        if data.keys() & {"nominal", "motorconst", "resistance"}:
            return "dcmotor", {}
        return ("motor", {}) if None in figures else ("dcmotor", {"nominal": exact(filter(None, figures))})
    if kind is ActuatorKind.MOTOR and gain == 1.0 and not any(bias):
        return "motor", {}
    if kind is ActuatorKind.POSITION and bias[:2] == (0.0, -gain):
        damping: dict[str, Value] = {"kv": exact([-bias[2]])} if bias[2] else {}
        return "position", {"kp": exact([gain]), **damping}
    if kind is ActuatorKind.VELOCITY and bias == (0.0, 0.0, -gain):
        return "velocity", {"kv": exact([gain])}
    if tag == "adhesion":
        return tag, {"gain": exact([gain])}
    if tag != "general" or {"gaintype", "gainprm", "biastype", "biasprm"} & data.keys():
        return tag, {}
    law: dict[str, Value] = {"gaintype": "fixed", "gainprm": exact([gain])}
    return "general", law | ({"biastype": "affine", "biasprm": exact(bias)} if any(bias) else {"biastype": "none"})


def add_tendons(root: Element, model: MjcfModel) -> list[str]:
    """Add the tendons; return the names of those that were lost."""
    if not model.robot.tendons:
        return []
    section = add(root, "tendon")
    lost = [tendon.name for tendon in model.robot.tendons if not _add_tendon(section, tendon, model)]
    if not len(section):
        root.remove(section)
    return lost


def _add_tendon(section: Element, tendon: Tendon, model: MjcfModel) -> bool:
    name = model.tendons[tendon.name]
    for spatial in xml_in(tendon.extensions, "spatial"):
        if not model.references.resolve(spatial, scope_of(tendon.name)):
            return False
        spatial.set("name", name)
        model.materials.remove_unknown(spatial)
        section.append(spatial)
        return True
    attributes: dict[str, Value] = {"name": name}
    if tendon.limits is not None:
        attributes["range"] = exact([tendon.limits.lower, tendon.limits.upper])
    values = {"stiffness": tendon.stiffness, "damping": tendon.damping, "frictionloss": tendon.friction,
              "armature": tendon.armature}  # fmt: skip
    attributes |= {key: exact([value]) for key, value in values.items() if value}
    if tendon.spring_length is not None:
        attributes["springlength"] = exact([tendon.spring_length])
    attributes |= {key: text for key, text in data_of(tendon.extensions).items() if key not in _MARKS}
    made = add(section, "fixed", **attributes)
    for joint, coefficient in tendon.joints:
        add(made, "joint", joint=model.tree.joint_names[joint], coef=exact([coefficient]))
    return True
