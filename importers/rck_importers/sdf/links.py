"""Links of SDF: mass, collision and visual geometry."""

import numpy as np

from rck.geometry.arrays import Floats
from rck.importing import link_shapes
from rck.importing.file_errors import NotOfFormat
from rck.importing.link_shapes import LinkShape, PlacedShape
from rck.importing.linkage import Link
from rck.importing.robot_reader import Reading, colour_of, geometry_of, placed
from rck.importing.xml_file import Element
from rck.model import Colour
from rck_importers.sdf.masses import CollisionShape, collision_density, link_mass
from rck_importers.sdf.resources import find_uri
from rck_importers.sdf.scopes import Scope, number_of, pose_element, scope_from_frame, text_of

_LIMIT_PASSED = 509
"""Code of findings about a limit of the import."""
_READ = {"pose", "inertial", "collision", "visual"}
_SILENT = {"self_collide", "gravity", "kinematic", "velocity_decay", "enable_wind", "must_be_base_link"}


def link(scope: Scope, name: str, element: Element, world_from_link: Floats) -> Link:
    """Return the link, with its shapes in the link frame."""
    reading = scope.reading
    for child in element:
        if child.tag not in _READ | _SILENT:
            reading.report.left_out(f"<{child.tag}> of a link", child.where)
    collision = [
        CollisionShape(one, collision_density(child, reading.report))
        for child in element.all("collision")
        for one in _placed(child, name, scope)
    ]
    visual = [one for child in element.all("visual") for one in _placed_visual(child, name, scope)]
    where = f"{element.where}: link {scope.full_name(name)}"
    mass = link_mass(element.first("inertial"), collision, scope.static, where, reading.report)
    solid = tuple(one.placed for one in collision)
    return Link(scope.full_name(name), world_from_link, solid, tuple(visual), mass, not scope.static, where)


def _placed_visual(element: Element, link_name: str, scope: Scope) -> tuple[PlacedShape, ...]:
    """Return the shape of a visual; a visual that cannot be read is ignored with a warning."""
    try:
        return _placed(element, link_name, scope)
    except NotOfFormat as error:
        if error.finding.code == _LIMIT_PASSED:
            raise
        finding = error.finding
        message = f"{finding.message}; the visual was ignored"
        scope.reading.report.warn(finding.code, finding.where, message, finding.fix, kind="broken visual")
        return ()


def _placed(element: Element, link_name: str, scope: Scope) -> tuple[PlacedShape, ...]:
    pose, relative_to = pose_element(element)
    if relative_to and relative_to != link_name:
        from_link = np.linalg.inv(scope_from_frame(scope, link_name, element))
        pose = from_link @ scope_from_frame(scope, relative_to, element) @ pose
    return placed(_shape(geometry_of(element), scope.reading), pose, _colour(element), element.get("name"))


def _colour(element: Element) -> Colour | None:
    material = element.first("material")
    if material is None:
        return None
    for tag in ("diffuse", "ambient"):
        child = material.first(tag)
        if child is not None and child.text.strip():
            numbers = child.numbers_of(child.text, tag)
            if len(numbers) in (3, 4):
                return colour_of(np.append(numbers, 1.0)[:4])
    return None


def _shape(element: Element, reading: Reading) -> LinkShape | None:
    tag = element.tag
    if tag == "empty":
        return None
    if tag == "mesh":
        return _mesh(element, reading)
    if tag == "box":
        x, y, z = _numbers(element, "size", (1, 1, 1))
        return reading.solid(element, lambda: link_shapes.box(x, y, z))
    if tag == "ellipsoid":
        a, b, c = _numbers(element, "radii", (1, 1, 1))
        return reading.solid(element, lambda: link_shapes.ellipsoid(a, b, c))
    radius, length = number_of(element, "radius", 1.0), number_of(element, "length", 1.0)
    makers = {
        "sphere": lambda: link_shapes.sphere(radius),
        "cylinder": lambda: link_shapes.cylinder(radius, length),
        "capsule": lambda: link_shapes.capsule(radius, length),
        "cone": lambda: link_shapes.cone(radius, length),
    }
    maker = makers.get(tag.rpartition(":")[2])
    if maker is None:
        reading.report.left_out(f"<{tag}> geometry", element.where)
        return None
    return reading.solid(element, maker)


def _mesh(element: Element, reading: Reading) -> LinkShape | None:
    uri = text_of(element, "uri")
    if not uri:
        raise element.refusal("a mesh has no <uri>")
    submesh = element.first("submesh")
    only = "" if submesh is None else text_of(submesh, "name")
    if submesh is not None and text_of(submesh, "center") in ("true", "1"):
        reading.report.left_out("<center> of a submesh", submesh.where)
    scale = np.array(_numbers(element, "scale", (1, 1, 1)))
    return reading.solid(element, lambda: reading.shelf.shape(find_uri(uri, reading.assets), scale, only))


def _numbers(element: Element, tag: str, default: tuple[float, float, float]) -> tuple[float, float, float]:
    child = element.first(tag)
    x, y, z = default if child is None else child.numbers_of(child.text, tag, 3).tolist()
    return x, y, z
