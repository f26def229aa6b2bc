"""Links as prims: rigid bodies with their masses, shapes, frames and devices."""

from math import tan

import numpy as np

from rck.exporting import ExportLink, ExportShape, MeshAssets, PlacedDevice, legal_names
from rck.exporting.device_data import (
    CAMERAS,
    DEVICE_FROM_BACKWARD,
    view_angles,
)
from rck.exporting.file_text import tidy, tidy_colour, tidy_tensor, valid_inertia
from rck.geometry.arrays import Floats
from rck.geometry.transforms import invert, to_quaternion
from rck.model import Primitive, PrimitiveKind
from rck_plugins.exporters.usd.prims import Prim, integers, matrix, number, transform, vector, vectors

_FOCAL_LENGTH = 50.0
"""The default of USD. Only its ratio to the aperture matters."""

PRIMITIVES = {
    PrimitiveKind.BOX: "Cube",
    PrimitiveKind.SPHERE: "Sphere",
    PrimitiveKind.CYLINDER: "Cylinder",
    PrimitiveKind.CAPSULE: "Capsule",
}
"""The schemas of primitives; USD has no ellipsoid."""


def body_prim(link: ExportLink, shapes: MeshAssets, *, moves: bool) -> Prim:
    """Return the prim of a link at its pose in the world: a rigid body if it moves, otherwise static geometry."""
    prim = Prim("Xform", link.name, properties=transform(world_from_link(link)))
    if moves:
        prim.apis = ["PhysicsRigidBodyAPI"]
    if link.mass_properties.mass > 0.0:
        prim.apis = [*prim.apis, "PhysicsMassAPI"]
        prim.properties += _mass(link)
    placed_shapes = [(shape, placed.pose) for placed in link.items for shape in shapes.of_item[placed.number]]
    others = [frame.name for frame in link.frames] + [device.name for device in link.devices]
    names = legal_names([shape.name for shape, _ in placed_shapes], taken=others, identifiers=True)
    prim.children += [_shape(name, shape, pose) for name, (shape, pose) in zip(names, placed_shapes, strict=True)]
    prim.children += [Prim("Xform", frame.name, properties=transform(frame.pose)) for frame in link.frames]
    prim.children += [device_prim(device) for device in link.devices]
    return prim


def world_from_link(link: ExportLink) -> Floats:
    """Return the pose of a link with every joint at its position. Shape (4, 4)."""
    lead = link.items[0]
    pose: Floats = lead.item.pose @ invert(lead.pose)
    return pose


def _mass(link: ExportLink) -> list[str]:
    body = link.mass_properties
    moments, axes = principal_axes(valid_inertia(body.inertia))
    return [
        f"float physics:mass = {number(body.mass)}",
        f"point3f physics:centerOfMass = {vector(tidy(body.centre))}",
        f"float3 physics:diagonalInertia = {vector(moments)}",
        f"quatf physics:principalAxes = {vector(tidy(to_quaternion(axes)))}",
    ]


def principal_axes(inertia: Floats) -> tuple[Floats, Floats]:
    """Return the principal moments, shape (3,), and the rotation from their axes to the frame, shape (3, 3).

    A diagonal inertia keeps its axes. Otherwise the signs of the axes are fixed, so that all computers agree.
    """
    clean = tidy_tensor(inertia)
    if not (clean - np.diag(np.diag(clean))).any():
        return np.diag(clean), np.eye(3)
    moments, axes = np.linalg.eigh(clean)
    largest = axes[abs(axes).argmax(axis=0), range(3)]
    axes = axes * np.sign(largest)
    axes[:, 2] *= np.sign(np.linalg.det(axes))
    return moments, axes


def _shape(name: str, shape: ExportShape, link_from_item: Floats) -> Prim:
    primitive = shape.primitive
    prim = Prim("Mesh" if primitive is None else PRIMITIVES[primitive.kind], name)
    if shape.solid:
        prim.apis = ["PhysicsCollisionAPI"]
        if primitive is None:
            prim.apis = [*prim.apis, "PhysicsMeshCollisionAPI"]
            prim.properties.append('uniform token physics:approximation = "convexHull"')
    if not shape.seen:
        prim.properties.append('uniform token purpose = "guide"')
    prim.properties += _look(shape)
    prim.properties += _mesh(shape, link_from_item) if primitive is None else _primitive(primitive, link_from_item)
    return prim


def _look(shape: ExportShape) -> list[str]:
    *colour, opacity = tidy_colour(shape.colour).tolist()
    look = [f"color3f[] primvars:displayColor = [{vector(colour)}]"]
    return look if opacity >= 1.0 else [*look, f"float[] primvars:displayOpacity = [{number(opacity)}]"]


def _mesh(shape: ExportShape, link_from_item: Floats) -> list[str]:
    surface = shape.surface
    extent = np.array([surface.vertices.min(axis=0), surface.vertices.max(axis=0)])
    return [
        f"float3[] extent = {vectors(extent)}",
        f"int[] faceVertexCounts = {integers(np.diff(surface.face_offsets))}",
        f"int[] faceVertexIndices = {integers(surface.face_vertices)}",
        f"point3f[] points = {vectors(surface.vertices)}",
        'uniform token subdivisionScheme = "none"',
        *transform(link_from_item),
    ]


def _primitive(primitive: Primitive, link_from_item: Floats) -> list[str]:
    place = f"matrix4d xformOp:transform = {matrix(link_from_item @ primitive.pose)}"
    if primitive.kind is PrimitiveKind.BOX:
        return [
            "float3[] extent = [(-0.5, -0.5, -0.5), (0.5, 0.5, 0.5)]",
            "double size = 1",
            f"double3 xformOp:scale = {vector(primitive.sizes)}",
            place,
            'uniform token[] xformOpOrder = ["xformOp:transform", "xformOp:scale"]',
        ]
    radius = primitive.sizes[0]
    height = primitive.sizes[1] if len(primitive.sizes) > 1 else 0.0
    end = radius if primitive.kind is PrimitiveKind.SPHERE else height / 2
    if primitive.kind is PrimitiveKind.CAPSULE:
        end += radius
    corner = np.array([radius, radius, end])
    sizes = [f"double radius = {number(radius)}"]
    if primitive.kind is not PrimitiveKind.SPHERE:
        sizes += ['uniform token axis = "Z"', f"double height = {number(height)}"]
    return [
        f"float3[] extent = {vectors(np.array([-corner, corner]))}",
        *sizes,
        place,
        'uniform token[] xformOpOrder = ["xformOp:transform"]',
    ]


def device_prim(placed: PlacedDevice) -> Prim:
    """Return a camera, or for other devices a frame: UsdGeom has no other sensors, and UsdPhysics no grippers."""
    if placed.device.kind not in CAMERAS:
        return Prim("Xform", placed.name, properties=transform(placed.pose))
    prim = Prim("Camera", placed.name)
    known = placed.device.values
    near, far = known.get("min-range"), known.get("max-range")
    if near is not None and far is not None:
        prim.properties.append(f"float2 clippingRange = {vector((near, far))}")
    width, height = view_angles(placed.device)
    if width is not None or height is not None:
        prim.properties.append(f"float focalLength = {number(_FOCAL_LENGTH)}")
    for side, angle in (("horizontal", width), ("vertical", height)):
        if angle is not None:
            prim.properties.append(f"float {side}Aperture = {number(2 * _FOCAL_LENGTH * tan(angle / 2))}")
    prim.properties += transform(placed.pose @ DEVICE_FROM_BACKWARD)
    return prim
