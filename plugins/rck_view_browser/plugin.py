"""What this package adds to RCK."""

from importlib.resources import files

from rck.hooks import Viewer, hookimpl

_KINDS = {"html": "text/html", "js": "text/javascript", "css": "text/css"}
_OWN = ("page.html", "view.js", "page.css")


def page(path: str) -> tuple[str, bytes] | None:
    """The content type and content of a file of the page; None where there is no such file."""
    from rck.exporting.web import MODULES, module

    name = "page.html" if path == "/" else path.removeprefix("/")
    if name in MODULES:
        text = module(name)
    elif name in _OWN:
        text = files("rck_view_browser").joinpath(name).read_text(encoding="utf-8")
    else:
        return None
    return f"{_KINDS[name.rpartition('.')[2]]}; charset=utf-8", text.encode()


@hookimpl
def rck_viewers() -> list[Viewer]:
    """The page."""
    return [Viewer("browser", "a page with a live 3D view, joint sliders and what sensors see", page=page)]
