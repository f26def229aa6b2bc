"""Items: rigid groups of subitems."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from math import inf

import numpy as np
from numpy.typing import ArrayLike

from rck.geometry.arrays import Floats, frozen
from rck.geometry.mass import (
    MassProperties,
    combine,
    is_positive_definite,
    keeps_triangle_inequality,
)
from rck.geometry.sphere import Sphere, smallest_sphere
from rck.model.finding import Built, Finding, Severity, errors_of
from rck.model.names import name_findings
from rck.model.origin import Origin
from rck.model.pose import IDENTITY, build_pose
from rck.model.subitem import Subitem
from rck.model.visual import Visual


@dataclass(frozen=True, eq=False)
class Item:
    """A rigid list of subitems in one frame. Build one with :func:`build_item`."""

    name: str
    subitems: tuple[Subitem, ...] = ()
    pose: Floats = field(default_factory=lambda: IDENTITY)
    """World from item, while every joint stands at its `position`. Shape (4, 4)."""
    mobile: bool = False
    """Whether something that bumps into it may push it along."""
    given_mass: MassProperties | None = None
    """Mass, centre and inertia in the item's frame where they are known; else they follow from the subitems."""
    visuals: tuple[Visual, ...] = ()
    """How it looks where the subitems only approximate that, in the item's frame; empty where they do not."""
    origin: Origin | None = None
    """The part that it comes from; None where nobody knows, as in a file of another program."""
    friction: float | None = None
    """Coefficient of sliding friction; None where it is not known. See :func:`rck.model.materials.pair_friction`."""

    @cached_property
    def mass_properties(self) -> MassProperties:
        """Mass, centre of mass and inertia about it, in the item's frame."""
        return self.given_mass or combine(subitem.mass_properties for subitem in self.subitems)

    @property
    def mass(self) -> float:
        """In kg."""
        return self.mass_properties.mass

    @cached_property
    def sphere(self) -> Sphere | None:
        """The smallest sphere that holds every vertex, in the item's frame; None without subitems."""
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
    """An item, or the findings that say why it is none."""
    where = f"item {name}"
    world_from_item = build_pose(pose, where)
    findings = [*name_findings(name, where), *world_from_item.findings]
    if mass is not None:
        findings += mass_findings(mass, where)
    if friction is not None and not 0 <= friction < inf:
        message = f"friction {friction:g} is not a number from 0 on"
        findings.append(Finding(104, Severity.ERROR, where, message, "give a coefficient such as 0.5"))
    if errors_of(findings) or world_from_item.value is None:
        return Built(None, tuple(findings))
    given = None if mass is None else _frozen_mass(mass)
    item = Item(name, tuple(subitems), world_from_item.value, mobile, given, tuple(visuals), origin, friction)
    return Built(item, tuple(findings))


def mass_findings(body: MassProperties, where: str) -> list[Finding]:
    """What is impossible about the mass properties of a real body."""
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
    fix = "leave the inertia out: it then follows from the shapes"
    if not is_positive_definite(inertia):
        return [Finding(402, Severity.ERROR, where, "the inertia is not symmetric and positive definite", fix)]
    if not keeps_triangle_inequality(inertia):
        low, middle, high = np.linalg.eigvalsh(inertia)
        message = f"principal inertia {high:.4g} exceeds the sum of the others, {low:.4g} and {middle:.4g} kg m2"
        return [Finding(403, Severity.ERROR, where, message, fix)]
    return []


def _frozen_mass(body: MassProperties) -> MassProperties:
    """The same body in read-only arrays, whatever holds its numbers now."""
    centre = np.ravel(np.asarray(body.centre, dtype=float))
    return MassProperties(float(body.mass), frozen(centre), frozen(np.asarray(body.inertia, dtype=float)))


def place_item(item: Item, pose: Floats) -> Item:
    """The item at another pose in the world; what was worked out in its own frame stays known."""
    return _with_pose(item, frozen(pose))


def place_items(items: Iterable[Item], poses: Floats) -> tuple[Item, ...]:
    """The items at other poses in the world, shape (items, 4, 4), as :func:`place_item` does for one."""
    return tuple(_with_pose(item, pose) for item, pose in zip(items, frozen(poses), strict=True))


def _with_pose(item: Item, pose: Floats) -> Item:
    # Assemblies move thousands of items at every change; `dataclasses.replace` takes three times as long.
    moved = object.__new__(Item)
    moved.__dict__.update(item.__dict__)
    moved.__dict__["pose"] = pose
    return moved
