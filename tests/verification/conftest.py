"""Record how far RCK is from independent references, and write docs/validation.md from the figures.

A test compares RCK with another program or a closed form and hands the error to the fixture `compare`, which asserts
it. `make validation` runs the folder with `--write-validation`, which writes the page.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "validation.md"
_KEY = "validation"

Compare = Callable[..., None]
Subject = tuple[str, str]
"""Title and notes of a test module: the first line of its docstring, and the rest."""
Rows = dict[tuple[Subject, str, str], tuple[float, float, str]]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--write-validation", action="store_true", help="Write docs/validation.md from this run.")


@pytest.fixture
def compare(request: pytest.FixtureRequest) -> Compare:
    """Assert that an error is within its tolerance, and record both for the validation page.

    `compare("Free fall, any time step", "g t^2 / 2", error, 0.005, "relative")`: what is checked, the reference, the
    largest error found, the largest allowed, and the unit of both. Several calls with the same first two texts make
    one row, with the largest error.
    """

    def record(check: str, reference: str, error: float, tolerance: float, unit: str) -> None:
        title, _, notes = (request.module.__doc__ or request.module.__name__).strip().partition("\n\n")
        subject = title.rstrip("."), notes
        request.node.user_properties.append((_KEY, (subject, check, reference, float(error), tolerance, unit)))
        assert error <= tolerance, f"{check}: {error:.3g} {unit}, allowed {tolerance:.3g}"

    return record


class _Page:
    """Collector of the figures of all workers, from the properties in test reports."""

    def __init__(self) -> None:
        self.rows: Rows = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when != "call":
            return
        for key, value in report.user_properties:
            if key == _KEY:
                self._add(*value)  # type: ignore[misc]

    def _add(
        self, subject: Sequence[str], check: str, reference: str, error: float, tolerance: float, unit: str
    ) -> None:
        # Workers send tuples as lists.
        key = (subject[0], subject[1]), check, reference
        known = self.rows.get(key)
        worst = error if known is None else max(error, known[0])
        self.rows[key] = worst, tolerance, unit

    def pytest_sessionfinish(self, exitstatus: Any) -> None:
        if self.rows and exitstatus == 0:
            PAGE.write_text(_text(self.rows), encoding="utf-8")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--write-validation", default=False) and not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Page(), "validation-page")


def _text(rows: Rows) -> str:
    lines = [
        "# Validation",
        "",
        "RCK's numbers compared with independent programs and closed forms. `make validation` runs the tests in",
        "`tests/verification` and writes this page from the errors that they measure. `make test` runs the same tests",
        "and fails if an error exceeds its tolerance.",
    ]
    for subject in sorted({subject for subject, _, _ in rows}):
        title, notes = subject
        lines += [
            "",
            f"## {title}",
            "",
            *([notes, ""] if notes else []),
            "| check | reference | largest error | tolerance |",
            "|---|---|---|---|",
        ]
        for (of, check, reference), (error, tolerance, unit) in sorted(rows.items()):
            if of == subject:
                lines.append(f"| {check} | {reference} | {error:.2g} {unit} | {tolerance:.2g} {unit} |")
    return "\n".join(lines) + "\n"
