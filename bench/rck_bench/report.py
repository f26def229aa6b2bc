"""The rows of a report, as a table for people and as JSON for programs."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field

from rck_bench.machine import machine
from rck_bench.timing import REPETITIONS, rates


@dataclass(frozen=True)
class Row:
    """One measurement of RCK and, if there is one, of a peer."""

    what: str
    """The work, and its unit."""
    ours: float
    """Units per second of RCK."""
    peer: str = ""
    """The peer and its function, or why it is missing."""
    theirs: float | None = None
    """Units per second of the peer."""
    difference: float | None = None
    """The largest difference between the answers of RCK and the peer."""
    tolerance: float = 1e-9
    """The largest difference of equal answers."""
    least_ratio: float | None = None
    """The target for the ratio."""
    least_rate: float | None = None
    """The target in units per second."""
    unit: str = "/s"
    """The quantity that the figures are per (default: second)."""
    one_pass: bool = False
    """True if the work was done once; otherwise the best of several turns counts."""

    @property
    def ratio(self) -> float | None:
        """The rate of RCK divided by that of the peer."""
        return None if self.theirs is None else self.ours / self.theirs

    @property
    def agrees(self) -> bool:
        """True if the answers are equal, or there is only one."""
        return self.difference is None or self.difference <= self.tolerance

    @property
    def met(self) -> bool | None:
        """True if the target is reached; None without a target, or without the peer that it refers to."""
        tests = []
        if self.least_ratio is not None and self.ratio is not None:
            tests.append(self.ratio >= self.least_ratio)
        if self.least_rate is not None:
            tests.append(self.ours >= self.least_rate)
        return all(tests) if tests else None


@dataclass
class Report:
    """The rows of all areas."""

    rows: list[Row] = field(default_factory=list)
    seconds: float = 10.0
    """Duration of load benchmarks, in seconds."""
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
        """Time both, each call of which does `work` units, and add the row."""
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
        """Time RCK alone; `peer` gives the reason."""
        self.rows.append(Row(what, rates({"ours": ours}, work)["ours"], peer, least_rate=least_rate))


def as_table(report: Report) -> str:
    """Return the report as text."""
    cells = [("", "RCK", "peer", "ratio", "to reach", "largest difference", "peer is"), *map(_cells, report.rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in cells]
    facts = ", ".join(f"{name} {value}" for name, value in report.machine.items())
    return "\n".join([*lines, "", _method(report), facts])


def to_json(report: Report) -> str:
    """Return the report as JSON."""
    names = (
        "what",
        "ours",
        "peer",
        "theirs",
        "ratio",
        "difference",
        "agrees",
        "least_ratio",
        "least_rate",
        "met",
        "one_pass",
    )
    rows = [{name: getattr(row, name) for name in names} for row in report.rows]
    return json.dumps({"machine": report.machine, "best_of": REPETITIONS, "rows": rows}, indent=2)


def _method(report: Report) -> str:
    once = [row.one_pass for row in report.rows]
    best = f"the best of {REPETITIONS} turns, taken alternately"
    if not any(once):
        how = best
    elif all(once):
        how = "one pass over the work"
    else:
        how = f"{best}; one pass over the work where a share of success is given"
    return f"Per second; {how}. Ratio: RCK over peer."


def _cells(row: Row) -> tuple[str, ...]:
    ratio = "" if row.ratio is None else f"{row.ratio:.2f}x"
    difference = "" if row.difference is None else f"{row.difference:.1e}"
    if not row.agrees:
        difference += " DIFFERS"
    return row.what, _rate(row.ours, row.unit), _rate(row.theirs, row.unit), ratio, _goal(row), difference, row.peer


def _rate(value: float | None, unit: str) -> str:
    return "" if value is None else f"{value:,.0f}{unit}"


def _goal(row: Row) -> str:
    goals = []
    if row.least_ratio is not None:
        goals.append(f"{row.least_ratio:.3g}x")
    if row.least_rate is not None:
        goals.append(_rate(row.least_rate, row.unit))
    verdict = {True: "met", False: "NOT MET", None: ""}[row.met]
    return f"{' and '.join(goals)} {verdict}".strip()
