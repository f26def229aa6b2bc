"""Masses that files give, checked; and computed where they are broken or missing."""

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite, pi

import numpy as np

from rck.geometry.arrays import Floats, frozen
from rck.geometry.mass import NO_MASS, MassProperties, combine, mass_properties, moved
from rck.importing.report import Report
from rck.model import Item, Joint
from rck.model.item import mass_findings
from rck.model.tree import derive_tree

LEAST_SIDE = 0.01
"""What has neither mass nor shape and yet must move weighs as much as a cube with this side, in metres."""


def weighed(
    items: Sequence[Item],
    given: Sequence[MassProperties | None],
    joints: Sequence[Joint],
    density: float,
    wheres: Sequence[str],
    report: Report,
) -> list[Item]:
    """The items with masses: the given ones where they are sound, and mass for whatever moves."""
    known = any(mass is not None and mass.mass > 0 for mass in given)
    weighed_items = []
    for item, mass, where in zip(items, given, wheres, strict=True):
        if mass is None and not known and item.subitems:
            report.note(408, where, f"no masses in the file; {density:g} kg/m3 was assumed", kind="all from density")
            weighed_items.append(made_of(item, density))
        else:
            weighed_items.append(_with_mass(item, _sound(item, mass or NO_MASS, density, where, report)))
    tree = derive_tree(weighed_items, joints)
    for group in tree.value.rigid_groups if tree.value is not None else ():
        members = [weighed_items[number] for number in group.items]
        moves = group.joint is not None or any(member.mobile for member in members)
        if not moves or any(member.mass > 0 for member in members):
            continue
        lead = next((number for number in group.items if weighed_items[number].subitems), group.items[0])
        item = weighed_items[lead]
        weighed_items[lead] = made_of(item, density) if item.subitems else _with_mass(item, least_mass(density))
        message = f"moves and has no mass; {weighed_items[lead].mass:.3g} kg was assumed"
        report.warn(408, wheres[lead], message, "give it a mass in the file, or set the option density", kind="no mass")
    return weighed_items


def made_of(item: Item, density: float) -> Item:
    """The item with the density in all its subitems, and the mass that follows from that."""
    return replace(item, subitems=tuple(replace(one, density=density) for one in item.subitems), given_mass=None)


def _with_mass(item: Item, mass: MassProperties) -> Item:
    """The item with that mass, spread evenly over its subitems as far as they tell of it."""
    volume = sum(one.shape.volume for one in item.subitems)
    return replace(made_of(item, mass.mass / volume if volume > 0 else 0.0), given_mass=mass)


def _sound(item: Item, mass: MassProperties, density: float, where: str, report: Report) -> MassProperties:
    """The mass as given if a body can have it; else with the inertia that the shapes would have."""
    if mass.mass == 0:
        return NO_MASS
    wrong = mass_findings(mass, item.name)
    if not wrong:
        return mass
    if not isfinite(mass.mass) or mass.mass < 0:
        report.warn(502, where, f"mass {mass.mass:g} kg cannot be; left out", kind="no mass")
        return NO_MASS
    body = _body(item, mass.mass, density)
    centre = mass.centre if np.isfinite(mass.centre).all() else body.centre
    message = f"{wrong[0].message}; replaced by that of its shapes"
    report.warn(502, where, message, kind="inertia")
    return replace(scaled(body, mass.mass / body.mass), mass=mass.mass, centre=frozen(centre))


def _body(item: Item, mass: float, density: float) -> MassProperties:
    """What the shapes would be if they were solid; a ball where there are none."""
    if item.subitems:
        return combine(mass_properties(one.shape.moments, density) for one in item.subitems)
    return ball(mass, density)


def ball(mass: float, density: float) -> MassProperties:
    """A ball of that mass and density round the origin."""
    radius = (3 * mass / (4 * pi * density)) ** (1 / 3)
    return MassProperties(mass, frozen(np.zeros(3)), frozen(np.eye(3) * 0.4 * mass * radius**2))


def least_mass(density: float) -> MassProperties:
    """What stands in for a body that moves and has neither mass nor shape."""
    mass = density * LEAST_SIDE**3
    return MassProperties(mass, frozen(np.zeros(3)), frozen(np.eye(3) * mass * LEAST_SIDE**2 / 6))


SHARE = 1e-6
"""Of the mass of a body that stands on several joints, what each item between them gets."""


def shared_out(mass: MassProperties, between: int) -> tuple[MassProperties, MassProperties]:
    """The mass of each of so many items between the joints of a body, and what the body keeps.

    They share its centre, so that together they are the body as long as the joints stand at their reference.
    """
    return scaled(mass, SHARE), scaled(mass, 1 - between * SHARE)


def scaled(body: MassProperties, factor: float) -> MassProperties:
    """The body with so many times its mass in the same places."""
    return MassProperties(body.mass * factor, body.centre, frozen(body.inertia * factor))


def mass_at(pose: Floats, mass: float, inertia: Floats) -> MassProperties:
    """A mass at the origin of a pose, with the inertia along its axes, seen from where the pose is given."""
    return moved(MassProperties(mass, NO_MASS.centre, inertia), pose)


def symmetric(xx: float, yy: float, zz: float, xy: float, xz: float, yz: float) -> Floats:
    """The inertia of six numbers. Shape (3, 3)."""
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
