"""What pages that show a robot in a browser share: modules of JavaScript that draw it, and surfaces as text."""

import re
from base64 import b64encode
from importlib.resources import files

from rck.geometry.mesh import Faceted, triangles

MODULES = ("matrices.js", "painter.js", "orbit.js", "sliders.js")
"""Each uses only those before it."""

_IMPORT = re.compile(r"^import [^;]*;\n", re.MULTILINE)
_EXPORT = re.compile(r"^export ", re.MULTILINE)


def module(name: str) -> str:
    """The text of one of the modules, for a page that is served beside them."""
    if name not in MODULES:
        raise KeyError(name)
    return files("rck.exporting.web").joinpath(name).read_text(encoding="utf-8")


def bundled(script: str) -> str:
    """A script that uses the modules, with them in one text, for a page that fetches nothing."""
    texts = [*(module(name) for name in MODULES), script]
    return '"use strict";\n' + "\n".join(_EXPORT.sub("", _IMPORT.sub("", text)) for text in texts)


def surface_text(surface: Faceted) -> dict[str, str]:
    """Points as 32-bit floats and corners of triangles as 32-bit integers, in base 64."""
    points = surface.vertices.astype("<f4").tobytes()
    corners = triangles(surface).astype("<u4").tobytes()
    return {"points": b64encode(points).decode("ascii"), "corners": b64encode(corners).decode("ascii")}
