"""Text of exported files: indented XML, and numbers without rounding noise."""

from collections.abc import Sequence
from typing import TypeAlias
from xml.etree import ElementTree

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.mass_properties import keeps_triangle_inequality
from rck.model.subitem import Colour
from rck.support.units import digits, row

LEAST_NUMBER = float(np.finfo(float).tiny)
"""Strict readers, such as MuJoCo before 4.0, refuse smaller (subnormal) numbers."""

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
        return digits(value if abs(value) >= LEAST_NUMBER else 0.0)
    numbers: list[float] = np.asarray(value, dtype=float).tolist()
    return row([number if abs(number) >= LEAST_NUMBER else 0.0 for number in numbers])


def tidy(numbers: Sequence[float] | Floats) -> Floats:
    """Round coordinates, or components of a direction, to twelve decimals."""
    return np.asarray(numbers, dtype=float).round(12) + 0.0


def tidy_tensor(tensor: Floats) -> Floats:
    """Set the elements of an inertia to zero that are below a trillionth of the largest. Shape (3, 3)."""
    return np.where(abs(tensor) > 1e-12 * abs(tensor).max(), tensor, 0.0)


def valid_inertia(inertia: Floats) -> Floats:
    """Return the inertia without a rounding error by which a principal moment exceeds the sum of the others.

    The model allows an excess of a millionth, because flat plates are on the limit and files round their numbers.
    Strict simulators allow none. A larger excess, which is no rounding error, stays. Shape (3, 3).
    """
    moments, axes = np.linalg.eigh(inertia)
    missing = moments[2] * (1.0 + _MARGIN) - (moments[0] + moments[1])
    if missing <= 0.0 or not keeps_triangle_inequality(inertia):
        return inertia
    moments[:2] += missing / 2
    valid: Floats = (axes * moments) @ axes.T
    return valid


def tidy_colour(colour: Colour) -> Floats:
    """Round red, green, blue and opacity to five decimals. Shape (4,)."""
    return np.asarray(colour).round(5)


def xml_bytes(root: ElementTree.Element, remark: str) -> bytes:
    """Return the bytes of an XML file, with a remark at the top."""
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0"?>\n<!-- {remark} -->\n{text}\n'.encode()
