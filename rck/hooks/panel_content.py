"""The content of panels and screens of plugins: texts, tables, bars, buttons and fields.

The editor draws it, so that a plugin needs no user-interface library and can compute outside the interface thread.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from rck.hooks.editor_context import EditorContext

TextStyle = Literal["normal", "bold", "dim", "good", "warning", "bad"]


@dataclass(frozen=True, slots=True)
class PanelText:
    """One or more lines of text."""

    text: str
    style: TextStyle = "normal"


@dataclass(frozen=True, slots=True)
class PanelTable:
    """A table; numbers are aligned right."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    choose: Callable[[EditorContext, int], None] | None = None
    """Called with the index of the row that the user chooses by Enter or a click."""


@dataclass(frozen=True, slots=True)
class PanelBar:
    """A value as a horizontal bar."""

    label: str
    fraction: float
    """Filled part, 0 to 1."""
    text: str = ""
    """Text behind the bar, such as the value with its unit."""
    style: TextStyle = "normal"


@dataclass(frozen=True, slots=True)
class PanelButton:
    """A button, pressed by Enter or a click."""

    label: str
    press: Callable[[EditorContext], None]


@dataclass(frozen=True, slots=True)
class PanelField:
    """A labelled value that the user can change; the plugin stores it."""

    label: str
    value: str
    enter: Callable[[EditorContext, str], None]
    """Called with the new text; raise :class:`RckError` to refuse it."""


PanelContent: TypeAlias = str | PanelText | PanelTable | PanelBar | PanelButton | PanelField
"""An element of a panel; a plain text is a :class:`PanelText`."""
