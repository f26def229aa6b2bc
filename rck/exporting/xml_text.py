"""XML as a person would write it: indented, attributes in the order given, numbers without noise."""

from collections.abc import Sequence
from typing import TypeAlias
from xml.etree import ElementTree

import numpy as np

from rck.geometry.arrays import Floats
from rck.hooks.numbers import digits, row
from rck.model.subitem import Colour

# Smaller numbers have no full precision, and readers that are strict refuse them.
_LEAST = float(np.finfo(float).tiny)

Value: TypeAlias = str | float | Sequence[float] | Floats


def element(tag: str, text: Value | None = None, **attributes: Value) -> ElementTree.Element:
    """An element. Numbers have twelve significant digits; ``class_`` stands for ``class``."""
    made = ElementTree.Element(tag, {name.rstrip("_"): written(value) for name, value in attributes.items()})
    if text is not None:
        made.text = written(text)
    return made


def add(parent: ElementTree.Element, tag: str, text: Value | None = None, **attributes: Value) -> ElementTree.Element:
    """An element as the last child of another."""
    made = element(tag, text, **attributes)
    parent.append(made)
    return made


def written(value: Value) -> str:
    """A number or several as the file has them."""
    if isinstance(value, str):
        return value
    if isinstance(value, (int, float)):
        return digits(value if abs(value) >= _LEAST else 0.0)
    numbers = np.asarray(value, dtype=float)
    return row(np.where(abs(numbers) >= _LEAST, numbers, 0.0))


def tidy(numbers: Sequence[float] | Floats) -> Floats:
    """Coordinates, or parts of a direction, without the noise beyond the twelfth decimal."""
    return np.round(np.asarray(numbers, dtype=float), 12) + 0.0


def tidy_tensor(tensor: Floats) -> Floats:
    """An inertia without the noise that is a trillionth of its largest number. Shape (3, 3)."""
    return np.where(abs(tensor) > 1e-12 * abs(tensor).max(), tensor, 0.0)


def tidy_colour(colour: Colour) -> Floats:
    """Red, green, blue and opacity to five decimals, which is finer than screens. Shape (4,)."""
    return np.round(colour, 5)


def xml_bytes(root: ElementTree.Element, remark: str) -> bytes:
    """The whole file, with a remark at the top."""
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0"?>\n<!-- {remark} -->\n{text}\n'.encode()
