"""Commands that accept findings: suppress and unsuppress."""

from rck.assembly import suppressions
from rck.grammar import Argument, Arguments, CommandOption, ValueKind
from rck.hooks import Command
from rck.language.document import Document
from rck.model import RckError


def _suppress(document: Document, arguments: Arguments) -> tuple[Document, str]:
    code = arguments.read("code", suppressions.parse_code)
    where, reason = " ".join(arguments.texts("where")), (arguments.option("reason") or "").strip()
    if not reason:
        raise RckError(f'state why: suppress {code} {where + " " if where else ""}--reason "..."')
    changed = suppressions.suppress(document.assembly, code, where, reason)
    return document.with_assembly(changed), f"{code} is suppressed{f' at {where}' if where else ''}: {reason}"


def _unsuppress(document: Document, arguments: Arguments) -> tuple[Document, str]:
    code, where = arguments.read("code", suppressions.parse_code), " ".join(arguments.texts("where"))
    changed = suppressions.unsuppress(document.assembly, code, where)
    if changed is document.assembly:
        raise arguments.refuse(f"{code}{f' at {where}' if where else ''} is not suppressed", "code")
    return document.with_assembly(changed), f"{code} is reported again{f' at {where}' if where else ''}"


_ARGUMENTS = (Argument("code", ValueKind.TEXT), Argument("where", ValueKind.TEXT, optional=True, many=True))

COMMANDS = (
    Command(
        "suppress",
        "accept a warning or note: `check` counts it but does not list it",
        _ARGUMENTS,
        (CommandOption("reason", "why the finding is acceptable (required)", ValueKind.TEXT),),
        "WHERE is the place of the finding, or the name of an instance, item or joint in it. Without WHERE, all"
        " findings of the code are suppressed. Errors cannot be suppressed.",
        ('suppress RCK406 lift/slide --reason "the stop is in the housing"',),
        run=_suppress,
    ),
    Command(
        "unsuppress",
        "report a suppressed finding again",
        _ARGUMENTS,
        examples=("unsuppress RCK406 lift/slide",),
        run=_unsuppress,
    ),
)
