"""Fixes of findings: run the commands that findings carry, until none is left that helps."""

from dataclasses import dataclass

from rck.assembly.suppressions import split_findings
from rck.language.robot_checks import check_robot
from rck.language.session import Session
from rck.model import Finding, RckError


@dataclass(frozen=True, slots=True)
class FixReport:
    """Commands that fixed findings, and those that were refused, each with the reason."""

    done: tuple[str, ...]
    refused: tuple[tuple[str, str], ...]


def all_findings(session: Session) -> list[Finding]:
    """Return the findings of the compiler, of the checks and of plugins about the present assembly."""
    built = session.compile()
    findings = list(built.findings)
    if built.value is not None:
        findings += check_robot(built.value.robot, session.plugins)
    return findings


def fix_findings(session: Session) -> FixReport:
    """Run the commands of all findings that are not suppressed; each command runs at most once."""
    done: list[str] = []
    refused: dict[str, str] = {}
    while True:
        shown = split_findings(all_findings(session), session.assembly).shown
        waiting = [one.commands for one in shown if one.commands and not {*one.commands} & {*done, *refused}]
        if not waiting:
            return FixReport(tuple(done), tuple(refused.items()))
        commands = waiting[0]
        try:
            with session.all_or_nothing("; ".join(commands)):
                for command in commands:
                    session.do(command)
        except RckError as error:
            refused |= dict.fromkeys(commands, str(error))
        else:
            done += commands
