"""Which plugins are installed, told by the metadata of their packages; nothing is imported."""

from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import Distribution, EntryPoint, distributions
from typing import Any, Protocol

from rck.hooks.project import FOLDER, PROJECT, FilePoint
from rck.model.finding import Finding, Severity

GROUP = "rck"
"""The entry-point group that plugins register in, and the name of RCK's own package."""


class Point(Protocol):
    """Where a plugin can be loaded from: an entry point of a package, or what answers like one."""

    @property
    def name(self) -> str:
        """The name of the plugin."""

    @property
    def value(self) -> str:
        """Where its code is."""

    @property
    def dist(self) -> Distribution | None:
        """The package that it came with."""

    def load(self) -> Any:
        """Import it."""


@dataclass(frozen=True, slots=True)
class Installed:
    """A plugin and the package that it came with."""

    point: Point
    package: str = "?"
    version: str = "?"

    @property
    def name(self) -> str:
        """The name that the package gave it."""
        return self.point.name


def root_of(point: Point) -> str:
    """The module that all modules of a plugin are in, or are."""
    if isinstance(point, FilePoint):
        return f"{FOLDER}.{point.path.stem}"
    return point.value.partition(":")[0].strip().partition(".")[0]


def installed_points() -> tuple[tuple[EntryPoint, ...], tuple[Finding, ...]]:
    """The entry points of all installed plugins; packages whose list is damaged are left out and reported.

    `importlib.metadata.entry_points` would do, but one damaged package makes it raise for all of them.
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
            # The first of a package on the path is the one that Python imports.
            if package == "?" or package not in seen:
                points += distribution.entry_points.select(group=GROUP)
            seen.add(package)
        except Exception as error:
            package, _ = package_and_version(distribution)
            message = f"its entry_points.txt is damaged: {type(error).__name__}"
            findings.append(Finding(601, Severity.WARNING, f"package {package}", message, f"install {package} again"))
    return tuple(points), tuple(findings)


def package_and_version(distribution: Distribution | None) -> tuple[str, str]:
    """Name and version of a package, with ? for what its metadata does not say."""
    if distribution is None:
        return "?", "?"
    try:
        said = distribution.metadata.json
        return str(said.get("name") or "?"), str(said.get("version") or "?")
    except Exception:
        return "?", "?"


def ranked(points: Iterable[Point]) -> list[Installed]:
    """RCK's own plugins first, so that no other can take their place; then by name and package."""
    known: dict[Distribution | None, tuple[str, str]] = {}
    plugins = []
    for point in points:
        if isinstance(point, FilePoint):
            plugins.append(Installed(point, PROJECT, ""))
            continue
        if point.dist not in known:
            known[point.dist] = package_and_version(point.dist)
        plugins.append(Installed(point, *known[point.dist]))
    return sorted(plugins, key=lambda one: (one.package != GROUP, one.name, one.package))
