"""A command of the command language: `my-plugin COLOUR` gives every instance of the assembly one colour."""

import re

import msgspec

from rck.hooks import Argument, Arguments, Command, ValueKind, hookimpl
from rck.language.document import Document
from rck.model import RckError


@hookimpl
def rck_commands() -> list[Command[Document]]:
    """Return the commands that this plugin adds."""
    return [
        Command(
            "my-plugin",
            "give every instance one colour",
            (Argument("colour", ValueKind.TEXT),),
            details="The colour is # and six hexadecimal digits.",
            examples=("my-plugin #cc3333",),
            run=paint,
        )
    ]


def paint(document: Document, arguments: Arguments) -> tuple[Document, str]:
    """Return the painted document and a message for the user.

    A document is immutable: a command returns another one, so every command can be undone.
    """
    colour = arguments.read("colour", parse_colour)
    parts = {name: msgspec.structs.replace(one, colour=colour) for name, one in document.assembly.parts.items()}
    return document.with_changes(parts=parts), f"painted {', '.join(parts) or 'nothing'}"


def parse_colour(text: str) -> str:
    """Return the colour; the error of a parser points at the word in the line."""
    if not re.fullmatch(r"#[0-9a-fA-F]{6}", text):
        raise RckError(f"{text!r} is not a colour such as #cc3333")
    return text
