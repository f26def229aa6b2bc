"""A word of the command language: `my-plugin COLOUR` gives every piece of the assembly one colour."""

import re
from collections.abc import Sequence

import msgspec

from rck.assembly.document import Assembly
from rck.hooks import Command, hookimpl
from rck.model import RckError


@hookimpl
def rck_commands() -> list[Command]:
    """What this plugin adds."""
    return [Command("my-plugin", "give every piece one colour", "my-plugin COLOUR", paint)]


def paint(assembly: Assembly, words: Sequence[str]) -> tuple[Assembly, str]:
    """The assembly painted, and what to tell the user.

    An assembly never changes: a command returns another, so every command can be undone.
    """
    if len(words) != 1 or not re.fullmatch(r"#[0-9a-fA-F]{6}", words[0]):
        raise RckError("my-plugin needs one colour, such as #cc3333")
    painted = {name: msgspec.structs.replace(one, colour=words[0]) for name, one in assembly.parts.items()}
    return msgspec.structs.replace(assembly, parts=painted), f"painted {', '.join(painted) or 'nothing'}"
