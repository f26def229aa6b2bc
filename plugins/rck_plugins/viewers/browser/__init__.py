"""Web page with a live 3D view of a served world."""

from importlib.resources import files

from rck.exporting.web import MODULES, module
from rck.hooks import Viewer, hookimpl

_CONTENT_TYPES = {"html": "text/html", "js": "text/javascript", "css": "text/css"}
_FILES = ("page.html", "view.js", "page.css")


def page(path: str) -> tuple[str, bytes] | None:
    """Return the content type and content of a file of the page; None if there is no such file."""
    name = "page.html" if path == "/" else path.removeprefix("/")
    if name in MODULES:
        text = module(name)
    elif name in _FILES:
        text = files("rck_plugins.viewers.browser").joinpath(name).read_text(encoding="utf-8")
    else:
        return None
    return f"{_CONTENT_TYPES[name.rpartition('.')[2]]}; charset=utf-8", text.encode()


@hookimpl
def rck_viewers() -> list[Viewer]:
    """Return the viewer."""
    return [Viewer("browser", "web page with a live 3D view, joint sliders and sensor data", page=page)]
