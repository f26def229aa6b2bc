"""Choosing a contribution by its name."""

from collections.abc import Iterable
from typing import Protocol, TypeVar

from rck.hooks.needs import refuse_missing
from rck.model.names import entry_named


class Named(Protocol):
    """What users choose by name."""

    @property
    def name(self) -> str:
        """Unique among its kind."""


Contribution = TypeVar("Contribution", bound=Named)


def choose(name: str, contributions: Iterable[Contribution], what: str) -> Contribution:
    """The contribution of that name, of the kind `what`; refused where a library that it needs is missing."""
    chosen = entry_named(name, {one.name: one for one in contributions}, what)
    refuse_missing(f"the {what} {name}", *getattr(chosen, "needs", ()))
    return chosen
