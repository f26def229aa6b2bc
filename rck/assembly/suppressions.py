"""Suppressed findings: warnings and notes that the user has accepted, each with the reason."""

from collections.abc import Iterable
from dataclasses import dataclass

from rck.assembly.document import Assembly, Suppression, replaced
from rck.model import Finding, RckError, Severity
from rck.support.finding import PLUGIN_CODE
from rck.support.finding_codes import CODES
from rck.support.names import did_you_mean


@dataclass(frozen=True, slots=True)
class SplitFindings:
    """Findings to show, and those that the assembly suppresses."""

    shown: tuple[Finding, ...]
    suppressed: tuple[Finding, ...]


def split_findings(findings: Iterable[Finding], assembly: Assembly) -> SplitFindings:
    """Separate the findings that the assembly suppresses; errors are never suppressed."""
    listed = tuple(findings)
    if not assembly.suppressions:
        return SplitFindings(listed, ())
    hidden = tuple(one for one in listed if suppression_of(one, assembly) is not None)
    return SplitFindings(tuple(one for one in listed if one not in hidden), hidden)


def suppression_of(finding: Finding, assembly: Assembly) -> Suppression | None:
    """Return the suppression of a finding; None if it is shown."""
    return next((rule for rule in assembly.suppressions if _fits(rule, finding)), None)


def _fits(rule: Suppression, finding: Finding) -> bool:
    if finding.severity is Severity.ERROR or finding.label != rule.code:
        return False
    words = finding.where.replace(",", " ").split()
    return rule.where in ("", finding.where) or any(
        word == rule.where or word.startswith(f"{rule.where}/") for word in words
    )


def parse_code(text: str) -> str:
    """Return the finding code that a user typed: `RCK311`, `311` or the code of a plugin."""
    code = text.strip().upper()
    code = f"RCK{code}" if code.isdigit() else code
    known = [f"RCK{number}" for number in CODES]
    if code in known or PLUGIN_CODE.fullmatch(code):
        return code
    raise RckError(f"{text!r} is not a finding code{did_you_mean(code, known)}; docs/findings.md lists them")


def suppress(assembly: Assembly, code: str, where: str, reason: str) -> Assembly:
    """Return the assembly with findings of a code suppressed, everywhere or at one place."""
    kept = unsuppress(assembly, code, where).suppressions
    rules = sorted([*kept, Suppression(code, reason, where)], key=lambda rule: (rule.code, rule.where))
    return replaced(assembly, suppressions=rules)


def unsuppress(assembly: Assembly, code: str, where: str) -> Assembly:
    """Return the assembly without the suppression of exactly this code and place."""
    kept = [rule for rule in assembly.suppressions if (rule.code, rule.where) != (code, where)]
    return assembly if kept == assembly.suppressions else replaced(assembly, suppressions=kept)
