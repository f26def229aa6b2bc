"""Writes docs/commands.md from the command language's own descriptions: `python tools/command_reference.py`."""

from pathlib import Path

from rck.hooks import Plugins
from rck.language.help import reference
from rck.language.session import full_grammar

PAGE = Path(__file__).parent.parent / "docs" / "commands.md"

OPENING = """# The command language

The same commands work in scripts (`rck run build.rcks arm.rck`), from Python (`session.do("mate base.top servo.back")`)
and in the editor's command line. One command a line; `#` starts a comment; quotes keep words together. The beginning
of a command's name is enough. A bare number is in the assembly's units, millimetres and degrees unless it says
otherwise; a number may carry its own: `12in`, `0.3rad`, `1/2in`. `help COMMAND` prints what stands here.

"""


def page() -> str:
    """The whole page, for the built-in commands alone."""
    return OPENING + reference(full_grammar(Plugins([])))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
