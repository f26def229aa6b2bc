"""Findings: what is wrong, where, and what to do about it, with a number that documentation explains."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import Generic, TypeVar

from rck.model.codes import CODES

T = TypeVar("T")


class Severity(IntEnum):
    """How much a finding matters."""

    NOTE = 1
    """Worth knowing; something was mended or assumed."""
    WARNING = 2
    """It works, but probably not as meant."""
    ERROR = 3
    """There is no valid value, or the action was refused."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a check found."""

    code: int
    severity: Severity
    where: str
    """The place: an item, a joint, a file and line."""
    message: str
    fix: str = ""
    """What to do about it."""

    def __post_init__(self) -> None:
        if self.code not in CODES:
            raise ValueError(f"finding code {self.code} is not in rck/model/codes.py")

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        remedy = f" ({self.fix})" if self.fix else ""
        return f"RCK{self.code} {self.severity.name.lower()}: {place}{self.message}{remedy}"


class RckError(Exception):
    """A refusal that the user sees as one message: what is wrong, where, and what to do."""


class Cancelled(RckError):
    """The user stopped the work; nothing was changed."""


class ModelError(RckError):
    """Raised by :meth:`Built.unwrap` when there is no value, only findings."""

    def __init__(self, findings: tuple[Finding, ...]) -> None:
        self.findings = findings
        super().__init__("; ".join(str(finding) for finding in errors_of(findings)))


def errors_of(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings that keep a value from being valid."""
    return tuple(finding for finding in findings if finding.severity is Severity.ERROR)


@dataclass(frozen=True, slots=True)
class Built(Generic[T]):
    """A whole value with what was noticed on the way, or no value and the reasons."""

    value: T | None
    findings: tuple[Finding, ...] = ()

    def unwrap(self) -> T:
        """The value; :class:`ModelError` with the findings where there is none."""
        if self.value is None:
            raise ModelError(self.findings)
        return self.value
