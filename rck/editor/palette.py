"""The command palette: what the editor itself can do, recent files, and every command of the language."""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from textual.app import SystemCommand

from rck.editor.screens import SCREENS
from rck.hooks import Command
from rck.language.words import quote

if TYPE_CHECKING:
    from rck.editor.app import RckApp


def palette_commands(app: "RckApp") -> Iterator[SystemCommand]:
    """One entry for each thing that can be done."""
    for name, screen in SCREENS.items():
        yield SystemCommand(f"{screen.label} screen", f"Go there ({screen.key.upper()})", partial(app.action_go, name))
    yield SystemCommand("Tutorial", "Six short steps to an arm that moves (?)", app.action_tutorial)
    yield SystemCommand("Jump", "Go to a panel by one letter (ctrl+o)", app.action_jump)
    yield SystemCommand("Contacts", "Which pairs of items are tested for collision, and why", app.action_contacts)
    yield SystemCommand("Reach", "Where the tool can get to (a on the Move screen); again hides it", app.action_reach)
    yield SystemCommand("Solver", "What finds joint positions on the Move screen", partial(app.action_choose, "solver"))
    yield SystemCommand("Collision", "What finds out what touches there", partial(app.action_choose, "collision"))
    yield SystemCommand("Physics", "Forces on the Simulate screen, or none", partial(app.action_choose, "physics"))
    yield SystemCommand("Viewer", "Look at the robot with another program", partial(app.action_choose, "viewer"))
    yield SystemCommand("Save commands as script", "Write what was done to a .rcks file", app.action_save_script)
    for path in app.settings.recent:
        line = f"load {quote(path)}"
        yield SystemCommand(f"Open recent: {Path(path).name}", path, partial(app.action_command, line))
    session = app.workbench.session
    of_plugins = {one.name for one in session.plugins.all(Command) if _takes_words(one.usage)}
    for command in session.grammar.commands.values():
        takes = command.name in of_plugins or any(not one.optional for one in command.arguments)
        act = partial(app.action_begin, f"{command.name} ") if takes else partial(app.action_command, command.name)
        yield SystemCommand(command.name, command.summary, act)


def _takes_words(usage: str) -> bool:
    """Whether a plugin's command needs words after its name: those in brackets can be left out."""
    return len(re.sub(r"\[[^]]*\]", "", usage).split()) > 1
