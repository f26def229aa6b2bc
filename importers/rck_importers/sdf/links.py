"""Links of SDF: mass, collision and visual geometry."""

from dataclasses import replace

import numpy as np

from rck.geometry.arrays import Floats
from rck.importing import link_shapes
from rck.importing.file_errors import NotOfFormat
from rck.importing.link_shapes import LinkShape, PlacedShape
from rck.importing.linkage import Link
from rck.importing.robot_reader import Reading, colour_of, geometry_of, placed
from rck.importing.xml_file import Element
from rck.model import Colour
from rck.model.subitem import ContactGroups
from rck_importers.sdf.masses import CollisionShape, collision_density, link_mass
from rck_importers.sdf.resources import find_uri
from rck_importers.sdf.scopes import Scope, number_of, pose_element, scope_from_frame, text_of

_LIMIT_PASSED = 509
"""Code of findings about a limit of the import."""
_READ = {"pose", "inertial", "collision", "visual"}
_READ_OF_SHAPE = {
    "pose", "geometry", "material", "transparency", "density", "auto_inertia_params", "surface", "cast_shadows",
    "visibility_flags", "laser_retro", "max_contacts", "meta",
}  # fmt: skip
_READ_OF_MATERIAL = {"ambient", "diffuse", "specular", "emissive", "pbr", "lighting", "shader", "double_sided"}
_READ_OF_WORKFLOW = {"albedo_map", "roughness", "metalness"}
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
    for child in element:
        if child.tag not in _READ_OF_SHAPE:
            scope.reading.report.left_out(f"<{child.tag}> of a {element.tag}", child.where)
    pose, relative_to = pose_element(element)
    if relative_to and relative_to != link_name:
        from_link = np.linalg.inv(scope_from_frame(scope, link_name, element))
        pose = from_link @ scope_from_frame(scope, relative_to, element) @ pose
    shapes = placed(_shape(geometry_of(element), scope.reading), pose, _colour(element), element.get("name"))
    surface = element.first("surface")
    if surface is not None:
        shapes = tuple(_with_surface(shape, surface, scope.reading) for shape in shapes)
    return tuple(_finished(shape, element, scope.reading) for shape in shapes)


def _with_surface(shape: PlacedShape, surface: Element, reading: Reading) -> PlacedShape:
    """Return the shape with the friction and the collision mask of its surface."""
    for child in surface:
        if child.tag not in ("friction", "contact"):
            reading.report.left_out(f"<{child.tag}> of a surface", child.where)
    friction = next((one for child in surface.all("friction") for one in child.all("ode")), None)
    contact = surface.first("contact")
    if friction is not None and friction.first("mu") is not None:
        shape = replace(shape, friction=number_of(friction, "mu", 1.0))
    if contact is not None and contact.first("collide_bitmask") is not None:
        try:
            mask = int(text_of(contact, "collide_bitmask"), 0)
        except ValueError as error:
            raise contact.refusal("collide_bitmask is not a whole number", code=104) from error
        shape = replace(shape, groups=ContactGroups(mask, mask))
    return shape


def _finished(shape: PlacedShape, element: Element, reading: Reading) -> PlacedShape:
    """Return the shape with the texture and finish of its material."""
    material = element.first("material")
    if material is None:
        return shape
    for child in material:
        if child.tag not in _READ_OF_MATERIAL:
            reading.report.left_out(f"<{child.tag}> of a material", child.where)
    workflow = next((one for pbr in material.all("pbr") for one in pbr if one.tag in ("metal", "specular")), None)
    if workflow is None:
        return shape
    for child in workflow:
        if child.tag not in _READ_OF_WORKFLOW:
            reading.report.left_out(f"<{child.tag}> of a material", child.where)
    albedo = text_of(workflow, "albedo_map")
    texture = reading.texture(workflow, lambda: find_uri(albedo, reading.assets)) if albedo else None
    return replace(
        shape,
        colour=shape.colour or ((1.0, 1.0, 1.0, 1.0) if texture is not None else None),
        texture=texture,
        roughness=number_of(workflow, "roughness", 0.5) if workflow.first("roughness") is not None else None,
        metallic=number_of(workflow, "metalness", 0.5) if workflow.first("metalness") is not None else None,
    )


def _colour(element: Element) -> Colour | None:
    material = element.first("material")
    opacity = 1.0 - number_of(element, "transparency", 0.0)
    if material is None:
        return None
    for tag in ("diffuse", "ambient"):
        child = material.first(tag)
        if child is not None and child.text.strip():
            numbers = child.numbers_of(child.text, tag)
            if len(numbers) in (3, 4):
                return colour_of(np.append(numbers, 1.0)[:4] * (1.0, 1.0, 1.0, opacity))
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
