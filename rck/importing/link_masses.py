"""Masses of imported links: as the file gives them, computed from shapes if the file gives none."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from rck.geometry.arrays import Floats, frozen
from rck.geometry.mass_properties import NO_MASS, MassProperties, moved, nearest_inertia
from rck.importing.import_report import Report
from rck.model import Item, Joint
from rck.model.item import mass_findings
from rck.model.tree import derive_tree
from rck.support.finding import Severity

USUAL_DENSITY = 1000.0
"""Density in kg/m3 of all links if the file gives no masses."""


@dataclass(frozen=True, slots=True)
class MassOptions:
    """Treatment of missing and impossible masses."""

    density: float | None = None
    """Density in kg/m3 of moving links without mass; None to keep them massless, unless the file has no masses."""
    repair: bool = False
    """True to replace impossible inertias by the nearest possible ones."""


def with_masses(
    items: Sequence[Item],
    given: Sequence[MassProperties | None],
    joints: Sequence[Joint],
    options: MassOptions,
    wheres: Sequence[str],
    report: Report,
) -> list[Item]:
    """Return the items with the given masses; if the file gives none, with masses that follow from the shapes."""
    known = any(mass is not None and mass.mass > 0 for mass in given)
    density = USUAL_DENSITY if options.density is None else options.density
    massive_items = []
    for item, mass, where in zip(items, given, wheres, strict=True):
        if mass is None and not known and item.subitems:
            report.note(408, where, f"no masses in the file; {density:g} kg/m3 was assumed", kind="all from density")
            massive_items.append(with_density(item, density))
        else:
            massive_items.append(_with_mass(item, _stated(mass or NO_MASS, options.repair, where, report)))
    tree = derive_tree(massive_items, joints)
    for group in tree.value.rigid_groups if tree.value is not None else ():
        members = [massive_items[number] for number in group.items]
        moves = group.joint is not None or any(member.mobile for member in members)
        if not moves or any(member.mass > 0 for member in members):
            continue
        lead = next((number for number in group.items if massive_items[number].subitems), group.items[0])
        if options.density is not None and massive_items[lead].subitems:
            massive_items[lead] = with_density(massive_items[lead], density)
            message = f"moves and has no mass; {massive_items[lead].mass:.3g} kg was assumed"
            report.warn(408, wheres[lead], message, "give it a mass in the file", kind="assumed mass")
        else:
            fix = "give it a mass in the file, or set the option density; most simulators require a mass"
            report.warn(401, wheres[lead], "moves and has no mass", fix, kind="no mass")
    return massive_items


def with_density(item: Item, density: float) -> Item:
    """Return the item with this density for all its subitems, and the resulting mass."""
    return replace(item, subitems=tuple(replace(one, density=density) for one in item.subitems), given_mass=None)


def _with_mass(item: Item, mass: MassProperties) -> Item:
    """Return the item with that mass; its subitems get the mean density."""
    volume = sum(one.shape.volume for one in item.subitems)
    return replace(with_density(item, mass.mass / volume if volume > 0 else 0.0), given_mass=mass)


def _stated(mass: MassProperties, repair: bool, where: str, report: Report) -> MassProperties:
    """Return the mass as the file gives it, with a warning if no body can have it; on request, the nearest possible."""
    if mass.mass == 0:
        if mass.inertia.any():
            report.warn(502, where, "the inertia of a link without mass was ignored", kind="inertia without mass")
        return NO_MASS
    for finding in mass_findings(mass, where):
        if finding.severity is Severity.ERROR:
            report.warn(502, where, f"{finding.message}; its mass was ignored", finding.fix, kind="no mass")
            return NO_MASS
        if not repair:
            fix = f"{finding.fix}, or import the file with the option repair-inertia"
            report.add(replace(finding, fix=fix), f"inertia {finding.code}")
            return mass
        if not mass.inertia.any():
            # A point mass is possible; only simulators refuse it.
            report.add(finding, f"inertia {finding.code}")
            return mass
        size = float(np.linalg.norm(mass.inertia))
        nearest = nearest_inertia(mass.inertia, _LEAST_REPAIRED * size)
        change = np.linalg.norm(nearest - mass.inertia) / size
        message = f"{finding.message}; replaced by the nearest possible inertia, which differs by {change:.2%}"
        report.warn(502, where, message, kind="repaired inertia")
        return replace(mass, inertia=frozen(nearest))
    return mass


_LEAST_REPAIRED = 1e-6
"""Smallest principal moment of a repaired inertia, relative to the norm of the stated one."""
_SHARES = 1e-10, 1e-6
"""Smallest and largest fraction of the mass of a body on several joints that each intermediate item gets."""
_LEAST_MOMENT = 1e-14
"""In kg m2, of intermediate items; simulators treat less as zero."""


def split_mass(mass: MassProperties, between: int) -> tuple[MassProperties, MassProperties]:
    """Return the mass of each of the `between` intermediate items of a body on several joints, and that of the body.

    All share one centre of mass, so that they equal the body while the joints are at their reference position.
    """
    low = float(np.linalg.eigvalsh(mass.inertia)[0])
    least, most = _SHARES
    share = min(max(_LEAST_MOMENT / low, least), most) if low > 0 else most
    return scaled(mass, share), scaled(mass, 1 - between * share)


def scaled(body: MassProperties, factor: float) -> MassProperties:
    """Return the mass properties scaled by a factor, with the same mass distribution."""
    return MassProperties(body.mass * factor, body.centre, frozen(body.inertia * factor))


def mass_at(pose: Floats, mass: float, inertia: Floats) -> MassProperties:
    """Return a mass at the origin of a pose, with inertia along its axes, in the parent frame of the pose."""
    return moved(MassProperties(mass, NO_MASS.centre, inertia), pose)


def symmetric(xx: float, yy: float, zz: float, xy: float, xz: float, yz: float) -> Floats:
    """Return the inertia matrix of six numbers. Shape (3, 3)."""
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
