"""Items: rigid groups of subitems (SEEDS L1)."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property

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
from rck.geometry.transforms import is_rigid
from rck.model.finding import Built, Finding, Severity, errors_of
from rck.model.names import name_findings
from rck.model.subitem import Subitem

IDENTITY = frozen(np.eye(4))


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
) -> Built[Item]:
    """An item, or the findings that say why it is none."""
    where = f"item {name}"
    world_from_item = np.asarray(pose, dtype=float)
    findings = name_findings(name, where)
    if world_from_item.shape != (4, 4) or not np.isfinite(world_from_item).all():
        findings.append(Finding(101, Severity.ERROR, where, "the pose is not a 4x4 matrix of finite numbers"))
    elif not is_rigid(world_from_item):
        message = "the pose scales, shears or mirrors"
        findings.append(Finding(309, Severity.ERROR, where, message, "apply the scale to the subitems instead"))
    if mass is not None:
        findings += mass_findings(mass, where)
    if errors_of(findings):
        return Built(None, tuple(findings))
    return Built(Item(name, tuple(subitems), frozen(world_from_item), mobile, mass), tuple(findings))


def mass_findings(body: MassProperties, where: str) -> list[Finding]:
    """What is impossible about the mass properties of a real body."""
    numbers = np.concatenate([[body.mass], np.ravel(body.centre), np.ravel(body.inertia)])
    if not np.isfinite(numbers).all():
        return [Finding(101, Severity.ERROR, where, "mass, centre or inertia is not a finite number")]
    if body.mass < 0:
        return [Finding(407, Severity.ERROR, where, f"mass {body.mass:g} kg is negative")]
    if body.mass == 0:
        return []
    fix = "leave the inertia out: it then follows from the shapes"
    if not is_positive_definite(body.inertia):
        return [Finding(402, Severity.ERROR, where, "the inertia is not positive definite", fix)]
    if not keeps_triangle_inequality(body.inertia):
        low, middle, high = np.linalg.eigvalsh(body.inertia)
        message = f"principal inertia {high:.4g} exceeds the sum of the others, {low:.4g} and {middle:.4g} kg m2"
        return [Finding(403, Severity.ERROR, where, message, fix)]
    return []


def place_item(item: Item, pose: Floats) -> Item:
    """The item at another pose in the world."""
    moved = replace(item, pose=frozen(pose))
    for known in ("mass_properties", "sphere"):
        if known in item.__dict__:
            moved.__dict__[known] = item.__dict__[known]
    return moved
