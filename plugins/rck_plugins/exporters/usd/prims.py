"""Prims, the elements of a USD scene, and their text."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from rck.exporting.file_text import tidy
from rck.geometry.arrays import Floats, Ints
from rck.model.frame import IDENTITY

Data: TypeAlias = bool | float | str | Sequence[float] | Mapping[str, "Data"]
"""A value of custom data."""


@dataclass(eq=False)
class Prim:
    """A prim with its properties, as lines of text, and its children."""

    type: str
    name: str
    apis: Sequence[str] = ()
    """The applied schemas."""
    kind: str = ""
    properties: list[str] = field(default_factory=list)
    children: "list[Prim]" = field(default_factory=list)
    title: str = ""
    """The original name, if it is no legal name of a prim."""
    data: dict[str, Data] = field(default_factory=dict)
    """Data that no schema has, for RCK itself."""


def layer_text(prims: Iterable[Prim], default: str, remark: str) -> str:
    """Return the text of a file, in metres and kilograms, with z up."""
    head = ["#usda 1.0", "("]
    head += [f'    defaultPrim = "{default}"', f'    doc = "{remark}"']
    head += ["    kilogramsPerUnit = 1", "    metersPerUnit = 1", '    upAxis = "Z"', ")", ""]
    return "\n".join([*head, *(line for prim in prims for line in _lines(prim, ""))]) + "\n"


def _lines(prim: Prim, margin: str) -> Iterator[str]:
    about = []
    if prim.apis:
        about.append("prepend apiSchemas = [" + ", ".join(f'"{api}"' for api in prim.apis) + "]")
    if prim.data:
        about.append(f"customData = {{ {_entry('rck', prim.data)} }}")
    if prim.title not in ("", prim.name):
        about.append(f"displayName = {quoted(prim.title)}")
    if prim.kind:
        about.append(f'kind = "{prim.kind}"')
    yield f'{margin}def {prim.type} "{prim.name}"' + (" (" if about else "")
    if about:
        yield from (f"{margin}    {line}" for line in about)
        yield f"{margin})"
    yield f"{margin}{{"
    yield from (f"{margin}    {line}" for line in prim.properties)
    for child in prim.children:
        yield from _lines(child, margin + "    ")
    yield f"{margin}}}"


def quoted(text: str) -> str:
    """Format a text."""
    plain = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + plain.replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t") + '"'


def _entry(name: str, value: Data) -> str:
    """Format an entry of a dictionary."""
    if isinstance(value, Mapping):
        entries = "; ".join(_entry(key, one) for key, one in value.items())
        return f"dictionary {quoted(name)} = {{ {entries} }}"
    if isinstance(value, str):
        return f"string {quoted(name)} = {quoted(value)}"
    if isinstance(value, bool):
        return f"bool {quoted(name)} = {int(value)}"
    if isinstance(value, (int, float)):
        return f"double {quoted(name)} = {value + 0.0!r}"
    return f"double[] {quoted(name)} = [{', '.join(repr(float(one)) for one in value)}]"


def single(kind: str, name: str, values: ArrayLike) -> str:
    """Return an attribute of single precision, with its value in double precision for RCK where that differs."""
    exact = np.asarray(values, dtype=float) + 0.0
    with np.errstate(over="ignore"):
        # Nine digits of the exact value could be read as a neighbour of its nearest number of single precision.
        nearest = exact.astype(np.float32).astype(float)
    text = number(float(nearest)) if exact.ndim == 0 else vector(nearest)
    is_same = np.array_equal(nearest, exact)
    more = "" if is_same else f" ( customData = {{ {_entry('rck', {'exact': exact.tolist()})} }} )"
    return f"{kind} {name} = {text}{more}"


def rel(name: str, paths: Sequence[str]) -> str:
    """Return a relationship."""
    targets = ", ".join(f"<{path}>" for path in paths)
    return f"rel {name} = " + (targets if len(paths) == 1 else f"[{targets}]")


def number(value: float) -> str:
    """Format a number of single precision, for which nine digits are exact."""
    return f"{value + 0.0:.9g}"


def double(value: float) -> str:
    """Format a number of double precision."""
    return repr(float(value) + 0.0)


def vector(values: ArrayLike) -> str:
    """Format a point, a direction or a quaternion."""
    return "(" + ", ".join(number(value) for value in np.asarray(values, dtype=float).tolist()) + ")"


def vectors(rows: Floats) -> str:
    """Format a list of points, in metres."""
    # One call for all numbers is faster: a robot can have 100,000 of them.
    flat = tidy(rows).ravel().tolist()
    width = rows.shape[1]
    one = "(" + ", ".join(["%.9g"] * width) + ")"
    return "[" + ", ".join([one] * len(rows)) % tuple(flat) + "]" if len(rows) else "[]"


def integers(values: Ints) -> str:
    """Format a list of counts or indices."""
    return "[" + ", ".join(map(str, values.tolist())) + "]"


def matrix(pose: Floats) -> str:
    """Format a pose. USD multiplies row vectors with matrices: the translation is in the last row."""
    rows = [", ".join(f"{value:.12g}" for value in row) for row in tidy(pose.T).tolist()]
    return "( " + ", ".join(f"({row})" for row in rows) + " )"


def transform(pose: Floats) -> list[str]:
    """Return the properties that place a prim in its parent; none for the identity."""
    if (tidy(pose) == IDENTITY).all():
        return []
    return [f"matrix4d xformOp:transform = {matrix(pose)}", 'uniform token[] xformOpOrder = ["xformOp:transform"]']
