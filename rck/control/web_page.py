"""The page that shows a served world in a browser. It is a client like any other."""

from importlib.resources import files

_FILES = {
    "/": ("index.html", "text/html; charset=utf-8"),
    "/view.js": ("view.js", "text/javascript; charset=utf-8"),
    "/matrices.js": ("matrices.js", "text/javascript; charset=utf-8"),
    "/painter.js": ("painter.js", "text/javascript; charset=utf-8"),
    "/page.css": ("page.css", "text/css; charset=utf-8"),
}


def web_page(path: str) -> tuple[str, bytes] | None:
    """The content type and content of a file of the page; None where there is no such file."""
    if path not in _FILES:
        return None
    name, kind = _FILES[path]
    return kind, files("rck.control").joinpath("web", name).read_bytes()
