"""Report of an import: ignored, repaired and assumed data, each kind once with a count."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from rck.hooks import Imported
from rck.importing.assets import Unavailable
from rck.importing.file_errors import NotOfFormat
from rck.model import PartDefinition
from rck.support.finding import Finding, Severity
from rck.support.units import counted


class Report:
    """Findings of an import; several of one kind become one finding with a count."""

    def __init__(self) -> None:
        self._kinds: dict[tuple[int | str, str], list[Finding]] = {}

    def add(self, finding: Finding, kind: str = "") -> None:
        """Add a finding. Findings of one code and kind are counted together; the message is the default kind."""
        self._kinds.setdefault((finding.code, kind or finding.message), []).append(finding)

    def note(self, code: int, where: str, message: str, fix: str = "", kind: str = "") -> None:
        """Add a note."""
        self.add(Finding(code, Severity.NOTE, where, message, fix), kind)

    def warn(self, code: int | str, where: str, message: str, fix: str = "", kind: str = "") -> None:
        """Add a warning: the import works, but probably not as intended."""
        self.add(Finding(code, Severity.WARNING, where, message, fix), kind)

    def left_out(self, what: str, where: str) -> None:
        """Add a note about an element of the format that RCK does not support."""
        self.note(503, where, f"{what} is not supported and was ignored", kind=what)

    def lost(self, what: str, where: str) -> None:
        """Add a warning about an element that RCK does not support and without which the robot behaves differently."""
        self.warn(503, where, f"{what} is not supported and was ignored: the robot behaves differently", kind=what)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """One finding per kind, the most severe first."""
        summed = [
            first if not rest else replace(first, message=f"{first.message} (and {len(rest)} more like it)")
            for first, *rest in self._kinds.values()
        ]
        return tuple(sorted(summed, key=lambda finding: -finding.severity))


def reported(path: Path, make: Callable[[Report], PartDefinition]) -> Imported:
    """Return the part that `make` finds in the file, or the error that prevents it, with the report."""
    report = Report()
    try:
        part = make(report)
    except NotOfFormat as refusal:
        return Imported(findings=(refusal.finding, *report.findings))
    except Unavailable as unavailable:
        return Imported(findings=(unavailable.finding(path.name, Severity.ERROR), *report.findings))
    return Imported((part,), findings=report.findings, summary=summary_of(part))


def summary_of(part: PartDefinition) -> str:
    """Return the counts of a part in one line."""
    counts = {
        "item": len(part.items),
        "convex piece": sum(len(item.subitems) for item in part.items),
        "visual": sum(len(item.visuals) for item in part.items),
        "joint": len(part.joints),
        "frame": len(part.frames),
    }
    return ", ".join(counted(count, what) for what, count in counts.items() if count)
