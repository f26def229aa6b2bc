"""Shows a world that is served live, as a page in a browser."""

from rck_view_browser.plugin import rck_viewers

__all__ = ["rck_viewers"]
