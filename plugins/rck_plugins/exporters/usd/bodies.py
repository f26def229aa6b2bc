"""Links as prims: rigid bodies with their masses, shapes, frames and devices."""

from collections.abc import Mapping
from math import tan

import numpy as np

from rck.exporting import (
    ExportLink,
    ExportShape,
    MeshAssets,
    PlacedDevice,
    PlacedFrame,
    PlacedItem,
    legal_names,
)
from rck.exporting.device_data import (
    CAMERAS,
    DEVICE_FROM_BACKWARD,
    view_angles,
)
from rck.exporting.file_text import tidy, tidy_tensor, valid_inertia
from rck.geometry.arrays import Floats
from rck.geometry.mass_properties import MassProperties
from rck.geometry.transforms import invert, to_quaternion
from rck.model import Primitive, PrimitiveKind, Visual
from rck.model.colours import to_linear
from rck_plugins.exporters.usd.kept import keep
from rck_plugins.exporters.usd.looks import Looks, image_of, texture_points
from rck_plugins.exporters.usd.prims import Prim, double, integers, matrix, number, single, transform, vector, vectors

_FOCAL_LENGTH = 50.0
"""The default of USD. Only its ratio to the aperture matters."""

PRIMITIVES = {
    PrimitiveKind.BOX: "Cube",
    PrimitiveKind.SPHERE: "Sphere",
    PrimitiveKind.ELLIPSOID: "Sphere",
    PrimitiveKind.CYLINDER: "Cylinder",
    PrimitiveKind.CAPSULE: "Capsule",
}
"""The schemas of primitives; an ellipsoid is a scaled sphere."""


def body_prim(
    link: ExportLink, mass: MassProperties, shapes: MeshAssets, looks: Looks, devices: Mapping[str, int], *, moves: bool
) -> Prim:
    """Return the prim of a link at its pose in the world: a rigid body if it moves, otherwise static geometry.

    `devices` has the place of each device in the robot.
    """
    lead = link.items[0].item
    prim = Prim("Xform", link.name, properties=transform(world_from_link(link)), title=lead.source_name or lead.name)
    keep(prim, lead.extensions, "body")
    if moves:
        prim.apis = [*prim.apis, "PhysicsRigidBodyAPI"]
    else:
        prim.data["item"] = True
    if mass.mass > 0.0:
        prim.apis = [*prim.apis, "PhysicsMassAPI", "NewtonMassAPI"]
        prim.properties += _mass(mass)
    placed_shapes = [(shape, placed) for placed in link.items for shape in shapes.of_item[placed.number]]
    others = [frame.name for frame in link.frames] + [device.name for device in link.devices]
    names = legal_names([shape.name for shape, _ in placed_shapes], taken=others, identifiers=True)
    prim.children += [
        _shape(name, shape, placed, looks) for name, (shape, placed) in zip(names, placed_shapes, strict=True)
    ]
    prim.children += [_frame_prim(frame) for frame in link.frames]
    prim.children += [device_prim(device, devices[device.device.name]) for device in link.devices]
    return prim


def world_from_link(link: ExportLink) -> Floats:
    """Return the pose of a link with every joint at its position. Shape (4, 4)."""
    lead = link.items[0]
    pose: Floats = lead.item.pose @ invert(lead.pose)
    return pose


def _frame_prim(placed: PlacedFrame) -> Prim:
    prim = Prim("Xform", placed.name, properties=transform(placed.pose), title=placed.frame.name)
    keep(prim, placed.frame.extensions, "site")
    return prim


def _mass(body: MassProperties) -> list[str]:
    moments, axes = principal_axes(valid_inertia(body.inertia))
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = body.inertia.tolist()
    whole = ", ".join(repr(value + 0.0) for value in (xx, yy, zz, xy, xz, yz))
    return [
        single("float", "physics:mass", body.mass),
        single("point3f", "physics:centerOfMass", tidy(body.centre)),
        f"float3 physics:diagonalInertia = {vector(moments)}",
        f"quatf physics:principalAxes = {vector(tidy(to_quaternion(axes)))}",
        f"double[] newton:inertia = [{whole}]",
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


def _shape(name: str, shape: ExportShape, placed: PlacedItem, looks: Looks) -> Prim:
    primitive = shape.primitive
    if primitive is not None and primitive.kind is PrimitiveKind.ELLIPSOID and shape.solid:
        # UsdPhysics has no colliders that are scaled spheres.
        primitive = None
    kind = "Mesh" if primitive is None else PRIMITIVES[primitive.kind]
    prim = Prim(kind, name, title=shape.source.name)
    keep(prim, shape.source.extensions, "geom" if shape.solid else "visual")
    if shape.solid:
        prim.apis = [*prim.apis, "PhysicsCollisionAPI"]
        if primitive is None:
            prim.apis = [*prim.apis, "PhysicsMeshCollisionAPI"]
            prim.properties.append('uniform token physics:approximation = "convexHull"')
    if not shape.seen:
        prim.properties.append('uniform token purpose = "guide"')
    apis, bindings = looks.bindings(shape, placed.item.friction)
    prim.apis = [*prim.apis, *apis]
    prim.properties += bindings + _display(shape)
    prim.properties += _mesh(shape, placed.pose) if primitive is None else _primitive(primitive, placed.pose)
    return prim


def _display(shape: ExportShape) -> list[str]:
    *colour, opacity = to_linear(shape.colour)
    look = [f"color3f[] primvars:displayColor = [{vector(colour)}]"]
    return look if opacity >= 1.0 else [*look, f"float[] primvars:displayOpacity = [{number(opacity)}]"]


def _mesh(shape: ExportShape, link_from_item: Floats) -> list[str]:
    surface = shape.surface
    extent = np.array([surface.vertices.min(axis=0), surface.vertices.max(axis=0)])
    mapped = texture_points(shape.source) if isinstance(shape.source, Visual) and image_of(shape) is not None else []
    return [
        f"float3[] extent = {vectors(extent)}",
        f"int[] faceVertexCounts = {integers(np.diff(surface.face_offsets))}",
        f"int[] faceVertexIndices = {integers(surface.face_vertices)}",
        f"point3f[] points = {vectors(surface.vertices)}",
        *mapped,
        'uniform token subdivisionScheme = "none"',
        *transform(link_from_item),
    ]


def _primitive(primitive: Primitive, link_from_item: Floats) -> list[str]:
    place = f"matrix4d xformOp:transform = {matrix(link_from_item @ primitive.pose)}"
    if primitive.kind in (PrimitiveKind.BOX, PrimitiveKind.ELLIPSOID):
        is_box = primitive.kind is PrimitiveKind.BOX
        return [
            f"float3[] extent = {vectors(np.outer((-1.0, 1.0), np.full(3, 0.5 if is_box else 1.0)))}",
            "double size = 1" if is_box else "double radius = 1",
            f"double3 xformOp:scale = ({', '.join(map(double, primitive.sizes))})",
            place,
            'uniform token[] xformOpOrder = ["xformOp:transform", "xformOp:scale"]',
        ]
    radius = primitive.sizes[0]
    height = primitive.sizes[1] if len(primitive.sizes) > 1 else 0.0
    end = radius if primitive.kind is PrimitiveKind.SPHERE else height / 2
    if primitive.kind is PrimitiveKind.CAPSULE:
        end += radius
    corner = np.array([radius, radius, end])
    sizes = [f"double radius = {double(radius)}"]
    if primitive.kind is not PrimitiveKind.SPHERE:
        sizes += ['uniform token axis = "Z"', f"double height = {double(height)}"]
    return [
        f"float3[] extent = {vectors(np.array([-corner, corner]))}",
        *sizes,
        place,
        'uniform token[] xformOpOrder = ["xformOp:transform"]',
    ]


def device_prim(placed: PlacedDevice, place: int) -> Prim:
    """Return a camera, or for other devices a frame: UsdGeom has no other sensors, and UsdPhysics no grippers."""
    device = placed.device
    prim = Prim("Xform", placed.name, title=device.name)
    keep(prim, device.extensions, "device")
    prim.data["device"] = {
        "number": place,
        "kind": device.kind.value,
        "values": dict(device.values),
        "settings": dict(device.settings),
    }
    if device.kind not in CAMERAS:
        prim.properties += transform(placed.pose)
        return prim
    prim.type = "Camera"
    near, far = device.values.get("min-range"), device.values.get("max-range")
    if near is not None and far is not None:
        prim.properties.append(f"float2 clippingRange = {vector((near, far))}")
    width, height = view_angles(device)
    if width is not None or height is not None:
        prim.properties.append(f"float focalLength = {number(_FOCAL_LENGTH)}")
    for side, angle in (("horizontal", width), ("vertical", height)):
        if angle is not None:
            prim.properties.append(f"float {side}Aperture = {number(2 * _FOCAL_LENGTH * tan(angle / 2))}")
    prim.properties += transform(placed.pose @ DEVICE_FROM_BACKWARD)
    return prim
