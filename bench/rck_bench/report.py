"""The rows of a report, as a table for people and as JSON for programs."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field

from rck_bench.machine import machine
from rck_bench.timing import REPETITIONS, rates


@dataclass(frozen=True)
class Row:
    """One measurement: ours, and a peer's where there is one."""

    what: str
    """The work, and what one unit of it is."""
    ours: float
    """Units a second."""
    peer: str = ""
    """The peer and what was called, or why there is none."""
    theirs: float | None = None
    """Units a second of the peer."""
    difference: float | None = None
    """The largest difference between our answers and the peer's."""
    tolerance: float = 1e-9
    """The largest difference that still counts as the same answer."""
    least_ratio: float | None = None
    """Ours over theirs that was to be reached."""
    least_rate: float | None = None
    """Units a second that were to be reached."""

    @property
    def ratio(self) -> float | None:
        """Ours over theirs: above one, we are faster."""
        return None if self.theirs is None else self.ours / self.theirs

    @property
    def agrees(self) -> bool:
        """Whether the answers are the same, as far as there are two."""
        return self.difference is None or self.difference <= self.tolerance

    @property
    def met(self) -> bool | None:
        """Whether what was to be reached is reached; None where nothing was, or there is no peer to tell."""
        tests = []
        if self.least_ratio is not None and self.ratio is not None:
            tests.append(self.ratio >= self.least_ratio)
        if self.least_rate is not None:
            tests.append(self.ours >= self.least_rate)
        return all(tests) if tests else None


@dataclass
class Report:
    """What the areas add their rows to."""

    rows: list[Row] = field(default_factory=list)
    machine: dict[str, str] = field(default_factory=machine)

    def compare(
        self,
        what: str,
        ours: Callable[[], object],
        theirs: Callable[[], object],
        *,
        peer: str,
        difference: float,
        work: int,
        least_ratio: float | None = None,
        least_rate: float | None = None,
    ) -> None:
        """Time the two, each call of which does `work` units, and add the row."""
        rate = rates({"ours": ours, "theirs": theirs}, work)
        self.rows.append(
            Row(
                what,
                rate["ours"],
                peer,
                rate["theirs"],
                difference,
                least_ratio=least_ratio,
                least_rate=least_rate,
            )
        )

    def measure(
        self, what: str, ours: Callable[[], object], *, work: int, peer: str, least_rate: float | None = None
    ) -> None:
        """Time ours alone; `peer` says why."""
        self.rows.append(Row(what, rates({"ours": ours}, work)["ours"], peer, least_rate=least_rate))


def as_table(report: Report) -> str:
    """The report for people."""
    cells = [("", "RCK", "peer", "ratio", "to reach", "largest difference", "peer is"), *map(_cells, report.rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in cells]
    facts = ", ".join(f"{name} {value}" for name, value in report.machine.items())
    method = f"Per second; the best of {REPETITIONS} turns, taken alternately. Ratio: RCK over peer."
    return "\n".join([*lines, "", method, facts])


def to_json(report: Report) -> str:
    """The report for programs."""
    names = ("what", "ours", "peer", "theirs", "ratio", "difference", "agrees", "least_ratio", "least_rate", "met")
    rows = [{name: getattr(row, name) for name in names} for row in report.rows]
    return json.dumps({"machine": report.machine, "best_of": REPETITIONS, "rows": rows}, indent=2)


def _cells(row: Row) -> tuple[str, ...]:
    ratio = "" if row.ratio is None else f"{row.ratio:.2f}x"
    difference = "" if row.difference is None else f"{row.difference:.1e}"
    if not row.agrees:
        difference += " DIFFERS"
    return row.what, _rate(row.ours), _rate(row.theirs), ratio, _goal(row), difference, row.peer


def _rate(value: float | None) -> str:
    return "" if value is None else f"{value:,.0f}/s"


def _goal(row: Row) -> str:
    goals = []
    if row.least_ratio is not None:
        goals.append(f"{row.least_ratio:g}x")
    if row.least_rate is not None:
        goals.append(f"{row.least_rate:,.0f}/s")
    verdict = {True: "met", False: "NOT MET", None: ""}[row.met]
    return f"{' and '.join(goals)} {verdict}".strip()
