"""Masses of rigid bodies, as OpenUSD computes them (UsdPhysicsRigidBodyAPI::ComputeMassProperties)."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from rck.geometry.arrays import Floats, frozen
from rck.geometry.mass_properties import (
    NO_MASS,
    MassProperties,
    combine,
    inertia_from_second,
    mass_properties,
    moved,
    unsigned_mass_properties,
)
from rck.geometry.mesh import joined_meshes
from rck.geometry.transforms import from_quaternion, invert
from rck.importing.import_report import Report
from rck.importing.link_masses import scaled, symmetric
from rck.importing.link_shapes import PlacedShape
from rck_importers.usd.poses import rigid_part
from rck_importers.usd.stage import Prim, Stage, Units

DENSITY = 1000.0
"""In kg/m3, of shapes without mass and density."""
_RADIUS = 0.1
"""In metres, of the sphere whose inertia a body with a mass but without shapes gets."""


def body_mass(
    body: Prim, world_from_link: Floats, colliders: Sequence[tuple[Prim, PlacedShape]], stage: Stage, report: Report
) -> MassProperties:
    """Return the mass properties of a rigid body in the frame of its link."""
    units = stage.units
    whole = combine(_collider_mass(prim, placed, body, stage, report) for prim, placed in colliders)
    stated = body.number("physics:mass", 0.0) * units.kilograms
    mass = stated if stated > 0 else whole.mass
    if not mass > 0:
        return NO_MASS
    link_from_body = invert(world_from_link) @ body.matrix
    centre, inertia = _centre(body, link_from_body), _inertia(body, link_from_body, units)
    if inertia is None and not whole.mass > 0:
        message = f"has a mass, but neither an inertia nor shapes; that of a ball of {_RADIUS:g} m was assumed"
        report.note(408, body.where, message, kind="inertia of a ball")
        inertia = np.eye(3) * 0.4 * mass * _RADIUS**2
    if inertia is None:
        inertia = scaled(whole, mass / whole.mass).inertia
        if centre is not None:
            arm = centre - whole.centre
            inertia = inertia + inertia_from_second(mass * np.outer(arm, arm))
    own_centre = centre if centre is not None else whole.centre
    return MassProperties(mass, frozen(own_centre), frozen(inertia))


def _centre(body: Prim, link_from_body: Floats) -> Floats | None:
    """Return the stated centre of mass in the frame of the link; None if there is none."""
    centre = body.numbers("physics:centerOfMass", 3)
    if centre is None or not np.isfinite(centre).all():
        return None
    return np.asarray(link_from_body[:3, :3] @ centre + link_from_body[:3, 3])


def _inertia(body: Prim, link_from_body: Floats, units: Units) -> Floats | None:
    """Return the stated inertia along the axes of the link; None if there is none."""
    turn = rigid_part(link_from_body)[:3, :3]
    whole = body.values.get("newton:inertia")
    if whole is not None and len(whole) == 6:
        xx, yy, zz, xy, xz, yz = np.asarray(whole, dtype=float).tolist()
        return np.asarray(turn @ symmetric(xx, yy, zz, xy, xz, yz) @ turn.T * units.inertia(True))
    moments = body.numbers("physics:diagonalInertia", 3)
    if moments is None or not moments.any():
        return None
    axes = body.numbers("physics:principalAxes", 4)
    if axes is not None and np.linalg.norm(axes) > 1e-6:
        turn = turn @ from_quaternion(axes)[:3, :3]
    return np.asarray(turn @ np.diag(moments) @ turn.T * units.inertia(True))


def _collider_mass(prim: Prim, placed: PlacedShape, body: Prim, stage: Stage, report: Report) -> MassProperties:
    """Return the mass properties of a shape in the frame of the link."""
    solid = _solid(prim, placed)
    if prim.text("newton:massModel") == "shell" or prim.flag("mjc:shellinertia", False):
        report.lost("mass of a shell, which was taken as solid,", prim.where)
    stated = prim.number("physics:mass", 0.0) * stage.units.kilograms
    mass = stated if stated > 0 else solid.mass * _density(prim, body, stage)
    if not solid.mass > 0 or not mass > 0:
        return NO_MASS
    return moved(replace(scaled(solid, mass / solid.mass), mass=mass), placed.pose)


def _solid(prim: Prim, placed: PlacedShape) -> MassProperties:
    """Return the mass properties of a shape at density 1; a mesh has those of its convex pieces, if MuJoCo agrees."""
    rule = prim.text("mjc:inertia")
    if prim.type != "Mesh" or rule == "exact":
        return placed.shape.solid
    if rule == "legacy":
        return unsigned_mass_properties(joined_meshes([surface.mesh for surface in placed.shape.surfaces]))
    return combine(mass_properties(piece.moments, 1.0) for piece in placed.shape.pieces.shapes)


def _density(prim: Prim, body: Prim, stage: Stage) -> float:
    """Return the density of a shape: its own, that of its material, or that of its body."""
    unit = stage.units.kilograms / stage.units.metres**3
    material = stage.by_path.get(prim.physics_material)
    for owner in (prim, material, body):
        density = 0.0 if owner is None else owner.number("physics:density", 0.0)
        if density > 0:
            return density * unit
    return DENSITY
