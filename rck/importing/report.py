"""The account of an import: what was left out, repaired or assumed, each kind once with a count."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from rck.hooks import Imported
from rck.importing.assets import Unavailable
from rck.importing.refusals import NotOfFormat
from rck.model import Robot
from rck.model.finding import Finding, Severity
from rck.model.units import counted


class Report:
    """Findings as they turn up; many of one kind become one that says how many."""

    def __init__(self) -> None:
        self._kinds: dict[tuple[int, str], list[Finding]] = {}

    def add(self, finding: Finding, kind: str = "") -> None:
        """Take a finding. Those of the same code and kind are counted; without a kind, those of one message."""
        self._kinds.setdefault((finding.code, kind or finding.message), []).append(finding)

    def note(self, code: int, where: str, message: str, fix: str = "", kind: str = "") -> None:
        """Something worth knowing."""
        self.add(Finding(code, Severity.NOTE, where, message, fix), kind)

    def warn(self, code: int, where: str, message: str, fix: str = "", kind: str = "") -> None:
        """Something that works, but probably not as meant."""
        self.add(Finding(code, Severity.WARNING, where, message, fix), kind)

    def left_out(self, what: str, where: str) -> None:
        """Something that the format holds and RCK does not."""
        self.note(503, where, f"{what} left out: RCK has no place for it", kind=what)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """One finding per kind, the gravest first."""
        summed = [
            first if not rest else replace(first, message=f"{first.message} (and {len(rest)} more like it)")
            for first, *rest in self._kinds.values()
        ]
        return tuple(sorted(summed, key=lambda finding: -finding.severity))


def reported(path: Path, make: Callable[[Report], Robot]) -> Imported:
    """The robot that `make` finds in the file, or the error that keeps it from being one, with the account."""
    report = Report()
    try:
        robot = make(report)
    except NotOfFormat as refusal:
        return Imported(findings=(refusal.finding, *report.findings))
    except Unavailable as unavailable:
        return Imported(findings=(unavailable.finding(path.name, Severity.ERROR), *report.findings))
    return Imported(robot, findings=report.findings, summary=summary_of(robot))


def summary_of(robot: Robot) -> str:
    """What came in, in a line for people."""
    counts = {
        "item": len(robot.items),
        "convex piece": sum(len(item.subitems) for item in robot.items),
        "visual": sum(len(item.visuals) for item in robot.items),
        "joint": len(robot.joints),
        "frame": len(robot.frames),
    }
    return ", ".join(counted(count, what) for what, count in counts.items() if count)
