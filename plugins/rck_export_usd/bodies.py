"""Links as prims: rigid bodies with their masses, shapes and frames."""

import numpy as np

from rck.exporting import Link, Shape, Shapes, legal_names
from rck.exporting.inertia import lawful_inertia
from rck.exporting.xml_text import tidy, tidy_colour, tidy_tensor
from rck.geometry.arrays import Floats
from rck.geometry.boxes import Box
from rck.geometry.transforms import invert, to_quaternion
from rck_export_usd.devices import device_prim
from rck_export_usd.prims import Prim, integers, matrix, number, transform, vector, vectors


def body_prim(link: Link, shapes: Shapes, *, moves: bool) -> Prim:
    """A link where it stands, with `moves` as a rigid body and otherwise as a part of the world."""
    prim = Prim("Xform", link.name, properties=transform(world_from_link(link)))
    if moves:
        prim.apis = ["PhysicsRigidBodyAPI"]
    if link.mass_properties.mass > 0.0:
        prim.apis = [*prim.apis, "PhysicsMassAPI"]
        prim.properties += _mass(link)
    pieces = [(shape, placed.pose) for placed in link.items for shape in shapes.of_item[placed.number]]
    others = [frame.name for frame in link.frames] + [device.name for device in link.devices]
    names = legal_names([shape.name for shape, _ in pieces], taken=others, identifiers=True)
    prim.children += [_shape(name, shape, pose) for name, (shape, pose) in zip(names, pieces, strict=True)]
    prim.children += [Prim("Xform", frame.name, properties=transform(frame.pose)) for frame in link.frames]
    prim.children += [device_prim(device) for device in link.devices]
    return prim


def world_from_link(link: Link) -> Floats:
    """Where the link is with every joint at its `position`: a scene shows the robot as it stands. Shape (4, 4)."""
    lead = link.items[0]
    pose: Floats = lead.item.pose @ invert(lead.pose)
    return pose


def _mass(link: Link) -> list[str]:
    body = link.mass_properties
    moments, axes = principal_axes(lawful_inertia(body.inertia))
    return [
        f"float physics:mass = {number(body.mass)}",
        f"point3f physics:centerOfMass = {vector(tidy(body.centre))}",
        f"float3 physics:diagonalInertia = {vector(moments)}",
        f"quatf physics:principalAxes = {vector(tidy(to_quaternion(axes)))}",
    ]


def principal_axes(inertia: Floats) -> tuple[Floats, Floats]:
    """The principal moments, shape (3,), and the rotation from their axes to the frame, shape (3, 3).

    An inertia that is diagonal already keeps its axes. The signs of the others are settled, so that all
    computers agree.
    """
    clean = tidy_tensor(inertia)
    if not (clean - np.diag(np.diag(clean))).any():
        return np.diag(clean), np.eye(3)
    moments, axes = np.linalg.eigh(clean)
    largest = axes[abs(axes).argmax(axis=0), range(3)]
    axes = axes * np.sign(largest)
    axes[:, 2] *= np.sign(np.linalg.det(axes))
    return moments, axes


def _shape(name: str, shape: Shape, link_from_item: Floats) -> Prim:
    prim = Prim("Mesh" if shape.box is None else "Cube", name)
    if shape.solid:
        prim.apis = ["PhysicsCollisionAPI"]
        if shape.box is None:
            prim.apis = [*prim.apis, "PhysicsMeshCollisionAPI"]
            prim.properties.append('uniform token physics:approximation = "convexHull"')
    if not shape.seen:
        prim.properties.append('uniform token purpose = "guide"')
    prim.properties += _look(shape)
    prim.properties += _mesh(shape, link_from_item) if shape.box is None else _cube(shape.box, link_from_item)
    return prim


def _look(shape: Shape) -> list[str]:
    *colour, opacity = tidy_colour(shape.colour).tolist()
    look = [f"color3f[] primvars:displayColor = [{vector(colour)}]"]
    return look if opacity >= 1.0 else [*look, f"float[] primvars:displayOpacity = [{number(opacity)}]"]


def _mesh(shape: Shape, link_from_item: Floats) -> list[str]:
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


def _cube(box: Box, link_from_item: Floats) -> list[str]:
    return [
        "float3[] extent = [(-0.5, -0.5, -0.5), (0.5, 0.5, 0.5)]",
        "double size = 1",
        f"double3 xformOp:scale = {vector(box.sides)}",
        f"matrix4d xformOp:transform = {matrix(link_from_item @ box.pose)}",
        'uniform token[] xformOpOrder = ["xformOp:transform", "xformOp:scale"]',
    ]
