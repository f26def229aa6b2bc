"""Who waits for whom: a value changes only after all who depend on it have seen it.

A client says under which name it is known and on whose values it depends. In lock-step a client may not change its
value before every dependent has read the old one: the answer is then WAIT, else OK. A dependent that takes too long is
named, and is waited for no longer. Time is given, in seconds, never asked for.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from rck.model.finding import RckError

Verdict: TypeAlias = Literal["OK", "WAIT"]
THE_WORLD = "world"
"""The simulation itself: what depends on it must see each step before the next."""
MOST_VALUES = 1000


@dataclass(slots=True)
class _Value:
    content: bytes
    since: float
    unseen: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Late:
    """A client that was waited for too long."""

    client: str
    owner: str
    """Whose value it did not read."""
    value: str
    seconds: float

    def __str__(self) -> str:
        return f"{self.client} did not read {self.value} of {self.owner} within {self.seconds:.3g} s"


class Dependence:
    """The clients that take part, what they share, and who has not seen what."""

    def __init__(self, patience: float = 1.0, lockstep: bool = False) -> None:
        self.patience = patience
        """How long a change waits for a dependent, in seconds."""
        self.lockstep = lockstep
        self._depends: dict[str, frozenset[str]] = {}
        self._values: dict[tuple[str, str], _Value] = {}

    def register(self, client: str, depends_on: Iterable[str]) -> None:
        """A client declares whose values it depends on."""
        self._depends[client] = frozenset(depends_on)

    def forget(self, client: str) -> None:
        """A client has gone: nobody waits for it any more, and its values go with it."""
        self._depends.pop(client, None)
        self._values = {key: value for key, value in self._values.items() if key[0] != client}
        for value in self._values.values():
            value.unseen.discard(client)

    def dependents(self, owner: str) -> set[str]:
        """Who depends on the values of a client."""
        return {client for client, owners in self._depends.items() if owner in owners and client != owner}

    def set(self, owner: str, name: str, content: bytes, now: float) -> tuple[Verdict, list[str], list[Late]]:
        """Change a value: whether it was, who has not seen the old one, and who was given up on."""
        key = (owner, name)
        old = self._values.get(key)
        late: list[Late] = []
        if self.lockstep and old is not None and old.unseen:
            waited = now - old.since
            if waited < self.patience:
                return "WAIT", sorted(old.unseen), []
            late = [Late(client, owner, name, waited) for client in sorted(old.unseen)]
        if old is None and len(self._values) >= MOST_VALUES:
            raise RckError(f"more than {MOST_VALUES} values are shared; take some away first")
        self._values[key] = _Value(content, now, self.dependents(owner))
        return "OK", [], late

    def get(self, client: str, owner: str, name: str) -> bytes:
        """Read a value; from now on its owner need not wait for this client."""
        value = self._values.get((owner, name))
        if value is None:
            raise RckError(f"{owner} shares no value {name!r}")
        value.unseen.discard(client)
        return value.content
