"""Surfaces without links and joints, as mesh and CAD files have them, into items."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.mass import combine
from rck.geometry.mesh import transformed
from rck.geometry.transforms import identity, rotation_about, scaling
from rck.hooks import Job, Option, Values
from rck.importing import settings
from rck.importing.bodies import item_of
from rck.importing.convex import Convexity, welded_solids
from rck.importing.masses import made_of, scaled
from rck.importing.mesh_file import Surface
from rck.importing.names import lawful_names
from rck.importing.refusals import refused
from rck.importing.report import Report
from rck.importing.shapes import Placed, Shape
from rck.model import Item, JointKind, Robot, build_joint, build_robot
from rck.model.materials import DENSITY
from rck.model.units import UNITS, from_si

ITEMS = ("one", "objects", "bodies")


def solid_options(items: str, convex: str) -> tuple[Option, ...]:
    """The options of importers of bare solids, with what they do unless told."""
    return (
        Option("items", "what makes an item: all in one, each object of the file, each body", "choice", items, ITEMS),
        settings.convex_option(convex),
        settings.TOLERANCE,
        settings.MOST_CORNERS,
        Option("weld", "corners so near are one; a millionth of the size unless said", "length"),
        Option("material", "what everything is made of", "choice", None, tuple(sorted(DENSITY))),
        replace(settings.DENSITY, help="in kg/m3, instead of a material"),
        Option("mass", "of everything together, in kg, instead of a density", "number"),
        Option("visuals", "keep the true surfaces where the convex pieces only come near them", "flag", True),
        settings.ALLOW_OUTSIDE,
        settings.MOST_MEGABYTES,
        settings.MOST_TRIANGLES,
    )


UNIT = Option(
    "length-unit", "unit of the file, if it does not say or is wrong", "choice", "auto", ("auto", *UNITS["length"])
)
UP = Option("up", "the axis that points up, if the file says none or a wrong one", "choice", "auto", ("auto", *"xyz"))


@dataclass(frozen=True, slots=True)
class SolidWishes:
    """How solids are to come in."""

    items: str
    convexity: Convexity
    density: float
    """In kg/m3."""
    mass: float | None
    """Of everything together, in kg, instead of the density."""
    visuals: bool


def solid_wishes(values: Values, items: str, convexity: Convexity) -> SolidWishes:
    """The wishes that the options state."""
    mass = values.get("mass")
    if mass is not None and not 0 < mass <= 1e12:
        raise refused("option mass", f"{mass:g} kg is not possible", code=407)
    weld = values.get("weld")
    if weld is not None and not 0 <= weld < 1e9:
        raise refused("option weld", f"{weld:g} m is no tolerance", code=104)
    material = values.get("material")
    return SolidWishes(
        str(values.get("items", items)),
        replace(convexity, weld=weld),
        DENSITY[str(material)] if material else settings.density_of(values),
        mass,
        bool(values.get("visuals", True)),
    )


def metres_and_up(values: Values, metres: float | None, up: str, usual: str, where: str, report: Report) -> Floats:
    """The map from the file's unit and axes to metres with z up; `usual` is the unit of files that name none."""
    unit = str(values.get("length-unit", "auto"))
    if unit != "auto":
        metres = 1 / from_si(1.0, "length", unit)
    if metres is None:
        report.note(504, where, f"the file names no unit; {usual} was assumed", "give it with the option length-unit")
        metres = 1 / from_si(1.0, "length", usual)
    asked = str(values.get("up", "auto"))
    axis = up if asked == "auto" else asked
    turns = {
        "z": identity(),
        "y": rotation_about((1.0, 0.0, 0.0), np.pi / 2),
        "x": rotation_about((0.0, 1.0, 0.0), -np.pi / 2),
    }
    # Sine and cosine of a right angle are whole numbers.
    return np.round(turns[axis]) @ scaling(metres)


def robot_of(
    name: str, surfaces: Sequence[Surface], wishes: SolidWishes, where: str, report: Report, job: Job
) -> Robot:
    """The surfaces, in metres, as items of one rigid piece; surfaces that give no solid are reported."""
    groups = _groups(name, surfaces, wishes)
    names = lawful_names((group for group, _ in groups), "item", where, report)
    items: list[Item] = []
    for number, ((_, group), item_name) in enumerate(zip(groups, names, strict=True)):
        job.progress(0.3 + 0.7 * number / len(groups), item_name)
        placed = [
            Placed(
                Shape((surface.name, number, part), (surface,), wishes.convexity),
                identity(),
                surface.colour,
                surface.name,
            )
            for part, surface in enumerate(group)
        ]
        item = item_of(placed, (), "collision", wishes.visuals, where, report)
        if item.subitems:
            items.append(replace(_filled(item, placed, wishes.density), name=item_name))
    if not items:
        gravest = next((finding for finding in report.findings if finding.code == 503), None)
        message = gravest.message if gravest else "the file holds no solid"
        raise refused(where, message, code=304, fix="take hulls with the option convex, or mend the file")
    if wishes.mass is not None:
        share = wishes.mass / sum(item.mass for item in items)
        items = [_scaled(item, share) for item in items]
    else:
        report.note(408, where, f"the density {wishes.density:g} kg/m3 was assumed", "give a material, density or mass")
    return fastened(lawful_names([name], "robot", where, report)[0], items)


def fastened(name: str, items: Sequence[Item]) -> Robot:
    """The items as one rigid piece: all are fixed to the first."""
    others = tuple(item.name for item in items[1:])
    joints = [build_joint("fixed", JointKind.FIXED, items[0].name, others).unwrap()] if others else []
    return build_robot(name, items, joints).unwrap()


def _groups(name: str, surfaces: Sequence[Surface], wishes: SolidWishes) -> list[tuple[str, list[Surface]]]:
    """Which surfaces make which item."""
    if wishes.items == "one":
        return [(name, list(surfaces))]
    if wishes.items == "objects":
        return [(surface.name, [surface]) for surface in surfaces]
    return [(body.name, [body]) for surface in surfaces for body in _bodies(surface, wishes.convexity.weld)]


def _bodies(surface: Surface, weld: float | None) -> list[Surface]:
    """The connected solids of a surface, cavities with what they are in, and what encloses nothing."""
    welded = welded_solids(surface.mesh, weld)
    found = [*welded.bodies, *welded.open_bodies]
    return [replace(surface, mesh=mesh, name=f"{surface.name}-{n}") for n, mesh in enumerate(found, 1)]


def _filled(item: Item, placed: Sequence[Placed], density: float) -> Item:
    """The item made of the density: as heavy as the true surfaces make it, where they enclose something."""
    filled = made_of(item, density)
    if all(one.shape.pieces.exact for one in placed):
        return filled
    solid = combine(one.shape.solid for one in placed)
    return filled if not solid.mass > 0 else replace(filled, given_mass=scaled(solid, density))


def _scaled(item: Item, share: float) -> Item:
    subitems = tuple(replace(one, density=one.density * share) for one in item.subitems)
    given = item.given_mass
    return replace(item, subitems=subitems, given_mass=None if given is None else scaled(given, share))


def moved_surfaces(surfaces: Sequence[Surface], matrix: Floats) -> list[Surface]:
    """The surfaces under an affine map."""
    return [replace(surface, mesh=transformed(surface.mesh, matrix)) for surface in surfaces]
