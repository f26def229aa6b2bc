"""Names of plugins that users type, and what the plugins add."""

from typing import Any

from rck.hooks import HOOK_OF_KIND, PluginInfo, Plugins, discover
from rck.model import RckError
from rck.support.names import did_you_mean


def known_plugin(name: str, infos: tuple[PluginInfo, ...] | None = None) -> PluginInfo:
    """Return the description of the plugin of that name; refuse an unknown one."""
    listed = discover().infos() if infos is None else infos
    # The first of two plugins with the same name is used.
    by_name = {info.name: info for info in reversed(listed)}
    if name not in by_name:
        raise RckError(f"there is no plugin {name!r}{did_you_mean(name, by_name)}")
    return by_name[name]


def contributions_of(plugin: str, found: Plugins) -> list[Any]:
    """Return everything that a plugin adds, by kind."""
    added: list[Any] = []
    for kind in HOOK_OF_KIND:
        given: tuple[tuple[str, Any], ...] = found.named(kind)
        added += (one for owner, one in given if owner == plugin)
    return added
