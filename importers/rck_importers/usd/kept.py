"""Attributes that RCK does not interpret: kept with the element, and exported again.

Attributes of the `mjc` schemas are kept as attributes of MJCF, so that exports to MJCF write them, too.
"""

from collections.abc import Collection
from typing import Any

import numpy as np

from rck.model.extensions import Extensions, freeze_extensions
from rck_importers.usd.stage import Prim

FORMAT = "usd"
MJCF = "mjcf"
_MJC = "mjc:"
_PLAIN = ("xformOp", "physics:", "drive:", "limit:", "extent", "primvars:", "purpose", "visibility", "kind", "model:",
          "proxyPrim", "ui:", "material:", "collection:", "state:")  # fmt: skip
"""Starts of the names of attributes that RCK interprets, or that only describe the geometry."""
_MJCF_NAMES = {
    "body:gravcomp": "gravcomp",
    "actDim": "actdim",
    "actEarly": "actearly",
    "crankLength": "cranklength",
    "dynPrm": "dynprm",
    "dynType": "dyntype",
    "gainPrm": "gainprm",
    "gainType": "gaintype",
    "biasPrm": "biasprm",
    "biasType": "biastype",
    "inheritRange": "inheritrange",
    "jointInParent": "jointinparent",
    "torqueScale": "torquescale",
}
"""Names of attributes of MJCF that differ from those of the schema."""


def kept(prim: Prim, consumed: Collection[str] = (), **mjcf: str) -> Extensions:
    """Return the extension data of a prim: the attributes that were not consumed; `mjcf` adds some of MJCF.

    Where RCK wrote the file, it has the data of MJCF as they were.
    """
    own: dict[str, str] = {}
    others = {str(name): str(text) for name, text in prim.rck.get(MJCF, mjcf).items()}
    for name, value in prim.values.items():
        if name in consumed or value is None or name.startswith(_PLAIN) or name not in prim.types:
            continue
        if name.startswith(_MJC):
            stem = name.removeprefix(_MJC)
            others.setdefault(_MJCF_NAMES.get(stem, stem), mjcf_text(value))
        else:
            text = usd_text(value, prim.types[name])
            if text:
                own[name] = f"{prim.types[name]} = {text}"
    if own:
        own["apiSchemas"] = " ".join(api for api in prim.apis if not api.startswith(("Physics", "MaterialBinding")))
    found = {FORMAT: own, MJCF: {name: text for name, text in others.items() if text}}
    return freeze_extensions({name: data for name, data in found.items() if data})


def mjcf_text(value: Any) -> str:
    """Return a value as MJCF has it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, (int, float)):
        return f"{value:.17g}" if isinstance(value, int) else repr(float(value))
    return " ".join(repr(float(number)) for number in np.asarray(value, dtype=float).ravel())


def usd_text(value: Any, kind: str) -> str:
    """Return a value of a type as the text format of USD has it; empty for types that are not kept."""
    word = kind.removeprefix("custom ").removeprefix("uniform ")
    if word.endswith("[]"):
        items = value if isinstance(value, list) else value.tolist()
        return "[" + ", ".join(usd_text(item, word.removesuffix("[]")) for item in items) + "]"
    if word in ("string", "token"):
        return '"' + str(value).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
    if word == "asset":
        return str(value)
    if word == "bool":
        return "1" if value else "0"
    if word in ("int", "uint", "int64", "uint64", "uchar"):
        return str(int(value))
    if isinstance(value, (int, float)):
        return repr(float(value))
    if isinstance(value, (list, tuple)) and value and not isinstance(value[0], str):
        return "(" + ", ".join(usd_text(item, "") for item in value) + ")"
    return ""
