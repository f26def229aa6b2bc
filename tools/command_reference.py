"""Writes docs/commands.md and docs/shell.md, the references of commands: `python tools/command_reference.py`.

The first comes from the command language's own descriptions, the second from the help of every subcommand of `rck`.
"""

import inspect
from collections.abc import Iterator
from pathlib import Path
from textwrap import fill

import click

from rck.cli.main import COMMANDS, cli
from rck.hooks import Plugins
from rck.language.help import reference
from rck.language.session import full_grammar

FOLDER = Path(__file__).parent.parent / "docs"
WIDTH = 120

LANGUAGE = """# The command language

The same commands work in scripts (`rck run build.rcks arm.rck`), from Python (`session.do("mate base.top servo.back")`)
and in the editor's command line. One command a line; `#` starts a comment; quotes keep words together. The beginning
of a command's name is enough. A bare number is in [the assembly's units](assembly.md#units), by default millimetres and
degrees; a number may carry its own: `12in`, `0.3rad`, `1/2in`. `help COMMAND` prints what stands here.
The subcommands of `rck` at the shell are on [a page of their own](shell.md).

"""

SHELL = """# The subcommands of `rck`

What `rck COMMAND --help` prints, for all commands that ship; plugins may add more. `rck` alone opens the editor. The
words of scripts and of the editor's command line are [the command language](commands.md).

Where a command takes FILE and has an option `--set` for the importer, FILE is an assembly (`.rck`) or a file of any
format that RCK reads ([importing](import.md)). Every command has `--help`. Exit status: 0 done, 1 findings or a refused
action, 2 bad usage or unreadable input, 130 stopped by ctrl+C.

"""


def page() -> str:
    """The page of the command language, for the built-in commands alone."""
    fenced = False
    lines = []
    for line in reference(full_grammar(Plugins([]))).splitlines():
        fenced ^= line.startswith("```")
        lines.append(line if fenced or line.startswith(("|", "#")) else wrapped(line))
    return LANGUAGE + "\n".join([*lines, ""])


def shell_page() -> str:
    """The page of the subcommands, as wide on every terminal."""
    context = click.Context(cli, info_name="rck")
    lines = ["| command | does |", "|---|---|"]
    lines += [f"| [`rck {name}`](#rck-{name}) | {COMMANDS[name][1]} |" for name in cli.list_commands(context)]
    lines.append("")
    for name in cli.list_commands(context):
        lines += section(cli.get_command(context, name), name, context, 2)
    return SHELL + "\n".join(lines)


def section(command: click.Command | None, name: str, above: click.Context, depth: int) -> Iterator[str]:
    """The lines about a command, and about the commands below it."""
    assert command is not None
    context = click.Context(command, info_name=name, parent=above)
    yield from ("#" * depth + f" `{context.command_path}`", "")
    yield from prose(command.help or "")
    yield from ("```text", " ".join([context.command_path, *command.collect_usage_pieces(context)]), "```", "")
    if command.hidden:
        yield from (f"The word `{name}` may be left out.", "")
    options = [one for one in command.params if isinstance(one, click.Option)]
    if options:
        yield from ("| option | meaning |", "|---|---|", *(row(one, context) for one in options), "")
    if isinstance(command, click.Group):
        for below in command.list_commands(context):
            yield from section(command.get_command(context, below), below, context, depth + 1)


def prose(text: str) -> Iterator[str]:
    """The paragraphs of a help text; what click is told not to wrap stays as it is."""
    for paragraph in inspect.cleandoc(text).split("\n\n"):
        if paragraph.startswith("\b"):
            yield from ("```text", *paragraph.splitlines()[1:], "```", "")
        else:
            yield from (wrapped(" ".join(paragraph.split())), "")


def wrapped(text: str) -> str:
    """A paragraph in lines of no more than the width."""
    return fill(text, WIDTH, break_long_words=False, break_on_hyphens=False)


def row(option: click.Option, context: click.Context) -> str:
    """An option, what it takes and what it means."""
    record = option.get_help_record(context)
    assert record is not None
    again = " May be given several times." if option.multiple and "several" not in record[1] else ""
    return f"| `{cell(record[0])}` | {cell(record[1])}{again} |"


def cell(text: str) -> str:
    """A text as a table holds it."""
    return " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    (FOLDER / "commands.md").write_text(page(), encoding="utf-8")
    (FOLDER / "shell.md").write_text(shell_page(), encoding="utf-8")
