"""Masses of SDF links, with the defaults of libsdformat: 1 kg, unit inertia, and 1000 kg/m3 for automatic ones."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rck.geometry.mass_properties import MassProperties, combine, moved
from rck.importing.import_report import Report
from rck.importing.link_masses import mass_at, scaled, symmetric
from rck.importing.link_shapes import PlacedShape
from rck.importing.xml_file import Element
from rck_importers.sdf.scopes import number_of, pose_element

DEFAULT_MASS = 1.0
DEFAULT_INERTIA = 1.0
DEFAULT_DENSITY = 1000.0
"""In kg/m3, of automatic inertias."""

_READ = {"pose", "mass", "inertia", "density"}


@dataclass(frozen=True, eq=False)
class CollisionShape:
    """Shape of a collision element, with the density that the element gives."""

    placed: PlacedShape
    density: float | None
    """In kg/m3; None if the element gives none."""


def link_mass(
    inertial: Element | None, collision: Sequence[CollisionShape], static: bool, where: str, report: Report
) -> MassProperties:
    """Return the mass of a link in its frame, as libsdformat gives it."""
    if inertial is None:
        if not static:
            message = f"no <inertial>; {DEFAULT_MASS:g} kg and unit inertia were assumed, as in libsdformat"
            report.note(408, where, message, kind="default inertial")
        return _default_mass()
    for child in inertial:
        if child.tag == "auto_inertia_params":
            report.left_out("<auto_inertia_params> of an automatic inertia", child.where)
        elif child.tag not in _READ:
            report.left_out(f"<{child.tag}> of <inertial>", child.where)
    if inertial.get("auto") in ("true", "1"):
        # Like libsdformat, keep the default for static models.
        return _default_mass() if static else _automatic_mass(inertial, collision, where, report)
    return _stated_mass(inertial)


def collision_density(element: Element, report: Report) -> float | None:
    """Return the density of a collision element; None if it gives none."""
    params = element.first("auto_inertia_params")
    if params is not None:
        report.left_out("<auto_inertia_params> of an automatic inertia", params.where)
    return None if element.first("density") is None else number_of(element, "density", DEFAULT_DENSITY)


def _default_mass() -> MassProperties:
    return mass_at(np.eye(4), DEFAULT_MASS, np.eye(3) * DEFAULT_INERTIA)


def _stated_mass(inertial: Element) -> MassProperties:
    pose, _ = pose_element(inertial)
    inertia = inertial.first("inertia")
    matrix = np.eye(3) * DEFAULT_INERTIA
    if inertia is not None:
        xx, yy, zz = (number_of(inertia, tag, DEFAULT_INERTIA) for tag in ("ixx", "iyy", "izz"))
        xy, xz, yz = (number_of(inertia, tag, 0.0) for tag in ("ixy", "ixz", "iyz"))
        matrix = symmetric(xx, yy, zz, xy, xz, yz)
    return mass_at(pose, number_of(inertial, "mass", DEFAULT_MASS), matrix)


def _automatic_mass(
    inertial: Element, collision: Sequence[CollisionShape], where: str, report: Report
) -> MassProperties:
    """Return the mass of the collision shapes; a stated mass replaces theirs, and the densities give its shares."""
    density = number_of(inertial, "density", DEFAULT_DENSITY)
    body = combine(
        scaled(moved(one.placed.shape.solid, one.placed.pose), density if one.density is None else one.density)
        for one in collision
    )
    if not body.mass > 0:
        message = f"an automatic inertia needs collision geometry; {DEFAULT_MASS:g} kg and unit inertia were assumed"
        report.warn(502, where, message, kind="automatic inertia")
        return _default_mass()
    if inertial.first("mass") is None:
        return body
    return scaled(body, number_of(inertial, "mass", DEFAULT_MASS) / body.mass)
