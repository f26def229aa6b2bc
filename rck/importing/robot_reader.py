"""Reading of robot descriptions: the steps that all robot formats share."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.transforms import from_euler, translation
from rck.hooks import Imported, Job, Option, Values
from rck.importing import import_options
from rck.importing.assets import Assets, Unavailable
from rck.importing.import_report import Report, reported
from rck.importing.link_masses import MassOptions
from rck.importing.link_shapes import LinkShape, MeshCache, PlacedShape
from rck.importing.linkage import Linkage, LinkageOptions, define_part
from rck.importing.work_budget import WorkBudget
from rck.importing.xml_file import Element, parse_xml
from rck.model import Colour, PartDefinition, Texture
from rck.support.finding import Severity

SHAPES = Option(
    "shapes",
    "geometry for collisions: collision, visual, or either: the visual if a link has no collision geometry",
    "choice",
    "collision",
    ("either", "collision", "visual"),
)
VISUALS = Option("visuals", "keep visual geometry that differs from the collision geometry", "flag", True)

DENSITY = Option(
    "density",
    "density in kg/m3 of moving links without mass (default: 1000 if the file gives no masses, else no mass)",
    "number",
)
REPAIR_INERTIA = Option(
    "repair-inertia", "replace inertias that no body can have by the nearest possible ones", "flag", False
)

ROBOT_OPTIONS = (
    SHAPES,
    VISUALS,
    import_options.convex_option("hull"),
    import_options.TOLERANCE,
    import_options.MOST_CORNERS,
    DENSITY,
    REPAIR_INERTIA,
    import_options.ALLOW_OUTSIDE,
    import_options.MOST_MEGABYTES,
    import_options.MOST_TRIANGLES,
    import_options.MOST_ELEMENTS,
    import_options.MOST_INCLUDES,
    import_options.MOST_OBJECTS,
    import_options.MOST_SECONDS,
    import_options.MOST_MEMORY,
)


_IMAGES = {b"\x89PNG": "png", b"\xff\xd8\xff": "jpg"}
"""The endings of image files by their first bytes."""


class HasPlace(Protocol):
    """An element of a file that knows its place."""

    @property
    def where(self) -> str:
        """The place, for messages."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Context of reading one file."""

    path: Path
    values: Values
    assets: Assets
    shelf: MeshCache
    report: Report
    job: Job
    budget: WorkBudget = field(default_factory=WorkBudget)

    def xml(self, path: Path) -> Element:
        """Return the root element of a file."""
        return self.parsed(self.assets.read(path), path.name)

    def parsed(self, data: bytes, name: str) -> Element:
        """Return the root element of the contents of a file."""
        return parse_xml(data, name, self.budget.count_element)

    def solid(self, element: HasPlace, make: Callable[[], LinkShape]) -> LinkShape | None:
        """Return the shape, or None with a warning if the sizes or the file give none."""
        self.job.progress(0.1, "shapes")
        try:
            return make()
        except ValueError as error:
            self.report.warn(503, element.where, f"{error}; ignored", kind="no volume")
        except Unavailable as unavailable:
            kind = f"unavailable {unavailable.code}"
            self.report.add(unavailable.finding(element.where, Severity.WARNING), kind)
        return None

    def mesh(
        self, element: Element, name: str, scale: Sequence[float] | Floats = (1, 1, 1), only: str = ""
    ) -> LinkShape | None:
        """Return the mesh with that name, or None with a warning."""
        stretch = np.asarray(scale, dtype=float)
        return self.solid(element, lambda: self.shelf.shape(self.assets.find(name), stretch, only))

    def texture(self, element: HasPlace, find: Callable[[], Path]) -> Texture | None:
        """Return the image of a texture, or None with a note."""
        try:
            path = find()
            content = self.assets.read(path)
        except Unavailable as unavailable:
            self.report.add(unavailable.finding(element.where, Severity.WARNING), f"unavailable {unavailable.code}")
            return None
        ending = next((ending for start, ending in _IMAGES.items() if content.startswith(start)), None)
        if ending is None:
            self.report.left_out("a texture that is neither PNG nor JPEG", element.where)
            return None
        return Texture(f"{path.stem}.{ending}", content)


def read_robot(path: Path, values: Values, job: Job, parse: Callable[[Reading], Linkage]) -> Imported:
    """Return the part that `parse` finds in the file, or the error that prevents it."""

    def make(report: Report) -> PartDefinition:
        limits = import_options.limits_of(values)
        assets = Assets(path, limits)
        convexity = replace(import_options.convexity_of(values, "hull"), job=job.part(0.1, 0.1, "convex pieces"))
        shelf = MeshCache(assets, convexity)
        density = import_options.density_of(values) if values.get("density") is not None else None
        masses = MassOptions(density, bool(values.get("repair-inertia", False)))
        options = LinkageOptions(masses, str(values.get("shapes", "collision")), bool(values.get("visuals", True)))
        job.progress(0.0, f"reading {path.name}")
        linkage = parse(Reading(path, values, assets, shelf, report, job, WorkBudget(limits)))
        return define_part(linkage, options, path.name, report, job)

    return reported(path, make)


def geometry_of(element: Element) -> Element:
    """Return the shape in the `geometry` of a collision or visual of URDF or SDF."""
    geometry = element.first("geometry")
    if geometry is None or not geometry.children:
        raise element.refusal(f"<{element.tag}> has no geometry")
    return geometry.children[0]


def pose_of(xyz: Floats, rpy: Floats) -> Floats:
    """Return a pose from position and roll, pitch and yaw, as in URDF and SDF. Shape (4, 4)."""
    return translation(xyz) @ from_euler(rpy.tolist())


def colour_of(rgba: Floats) -> Colour:
    """Return the colour, with each channel clipped to 0 to 1."""
    red, green, blue, opacity = (float(channel) for channel in np.clip(rgba, 0.0, 1.0))
    return red, green, blue, opacity


def placed(shape: LinkShape | None, pose: Floats, colour: Colour | None, name: str) -> tuple[PlacedShape, ...]:
    """Return the shape on its link, or nothing without a shape."""
    return () if shape is None else (PlacedShape(shape, pose, colour, name),)
