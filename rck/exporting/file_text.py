"""Text of exported files: indented XML, and numbers without rounding noise."""

from collections.abc import Sequence
from typing import TypeAlias
from xml.etree import ElementTree

import numpy as np

from rck.geometry.arrays import Floats
from rck.model.subitem import Colour
from rck.support.units import digits, row

# Strict readers refuse smaller (subnormal) numbers.
_LEAST = float(np.finfo(float).tiny)

# Rounding, here and in the file, may reduce a sum of principal moments by this share.
_MARGIN = 1e-9

Value: TypeAlias = str | float | Sequence[float] | Floats


def element(tag: str, text: Value | None = None, **attributes: Value) -> ElementTree.Element:
    """Return an element. Numbers have twelve significant digits; ``class_`` stands for ``class``."""
    made = ElementTree.Element(tag, {name.rstrip("_"): format_value(value) for name, value in attributes.items()})
    if text is not None:
        made.text = format_value(text)
    return made


def add(parent: ElementTree.Element, tag: str, text: Value | None = None, **attributes: Value) -> ElementTree.Element:
    """Append a new element to a parent, and return it."""
    made = element(tag, text, **attributes)
    parent.append(made)
    return made


def format_value(value: Value) -> str:
    """Return text as it is, and numbers with twelve significant digits, separated by spaces."""
    if isinstance(value, str):
        return value
    if isinstance(value, (int, float)):
        return digits(value if abs(value) >= _LEAST else 0.0)
    numbers = np.asarray(value, dtype=float)
    return row(np.where(abs(numbers) >= _LEAST, numbers, 0.0))


def tidy(numbers: Sequence[float] | Floats) -> Floats:
    """Round coordinates, or components of a direction, to twelve decimals."""
    return np.round(np.asarray(numbers, dtype=float), 12) + 0.0


def tidy_tensor(tensor: Floats) -> Floats:
    """Set the elements of an inertia to zero that are below a trillionth of the largest. Shape (3, 3)."""
    return np.where(abs(tensor) > 1e-12 * abs(tensor).max(), tensor, 0.0)


def valid_inertia(inertia: Floats, least: float = 0.0) -> Floats:
    """Return the inertia with no principal moment above the sum of the others or below the least. Shape (3, 3).

    The model allows an excess of a millionth, because flat plates are on the limit and files round their numbers.
    Strict simulators allow none: here the two smaller moments are increased.
    """
    moments, axes = np.linalg.eigh(inertia)
    wanted = np.maximum(moments, least)
    missing = wanted[2] * (1.0 + _MARGIN) - (wanted[0] + wanted[1])
    if missing > 0.0:
        wanted[:2] += missing / 2
    if (wanted == moments).all():
        return inertia
    valid: Floats = (axes * wanted) @ axes.T
    return valid


def tidy_colour(colour: Colour) -> Floats:
    """Round red, green, blue and opacity to five decimals. Shape (4,)."""
    return np.round(colour, 5)


def xml_bytes(root: ElementTree.Element, remark: str) -> bytes:
    """Return the bytes of an XML file, with a remark at the top."""
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0"?>\n<!-- {remark} -->\n{text}\n'.encode()
