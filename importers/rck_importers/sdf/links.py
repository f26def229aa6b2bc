"""Links of SDF: mass, collision and visual geometry."""

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.mass_properties import MassProperties, combine, moved
from rck.importing import link_shapes
from rck.importing.link_masses import mass_at, scaled, symmetric
from rck.importing.link_shapes import LinkShape, PlacedShape
from rck.importing.linkage import Link
from rck.importing.robot_reader import Reading, colour_of, geometry_of, placed
from rck.importing.xml_file import Element
from rck.model import Colour
from rck_importers.sdf.scopes import Scope, number_of, pose_element, scope_from_frame, text_of

_READ = {"pose", "inertial", "collision", "visual"}
_SILENT = {"self_collide", "gravity", "kinematic", "velocity_decay", "enable_wind", "must_be_base_link"}


def link(scope: Scope, name: str, element: Element, world_from_link: Floats) -> Link:
    """Return the link, with its shapes in the link frame."""
    reading = scope.reading
    for child in element:
        if child.tag not in _READ | _SILENT:
            reading.report.left_out(f"<{child.tag}> of a link", child.where)
    collision = [one for child in element.all("collision") for one in _placed(child, name, scope)]
    visual = [one for child in element.all("visual") for one in _placed(child, name, scope)]
    inertial = element.first("inertial")
    mass = None if inertial is None else _mass(inertial, collision)
    where = f"{element.where}: link {scope.full_name(name)}"
    loose = not scope.static
    return Link(scope.full_name(name), world_from_link, tuple(collision), tuple(visual), mass, loose, where)


def _mass(element: Element, collision: list[PlacedShape]) -> MassProperties:
    pose, _ = pose_element(element)
    if element.get("auto") == "true":
        density = number_of(element, "density", 1000.0)
        filled = combine(moved(one.shape.solid, one.pose) for one in collision)
        return scaled(filled, density)
    inertia = element.first("inertia")
    matrix = np.eye(3)
    if inertia is not None:
        xx, yy, zz = (number_of(inertia, tag, 1.0) for tag in ("ixx", "iyy", "izz"))
        xy, xz, yz = (number_of(inertia, tag, 0.0) for tag in ("ixy", "ixz", "iyz"))
        matrix = symmetric(xx, yy, zz, xy, xz, yz)
    return mass_at(pose, number_of(element, "mass", 1.0), matrix)


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
    return reading.mesh(element, uri, _numbers(element, "scale", (1, 1, 1)), only)


def _numbers(element: Element, tag: str, default: tuple[float, float, float]) -> tuple[float, float, float]:
    child = element.first(tag)
    x, y, z = default if child is None else child.numbers_of(child.text, tag, 3).tolist()
    return x, y, z
