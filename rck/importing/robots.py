"""Reading a robot description: what every such importer does before and after its own format."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import pi
from pathlib import Path

import numpy as np

from rck.geometry.arrays import Floats, frozen
from rck.geometry.transforms import from_euler, translation
from rck.hooks import Imported, Job, Option, PortFrame, Values
from rck.importing import settings
from rck.importing.assets import Assets, Unavailable
from rck.importing.links import Linkage, Wishes, assemble
from rck.importing.report import Report, reported
from rck.importing.shapes import MeshShelf, Placed, Shape
from rck.importing.xml_file import Element, parse_xml
from rck.model import Colour, Robot
from rck.model.finding import Severity

SHAPES = Option(
    "shapes",
    "what touches: the collision geometry, the visual, or either where a link has only one",
    "choice",
    "either",
    ("either", "collision", "visual"),
)
VISUALS = Option("visuals", "keep how links look where it differs from what touches", "flag", True)

ROBOT_OPTIONS = (
    SHAPES,
    VISUALS,
    settings.convex_option("hull"),
    settings.TOLERANCE,
    settings.MOST_CORNERS,
    settings.DENSITY,
    settings.ALLOW_OUTSIDE,
    settings.MOST_MEGABYTES,
    settings.MOST_TRIANGLES,
)


@dataclass(frozen=True, slots=True)
class Reading:
    """What the reader of a format works with."""

    path: Path
    values: Values
    assets: Assets
    shelf: MeshShelf
    report: Report
    job: Job

    def xml(self, path: Path) -> Element:
        """The root element of a file that was found."""
        return parse_xml(self.assets.read(path), path.name)

    def solid(self, element: Element, make: Callable[[], Shape]) -> Shape | None:
        """The shape, or None with a warning where the sizes or the file give none."""
        self.job.progress(0.1, "shapes")
        try:
            return make()
        except ValueError as error:
            self.report.warn(503, element.where, f"{error}; left out", kind="no volume")
        except Unavailable as unavailable:
            kind = f"unavailable {unavailable.code}"
            self.report.add(unavailable.finding(element.where, Severity.WARNING), kind)
        return None

    def mesh(
        self, element: Element, name: str, scale: Sequence[float] | Floats = (1, 1, 1), only: str = ""
    ) -> Shape | None:
        """The mesh of that name, or None with a warning."""
        stretch = np.asarray(scale, dtype=float)
        return self.solid(element, lambda: self.shelf.shape(self.assets.find(name), stretch, only))


def read_robot(path: Path, values: Values, job: Job, parse: Callable[[Reading], Linkage]) -> Imported:
    """The robot that `parse` finds in the file, or the error that keeps it from being one."""

    def make(report: Report) -> Robot:
        assets = Assets(path, settings.limits_of(values))
        shelf = MeshShelf(assets, settings.convexity_of(values, "hull"))
        wishes = Wishes(
            settings.density_of(values), str(values.get("shapes", "either")), bool(values.get("visuals", True))
        )
        job.progress(0.0, f"reading {path.name}")
        linkage = parse(Reading(path, values, assets, shelf, report, job))
        return assemble(linkage, wishes, path.name, report, job)

    imported = reported(path, make)
    return imported if imported.robot is None else replace(imported, ports=(_base_port(imported.robot),))


def _base_port(robot: Robot) -> PortFrame:
    """Return the port that the robot mounts by: the frame of its root link, with z pointing out of the robot."""
    roots = robot.tree.roots
    # The world of a file may hold nothing but frames.
    root = next((one for one in roots if robot.items[one].subitems or robot.tree.children[one]), roots[0])
    return PortFrame("base", robot.items[root].name, frozen(from_euler((pi, 0.0, 0.0))))


def geometry_of(element: Element) -> Element:
    """The shape inside the `geometry` of a collision or visual, as URDF and SDF have it."""
    geometry = element.first("geometry")
    if geometry is None or not geometry.children:
        raise element.refusal(f"<{element.tag}> has no geometry")
    return geometry.children[0]


def pose_of(xyz: Floats, rpy: Floats) -> Floats:
    """A pose from a place and roll, pitch and yaw, as URDF and SDF have it. Shape (4, 4)."""
    return translation(xyz) @ from_euler(rpy.tolist())


def colour_of(rgba: Floats) -> Colour:
    """The colour, each channel brought into 0 to 1."""
    red, green, blue, opacity = (float(channel) for channel in np.clip(rgba, 0.0, 1.0))
    return red, green, blue, opacity


def placed(shape: Shape | None, pose: Floats, colour: Colour | None, name: str) -> tuple[Placed, ...]:
    """The shape on its link; nothing where there is none."""
    return () if shape is None else (Placed(shape, pose, colour, name),)
