"""Loading plugins one at a time, and keeping a broken one from harming the rest."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from shlex import quote
from typing import Any, Literal, TypeVar, cast

import pluggy

from rck.hooks.containment import contained
from rck.hooks.contents import misfit
from rck.hooks.folders import config_folder
from rck.hooks.guarding import guarded
from rck.hooks.installed import GROUP, Installed, Point, installed_points, ranked, root_of
from rck.hooks.kinds import CliCommand, Command, PartLibrary
from rck.hooks.output import MOST_OUTPUT, Printed, plain_stderr, routed, stdout_as_stderr
from rck.hooks.places import Place, Unfit, place_in, place_of, place_of_function
from rck.hooks.project import PROJECT, project_points
from rck.hooks.specs import HOOK_OF_KIND, HookSpecs
from rck.hooks.switches import read_switches
from rck.model.finding import Finding, RckError, Severity
from rck.model.units import counted

RESTRICT = "RCK_PLUGINS"
"""The environment variable that, when set, names the only plugins to load, with commas between."""

USED_INSTEAD = "which is used instead"
"""So ends the reason of a plugin that another one of its name keeps out."""
MOST_HINTS = 3
"""So many plugins that are switched off are named where something is missing."""

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

    def __init__(
        self,
        found: Iterable[Point],
        disabled: Iterable[str] = (),
        only: Iterable[str] | None = None,
        findings: Iterable[Finding] = (),
    ) -> None:
        """Take the entry points that were found, with findings about them; `disabled` and `only` are plugin names."""
        self._findings = list(findings)
        self._plugins: dict[str, Installed] = {}
        self._left_out: list[PluginInfo] = []
        for plugin in ranked(found):
            if plugin.name in self._plugins:
                self._leave_out(plugin)
            else:
                self._plugins[plugin.name] = plugin
        self._off = {name: f"switched off: rck plugins enable {quote(name)}" for name in disabled}
        if only is not None:
            self._restrict(set(only))
        self._failed: dict[str, str] = {}
        self._errors: dict[str, BaseException] = {}
        self._places: dict[str, Place] = {}
        self._printed: dict[str, Printed] = {}
        self._manager = pluggy.PluginManager(GROUP)
        self._manager.add_hookspecs(HookSpecs)
        self._contributions: dict[type, list[tuple[str, Any]]] = {}

    def _leave_out(self, plugin: Installed) -> None:
        used = self._plugins[plugin.name]
        reason = f"package {used.package} has a plugin of this name, {USED_INSTEAD}"
        left_out = PluginInfo(plugin.name, plugin.point.value, plugin.package, plugin.version, "failed", reason)
        self._left_out.append(left_out)
        where = f"plugin {plugin.name} of package {plugin.package}"
        self._findings.append(Finding(604, Severity.WARNING, where, reason, give_way(left_out)))

    def _restrict(self, only: set[str]) -> None:
        self._off |= {name: f"not named in {RESTRICT}" for name in self._plugins if name not in only}
        for name in sorted(only.difference(self._plugins)):
            message = f"{RESTRICT} asks for it, but it is not installed"
            self._findings.append(Finding(605, Severity.WARNING, f"plugin {name}", message, "rck plugins list"))

    def infos(self) -> tuple[PluginInfo, ...]:
        """Every plugin that is installed, by name; imports none of them."""
        infos = [self._info(plugin) for plugin in self._plugins.values()] + self._left_out
        return tuple(sorted(infos, key=lambda info: info.name))

    def _info(self, plugin: Installed) -> PluginInfo:
        state: State = "ready"
        reason = ""
        if plugin.name in self._failed:
            state, reason = "failed", self._failed[plugin.name]
        elif plugin.name in self._off:
            state, reason = "off", self._off[plugin.name]
        elif self._manager.has_plugin(plugin.name):
            state = "loaded"
        return PluginInfo(plugin.name, plugin.point.value, plugin.package, plugin.version, state, reason)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What went wrong with plugins so far."""
        return tuple(self._findings)

    def error(self, plugin: str) -> BaseException | None:
        """What a plugin that failed has raised; None where it raised nothing."""
        return self._errors.get(plugin)

    def place(self, plugin: str) -> Place | None:
        """Where in a plugin that failed it went wrong; None where that is not known."""
        return self._places.get(plugin)

    def is_own(self, contribution: object) -> bool:
        """Whether it came with RCK."""
        owner = self._owner(contribution)
        return owner is not None and self._plugins[owner].package == GROUP

    def leave_out(self, contribution: object, why: str) -> None:
        """Report that something that a plugin contributed is not used, because something else has its name."""
        owner = self._owner(contribution)
        if owner is not None:
            self._warn(owner, 604, f"{type(contribution).__name__} {cast(Any, contribution).name} is left out: {why}")

    def _owner(self, contribution: object) -> str | None:
        given = (pair for pairs in self._contributions.values() for pair in pairs)
        return next((plugin for plugin, one in given if one is contribution), None)

    def load_all(self) -> None:
        """Import every plugin that is switched on; one that fails is reported and left out."""
        for name, plugin in self._plugins.items():
            if name in self._off or name in self._failed or self._manager.has_plugin(name):
                continue
            module = None
            try:
                module = self._contained(name, plugin.point.load)
                self._register(name, module)
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                if self._manager.has_plugin(name):
                    self._manager.unregister(name=name)
                place = place_in(module, str(error)) if module is not None else place_of(error, root_of(plugin.point))
                self._fail(name, 601, f"could not be loaded: {_reason(error)}", error, place)

    def _register(self, name: str, module: Any) -> None:
        self._manager.register(module, name=name)
        self._manager.check_pending()
        if not self._manager.get_hookcallers(module):
            raise LookupError("it implements no hook; mark its hooks with rck.hooks.hookimpl")

    def named(self, kind: type[T]) -> tuple[tuple[str, T], ...]:
        """All contributions of a kind with the name of the plugin that gave each."""
        if kind not in self._contributions:
            self.load_all()
            self._contributions[kind] = self._collect(kind)
        off = self._failed
        return tuple((plugin, cast(T, one)) for plugin, one in self._contributions[kind] if plugin not in off)

    def all(self, kind: type[T]) -> tuple[T, ...]:
        """All contributions of a kind, RCK's own first, then in order of plugin name."""
        return tuple(one for _, one in self.named(kind))

    def fail(self, plugin: str, error: BaseException) -> None:
        """Switch a plugin off for this run because what it contributed raised."""
        self._fail(plugin, 602, _reason(error), error, place_of(error, root_of(self._plugins[plugin].point)))

    @contextmanager
    def guard(self, contribution: object) -> Iterator[None]:
        """Put round every call of something that a plugin contributed.

        A refusal (:class:`RckError`) passes through, as does what the system refuses, such as a missing file.
        Anything else that it raises is a fault of the plugin, which is switched off for this run; the user is
        told by an :class:`RckError` instead of a traceback.
        """
        try:
            yield
        except (RckError, OSError, KeyboardInterrupt):
            raise
        except BaseException as error:
            owner = self._owner(contribution)
            if owner is None:
                raise
            raise self._blamed(owner, error) from error

    @contextmanager
    def _guard_of(self, plugin: str) -> Iterator[None]:
        """As :meth:`guard`, for what a plugin is known to do."""
        try:
            yield
        except (RckError, OSError, KeyboardInterrupt):
            raise
        except BaseException as error:
            raise self._blamed(plugin, error) from error

    @contextmanager
    def _quiet(self, plugin: str) -> Iterator[None]:
        """As :meth:`_guard_of`; what the plugin prints goes to stderr, and a flood of it nowhere."""
        # One for all calls: a sensor that prints a line at every step floods, too.
        printed = self._printed.setdefault(plugin, Printed(f"plugin {plugin}"))
        printed.through = plain_stderr()
        try:
            with self._guard_of(plugin), routed(printed), stdout_as_stderr():
                yield
        finally:
            self._tell_flood(plugin, printed)

    def _blamed(self, plugin: str, error: BaseException) -> RckError:
        """Switch a plugin off for what it raised; what the user is told instead."""
        self.fail(plugin, error)
        place = place_of(error, root_of(self._plugins[plugin].point))
        where = "" if place is None else f" ({place.short})"
        return RckError(f"plugin {plugin} failed: {_reason(error)}{where}; `{_disable(plugin)}` switches it off")

    def _collect(self, kind: type) -> list[tuple[str, Any]]:
        """Ask every loaded plugin for its contributions of a kind; the first of a name is the one that counts."""
        caller = getattr(self._manager.hook, HOOK_OF_KIND[kind])
        rank = {name: place for place, name in enumerate(self._plugins)}
        owner_of: dict[str, str] = {}
        collected: list[tuple[str, Any]] = []
        for implementation in sorted(caller.get_hookimpls(), key=lambda one: rank[one.plugin_name]):
            plugin = implementation.plugin_name
            if plugin in self._failed:
                continue
            for one in self._ask(plugin, caller.name, implementation.function, kind):
                if one.name in owner_of:
                    other = owner_of[one.name]
                    self._warn(
                        plugin, 604, f"{kind.__name__} {one.name} is left out: plugin {other} has one of this name"
                    )
                    continue
                owner_of[one.name] = plugin
                collected.append((plugin, self._guarded(plugin, one)))
        return collected

    def _guarded(self, plugin: str, contribution: Any) -> Any:
        """With a guard round all that it does. RCK's own are called as they are: in some, a microsecond counts."""
        if self._plugins[plugin].package == GROUP:
            return contribution
        return guarded(contribution, partial(self._guard_of, plugin), partial(self._quiet, plugin))

    def _ask(self, plugin: str, hook: str, function: Any, kind: type) -> list[Any]:
        try:
            given = self._contained(plugin, function)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            place = place_of(error, root_of(self._plugins[plugin].point))
            self._fail(plugin, 602, f"failed in {hook}: {_reason(error)}", error, place)
            return []
        wrong = self._wrong(plugin, given, kind)
        if wrong:
            self._fail(plugin, 603, f"{hook} {wrong}", place=place_of_function(function))
            return []
        for one in given:
            if isinstance(one, PartLibrary) and not one.folder.is_dir():
                self._warn(plugin, 603, f"the folder of part library {one.name} does not exist: {one.folder}")
        return list(given)

    def _wrong(self, plugin: str, given: Any, kind: type) -> str:
        """What is wrong with what a hook returned; RCK's own are looked at by its tests."""
        if not isinstance(given, list | tuple) or not all(isinstance(one, kind) and _is_named(one) for one in given):
            return f"must return a list of {kind.__name__}, each with a name, not {_describe(given)}"
        if self._plugins[plugin].package == GROUP:
            return ""
        for one in given:
            if kind in (Command, CliCommand) and one.name.split() != [one.name]:
                return f"must return names of one word, not {one.name!r}"
            if wrong := misfit(one, kind):
                return f"returned a wrong {kind.__name__} {one.name}: {wrong}"
        return ""

    def _contained(self, plugin: str, call: Callable[[], T]) -> T:
        printed = Printed()
        try:
            return contained(call, printed, own=self._plugins[plugin].package == GROUP)
        finally:
            self._tell_flood(plugin, printed)

    def _tell_flood(self, plugin: str, printed: Printed) -> None:
        if printed.count > MOST_OUTPUT and not any(
            one.code == 606 and one.where == f"plugin {plugin}" for one in self._findings
        ):
            first = printed.beginning.strip().partition("\n")[0][:60]
            self._warn(plugin, 606, f"printed {printed.count} characters where it should be silent: {first}")

    def _fail(
        self, plugin: str, code: int, message: str, error: BaseException | None = None, place: Place | None = None
    ) -> None:
        """Switch a plugin off for this run; only the first reason is told."""
        if plugin in self._failed:
            return
        if error is not None:
            self._errors[plugin] = error
        if place is not None:
            self._places[plugin] = place
        self._failed[plugin] = message
        self._warn(plugin, code, message if place is None else f"{message} ({place.short})")

    def absent(self, asked: str = "") -> str:
        """A hint, to put behind a message, at plugins that may have what was asked for, but failed or are off."""
        failed = [f"plugin {name} {_told_short(name, why, self.place(name))}" for name, why in self._failed.items()]
        off = {name: why for name, why in self._off.items() if name in self._plugins}
        meant = [name for name in off if asked and asked.casefold() in name.casefold()]
        restricted = [name for name in off if RESTRICT in off[name]]
        some = meant or [name for name in off if name not in restricted]
        hints = [*failed, *(f"plugin {name} is {_told_off(name, off[name])}" for name in some[:MOST_HINTS])]
        if restricted and not meant:
            hints.append(f"{counted(len(restricted), 'plugin')} not named in {RESTRICT}")
        return "".join(f"; {hint}" for hint in hints)

    def _warn(self, plugin: str, code: int, message: str) -> None:
        finding = Finding(code, Severity.WARNING, f"plugin {plugin}", message, _disable(plugin))
        if finding not in self._findings:
            self._findings.append(finding)


def give_way(left_out: PluginInfo) -> str:
    """What to do about a plugin whose name another one has."""
    if left_out.package == PROJECT:
        return f"give the file another name: {left_out.module}"
    return f"uninstall {left_out.package}"


def _disable(plugin: str) -> str:
    return f"rck plugins disable {quote(plugin)}"


def _told_short(plugin: str, why: str, place: Place | None) -> str:
    """What became of a plugin that failed; long reasons are for its doctor."""
    if why.startswith(("could not be loaded", "failed in")):
        return f"{'failed to load' if why.startswith('could') else 'failed'}: `rck plugins doctor {plugin}`"
    return f"failed: {why}" + ("" if place is None else f" ({place.short})")


def _told_off(plugin: str, why: str) -> str:
    return why if RESTRICT in why else f"switched off: `rck plugins enable {plugin}`"


def _reason(error: BaseException) -> str:
    text = ""
    with suppress(Exception):
        text = " ".join(str(error).split())
    name = "TypeError" if isinstance(error, Unfit) else type(error).__name__
    return f"{name}: {text}" if text else name


def _is_named(contribution: Any) -> bool:
    return isinstance(contribution.name, str) and bool(contribution.name.strip())


def _describe(given: object) -> str:
    if isinstance(given, list | tuple):
        return "a list with " + ", ".join(sorted({type(one).__name__ for one in given}))
    return type(given).__name__


def discover(
    disabled: Iterable[str] | None = None,
    environment: Mapping[str, str] = os.environ,
    project: Path | None = None,
    file: Path | None = None,
) -> Plugins:
    """The plugins that are installed and those of the project, by default the current folder; none is imported yet.

    Those beside the file that is worked on count too. Switched off are those that are named, or without names those
    that the user has switched off.
    """
    switches = read_switches(config_folder(environment))
    restriction = environment.get(RESTRICT)
    only = None if restriction is None else [name.strip() for name in restriction.split(",") if name.strip()]
    installed, findings = installed_points()
    projects = [Path.cwd() if project is None else project]
    if file is not None and file.parent.resolve() != projects[0].resolve():
        projects.append(file.parent)
    points: list[Point] = [*installed]
    for one in projects:
        own, more = project_points(one, switches.allowed)
        points += own
        findings += more
    return Plugins(points, switches.disabled if disabled is None else disabled, only, findings)
