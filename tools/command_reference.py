"""Write the command references docs/commands.md and docs/shell.md: `python tools/command_reference.py`.

The first page is generated from the commands of the command language, the second from the help of `rck` subcommands.
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

LANGUAGE = """# Command reference

With these commands you build and change an assembly. You can use them in scripts, in the editor's command line, and
from Python:

```sh
cat > build.rcks <<'END'
create structure/round-base base diameter=160       # a comment
create robotis/xm540-w270 shoulder --at base.top
set joint shoulder/axis limits=-90..90
END
rck run build.rcks built.rck
```

- Write one command per line. `#` starts a comment. Put quotes around an argument that contains spaces.
- You can abbreviate a command as long as the abbreviation is unique.
- Numbers are in [the units of the assembly](assembly.md#units), by default millimetres and degrees. You can add a unit:
  `12in`, `0.3rad`, `1/2in`.
- `help COMMAND` prints the description of a command.
- In Python, `rck.Assembly("arm.rck").run("mate base.top servo.back")` runs a command ([Python](python.md)).

For the subcommands of `rck`, see [shell commands](shell.md).

"""

SHELL = """# Shell commands

This page lists the subcommands of `rck` and their options. `rck COMMAND --help` prints the same text. `rck` alone opens
the editor. Plugins can add subcommands.

```sh
rck parts servo 'stall-torque>=4'
rck run examples/desk-arm.rcks arm.rck
rck check arm.rck
rck export arm.rck arm.urdf
```

A command with the option `--set` for importer options accepts as FILE an assembly (`.rck`) or any file that RCK can
[import](import.md).

| exit status | meaning |
|---|---|
| 0 | success |
| 1 | there are findings, or an action was refused |
| 2 | wrong usage, or an input that cannot be read |
| 130 | cancelled with Ctrl+C |

For the commands of scripts and of the editor's command line, see the [command reference](commands.md).

"""


def page() -> str:
    """Return the page of the command language, with the built-in commands only."""
    fenced = False
    lines = []
    for line in reference(full_grammar(Plugins([]))).splitlines():
        fenced ^= line.startswith("```")
        lines.append(line if fenced or line.startswith(("|", "#")) else wrapped(line))
    return LANGUAGE + "\n".join([*lines, ""])


def shell_page() -> str:
    """Return the page of the subcommands, independent of the terminal width."""
    context = click.Context(cli, info_name="rck")
    lines = ["| command | does |", "|---|---|"]
    lines += [f"| [`rck {name}`](#rck-{name}) | {COMMANDS[name][1]} |" for name in cli.list_commands(context)]
    lines.append("")
    for name in cli.list_commands(context):
        lines += section(cli.get_command(context, name), name, context, 2)
    return SHELL + "\n".join(lines)


def section(command: click.Command | None, name: str, above: click.Context, depth: int) -> Iterator[str]:
    """Return the lines about a command and its subcommands."""
    assert command is not None
    context = click.Context(command, info_name=name, parent=above)
    yield from ("#" * depth + f" `{context.command_path}`", "")
    yield from prose(command.help or "")
    yield from ("```text", " ".join([context.command_path, *command.collect_usage_pieces(context)]), "```", "")
    if command.hidden:
        yield from (f"You can omit the word `{name}`.", "")
    options = [one for one in command.params if isinstance(one, click.Option)]
    if options:
        yield from ("| option | meaning |", "|---|---|", *(row(one, context) for one in options), "")
    if isinstance(command, click.Group):
        for below in command.list_commands(context):
            yield from section(command.get_command(context, below), below, context, depth + 1)


def prose(text: str) -> Iterator[str]:
    """Return the paragraphs of a help text; those that click must not wrap stay unchanged."""
    for paragraph in inspect.cleandoc(text).split("\n\n"):
        if paragraph.startswith("\b"):
            yield from ("```text", *paragraph.splitlines()[1:], "```", "")
        else:
            yield from (wrapped(" ".join(paragraph.split())), "")


def wrapped(text: str) -> str:
    """Wrap a paragraph to the width."""
    return fill(text, WIDTH, break_long_words=False, break_on_hyphens=False)


def row(option: click.Option, context: click.Context) -> str:
    """Return an option with its value and its help."""
    record = option.get_help_record(context)
    assert record is not None
    again = " May be given several times." if option.multiple and "several" not in record[1] else ""
    return f"| `{cell(record[0])}` | {cell(record[1])}{again} |"


def cell(text: str) -> str:
    """Escape a text for a table."""
    return " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    (FOLDER / "commands.md").write_text(page(), encoding="utf-8")
    (FOLDER / "shell.md").write_text(shell_page(), encoding="utf-8")
