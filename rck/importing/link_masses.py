"""Masses of imported links: checked if the file gives them, computed if they are invalid or missing."""

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite, pi

import numpy as np

from rck.geometry.arrays import Floats, frozen
from rck.geometry.mass_properties import NO_MASS, MassProperties, combine, mass_properties, moved
from rck.importing.import_report import Report
from rck.model import Item, Joint
from rck.model.item import mass_findings
from rck.model.tree import derive_tree

LEAST_SIDE = 0.01
"""Side, in metres, of the cube whose mass is assumed for a moving item without mass and shape."""


def with_masses(
    items: Sequence[Item],
    given: Sequence[MassProperties | None],
    joints: Sequence[Joint],
    density: float,
    wheres: Sequence[str],
    report: Report,
) -> list[Item]:
    """Return the items with masses: the given ones if valid, and assumed ones for moving groups without mass."""
    known = any(mass is not None and mass.mass > 0 for mass in given)
    massive_items = []
    for item, mass, where in zip(items, given, wheres, strict=True):
        if mass is None and not known and item.subitems:
            report.note(408, where, f"no masses in the file; {density:g} kg/m3 was assumed", kind="all from density")
            massive_items.append(with_density(item, density))
        else:
            massive_items.append(_with_mass(item, _sound(item, mass or NO_MASS, density, where, report)))
    tree = derive_tree(massive_items, joints)
    for group in tree.value.rigid_groups if tree.value is not None else ():
        members = [massive_items[number] for number in group.items]
        moves = group.joint is not None or any(member.mobile for member in members)
        if not moves or any(member.mass > 0 for member in members):
            continue
        lead = next((number for number in group.items if massive_items[number].subitems), group.items[0])
        item = massive_items[lead]
        massive_items[lead] = with_density(item, density) if item.subitems else _with_mass(item, least_mass(density))
        message = f"moves and has no mass; {massive_items[lead].mass:.3g} kg was assumed"
        report.warn(408, wheres[lead], message, "give it a mass in the file, or set the option density", kind="no mass")
    return massive_items


def with_density(item: Item, density: float) -> Item:
    """Return the item with this density for all its subitems, and the resulting mass."""
    return replace(item, subitems=tuple(replace(one, density=density) for one in item.subitems), given_mass=None)


def _with_mass(item: Item, mass: MassProperties) -> Item:
    """Return the item with that mass; its subitems get the mean density."""
    volume = sum(one.shape.volume for one in item.subitems)
    return replace(with_density(item, mass.mass / volume if volume > 0 else 0.0), given_mass=mass)


def _sound(item: Item, mass: MassProperties, density: float, where: str, report: Report) -> MassProperties:
    """Return the given mass if it is physically valid; otherwise with the inertia computed from the shapes."""
    if mass.mass == 0:
        return NO_MASS
    wrong = mass_findings(mass, item.name)
    if not wrong:
        return mass
    if not isfinite(mass.mass) or mass.mass < 0:
        report.warn(502, where, f"mass {mass.mass:g} kg is not possible and was ignored", kind="no mass")
        return NO_MASS
    body = _body(item, mass.mass, density)
    centre = mass.centre if np.isfinite(mass.centre).all() else body.centre
    message = f"{wrong[0].message}; replaced by the inertia of its shapes"
    report.warn(502, where, message, kind="inertia")
    return replace(scaled(body, mass.mass / body.mass), mass=mass.mass, centre=frozen(centre))


def _body(item: Item, mass: float, density: float) -> MassProperties:
    """Return the mass properties of the solid shapes, or of a ball if there are no shapes."""
    if item.subitems:
        return combine(mass_properties(one.shape.moments, density) for one in item.subitems)
    return ball(mass, density)


def ball(mass: float, density: float) -> MassProperties:
    """Return the mass properties of a ball at the origin with that mass and density."""
    radius = (3 * mass / (4 * pi * density)) ** (1 / 3)
    return MassProperties(mass, frozen(np.zeros(3)), frozen(np.eye(3) * 0.4 * mass * radius**2))


def least_mass(density: float) -> MassProperties:
    """Return the mass assumed for a moving body without mass and shape."""
    mass = density * LEAST_SIDE**3
    return MassProperties(mass, frozen(np.zeros(3)), frozen(np.eye(3) * mass * LEAST_SIDE**2 / 6))


SHARE = 1e-6
"""Fraction of the mass of a body on several joints that each intermediate item gets."""


def split_mass(mass: MassProperties, between: int) -> tuple[MassProperties, MassProperties]:
    """Return the mass of each of the `between` intermediate items of a body on several joints, and that of the body.

    All share one centre of mass, so that they equal the body while the joints are at their reference position.
    """
    return scaled(mass, SHARE), scaled(mass, 1 - between * SHARE)


def scaled(body: MassProperties, factor: float) -> MassProperties:
    """Return the mass properties scaled by a factor, with the same mass distribution."""
    return MassProperties(body.mass * factor, body.centre, frozen(body.inertia * factor))


def mass_at(pose: Floats, mass: float, inertia: Floats) -> MassProperties:
    """Return a mass at the origin of a pose, with inertia along its axes, in the parent frame of the pose."""
    return moved(MassProperties(mass, NO_MASS.centre, inertia), pose)


def symmetric(xx: float, yy: float, zz: float, xy: float, xz: float, yz: float) -> Floats:
    """Return the inertia matrix of six numbers. Shape (3, 3)."""
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
