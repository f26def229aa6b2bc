"""What tests of several folders build and look at. `pythonpath` in pyproject.toml lets them import it."""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

import pytest

from rck.geometry.primitives import box
from rck.geometry.transforms import translation
from rck.model import Finding, Item, build_item, subitem_of


def every(step: int, values: Iterable[Any]) -> list[Any]:
    """Return values as parameters of a test: `make test` runs every `step`-th, `make slow` the others."""
    slow = pytest.mark.slow
    return [value if number % step == 0 else pytest.param(value, marks=slow) for number, value in enumerate(values)]


class Reported(Protocol):
    """What was built, read or written, with what there is to say about it."""

    @property
    def findings(self) -> Sequence[Finding]: ...


def codes(result: Reported) -> list[int]:
    """The codes of all findings, in their order."""
    return [finding.code for finding in result.findings]


def block(
    name: str,
    at: Sequence[float],
    size: tuple[float, float, float] = (0.1, 0.1, 0.1),
    mobile: bool = False,
    *,
    mass: float = 1.0,
) -> Item:
    """A box about a point: lengths in metres, mass in kilograms."""
    return build_item(name, [subitem_of(box(*size), mass=mass).unwrap()], pose=translation(at), mobile=mobile).unwrap()
