"""Traversal of the bodies of an MJCF model; frames and replicas are resolved into body coordinates."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.mass_properties import MassProperties
from rck.geometry.transforms import identity, translation
from rck.importing.link_masses import mass_at, symmetric
from rck.importing.xml_file import Element
from rck.model import Device
from rck.model.extensions import Extensions
from rck_importers.mjcf.cameras import camera_device
from rck_importers.mjcf.extension_data import POSE, kept
from rck_importers.mjcf.geoms import Geom, geom_of, segment_pose
from rck_importers.mjcf.source import Source, load
from rck_importers.mjcf.surroundings import is_surrounding, kept_xml

_MOST_REPLICAS = 100_000
_UNUSED = "{} is kept for exports to MJCF, but RCK neither shows it nor checks collisions with it"


@dataclass(frozen=True, eq=False)
class BodyJoint:
    """A joint of a body, in the body's frame. Radians and metres."""

    element: Element
    """The element, including the attributes of its default class."""
    name: str
    kind: str
    """`hinge`, `slide`, `ball` or `free`."""
    place: Floats
    axis: Floats
    limits: tuple[float, float] | None
    reference: float
    spring_reference: float
    body: str
    """The body that it moves."""


@dataclass(frozen=True, eq=False)
class BodySite:
    """A site of a body."""

    name: str
    pose: Floats
    """Body from site. Shape (4, 4)."""
    extensions: Extensions


@dataclass(eq=False)
class MjcfBody:
    """A body during import; the world counts as a body."""

    element: Element
    name: str
    parent: "MjcfBody | None"
    pose: Floats
    """Parent from body. Shape (4, 4)."""
    joints: list[BodyJoint] = field(default_factory=list)
    geoms: list[Geom] = field(default_factory=list)
    sites: list["BodySite"] = field(default_factory=list)
    cameras: list[Device] = field(default_factory=list)
    surroundings: list[str] = field(default_factory=list)
    """Planes and lights, as XML in the frame of the body."""
    inertial: MassProperties | None = None
    source: Source | None = None
    """The file whose compiler settings apply to masses computed from shapes."""


@dataclass(frozen=True, eq=False)
class _Step:
    """An element to visit, with the context inherited from its enclosing elements."""

    element: Element
    body: MjcfBody
    body_from_here: Floats
    childclass: str
    source: Source
    prefix: str = ""
    suffix: str = ""


def bodies_of(source: Source) -> list[MjcfBody]:
    """Return the world and all its bodies in MuJoCo's order, each body after its parent."""
    world = MjcfBody(source.root, "world", None, identity(), source=source)
    bodies = [world]
    waiting = [_Step(element, world, identity(), "", source) for element in reversed(source.root.all("worldbody"))]
    # Depth-first traversal with an explicit stack, so that deep models do not hit the recursion limit.
    while waiting:
        steps = []
        for step in _walked(waiting.pop(), bodies):
            source.reading.budget.count_element(step.element)
            steps.append(step)
        waiting += reversed(steps)
    return bodies


def _walked(step: _Step, bodies: list[MjcfBody]) -> Iterator[_Step]:
    """Add the element to its body, and yield the elements to visit next."""
    element, source = step.element, step.source
    if element.tag == "worldbody":
        yield from _children(step, element)
    elif element.tag == "body":
        yield from _children(_new_body(step, bodies), element)
    elif element.tag == "frame":
        pose = step.body_from_here @ source.compiler.pose(element)
        yield from _children(replace(step, body_from_here=pose), element)
    elif element.tag == "replicate":
        yield from _replicas(step)
    elif element.tag == "attach":
        yield from _attached(step)
    elif element.tag in ("joint", "freejoint"):
        step.body.joints.append(_joint(step))
    elif element.tag == "geom":
        full = source.full(element, step.childclass)
        if is_surrounding(full):
            step.body.surroundings.append(kept_xml(full, step.body_from_here, _named(step), source))
            kind = full.get("type")
            source.reading.report.note(503, element.where, _UNUSED.format(f"geom of type {kind}"), kind=kind)
        else:
            step.body.geoms += geom_of(full, step.body_from_here, _named(step), len(step.body.geoms), source)
    elif element.tag == "light":
        full = source.full(element, step.childclass)
        step.body.surroundings.append(kept_xml(full, step.body_from_here, _named(step), source))
    elif element.tag == "site":
        full = source.full(element, step.childclass)
        step.body.sites.append(_site(step, full))
    elif element.tag == "camera":
        full = source.full(element, step.childclass)
        pose = step.body_from_here @ source.compiler.pose(full)
        name = _named(step) or f"{step.body.name}-camera{len(step.body.cameras) + 1}"
        step.body.cameras.append(camera_device(full, name, step.body.name, pose))
    elif element.tag == "inertial":
        step.body.inertial = _inertial(element, source, step.body_from_here)
    else:
        source.reading.report.left_out(f"<{element.tag}>", element.where)


def _children(step: _Step, element: Element) -> Iterator[_Step]:
    childclass = element.get("childclass") or step.childclass
    return (replace(step, element=child, childclass=childclass) for child in element.children)


def _named(step: _Step) -> str:
    name = step.element.get("name")
    return f"{step.prefix}{name}{step.suffix}" if name else ""


def _new_body(step: _Step, bodies: list[MjcfBody]) -> _Step:
    pose = step.body_from_here @ step.source.compiler.pose(step.element)
    body = MjcfBody(step.element, _named(step) or f"body{len(bodies)}", step.body, pose, source=step.source)
    bodies.append(body)
    return replace(step, body=body, body_from_here=identity())


def _replicas(step: _Step) -> Iterator[_Step]:
    element, compiler = step.element, step.source.compiler
    count = int(element.one_of(element.require("count"), "count"))
    if not 0 < count <= _MOST_REPLICAS:
        raise element.refusal(f"the number of replicas must be between 1 and {_MOST_REPLICAS}, not {count}", code=509)
    offset, angles = element.numbers("offset", 3, (0, 0, 0)), element.numbers("euler", 3, (0, 0, 0))
    digits = len(str(count - 1))
    place = np.zeros(3)
    for number in range(count):
        # The angles grow with the replica number; each offset is applied in the frame of the previous replica.
        turn = compiler.from_euler((number * angles).tolist())
        suffix = f"{element.get('sep')}{number:0{digits}d}{step.suffix}"
        pose = step.body_from_here @ translation(place) @ turn
        yield from _children(replace(step, body_from_here=pose, suffix=suffix), element)
        place = place + turn[:3, :3] @ offset


def _attached(step: _Step) -> Iterator[_Step]:
    """Yield the attached body of another model file, with the default classes and settings of that file."""
    element, source = step.element, step.source
    wanted = element.require("model")
    source.reading.budget.count_include(element)
    for asset in source.sections("asset"):
        if asset.tag == "model" and (asset.get("name") or asset.get("file").rpartition(".")[0]) == wanted:
            other = load(source.reading.assets.find(asset.require("file"), source.path.parent), source.reading)
            break
    else:
        raise element.refusal(f"there is no model {wanted} among the assets", code=201)
    prefix = f"{step.prefix}{element.get('prefix')}"
    other = replace(other, prefix=prefix)
    inner = replace(step, source=other, prefix=prefix, childclass="")
    name = element.get("body")
    for worldbody in other.root.all("worldbody"):
        if not name:
            yield replace(inner, element=worldbody)
            continue
        found = _body_called(worldbody, name)
        if found is not None:
            yield replace(inner, element=found)
            return
    if name:
        raise element.refusal(f"model {wanted} has no body {name}", code=201)


def _body_called(element: Element, name: str) -> Element | None:
    waiting = [element]
    while waiting:
        here = waiting.pop()
        if here.tag == "body" and here.get("name") == name:
            return here
        waiting += reversed(here.children)
    return None


def _joint(step: _Step) -> BodyJoint:
    element = step.source.full(step.element, step.childclass)
    if _named(step):
        element = replace(element, attributes={**element.attributes, "name": _named(step)})
    compiler = step.source.compiler
    kind = "free" if element.tag == "freejoint" else element.get("type", "hinge")
    if kind not in ("hinge", "slide", "ball", "free"):
        raise element.refusal(f"unknown joint type {kind!r}", code=104, fix="use hinge, slide, ball or free")
    axis = element.numbers("axis", 3, (0, 0, 1))
    length = float(np.linalg.norm(axis))
    if kind in ("hinge", "slide") and not length > 1e-12:
        raise element.refusal("the axis has no direction", code=205)
    unit = axis / length if length > 1e-12 else np.array([0.0, 0.0, 1.0])
    here = step.body_from_here
    scale = compiler.angle(1.0) if kind in ("hinge", "ball") else 1.0
    number = len(step.body.joints)
    return BodyJoint(
        element,
        _named(step) or f"{step.body.name}-{kind}{number + 1 if number else ''}",
        kind,
        here[:3, :3] @ element.numbers("pos", 3, (0, 0, 0)) + here[:3, 3],
        here[:3, :3] @ unit,
        compiler.bounds(element, scale=scale) if kind != "free" else None,
        element.number("ref", 0.0) * scale if kind in ("hinge", "slide") else 0.0,
        element.number("springref", 0.0) * scale if kind in ("hinge", "slide") else 0.0,
        step.body.name,
    )


def _site(step: _Step, element: Element) -> BodySite:
    segment = segment_pose(element)
    pose = step.source.compiler.pose(element) if segment is None else segment[0]
    extra = {"name": _named(step)} if _named(step) else {}
    if segment is not None:
        radius = element.numbers_of(element.get("size", "0.005"), "size").tolist()[0]
        extra["size"] = f"{radius!r} {segment[1]!r}"
    if element.get("material"):
        extra["material"] = f"{step.source.prefix}{element.get('material')}"
    given = Element(element.tag, {**element.attributes, **extra}, element.file, element.line)
    name = _named(step) or f"{step.body.name}-site{len(step.body.sites) + 1}"
    return BodySite(name, step.body_from_here @ pose, kept(given, POSE | {"fromto"}))


def _inertial(element: Element, source: Source, body_from_here: Floats) -> MassProperties:
    pose = body_from_here @ source.compiler.pose(element)
    if "fullinertia" in element.attributes:
        inertia = symmetric(*element.numbers("fullinertia", 6, ()).tolist())
    else:
        inertia = np.diag(element.numbers("diaginertia", 3, (0, 0, 0)))
    return mass_at(pose, element.one_of(element.require("mass"), "mass"), inertia)
