"""Theme of the editor."""

from rck.hooks import Theme, hookimpl


@hookimpl
def rck_themes() -> list[Theme]:
    """Return the theme."""
    colours = {
        "primary": "#5fa8d3",
        "secondary": "#62b6cb",
        "accent": "#ffb703",
        "success": "#8ac926",
        "warning": "#ffca3a",
        "error": "#ff595e",
        "background": "#0b132b",
        "surface": "#111b38",
        "panel": "#1c2541",
        "foreground": "#e0e6ee",
    }
    return [Theme("my-plugin", "blue", colours)]
