"""Items: rigid groups of subitems, and the visuals that show them."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf

import numpy as np
from numpy.typing import ArrayLike

from rck.geometry.arrays import Floats, frozen
from rck.geometry.bounding_sphere import Sphere, smallest_sphere
from rck.geometry.mass_properties import (
    MassProperties,
    combine,
    combine_solids,
    inertia_from_second,
    is_positive_definite,
    keeps_triangle_inequality,
)
from rck.geometry.transforms import frame, invert, is_rigid
from rck.model.extensions import Extensions, no_extensions
from rck.model.frame import IDENTITY, build_pose
from rck.model.origin import Origin
from rck.model.subitem import Colour, Subitem, move_subitem
from rck.model.visual import Visual, map_visual
from rck.support.finding import Built, Finding, Severity, errors_of
from rck.support.frozen_copy import copy_with
from rck.support.names import name_findings

_MANY_SUBITEMS = 32
"""From this number on, masses are computed in common arrays."""
_SYMMETRIC = 1e-9
"""Largest difference of the halves of a symmetric inertia, relative to its largest element."""


@dataclass(frozen=True, eq=False)
class Item:
    """A rigid body: subitems in one frame. Build one with :func:`build_item`."""

    name: str
    subitems: tuple[Subitem, ...] = ()
    pose: Floats = field(default_factory=lambda: IDENTITY)
    """World from item, with every joint at its `position`. Shape (4, 4)."""
    mobile: bool = False
    """True if it is not fixed to the world, so that other items can push it."""
    given_mass: MassProperties | None = None
    """Mass, centre and inertia in the item's frame if specified; otherwise they follow from the subitems."""
    visuals: tuple[Visual, ...] = ()
    """Displayed instead of the subitems, in the item's frame; empty to display the subitems."""
    origin: Origin | None = None
    """The part that it comes from; None if unknown, as in files of other programs."""
    friction: float | None = None
    """Coefficient of sliding friction; None if unknown. See :func:`rck.model.materials.pair_friction`."""
    source_name: str = ""
    """Its name in the file that it was imported from, which exports use again; empty to use `name`."""
    extensions: Extensions = field(default_factory=no_extensions)
    mass_status: str = ""
    """The origin of its mass: published, identified, measured, derived or drawn; empty if unknown."""

    @cached_property
    def mass_properties(self) -> MassProperties:
        """Mass, centre of mass and inertia about it, in the item's frame."""
        if self.given_mass is not None:
            return self.given_mass
        if len(self.subitems) < _MANY_SUBITEMS:
            return combine(subitem.mass_properties for subitem in self.subitems)
        solids = [subitem.shape.moments for subitem in self.subitems]
        return combine_solids(solids, [subitem.density for subitem in self.subitems])

    @property
    def mass(self) -> float:
        """In kg."""
        return self.mass_properties.mass

    @cached_property
    def sphere(self) -> Sphere | None:
        """The smallest sphere that contains every vertex, in the item's frame; None without subitems."""
        if not self.subitems:
            return None
        if len(self.subitems) == 1:
            return self.subitems[0].shape.sphere
        return smallest_sphere(np.concatenate([subitem.shape.vertices for subitem in self.subitems]))


def build_item(
    name: str,
    subitems: Iterable[Subitem],
    *,
    pose: ArrayLike = IDENTITY,
    mobile: bool = False,
    mass: MassProperties | None = None,
    visuals: Iterable[Visual] = (),
    origin: Origin | None = None,
    friction: float | None = None,
) -> Built[Item]:
    """Build an item, or return the findings that prevent it."""
    try:
        matrix = np.asarray(pose, dtype=float)
    except (TypeError, ValueError):
        matrix = np.empty(0)
    return check_item(Item(name, tuple(subitems), matrix, mobile, mass, tuple(visuals), origin, friction))


def check_item(item: Item) -> Built[Item]:
    """Return the item with read-only arrays, or the findings that prevent it."""
    where = f"item {item.name}"
    pose = build_pose(item.pose, where)
    findings = [*name_findings(item.name, where), *pose.findings]
    if item.given_mass is not None:
        findings += mass_findings(item.given_mass, where)
    if item.friction is not None and not 0 <= item.friction < inf:
        message = f"friction {item.friction:g} is not a finite number of at least 0"
        findings.append(Finding(104, Severity.ERROR, where, message, "use a coefficient such as 0.5"))
    if errors_of(findings) or pose.value is None:
        return Built(None, tuple(findings))
    mass = None if item.given_mass is None else _frozen_mass(item.given_mass)
    return Built(replace(item, pose=pose.value, given_mass=mass), tuple(findings))


def mass_findings(body: MassProperties, where: str) -> list[Finding]:
    """Return the findings for mass properties: errors for invalid ones, warnings for those that no real body has."""
    try:
        numbers = np.concatenate([np.ravel(body.mass), np.ravel(body.centre), np.ravel(body.inertia)]).astype(float)
    except (TypeError, ValueError):
        numbers = np.empty(0)
    if numbers.size != 13 or np.shape(body.inertia) != (3, 3) or not np.isfinite(numbers).all():
        message = "mass, centre and inertia must be 1, 3 and 3x3 finite numbers"
        return [Finding(101, Severity.ERROR, where, message)]
    if body.mass < 0:
        return [Finding(407, Severity.ERROR, where, f"mass {body.mass:g} kg is negative")]
    if body.mass == 0:
        return []
    inertia = np.asarray(body.inertia, dtype=float)
    if not np.allclose(inertia, inertia.T, rtol=0, atol=_SYMMETRIC * np.abs(inertia).max()):
        return [Finding(402, Severity.ERROR, where, "the inertia is not symmetric", "give both halves the same values")]
    fix = "correct the inertia"
    if not is_positive_definite(inertia):
        low = float(np.linalg.eigvalsh(inertia)[0])
        message = f"the inertia is not positive definite: its least principal moment is {low:.4g} kg m2"
        return [Finding(402, Severity.WARNING, where, message, fix)]
    if not keeps_triangle_inequality(inertia):
        low, middle, high = np.linalg.eigvalsh(inertia)
        message = f"principal inertia {high:.4g} exceeds the sum of the others, {low:.4g} and {middle:.4g} kg m2"
        return [Finding(403, Severity.WARNING, where, message, fix)]
    return []


def _frozen_mass(body: MassProperties) -> MassProperties:
    """Return the mass properties in read-only arrays."""
    centre = np.ravel(np.asarray(body.centre, dtype=float))
    return MassProperties(float(body.mass), frozen(centre), frozen(np.asarray(body.inertia, dtype=float)))


def place_item(item: Item, pose: Floats) -> Item:
    """Return the item at another pose in the world."""
    return copy_with(item, pose=frozen(pose))


def place_items(items: Iterable[Item], poses: Floats) -> tuple[Item, ...]:
    """Return the items at other poses in the world, shape (items, 4, 4)."""
    return tuple(copy_with(item, pose=pose) for item, pose in zip(items, frozen(poses), strict=True))


def map_item(item: Item, matrix: Floats, colour: Colour | None = None, mobile: bool = False) -> Item:
    """Apply an affine map of the world to an item; its frame stays rigid.

    The density stays, so an item scaled by two weighs eight times as much.
    """
    linear = matrix[:3, :3]
    origin = linear @ item.pose[:3, 3] + matrix[:3, 3]
    pose = frame(origin, z=linear @ item.pose[:3, 2], x=linear @ item.pose[:3, 0])
    new_from_old = invert(pose) @ matrix @ item.pose
    subitems = tuple(move_subitem(subitem, new_from_old) for subitem in item.subitems)
    visuals = tuple(map_visual(visual, new_from_old, colour) for visual in item.visuals)
    if colour is not None:
        subitems = tuple(replace(subitem, colour=colour) for subitem in subitems)
    mass = item.given_mass
    if mass is not None:
        mass = _map_mass(mass, new_from_old)
    part = item.origin
    if part is not None and not is_rigid(matrix):
        part = replace(part, altered=True)
    return replace(
        item,
        subitems=subitems,
        pose=frozen(pose),
        mobile=item.mobile or mobile,
        given_mass=mass,
        visuals=visuals,
        origin=part,
    )


def _map_mass(body: MassProperties, matrix: Floats) -> MassProperties:
    linear = matrix[:3, :3]
    growth = abs(float(np.linalg.det(linear)))
    # The second moments, the integral of x xT, follow from the inertia and transform linearly.
    second = 0.5 * np.trace(body.inertia) * np.eye(3) - body.inertia
    mapped = linear @ second @ linear.T * growth
    centre = linear @ body.centre + matrix[:3, 3]
    return MassProperties(body.mass * growth, frozen(centre), frozen(inertia_from_second(mapped)))
