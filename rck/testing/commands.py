"""What every word of the command language, and every subcommand of `rck`, must do: run these on yours."""

from collections.abc import Sequence
from contextlib import suppress
from copy import deepcopy
from typing import Any

import click
from click.testing import CliRunner

from rck.hooks.kinds import CliCommand, Command
from rck.model.finding import RckError

_NONSENSE: tuple[list[str], ...] = (
    [],
    [""],
    ["--no-such-option"],
    ["no", "such", "words", "here"],
    ["1e999"],
    ["=", "'", "\x00"],
)


def check_command(command: Command, document: Any, words: Sequence[str]) -> None:
    """It makes another document of one, which stays as it was, the same each time; words without sense are refused."""
    assert command.usage.split()[:1] == [command.name], f"the usage does not begin with {command.name}"
    before = deepcopy(document)
    after = _document_in(command.run(document, words))
    assert isinstance(after, type(document)), f"it returned {type(after).__name__}, not {type(document).__name__}"
    assert document == before, "it changed the document that it was given"
    assert _document_in(command.run(document, words)) == after, "the same words made another document the second time"
    for others in _NONSENSE:
        # A refusal is as good as a document.
        with suppress(RckError):
            made = _document_in(command.run(document, others))
            assert isinstance(made, type(document)), f"{others}: it returned {type(made).__name__}"
        assert document == before, f"{others}: it changed the document that it was given"


def _document_in(made: Any) -> Any:
    """The document that a command returned, with or without a text about it."""
    if not isinstance(made, tuple):
        return made
    assert len(made) == 2, f"it returned {len(made)} values, not a document and a text"
    document, message = made
    assert isinstance(message, str), f"what it says is {type(message).__name__}, not a text"
    return document


def check_cli_command(added: CliCommand) -> None:
    """It is a command of click that explains itself, and refuses an option that it does not know."""
    assert isinstance(added.command, click.Command), f"it is {type(added.command).__name__}, not a click.Command"
    helped = CliRunner().invoke(added.command, ["--help"])
    assert helped.exit_code == 0, helped.output
    assert added.command.help, "--help says nothing about what it does: give the function a docstring"
    refused = CliRunner().invoke(added.command, ["--no-such-option"])
    assert refused.exit_code == 2, f"an unknown option ended with {refused.exit_code}, not 2: {refused.output}"
