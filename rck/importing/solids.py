"""Parts made of surfaces without links and joints, as in mesh and CAD files."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from rck.geometry.arrays import Floats, frozen
from rck.geometry.mass_properties import combine, moved
from rck.geometry.transforms import identity, rotation_about, scaling
from rck.hooks import Job, Option, Values
from rck.importing import import_options
from rck.importing.convex_pieces import Convexity, welded_solids
from rck.importing.file_errors import refused
from rck.importing.import_report import Report
from rck.importing.legal_names import allowed_names
from rck.importing.link_items import item_of
from rck.importing.link_masses import scaled, with_density
from rck.importing.link_shapes import LinkShape, PlacedShape
from rck.importing.mesh_file import Surface
from rck.model import Item, Joint, JointKind, PartDefinition
from rck.model.materials import DENSITY
from rck.support.units import UNITS, from_si

ITEMS = ("one", "objects", "bodies")


def solid_options(items: str, convex: str) -> tuple[Option, ...]:
    """Return the options of importers of solids, with these defaults."""
    return (
        Option(
            "items",
            "items: one for everything, one for each object of the file, or one for each body",
            "choice",
            items,
            ITEMS,
        ),
        import_options.convex_option(convex),
        import_options.TOLERANCE,
        import_options.MOST_CORNERS,
        Option("weld", "weld vertices at most this far apart (default: a millionth of the size)", "length"),
        Option("material", "material of everything", "choice", None, tuple(sorted(DENSITY))),
        replace(import_options.DENSITY, help="density in kg/m3, instead of a material"),
        Option("mass", "total mass in kg, instead of a density", "number"),
        Option("visuals", "keep the original surfaces where convex pieces only approximate them", "flag", True),
        import_options.ALLOW_OUTSIDE,
        import_options.MOST_MEGABYTES,
        import_options.MOST_TRIANGLES,
        import_options.MOST_OBJECTS,
        import_options.MOST_SECONDS,
        import_options.MOST_MEMORY,
    )


UNIT = Option(
    "length-unit",
    "length unit of the file, if it states none or a wrong one",
    "choice",
    "auto",
    ("auto", *UNITS["length"]),
)
UP = Option("up", "axis that points up, if the file states none or a wrong one", "choice", "auto", ("auto", *"xyz"))


@dataclass(frozen=True, slots=True)
class SolidOptions:
    """Options of an import of solids."""

    items: str
    convexity: Convexity
    density: float
    """In kg/m3."""
    mass: float | None
    """Total mass in kg, instead of the density."""
    visuals: bool


def read_solid_options(values: Values, items: str, convexity: Convexity) -> SolidOptions:
    """Return the values of the options."""
    mass = values.get("mass")
    if mass is not None and not 0 < mass <= 1e12:
        raise refused("option mass", f"{mass:g} kg is not possible", code=407)
    weld = values.get("weld")
    if weld is not None and not 0 <= weld < 1e9:
        raise refused("option weld", f"{weld:g} m is not a valid tolerance", code=104)
    material = values.get("material")
    return SolidOptions(
        str(values.get("items", items)),
        replace(convexity, weld=weld),
        DENSITY[str(material)] if material else import_options.density_of(values),
        mass,
        bool(values.get("visuals", True)),
    )


def metres_and_up(values: Values, metres: float | None, up: str, usual: str, where: str, report: Report) -> Floats:
    """Return the map to metres with z up; `usual` is the unit of files that state none. Shape (4, 4)."""
    unit = str(values.get("length-unit", "auto"))
    if unit != "auto":
        metres = 1 / from_si(1.0, "length", unit)
    if metres is None:
        report.note(504, where, f"the file states no unit; {usual} was assumed", "set it with the option length-unit")
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


@dataclass(frozen=True, eq=False)
class SolidGroup:
    """Shapes that become one item."""

    item: str
    pose: Floats
    """Part from item. Shape (4, 4)."""
    shapes: tuple[PlacedShape, ...]


def rigid_part(
    name: str, surfaces: Sequence[Surface], chosen: SolidOptions, where: str, report: Report, job: Job
) -> PartDefinition:
    """Return one rigid part made of surfaces, in metres; report surfaces that give no solid."""
    groups = []
    listed = _groups(name, surfaces, chosen)
    for number, (item, some) in enumerate(listed):
        done = 0.3 + 0.7 * number / len(listed)
        convexity = replace(chosen.convexity, job=job.part(done, done, item))
        placed = (
            PlacedShape(
                LinkShape((surface.name, number, part), (surface,), convexity),
                identity(),
                surface.colour,
                surface.name,
                texture=surface.texture,
            )
            for part, surface in enumerate(some)
        )
        groups.append(SolidGroup(item, identity(), tuple(placed)))
    return part_of_groups(name, groups, chosen, where, report, job)


def part_of_groups(
    name: str, groups: Sequence[SolidGroup], chosen: SolidOptions, where: str, report: Report, job: Job | None = None
) -> PartDefinition:
    """Return one rigid part with an item for each group that has a solid."""
    names = allowed_names((group.item for group in groups), "item", where, report)
    items: list[Item] = []
    for number, (group, item_name) in enumerate(zip(groups, names, strict=True)):
        if job is not None:
            job.progress(0.3 + 0.7 * number / len(groups), item_name)
        item = item_of(group.shapes, (), "collision", chosen.visuals, where, report)
        if item.subitems:
            filled = _filled(item, group.shapes, chosen.density)
            items.append(replace(filled, name=item_name, pose=frozen(group.pose), source_name=group.item))
    if not items:
        gravest = next((finding for finding in report.findings if finding.code == 503), None)
        message = gravest.message if gravest else "the file contains no solid"
        raise refused(where, message, code=304, fix="use hulls with the option convex, or repair the file")
    if chosen.mass is not None:
        share = chosen.mass / sum(item.mass for item in items)
        items = [_scaled(item, share) for item in items]
    else:
        report.note(
            408, where, f"the density {chosen.density:g} kg/m3 was assumed", "set the option material, density or mass"
        )
    return fastened(allowed_names([name], "robot", where, report)[0], items)


def fastened(name: str, items: Sequence[Item]) -> PartDefinition:
    """Return one rigid part: all items are fixed to the first."""
    others = tuple(item.name for item in items[1:])
    joints = (Joint("fixed", JointKind.FIXED, items[0].name, others),) if others else ()
    return PartDefinition(name, tuple(items), joints)


def _groups(name: str, surfaces: Sequence[Surface], chosen: SolidOptions) -> list[tuple[str, list[Surface]]]:
    """Return the name and the surfaces of each item."""
    if chosen.items == "one":
        return [(name, list(surfaces))]
    if chosen.items == "objects":
        return [(surface.name, [surface]) for surface in surfaces]
    return [(body.name, [body]) for surface in surfaces for body in _bodies(surface, chosen.convexity.weld)]


def _bodies(surface: Surface, weld: float | None) -> list[Surface]:
    """Return the connected bodies of a surface, with their cavities, and its open parts."""
    welded = welded_solids(surface.mesh, weld)
    found = [*welded.bodies, *welded.open_bodies]
    # Welding changes the corners, so that the texture points do not fit.
    plain = replace(surface, texture=None, texture_points=None)
    return [replace(plain, mesh=mesh, name=f"{surface.name}-{n}") for n, mesh in enumerate(found, 1)]


def _filled(item: Item, placed: Sequence[PlacedShape], density: float) -> Item:
    """Return the item with the density, and with the mass of the original surfaces if they are closed."""
    filled = with_density(item, density)
    if all(one.shape.pieces.exact and one.shape.true_solid is None for one in placed):
        return filled
    solid = combine(moved(one.shape.solid, one.pose) for one in placed)
    return filled if not solid.mass > 0 else replace(filled, given_mass=scaled(solid, density))


def _scaled(item: Item, share: float) -> Item:
    subitems = tuple(replace(one, density=one.density * share) for one in item.subitems)
    given = item.given_mass
    return replace(item, subitems=subitems, given_mass=None if given is None else scaled(given, share))


def moved_surfaces(surfaces: Sequence[Surface], matrix: Floats) -> list[Surface]:
    """Return the surfaces under an affine map."""
    return [surface.moved(matrix) for surface in surfaces]
