"""The two themes of the editor, dark and light; Textual's own can be chosen too."""

from textual.theme import Theme

THEMES = (
    Theme(
        name="rck-dark",
        primary="#4c9be8",
        secondary="#7a8ca0",
        accent="#e8a33d",
        success="#6bbf6b",
        warning="#e0b040",
        error="#e05c5c",
        background="#14171b",
        surface="#191d22",
        panel="#20262d",
        foreground="#d6dce2",
        dark=True,
    ),
    Theme(
        name="rck-light",
        primary="#1f6fb8",
        secondary="#5c6b7a",
        accent="#b86a00",
        success="#2c7a2c",
        warning="#946c00",
        error="#b52a2a",
        background="#f4f5f6",
        surface="#fbfbfc",
        panel="#e9ecef",
        foreground="#20262c",
        dark=False,
    ),
)
