"""The kinds of contributions to the editor.

Their functions run outside the thread of the interface and have a deadline, so that a slow plugin does not freeze the
editor. A function that raises an exception or exceeds its deadline is not called again until the editor restarts.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from rck.hooks.editor_context import EditorContext
from rck.hooks.overlay_shapes import OverlayShapes
from rck.hooks.panel_content import PanelContent

ASSEMBLY_SCREENS = ("build", "move", "simulate")
"""The screens that show the robot."""
SCREENS = (*ASSEMBLY_SCREENS, "import", "plugins")
"""RCK's screens."""
DEADLINE = 2.0
"""Seconds after which the editor gives up a function that shows something."""


@dataclass(frozen=True, slots=True)
class EditorPanel:
    """Panel of the editor."""

    name: str
    summary: str
    show: Callable[[EditorContext], Iterable[PanelContent]]
    """Returns the content. It is called after every change of the robot, the selection or the joint positions."""
    screens: tuple[str, ...] = ("build",)
    """The screens that have the panel: build, move, simulate, import, plugins, or the name of a plugin's screen."""
    deadline: float = DEADLINE
    """Seconds after which the editor gives up."""


@dataclass(frozen=True, slots=True)
class EditorScreen:
    """Screen of the editor, with a tab in the title bar."""

    name: str
    summary: str
    show: Callable[[EditorContext], Iterable[PanelContent]]
    """Returns the content, as that of a panel."""
    key: str = ""
    """Key that shows the screen, such as `f7`; empty for none. The command palette always offers the screen."""
    with_view: bool = True
    """True if the screen has a 3D view of the robot and the content, False if only the content."""
    deadline: float = DEADLINE
    """Seconds after which the editor gives up."""


@dataclass(frozen=True, slots=True)
class EditorAction:
    """Action of the editor: an entry of the command palette, with a key if it has one."""

    name: str
    summary: str
    run: Callable[[EditorContext], None]
    key: str = ""
    """Key, such as `ctrl+g`, which the key bar and the help show; `keys.yaml` changes it by the id `action-NAME`."""
    screens: tuple[str, ...] = ASSEMBLY_SCREENS
    """The screens on which it is available."""
    deadline: float = 10.0
    """Seconds after which the editor gives up."""


@dataclass(frozen=True, slots=True)
class Overlay:
    """Overlay of the 3D views, switched on and off in the command palette."""

    name: str
    summary: str
    draw: Callable[[EditorContext], OverlayShapes]
    """Returns the shapes. It is called after every change while the overlay is shown."""
    key: str = ""
    """Key that switches it; `keys.yaml` changes it by the id `overlay-NAME`."""
    shown: bool = False
    """True if it is shown from the start."""
    deadline: float = DEADLINE
    """Seconds after which the editor gives up."""


@dataclass(frozen=True, slots=True)
class Theme:
    """Colours of the editor."""

    name: str
    summary: str
    colours: Mapping[str, str]
    """Colours such as `#4c9be8` by role: primary, secondary, accent, success, warning, error, background, surface,
    panel, foreground. Only `primary` is required; any other name is a variable of Textual's style sheets."""
    dark: bool = True
    """True if the background is dark."""


@dataclass(frozen=True, slots=True)
class Keymap:
    """Set of keys that `preset: NAME` in `keys.yaml` selects."""

    name: str
    summary: str
    keys: Mapping[str, str] = field(default_factory=dict)
    """Keys by binding id, such as `undo: u,ctrl+z`. F1 shows the ids of all bindings."""


@dataclass(frozen=True, slots=True)
class StartTemplate:
    """Assembly to start from, offered on the start page of the editor."""

    name: str
    summary: str
    script: str
    """The commands that build it, one on each line."""
