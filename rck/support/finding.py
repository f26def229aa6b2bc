"""Findings: numbered problems with location and remedy, and the errors that carry them."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import Generic, TypeVar

from rck.support.finding_codes import CODES

T = TypeVar("T")
PLUGIN_CODE = re.compile(r"(?!RCK)[A-Z][A-Z0-9]{1,11}[0-9]{3}")
"""Codes of plugins: a prefix of their own and three digits, such as `XYZ101`."""


class Severity(IntEnum):
    """Severity of a finding."""

    NOTE = 1
    """Information: something was repaired or assumed."""
    WARNING = 2
    """It works, but probably not as intended."""
    ERROR = 3
    """There is no valid value, or the action was refused."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Problem that a check found."""

    code: int | str
    """One of RCK's codes, or a code such as `XYZ101` that a plugin declares with the hook `rck_finding_codes`."""
    severity: Severity
    where: str
    """Location: an item, a joint, a file and line."""
    message: str
    fix: str = ""
    """Remedy."""
    commands: tuple[str, ...] = ()
    """Commands that fix it, which `rck check --fix` runs in this order."""
    plugin: str = ""
    """The plugin that found it; empty for RCK itself. RCK fills it in."""

    def __post_init__(self) -> None:
        if isinstance(self.code, str):
            if not PLUGIN_CODE.fullmatch(self.code):
                raise ValueError(f"finding code {self.code!r} must be like XYZ101: a prefix that is not RCK, 3 digits")
        elif self.code not in CODES:
            raise ValueError(f"finding code {self.code} is not in rck/support/finding_codes.py")

    @property
    def label(self) -> str:
        """The code as shown, such as `RCK405` or `XYZ101`."""
        return self.code if isinstance(self.code, str) else f"RCK{self.code}"

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        remedy = f" ({self.fix})" if self.fix else ""
        return f"{self.label} {self.severity.name.lower()}: {place}{self.message}{remedy}"


class RckError(Exception):
    """Error for the user, in one message: what is wrong, where, and what to do."""


class Cancelled(RckError):
    """The user stopped the work; nothing was changed."""


class ModelError(RckError):
    """Raised by :meth:`Built.unwrap` when there is no value, only findings."""

    def __init__(self, findings: tuple[Finding, ...]) -> None:
        self.findings = findings
        super().__init__("; ".join(str(finding) for finding in errors_of(findings)))


def errors_of(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return the findings that are errors."""
    return tuple(finding for finding in findings if finding.severity is Severity.ERROR)


@dataclass(frozen=True, slots=True)
class Built(Generic[T]):
    """Valid value with findings, or no value and the errors."""

    value: T | None
    findings: tuple[Finding, ...] = ()

    def unwrap(self) -> T:
        """Return the value; raise :class:`ModelError` with the findings if it is missing."""
        if self.value is None:
            raise ModelError(self.findings)
        return self.value
