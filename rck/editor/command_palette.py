"""The command palette: actions of the editor, recent files, and every command of the language."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from textual.app import SystemCommand

from rck.grammar import quote

if TYPE_CHECKING:
    from rck.editor.app import RckApp


def palette_commands(app: "RckApp") -> Iterator[SystemCommand]:
    """Yield the entries of the palette."""
    for name, screen in app.screen_specs.items():
        key = screen.key.upper()
        yield SystemCommand(
            f"{screen.label} screen",
            f"Show the {screen.label} screen" + (f" ({key})" if key else ""),
            partial(app.action_go, name),
        )
    yield from app.plugin_features.palette()
    yield SystemCommand("New from template", "Start from a template or a recent file (ctrl+n)", app.action_start)
    yield SystemCommand("Tutorial", "Build an arm that moves in six short steps (?)", app.action_tutorial)
    yield SystemCommand("Jump", "Focus a panel by pressing one letter (ctrl+o)", app.action_jump)
    yield SystemCommand("Allowed collisions", "Edit the allowed-collision matrix", app.action_contacts)
    yield SystemCommand("Reach", "Show or hide the workspace of the tool (a on the Move screen)", app.action_reach)
    yield SystemCommand("Solver", "Choose the IK solver of the Move screen", partial(app.action_choose, "solver"))
    yield SystemCommand(
        "Collision", "Choose the collision backend of the Move screen", partial(app.action_choose, "collision")
    )
    yield SystemCommand(
        "Physics", "Choose the physics engine of the Simulate screen", partial(app.action_choose, "physics")
    )
    yield SystemCommand("Viewer", "Open the robot in a viewer", partial(app.action_choose, "viewer"))
    yield SystemCommand(
        "Save commands as script", "Write the commands of this session to a .rcks file", app.action_save_script
    )
    for path in app.settings.recent:
        line = f"load {quote(path)}"
        yield SystemCommand(f"Open recent: {Path(path).name}", path, partial(app.action_command, line))
    session = app.workbench.session
    for spec in session.grammar.commands.values():
        needs_arguments = any(not argument.optional for argument in spec.arguments)
        run = partial(app.action_begin, f"{spec.name} ") if needs_arguments else partial(app.action_command, spec.name)
        yield SystemCommand(spec.name, spec.summary, run)
