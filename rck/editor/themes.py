"""The themes of the editor: dark, light, one for terminals with 16 colours, and those of plugins."""

from collections.abc import Container
from dataclasses import fields

from textual.theme import Theme as TextualTheme

from rck.hooks import Theme

DARK = Theme(
    "rck-dark",
    "light text on a dark background",
    {
        "primary": "#4c9be8",
        "secondary": "#7a8ca0",
        "accent": "#e8a33d",
        "success": "#6bbf6b",
        "warning": "#e0b040",
        "error": "#e05c5c",
        "background": "#14171b",
        "surface": "#191d22",
        "panel": "#20262d",
        "foreground": "#d6dce2",
    },
)
LIGHT = Theme(
    "rck-light",
    "dark text on a light background",
    {
        "primary": "#1f6fb8",
        "secondary": "#5c6b7a",
        "accent": "#b86a00",
        "success": "#2c7a2c",
        "warning": "#946c00",
        "error": "#b52a2a",
        "background": "#f4f5f6",
        "surface": "#fbfbfc",
        "panel": "#e9ecef",
        "foreground": "#20262c",
    },
    dark=False,
)
FEW_COLOURS = TextualTheme(
    name="rck-16",
    ansi=True,
    primary="ansi_bright_blue",
    secondary="ansi_cyan",
    accent="ansi_yellow",
    success="ansi_green",
    warning="ansi_yellow",
    error="ansi_red",
    background="ansi_default",
    surface="ansi_default",
    panel="ansi_default",
    boost="ansi_default",
    foreground="ansi_default",
    dark=True,
    variables={
        "ansi-background": "ansi_black",
        "ansi-foreground": "ansi_white",
        "border-blurred": "ansi_white",
        "block-cursor-foreground": "ansi_black",
        "block-cursor-background": "ansi_white",
        "input-cursor-background": "ansi_white",
        "input-cursor-foreground": "ansi_black",
        "input-selection-background": "ansi_blue",
        "input-selection-foreground": "ansi_white",
        "block-cursor-blurred-foreground": "ansi_default",
        "block-cursor-blurred-background": "ansi_bright_black",
    },
)
"""The terminal's colours, as the user has configured them."""
THEMES = (DARK, LIGHT)
"""RCK's own themes, declared as those of plugins are."""

_ROLES = frozenset(field.name for field in fields(TextualTheme)) - {"name", "dark", "ansi", "variables"}


def textual_theme(theme: Theme) -> TextualTheme:
    """Return a theme for Textual; raise an error if a colour cannot be read."""
    if "primary" not in theme.colours:
        raise ValueError("the theme has no colour for primary")
    roles = {role: colour for role, colour in theme.colours.items() if role in _ROLES}
    variables = {name: value for name, value in theme.colours.items() if name not in _ROLES}
    made = TextualTheme(theme.name, dark=theme.dark, variables=variables, **roles)  # type: ignore[arg-type]
    made.to_color_system().generate()
    return made


def choose_theme(name: str, available: Container[str], few_colours: bool) -> str:
    """Return the chosen theme if it is available; a terminal with few colours always gets its own theme."""
    if few_colours:
        return FEW_COLOURS.name
    return name if name in available else DARK.name
