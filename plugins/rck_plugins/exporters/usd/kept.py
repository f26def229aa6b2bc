"""Data of files that RCK does not interpret: attributes of USD, and those of MJCF that have a schema."""

from collections.abc import Mapping

from rck.model.extensions import Extensions
from rck_plugins.exporters.usd.prims import Prim, quoted

USD = "usd"
MJCF = "mjcf"
_SCHEMAS = "apiSchemas"

_NUMBERS = "double[]"
_CONTACT = {
    "condim": "int", "gap": "double", "group": "int", "margin": "double", "priority": "int", "solimp": _NUMBERS,
    "solmix": "double", "solref": _NUMBERS, "shellinertia": "bool",
}  # fmt: skip
_JOINT = {
    "actuatorgravcomp": "bool", "group": "int", "margin": "double", "solimpfriction": _NUMBERS,
    "solimplimit": _NUMBERS, "solreffriction": _NUMBERS, "solreflimit": _NUMBERS, "springdamper": _NUMBERS,
}  # fmt: skip
_EQUALITY = {"solimp": _NUMBERS, "solref": _NUMBERS}
_ACTUATOR = {
    "group": "int", "dyntype": "token", "dynprm": _NUMBERS, "gaintype": "token", "gainprm": _NUMBERS,
    "biastype": "token", "biasprm": _NUMBERS, "actdim": "int", "actearly": "bool", "cranklength": "double",
    "ctrllimited": "token", "forcelimited": "token", "actlimited": "token", "inheritrange": "double", "gear": _NUMBERS,
}  # fmt: skip
_TENDON = {**{name: kind for name, kind in _JOINT.items() if name.startswith("sol")}, "group": "int",
           "margin": "double", "width": "double", "limited": "token", "springlength": _NUMBERS}  # fmt: skip
_ATTRIBUTES: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "geom": ("MjcCollisionAPI", _CONTACT),
    "visual": ("MjcImageableAPI", {"group": "int"}),
    "site": ("MjcSiteAPI", {"group": "int"}),
    "joint": ("MjcJointAPI", _JOINT),
    "connect": ("MjcEqualityConnectAPI", _EQUALITY),
    "weld": ("MjcEqualityWeldAPI", {**_EQUALITY, "torquescale": "float"}),
    "actuator": ("", _ACTUATOR),
    "tendon": ("", _TENDON),
}
"""By element: its schema of MuJoCo, and the types of the attributes that have the same meaning as in MJCF."""
_NAMES = {
    "torquescale": "torqueScale", "actdim": "actDim", "actearly": "actEarly", "cranklength": "crankLength",
    "dynprm": "dynPrm", "dyntype": "dynType", "gainprm": "gainPrm", "gaintype": "gainType", "biasprm": "biasPrm",
    "biastype": "biasType", "ctrllimited": "ctrlLimited", "forcelimited": "forceLimited", "actlimited": "actLimited",
    "inheritrange": "inheritRange",
}  # fmt: skip
"""Names of the schemas that differ from those of MJCF."""
_SOLIMP, _SOLREF, _TEN = (0.9, 0.95, 0.001, 0.5, 2.0), (0.02, 1.0), (0.0,) * 10
_DEFAULTS: Mapping[str, tuple[float, ...]] = {
    **dict.fromkeys(("solimp", "solimpfriction", "solimplimit"), _SOLIMP),
    **dict.fromkeys(("solref", "solreffriction", "solreflimit"), _SOLREF),
    **dict.fromkeys(("dynprm", "gainprm", "biasprm"), _TEN),
    "gear": (0.0,) * 6,
    "springdamper": (0.0, 0.0),
}
"""The values of lists that MJCF may leave out at the end, and the schemas may not."""


def keep(prim: Prim, extensions: Extensions, element: str) -> None:
    """Add the extension data of an element of the robot to its prim; `element` names its kind."""
    own = dict(extensions.get(USD, {}))
    apis = [one for one in own.pop(_SCHEMAS, "").split() if one not in prim.apis]
    prim.apis = [*prim.apis, *apis]
    for name, text in own.items():
        kind, _, value = text.partition(" = ")
        prim.properties.append(f"{kind} {name} = {value}")
    data = extensions.get(MJCF)
    if data is None:
        return
    # Whole elements, and marks of RCK, have no schema.
    prim.data[MJCF] = dict(data)
    schema, types = _ATTRIBUTES.get(element, ("", {}))
    written = [line for name, text in data.items() if name in types and (line := _line(name, types[name], text))]
    if written:
        prim.properties += [line for line in written if line not in prim.properties]
        prim.apis = [*prim.apis, *([schema] if schema and schema not in prim.apis else [])]


def _line(name: str, kind: str, text: str) -> str:
    """Return an attribute of MJCF as one of USD; empty if its text is not a value of the type."""
    words = text.split()
    try:
        numbers = [] if kind in ("token", "bool") else [float(word) for word in words]
    except ValueError:
        return ""
    numbers += _DEFAULTS.get(name, ())[len(numbers) :]
    value = {
        "token": quoted(text),
        "bool": str(int(text in ("true", "1"))),
        _NUMBERS: "[" + ", ".join(map(repr, numbers)) + "]",
    }.get(kind)
    if value is None:
        if len(numbers) != 1:
            return ""
        value = str(int(numbers[0])) if kind == "int" else repr(numbers[0])
    return f"uniform {kind} mjc:{_NAMES.get(name, name)} = {value}"
