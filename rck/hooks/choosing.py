"""Choosing a contribution by its name."""

from collections.abc import Iterable
from typing import Protocol, TypeVar

from rck.hooks.manager import Plugins
from rck.hooks.needs import refuse_missing
from rck.model.finding import RckError
from rck.model.names import entry_named


class Named(Protocol):
    """What users choose by name."""

    @property
    def name(self) -> str:
        """Unique among its kind."""


Contribution = TypeVar("Contribution", bound=Named)


def choose(name: str, contributions: Iterable[Contribution], what: str, plugins: Plugins) -> Contribution:
    """The contribution of that name, of the kind `what`; refused where a library that it needs is missing.

    Where there is none, the message also names plugins that might have had it.
    """
    try:
        chosen = entry_named(name, {one.name: one for one in contributions}, what)
    except RckError as error:
        raise RckError(f"{error}{plugins.absent(name)}") from None
    refuse_missing(f"the {what} {name}", *getattr(chosen, "needs", ()))
    return chosen
