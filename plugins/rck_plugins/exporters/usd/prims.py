"""Prims, the elements of a USD scene, and their text."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from rck.exporting.file_text import tidy
from rck.geometry.arrays import Floats, Ints
from rck.model.frame import IDENTITY


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


def number(value: float) -> str:
    """Format a number of single precision, for which nine digits are exact."""
    return f"{value + 0.0:.9g}"


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
