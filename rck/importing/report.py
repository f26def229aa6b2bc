"""The account of an import: what was left out, repaired or assumed, each kind once with a count."""

from dataclasses import replace

from rck.model import Robot
from rck.model.finding import Finding, Severity


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


def summary_of(robot: Robot) -> str:
    """What came in, in a line for people."""
    counts = {
        "item": len(robot.items),
        "convex piece": sum(len(item.subitems) for item in robot.items),
        "visual": sum(len(item.visuals) for item in robot.items),
        "joint": len(robot.joints),
        "frame": len(robot.frames),
    }
    return ", ".join(f"{count} {what}{'' if count == 1 else 's'}" for what, count in counts.items() if count)
