"""Plain numbers: NumPy scalars in the records of plugins become numbers of Python."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from types import MappingProxyType
from typing import Any, TypeVar, cast

import numpy as np

from rck.geometry.contour import Contour
from rck.geometry.mesh import Mesh
from rck.geometry.polyhedron import Polyhedron

T = TypeVar("T")

_KEPT = (float, int, str, bytes, bool, type(None), np.ndarray, Polyhedron, Mesh, Contour)


def with_plain_numbers(value: T) -> T:
    """Return a record, tuple or mapping without NumPy scalars, which files cannot store; arrays stay.

    A value that has none is returned as it is.
    """
    return cast(T, _plain(value))


def _plain(value: Any) -> Any:
    kind = type(value)
    if kind in _KEPT:
        return value
    if isinstance(value, np.generic):
        return value.item()
    if kind is tuple:
        plain = tuple(map(_plain, value))
        return value if all(new is old for new, old in zip(plain, value, strict=True)) else plain
    if isinstance(value, Mapping):
        changed = {key: new for key, old in value.items() if (new := _plain(old)) is not old}
        return MappingProxyType({**value, **changed}) if changed else value
    if is_dataclass(value) and not isinstance(value, type):
        given = ((field.name, getattr(value, field.name)) for field in fields(value) if field.init)
        changed = {name: new for name, old in given if (new := _plain(old)) is not old}
        return replace(value, **changed) if changed else value
    return value
