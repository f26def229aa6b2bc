"""The built-in commands, a module for each kind of work; this list is where help and completion start from."""

from rck.language.commands import (
    contacts,
    copying,
    files,
    frames,
    history,
    joints,
    making,
    mating,
    placing,
    removing,
    settings,
    telling,
    views,
)
from rck.language.grammar import CommandSpec

COMMANDS: tuple[CommandSpec, ...] = (
    *making.COMMANDS,
    *copying.COMMANDS,
    *frames.COMMANDS,
    *mating.COMMANDS,
    *placing.COMMANDS,
    *settings.COMMANDS,
    *joints.COMMANDS,
    *contacts.COMMANDS,
    *removing.COMMANDS,
    *views.COMMANDS,
    *history.COMMANDS,
    *files.COMMANDS,
    *telling.COMMANDS,
)
