"""Finding plugins, loading them one at a time, and keeping a broken one from harming the rest."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Literal, TypeVar, cast

import pluggy

from rck.hooks.specs import HOOK_OF_KIND, HookSpecs
from rck.model.finding import Finding, Severity

GROUP = "rck"
"""The entry-point group that plugins register in."""

RESTRICT = "RCK_PLUGINS"
"""The environment variable that, when set, names the only plugins to load, with commas between."""

State = Literal["ready", "loaded", "off", "failed"]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PluginInfo:
    """What is known of a plugin without importing it."""

    name: str
    module: str
    package: str
    version: str
    state: State
    reason: str = ""
    """Why it is off or failed."""


class Plugins:
    """The plugins of this run. Pass it to what needs it; there is no global one."""

    def __init__(self, found: Iterable[EntryPoint], disabled: Iterable[str] = (), only: Iterable[str] | None = None):
        """Take the entry points that were found; `disabled` and `only` are plugin names."""
        self._entry_points = {point.name: point for point in sorted(found, key=lambda point: point.name)}
        self._off = {name: "switched off: rck plugins enable " + name for name in disabled}
        if only is not None:
            wanted = set(only)
            left_out = {name: f"not named in {RESTRICT}" for name in self._entry_points if name not in wanted}
            self._off |= left_out
        self._failed: dict[str, str] = {}
        self._findings: list[Finding] = []
        self._manager = pluggy.PluginManager(GROUP)
        self._manager.add_hookspecs(HookSpecs)
        self._contributions: dict[type, list[tuple[str, Any]]] = {}

    def infos(self) -> tuple[PluginInfo, ...]:
        """Every plugin that is installed, by name; imports none of them."""
        return tuple(self._info(point) for point in self._entry_points.values())

    def _info(self, point: EntryPoint) -> PluginInfo:
        package = point.dist.name if point.dist else "?"
        version = point.dist.version if point.dist else "?"
        state: State = "ready"
        reason = ""
        if point.name in self._failed:
            state, reason = "failed", self._failed[point.name]
        elif point.name in self._off:
            state, reason = "off", self._off[point.name]
        elif self._manager.has_plugin(point.name):
            state = "loaded"
        return PluginInfo(point.name, point.value, package, version, state, reason)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What went wrong with plugins so far."""
        return tuple(self._findings)

    def load_all(self) -> None:
        """Import every plugin that is switched on; one that fails is reported and left out."""
        for point in self._entry_points.values():
            if point.name in self._off or point.name in self._failed or self._manager.has_plugin(point.name):
                continue
            try:
                self._manager.register(point.load(), name=point.name)
                self._manager.check_pending()
            except (Exception, SystemExit) as error:
                if self._manager.has_plugin(point.name):
                    self._manager.unregister(name=point.name)
                self._fail(point.name, 601, f"could not be loaded: {_reason(error)}")

    def named(self, kind: type[T]) -> tuple[tuple[str, T], ...]:
        """All contributions of a kind with the name of the plugin that gave each."""
        if kind not in self._contributions:
            self.load_all()
            self._contributions[kind] = self._collect(kind)
        off = self._failed
        return tuple((plugin, cast(T, one)) for plugin, one in self._contributions[kind] if plugin not in off)

    def all(self, kind: type[T]) -> tuple[T, ...]:
        """All contributions of a kind, in order of plugin name."""
        return tuple(one for _, one in self.named(kind))

    def fail(self, plugin: str, error: BaseException) -> None:
        """Switch a plugin off for this run because what it contributed raised."""
        self._fail(plugin, 602, _reason(error))

    def _collect(self, kind: type) -> list[tuple[str, Any]]:
        collected: list[tuple[str, Any]] = []
        caller = getattr(self._manager.hook, HOOK_OF_KIND[kind])
        for implementation in sorted(caller.get_hookimpls(), key=lambda one: one.plugin_name):
            name = implementation.plugin_name
            try:
                given = implementation.function()
            except (Exception, SystemExit) as error:
                self._fail(name, 602, f"failed in {caller.name}: {_reason(error)}")
                continue
            if not isinstance(given, list | tuple) or not all(isinstance(one, kind) for one in given):
                message = f"{caller.name} must return a list of {kind.__name__}, not {_describe(given)}"
                self._fail(name, 603, message)
                continue
            collected.extend((name, one) for one in given)
        return collected

    def _fail(self, name: str, code: int, message: str) -> None:
        if name in self._failed:
            return
        self._failed[name] = message
        fix = f"rck plugins disable {name}"
        self._findings.append(Finding(code, Severity.WARNING, f"plugin {name}", message, fix))


def _reason(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _describe(given: object) -> str:
    if isinstance(given, list | tuple):
        return "a list with " + ", ".join(sorted({type(one).__name__ for one in given}))
    return type(given).__name__


def discover(disabled: Iterable[str] = (), environment: Mapping[str, str] = os.environ) -> Plugins:
    """The plugins that are installed; none of them is imported yet."""
    restriction = environment.get(RESTRICT)
    only = None if restriction is None else [name.strip() for name in restriction.split(",") if name.strip()]
    return Plugins(entry_points(group=GROUP), disabled, only)
