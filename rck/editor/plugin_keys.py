"""Keys that plugins ask for: each gets its key unless it is used already."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from rck.hooks import EditorAction, EditorScreen, Overlay, Plugins

Keyed: TypeAlias = EditorAction | Overlay | EditorScreen
PREFIXES: dict[type, str] = {EditorAction: "action", Overlay: "overlay", EditorScreen: "screen"}
"""The beginning of the binding ids of each kind, before its name."""


@dataclass(frozen=True, slots=True)
class PluginKeys:
    """The keys of contributions."""

    granted: Mapping[str, str]
    """Keys by binding id."""
    refused: tuple[tuple[Keyed, str], ...]
    """Contributions whose key is used already, with the reason."""


def binding_id(one: Keyed) -> str:
    """Return the id by which `keys.yaml` changes the key."""
    return f"{PREFIXES[type(one)]}-{one.name}"


def is_of_plugin(binding: str | None) -> bool:
    """Return True if a binding id is that of a plugin."""
    return (binding or "").startswith(tuple(f"{prefix}-" for prefix in PREFIXES.values()))


def assign_keys(
    contributions: Iterable[Keyed], chosen: Mapping[str, str], used_keys: Callable[[], Mapping[str, str]]
) -> PluginKeys:
    """Give each contribution the key that the user has `chosen` for its id, or its own unless that is used."""
    wanting = [(one, key) for one in contributions if (key := chosen.get(binding_id(one), one.key))]
    # The keys of RCK are collected from all screens, which takes a while.
    used = dict(used_keys()) if wanting else {}
    granted: dict[str, str] = {}
    refused: list[tuple[Keyed, str]] = []
    for one, key in wanting:
        if key in used and binding_id(one) not in chosen:
            refused.append((one, f"its key {key} is used for {used[key]}; keys.yaml can set `{binding_id(one)}`"))
            continue
        used[key] = one.name
        granted[binding_id(one)] = key
    return PluginKeys(granted, tuple(refused))


def keyed_contributions(plugins: Plugins) -> tuple[Keyed, ...]:
    """Return the contributions that can have a key, in the order in which they get theirs."""
    return (*plugins.all(EditorAction), *plugins.all(Overlay), *plugins.all(EditorScreen))
