"""Shared code of pages that show a robot in a browser: JavaScript modules, and surfaces as text."""

import re
from base64 import b64encode
from importlib.resources import files

from rck.geometry.mesh import Faceted, triangles

MODULES = ("matrices.js", "painter.js", "orbit.js", "sliders.js")
"""Each module imports only modules before it."""

_IMPORT = re.compile(r"^import [^;]*;\n", re.MULTILINE)
_EXPORT = re.compile(r"^export ", re.MULTILINE)


def module(name: str) -> str:
    """Return the text of a module, for a page that loads it from a server."""
    if name not in MODULES:
        raise KeyError(name)
    return files("rck.exporting.web").joinpath(name).read_text(encoding="utf-8")


def bundled(script: str) -> str:
    """Return a script and the modules that it imports as one text, for a page that loads nothing."""
    texts = [*(module(name) for name in MODULES), script]
    return '"use strict";\n' + "\n".join(_EXPORT.sub("", _IMPORT.sub("", text)) for text in texts)


def surface_text(surface: Faceted) -> dict[str, str]:
    """Return points as 32-bit floats and corners of triangles as 32-bit integers, in base 64."""
    points = surface.vertices.astype("<f4").tobytes()
    corners = triangles(surface).astype("<u4").tobytes()
    return {"points": b64encode(points).decode("ascii"), "corners": b64encode(corners).decode("ascii")}
