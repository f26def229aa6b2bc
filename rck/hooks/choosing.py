"""Choosing a contribution by its name."""

from collections.abc import Iterable
from typing import Protocol, TypeVar

from rck.hooks.needs import refuse_missing
from rck.model.finding import RckError
from rck.model.names import did_you_mean


class Named(Protocol):
    """What users choose by name."""

    @property
    def name(self) -> str:
        """Unique among its kind."""


Contribution = TypeVar("Contribution", bound=Named)


def choose(name: str, contributions: Iterable[Contribution], what: str) -> Contribution:
    """The contribution of that name, of the kind `what`; refused where a library that it needs is missing."""
    by_name = {one.name: one for one in contributions}
    if name not in by_name:
        known = ", ".join(by_name) or "none"
        raise RckError(f"there is no {what} {name!r}{did_you_mean(name, by_name)}; known: {known}")
    chosen = by_name[name]
    refuse_missing(f"the {what} {name}", *getattr(chosen, "needs", ()))
    return chosen
