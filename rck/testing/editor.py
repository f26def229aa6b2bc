"""Contracts of what plugins add to the editor: panels, screens, actions, overlays, themes, keymaps, start templates."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

from rck.hooks import (
    EditorAction,
    EditorContext,
    EditorPanel,
    EditorScreen,
    Keymap,
    Overlay,
    OverlayShapes,
    PanelContent,
    Plugins,
    StartTemplate,
    Theme,
    discover,
)
from rck.hooks.editor_kinds import SCREENS
from rck.hooks.overlay_shapes import check_shapes
from rck.language.session import new_session
from rck.model import Robot, build_robot
from rck.testing.assertions import allow_refusal, assert_type
from rck.testing.robots import planar_arm, six_axis_arm


def editor_context(robot: Robot | None = None, *, may_run: bool = True, screen: str = "build") -> EditorContext:
    """Return a context with an empty document, as the editor passes it to functions of plugins."""
    with tempfile.TemporaryDirectory() as folder:
        document = new_session(Plugins([]), Path(folder)).document
    return EditorContext(document, robot, screen=screen, may_run=may_run)


def _contexts(*, may_run: bool) -> Iterator[EditorContext]:
    robots: tuple[Robot | None, ...] = (
        six_axis_arm("left/arm-1"),
        planar_arm(2),
        build_robot("none", []).unwrap(),
        None,
    )
    for robot in robots:
        yield editor_context(robot, may_run=may_run)


@contextmanager
def _in_time(deadline: float) -> Iterator[None]:
    start = monotonic()
    yield
    assert monotonic() - start < deadline, f"it takes longer than its deadline of {deadline:g} s"


def check_panel(panel: EditorPanel | EditorScreen) -> None:
    """Require content for any robot, an empty one and None, in time; it may refuse, and runs no commands."""
    if isinstance(panel, EditorPanel):
        assert panel.screens, "it is on no screen"
    for context in _contexts(may_run=False):
        with allow_refusal(), _in_time(panel.deadline):
            assert_type(list(panel.show(context)), list[PanelContent], "content")
        assert not context.commands, "it runs commands"


def check_screen(screen: EditorScreen) -> None:
    """Require content as of a panel, and a name that RCK does not use."""
    assert screen.name not in SCREENS, f"RCK has a screen {screen.name}"
    check_panel(screen)


def check_action(action: EditorAction) -> None:
    """Require that it handles any robot, an empty one and None, in time; it may refuse."""
    for context in _contexts(may_run=True):
        with allow_refusal(), _in_time(action.deadline):
            action.run(context)
        assert_type(context.commands, list[str], "commands")


def check_overlay(overlay: Overlay) -> None:
    """Require valid shapes for any robot, an empty one and None, in time; it may refuse."""
    for context in _contexts(may_run=False):
        with allow_refusal(), _in_time(overlay.deadline):
            shapes = overlay.draw(context)
            assert_type(shapes, OverlayShapes, "shapes")
            check_shapes(shapes)


def check_theme(theme: Theme) -> None:
    """Require the colour primary, and colours that can be read."""
    from textual.color import Color

    assert "primary" in theme.colours, "it has no colour primary"
    for name, colour in theme.colours.items():
        assert_type(colour, str, name)
        if colour.startswith("#"):
            Color.parse(colour)


def check_keymap(keymap: Keymap) -> None:
    """Require keys by binding id."""
    assert keymap.keys, "it has no keys"
    for name, key in keymap.keys.items():
        assert name == name.strip() != "", f"{name!r} is not the id of a binding"
        assert all(part.strip() for part in key.split(",")), f"{name}: {key!r} is not a key"


def check_template(template: StartTemplate, plugins: Plugins | None = None) -> None:
    """Require that its commands run on an empty assembly, and make something."""
    with tempfile.TemporaryDirectory() as folder:
        session = new_session(plugins or discover(), Path(folder))
        session.run_script(template.script, template.name)
        assert session.assembly.parts, "it creates no parts"
