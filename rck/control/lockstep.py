"""Lock-step between clients: a value changes only after all dependent clients have read the old one.

A client registers and declares on whose values it depends. In lock-step, the owner of a value gets WAIT until every
dependent client has read the old value, then OK. A dependent that takes too long is reported and no longer waited for.
Callers pass the current time, in seconds.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from rck.support.finding import RckError

Verdict: TypeAlias = Literal["OK", "WAIT"]
THE_WORLD = "world"
"""The owner name of the simulation: clients that depend on it must acknowledge each step before the next."""
MAX_VALUES = 1000
"""Largest number of shared values of all clients."""
MAX_OWN_VALUES = 100
"""Largest number of shared values of one client."""


@dataclass(slots=True)
class _Value:
    content: bytes
    since: float
    unseen: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class LateClient:
    """A client that did not read a value in time."""

    client: str
    owner: str
    """Owner of the value."""
    value: str
    seconds: float

    def __str__(self) -> str:
        return f"{self.client} did not read {self.value} of {self.owner} within {self.seconds:.3g} s"


class Lockstep:
    """Registered clients, their shared values, and which clients have not read which value."""

    def __init__(self, patience: float = 1.0, enabled: bool = False) -> None:
        self.patience = patience
        """Time that a change waits for dependent clients, in seconds."""
        self.enabled = enabled
        self._depends: dict[str, frozenset[str]] = {}
        self._values: dict[tuple[str, str], _Value] = {}

    def register(self, client: str, depends_on: Iterable[str]) -> None:
        """Declare whose values a client depends on."""
        self._depends[client] = frozenset(depends_on)

    def forget(self, client: str) -> None:
        """Remove a disconnected client and its values; nobody waits for it any more."""
        self._depends.pop(client, None)
        self._values = {key: value for key, value in self._values.items() if key[0] != client}
        for value in self._values.values():
            value.unseen.discard(client)

    def dependents(self, owner: str) -> set[str]:
        """Return the clients that depend on the values of a client."""
        return {client for client, owners in self._depends.items() if owner in owners and client != owner}

    def set(self, owner: str, name: str, content: bytes, now: float) -> tuple[Verdict, list[str], list[LateClient]]:
        """Change a value; return the verdict, the clients to wait for, and the clients that were too late."""
        key = (owner, name)
        old = self._values.get(key)
        late: list[LateClient] = []
        if self.enabled and old is not None and old.unseen:
            waited = now - old.since
            if waited < self.patience:
                return "WAIT", sorted(old.unseen), []
            late = [LateClient(client, owner, name, waited) for client in sorted(old.unseen)]
        if old is None and len(self._values) >= MAX_VALUES:
            raise RckError(f"too many shared values; the limit is {MAX_VALUES}")
        if old is None and sum(other == owner for other, _ in self._values) >= MAX_OWN_VALUES:
            raise RckError(f"too many shared values; the limit per client is {MAX_OWN_VALUES}")
        self._values[key] = _Value(content, now, self.dependents(owner))
        return "OK", [], late

    def get(self, client: str, owner: str, name: str) -> bytes:
        """Return a value; its owner no longer waits for this client."""
        value = self._values.get((owner, name))
        if value is None:
            raise RckError(f"{owner} has no shared value {name!r}")
        value.unseen.discard(client)
        return value.content
