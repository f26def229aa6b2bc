"""Actuators of MJCF, and the effort limits of joints that follow from them."""

from collections.abc import Iterable, Mapping, Sequence
from math import inf

from rck.importing.xml_file import Element
from rck.model import Actuator, ActuatorKind, Range, Tendon
from rck_importers.mjcf.bodies import BodyJoint
from rck_importers.mjcf.extension_data import kept
from rck_importers.mjcf.source import Source

_COMMON = frozenset({
    "name", "class", "group", "nsample", "interp", "delay", "ctrllimited", "forcelimited", "ctrlrange", "forcerange",
    "lengthrange", "gear", "cranklength", "user", "joint", "jointinparent", "tendon", "cranksite", "slidersite", "site",
    "refsite", "body",
})  # fmt: skip
_ACTIVATION = frozenset({"actlimited", "actrange"})
_OWN = {
    "general": _ACTIVATION | {"dyntype", "gaintype", "biastype", "dynprm", "gainprm", "biasprm", "actdim", "actearly"},
    "motor": frozenset(),
    "position": frozenset({"kp", "kv", "dampratio", "timeconst", "inheritrange"}),
    "velocity": frozenset({"kv"}),
    "intvelocity": _ACTIVATION | {"kp", "kv", "dampratio", "inheritrange"},
    "damper": frozenset({"kv"}),
    "cylinder": frozenset({"timeconst", "area", "diameter", "bias"}),
    "muscle": frozenset({
        "timeconst", "tausmooth", "range", "force", "scale", "lmin", "lmax", "vmax", "fpmax", "fvmax",
    }),
    "adhesion": frozenset({"gain"}),
}  # fmt: skip
"""The attributes of each element beyond the common ones; default classes may have those of the others, too."""

_READ = frozenset({
    "name", "joint", "jointinparent", "tendon", "site", "body", "ctrlrange", "ctrllimited", "forcerange",
    "forcelimited",
})  # fmt: skip
_KINDS = {"motor": ActuatorKind.MOTOR, "position": ActuatorKind.POSITION, "velocity": ActuatorKind.VELOCITY,
          "dcmotor": ActuatorKind.DC_MOTOR}  # fmt: skip


def actuators_of(source: Source, joints: Iterable[BodyJoint], tendons: Sequence[Tendon]) -> tuple[Actuator, ...]:
    """Return the actuators; those that drive nothing that RCK knows are reported."""
    driven = {joint.name: joint.name for joint in joints if joint.kind in ("hinge", "slide")}
    driven |= {joint.name: f"{joint.name}-x" for joint in joints if joint.kind == "ball"}
    free = {joint.name: joint.body for joint in joints if joint.kind == "free"}
    known_tendons = {tendon.name for tendon in tendons}
    found: list[Actuator] = []
    for number, element in enumerate(source.sections("actuator")):
        full = _own(source.full(element, ""))
        joint = full.get("joint") or full.get("jointinparent")
        tendon, frame = full.get("tendon"), full.get("site") or full.get("body") or full.get("slidersite")
        name = full.get("name") or f"actuator-{number + 1}"
        if (
            full.tag == "plugin"
            or (joint and joint not in driven and joint not in free)
            or (tendon and tendon not in known_tendons)
        ):
            source.reading.report.lost(f"<{full.tag}> actuator of an element that is not imported", full.where)
        elif not (joint or tendon or frame):
            source.reading.report.lost(f"<{full.tag}> actuator that drives nothing", full.where)
        else:
            frame = free.get(joint, frame)
            found.append(_actuator(full, name, driven.get(joint, ""), tendon, frame, source))
    return tuple(found)


def _own(element: Element) -> Element:
    """Return the element without attributes that its class inherits for actuators of other kinds."""
    own = _OWN.get(element.tag)
    if own is None:
        return element
    given = dict(element.attributes)
    gain, bias = given.get("gainprm", "").split(), given.get("biasprm", "").split()
    if element.tag in ("position", "intvelocity", "velocity"):
        # A class with a general actuator sets the gains of these elements, too.
        if gain:
            given.setdefault("kv" if element.tag == "velocity" else "kp", gain[0])
        if element.tag != "velocity" and len(bias) > 2 and float(bias[2]) != 0:
            given.setdefault("kv", str(-float(bias[2])))
    return Element(
        element.tag,
        {name: text for name, text in given.items() if name in _COMMON or name in own},
        element.file,
        element.line,
        element.children,
    )


def _actuator(element: Element, name: str, joint: str, tendon: str, frame: str, source: Source) -> Actuator:
    gear = element.numbers_of(element.get("gear", "1"), "gear").tolist()
    read = _READ | ({"gear"} if len(gear) == 1 else set())
    kind, gain, bias, also_read = _law(element)
    extra = {"element": element.tag} if kind is ActuatorKind.GENERAL else {}
    extra |= {"name": element.get("name")} if element.get("name") else {}
    extra |= {"jointinparent": "true"} if element.get("jointinparent") else {}
    extra |= {"ball": element.get("joint") or element.get("jointinparent")} if joint.endswith("-x") else {}
    if not joint and not tendon and (free := element.get("joint") or element.get("jointinparent")):
        # The body of a free joint stands for it.
        extra |= {"free": free}
    extra |= {"transmission": "body"} if element.get("body") else {}
    return Actuator(
        name,
        kind,
        joint,
        tendon,
        gear[0],
        gain,
        bias,
        _range(element, "force", source),
        _range(element, "ctrl", source),
        extensions=kept(Element(element.tag, {**element.attributes, **extra}, element.file, element.line),
                        (read | also_read) - extra.keys()),
        frame=frame,
    )  # fmt: skip


def _law(element: Element) -> tuple[ActuatorKind, float, tuple[float, float, float], frozenset[str]]:
    """Return the kind, the gain and the bias of an actuator, and the attributes that they fully express."""
    none = (0.0, 0.0, 0.0)
    kind = _KINDS.get(element.tag, ActuatorKind.GENERAL)
    if element.tag == "motor":
        return kind, 1.0, none, frozenset()
    if element.tag in ("position", "intvelocity"):
        kp, kv = element.number("kp", 1.0), element.number("kv", 0.0)
        return kind, kp, (0.0, -kp, -kv), frozenset({"kp", "kv"} if element.tag == "position" else ())
    if element.tag == "velocity":
        kv = element.number("kv", 1.0)
        return kind, kv, (0.0, 0.0, -kv), frozenset({"kv"})
    if element.tag == "general":
        return kind, *_general(element)
    if element.tag == "adhesion":
        return kind, element.number("gain", 1.0), none, frozenset({"gain"})
    return kind, 1.0, none, frozenset()


def _general(element: Element) -> tuple[float, tuple[float, float, float], frozenset[str]]:
    """Return gain and bias of a general actuator; those with dynamics keep their parameters as extension data, too."""
    gains = [*element.numbers_of(element.get("gainprm", "1"), "gainprm").tolist(), *[0.0] * 3]
    biases = [*element.numbers_of(element.get("biasprm", "0"), "biasprm").tolist(), *[0.0] * 3]
    affine = element.get("biastype", "none") == "affine"
    if affine and not any(biases):
        return gains[0] or 1.0, (0.0, 0.0, 0.0), frozenset()
    bias = (biases[0], biases[1], biases[2]) if affine else (0.0, 0.0, 0.0)
    if element.get("gaintype", "fixed") == "fixed" and element.get("biastype", "none") in ("none", "affine"):
        return gains[0], bias, frozenset({"gaintype", "gainprm", "biastype", "biasprm"})
    return gains[0] or 1.0, bias, frozenset()


def _range(element: Element, what: str, source: Source) -> Range | None:
    bounds = source.compiler.bounds(element, what)
    return None if bounds is None else Range(*bounds)


def efforts(actuators: Iterable[Actuator]) -> dict[str, float]:
    """Return the effort limit of each joint driven by exactly one actuator with a bound, in N m or N."""
    driven: dict[str, list[float | None]] = {}
    for actuator in actuators:
        if actuator.joint:
            driven.setdefault(actuator.joint, []).append(_bound(actuator))
    return {joint: bounds[0] for joint, bounds in driven.items() if len(bounds) == 1 and bounds[0] is not None}


def _bound(actuator: Actuator) -> float | None:
    # The control signal of a motor is its force.
    force = actuator.force or (actuator.control if actuator.kind is ActuatorKind.MOTOR else None)
    most = 0.0 if force is None else abs(actuator.gear) * max(abs(force.lower), abs(force.upper))
    return most or None


def effort_at(joint: BodyJoint, driven: Mapping[str, float]) -> float | None:
    """Return the effort limit of the joint: the smaller of its own bound and that of its actuator."""
    own = joint.element.numbers("actuatorfrcrange", 2, (0, 0)).tolist()
    bound = max(map(abs, own)) if own[0] < own[1] else inf
    least = min(bound, driven.get(joint.name, inf))
    return None if least == inf else least
