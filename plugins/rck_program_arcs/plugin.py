"""What this package adds to RCK."""

from rck.hooks import Program, ProgramLanguage, hookimpl
from rck.model import Robot


def _compile(text: str, robot: Robot) -> Program:
    from rck_program_arcs.reader import read

    return read(text, robot)


@hookimpl
def rck_program_languages() -> list[ProgramLanguage]:
    """The language of ARCS."""
    return [ProgramLanguage("arcs", "p and c X Y Z O A T STEPS, g, u, f FILE, s, q", (".arcs",), _compile)]
