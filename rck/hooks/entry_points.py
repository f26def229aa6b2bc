"""Installed plugins, found by the metadata of their packages without importing them."""

from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import Distribution, EntryPoint, distributions
from typing import Any, Protocol

from rck.hooks.development import DEVELOPED, is_developed
from rck.hooks.project_plugins import PROJECT, FilePoint
from rck.support.finding import Finding, Severity

GROUP = "rck"
"""Entry-point group of plugins, and name of RCK's own package."""


class Point(Protocol):
    """Entry point of a plugin, or an object with the same interface."""

    @property
    def name(self) -> str:
        """Name of the plugin."""

    @property
    def value(self) -> str:
        """Module or file of the plugin."""

    @property
    def dist(self) -> Distribution | None:
        """Package that contains it."""

    def load(self) -> Any:
        """Import the plugin."""


@dataclass(frozen=True, slots=True)
class Installed:
    """Plugin with the name and version of its package."""

    point: Point
    package: str = "?"
    version: str = "?"

    @property
    def name(self) -> str:
        """Name of the plugin."""
        return self.point.name


def root_of(point: Point) -> str:
    """Return the module that the entry point names: an error below it is blamed on this plugin."""
    if isinstance(point, FilePoint):
        return point.module
    module = point.value.partition(":")[0].strip()
    # The other modules of a package belong to its module `plugin` too.
    return module.removesuffix(".plugin")


def installed_points() -> tuple[tuple[EntryPoint, ...], tuple[Finding, ...]]:
    """Return the entry points of all installed plugins, and findings about packages with damaged metadata.

    `importlib.metadata.entry_points` is not used because one damaged package makes it raise for all of them.
    """
    points: list[EntryPoint] = []
    findings: list[Finding] = []
    seen: set[str] = set()
    for distribution in distributions():
        try:
            text = distribution.read_text("entry_points.txt")
            if not text or f"[{GROUP}]" not in text:
                continue
            package, _ = package_and_version(distribution)
            # Python imports the first package of this name on the path.
            if package == "?" or package not in seen:
                points += distribution.entry_points.select(group=GROUP)
            seen.add(package)
        except Exception as error:
            package, _ = package_and_version(distribution)
            message = f"its entry_points.txt is damaged: {type(error).__name__}"
            findings.append(Finding(601, Severity.WARNING, f"package {package}", message, f"install {package} again"))
    return tuple(points), tuple(findings)


def package_and_version(distribution: Distribution | None) -> tuple[str, str]:
    """Return the name and version of a package; `?` if its metadata has none."""
    if distribution is None:
        return "?", "?"
    try:
        metadata = distribution.metadata
        # `metadata.json` would convert the whole text, a tenth of a second for all packages.
        return metadata["Name"] or "?", metadata["Version"] or "?"
    except Exception:
        return "?", "?"


def ranked(points: Iterable[Point]) -> list[Installed]:
    """Return the plugins in order of precedence: RCK's own first, then by name and package."""
    known: dict[Distribution | None, tuple[str, str]] = {}
    plugins = []
    for point in points:
        if is_developed(point):
            plugins.append(Installed(point, DEVELOPED, ""))
            continue
        if isinstance(point, FilePoint):
            plugins.append(Installed(point, PROJECT, ""))
            continue
        if point.dist not in known:
            known[point.dist] = package_and_version(point.dist)
        plugins.append(Installed(point, *known[point.dist]))
    return sorted(plugins, key=lambda plugin: (plugin.package != GROUP, plugin.name, plugin.package))
