"""Plugin manager: loads plugins one by one and reports those that fail."""

import atexit
import os
import re
import sys
import traceback
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from inspect import isfunction
from pathlib import Path
from shlex import quote
from typing import Any, Literal, Protocol, TypeVar, cast

import pluggy

from rck.hooks.development import (
    DevFile,
    Stamps,
    developed_points,
    file_stamps,
    forget_modules,
    is_developed,
)
from rck.hooks.durations import Durations
from rck.hooks.entry_points import (
    GROUP,
    Installed,
    Point,
    installed_points,
    package_and_version,
    ranked,
    root_of,
)
from rck.hooks.guard import guarded, stdout_to_stderr
from rck.hooks.kinds import CliCommand, Command, FindingCode, PartLibrary
from rck.hooks.lifecycle import LIFECYCLE, LifecycleSpecs
from rck.hooks.lifecycle_guard import guard_hook
from rck.hooks.plugin_settings import current_name, read_switches
from rck.hooks.project_plugins import FOLDER, PROJECT, project_points
from rck.hooks.rck_versions import unmet_requirement
from rck.hooks.source_location import (
    SourceLocation,
    WrongReturnType,
    location_in_module,
    location_of_error,
    location_of_function,
)
from rck.hooks.specs import HOOK_OF_KIND, HookSpecs
from rck.support.finding import Finding, RckError, Severity
from rck.support.names import did_you_mean, entry_named
from rck.support.requirements import refuse_missing
from rck.support.units import counted
from rck.support.user_folders import config_folder

RESTRICT = "RCK_PLUGINS"
"""Environment variable that names the only plugins to load, separated by commas."""

TRACEBACK = "RCK_TRACEBACK"
"""Environment variable that, if set, prints the traceback of every plugin that fails."""
PROFILE = "RCK_PROFILE"
"""Environment variable that, if set, prints the durations of plugins at exit."""

USED_INSTEAD = "which is used instead"
"""End of the reason of a plugin that is not loaded because another plugin has its name."""
MOST_HINTS = 3
"""Maximum number of disabled plugins that an error message names."""

State = Literal["ready", "loaded", "off", "failed"]
T = TypeVar("T")


class Named(Protocol):
    """A contribution that users choose by name."""

    @property
    def name(self) -> str:
        """Unique among its kind."""


Contribution = TypeVar("Contribution", bound=Named)


class PluginFailure(RckError):
    """A contribution of a plugin raised an unexpected exception; the message names both."""


@dataclass(frozen=True, slots=True)
class PluginInfo:
    """Description of a plugin that is available without importing it."""

    name: str
    module: str
    package: str
    version: str
    state: State
    reason: str = ""
    """The reason why it is disabled or failed."""


class Plugins:
    """The plugins of one run. Pass it to the code that needs it; there is no global instance."""

    def __init__(
        self,
        found: Iterable[Point],
        disabled: Iterable[str] = (),
        only: Iterable[str] | None = None,
        findings: Iterable[Finding] = (),
        tracebacks: bool = False,
    ) -> None:
        """Take the entry points, with findings about them; `disabled` and `only` are plugin names.

        `tracebacks` prints the traceback of every failure; those of plugins in development are always printed.
        """
        self.durations = Durations()
        self._print_all = tracebacks
        self._tracebacks: dict[str, str] = {}
        self._findings = list(findings)
        self._plugins: dict[str, Installed] = {}
        self._left_out: list[PluginInfo] = []
        for plugin in ranked(found):
            if plugin.name in self._plugins:
                self._leave_out(plugin)
            else:
                self._plugins[plugin.name] = plugin
        self._off = {name: f"disabled: rck plugins enable {quote(name)}" for name in disabled}
        if only is not None:
            self._restrict(set(only))
        self._failed: dict[str, str] = {}
        self._errors: dict[str, BaseException] = {}
        self._locations: dict[str, SourceLocation] = {}
        self._manager = pluggy.PluginManager(GROUP)
        self._manager.add_hookspecs(HookSpecs)
        self._manager.add_hookspecs(LifecycleSpecs)
        self._contributions: dict[type, list[tuple[str, Any]]] = {}
        self._owners: dict[int, tuple[str, Any]] = {}
        """The plugin of each contribution, by the id of the contribution, which it keeps alive."""
        self._stamps = self._file_stamps()

    def _leave_out(self, plugin: Installed) -> None:
        used = self._plugins[plugin.name]
        reason = f"package {used.package} has a plugin of this name, {USED_INSTEAD}"
        left_out = PluginInfo(plugin.name, plugin.point.value, plugin.package, plugin.version, "failed", reason)
        self._left_out.append(left_out)
        where = f"plugin {plugin.name} of package {plugin.package}"
        self._findings.append(Finding(604, Severity.WARNING, where, reason, resolve_clash(left_out)))

    def _restrict(self, only: set[str]) -> None:
        self._off |= {name: f"not named in {RESTRICT}" for name in self._plugins if name not in only}
        for name in sorted(only.difference(self._plugins)):
            message = f"{RESTRICT} names it, but it is not installed"
            self._findings.append(Finding(605, Severity.WARNING, f"plugin {name}", message, "rck plugins list"))

    def infos(self) -> tuple[PluginInfo, ...]:
        """Return every installed plugin, sorted by name, without importing any."""
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
        """Problems with plugins so far."""
        return tuple(self._findings)

    def error(self, plugin: str) -> BaseException | None:
        """Return the exception that disabled a plugin, if any."""
        return self._errors.get(plugin)

    def location(self, plugin: str) -> SourceLocation | None:
        """Return the file and line at which a disabled plugin failed, if known."""
        return self._locations.get(plugin)

    def traceback(self, plugin: str) -> str:
        """Return the traceback of the last failure of a plugin; empty if there was none."""
        return self._tracebacks.get(plugin, "")

    @property
    def in_development(self) -> tuple[str, ...]:
        """The plugins in development."""
        return tuple(filter(self.is_in_development, self._plugins))

    def is_in_development(self, plugin: str) -> bool:
        """Return True if the plugin is in development (`rck plugins dev`)."""
        return plugin in self._plugins and is_developed(self._plugins[plugin].point)

    def _file_stamps(self) -> dict[str, Stamps]:
        developed = (plugin for plugin in self._plugins.values() if is_developed(plugin.point))
        return {plugin.name: file_stamps(plugin.point) for plugin in developed}

    def changed_plugins(self) -> tuple[str, ...]:
        """Return the plugins in development whose files have changed since they were loaded."""
        return tuple(name for name, stamps in self._file_stamps().items() if stamps != self._stamps.get(name))

    def reload(self, names: Iterable[str]) -> None:
        """Load plugins in development again; the contributions of all plugins are collected again."""
        self._stamps = self._file_stamps()
        modules = {}
        # All are registered again, because the order of registration is that of their lifecycle hooks.
        for name in filter(self._manager.has_plugin, list(self._plugins)):
            modules[name] = self._manager.unregister(name=name)
        for name in names:
            modules.pop(name, None)
            forget_modules(self._plugins[name].point)
            for known in (self._failed, self._errors, self._locations, self._tracebacks):
                known.pop(name, None)
            self._findings = [finding for finding in self._findings if finding.where != f"plugin {name}"]
        self._contributions.clear()
        self._load(modules)

    def module(self, plugin: str) -> Any:
        """Return the module of a loaded plugin; None if it is not loaded."""
        return self._manager.get_plugin(plugin)

    def is_own(self, contribution: object) -> bool:
        """Return True if the contribution is part of RCK."""
        owner = self.owner(contribution)
        return owner is not None and self._plugins[owner].package == GROUP

    def leave_out(self, contribution: object, why: str) -> None:
        """Report that a contribution is not used because its name is taken."""
        owner = self.owner(contribution)
        if owner is not None:
            self._warn(owner, 604, f"{type(contribution).__name__} {cast(Any, contribution).name} is ignored: {why}")

    def warn(self, contribution: object, message: str) -> None:
        """Report a problem of a contribution that stays in use."""
        owner = self.owner(contribution)
        if owner is not None:
            self._warn(owner, 604, f"{type(contribution).__name__} {cast(Any, contribution).name}: {message}")

    def add_finding(self, finding: Finding) -> None:
        """Add a problem with plugins that the core has noticed, once."""
        if finding not in self._findings:
            self._findings.append(finding)

    def owner(self, contribution: object) -> str | None:
        """Return the plugin of a contribution."""
        known = self._owners.get(id(contribution))
        return None if known is None else known[0]

    def load_all(self) -> None:
        """Import every enabled plugin; one that fails is reported and disabled for this run."""
        self._load({})

    def _load(self, modules: Mapping[str, Any]) -> None:
        """Import the plugins that are not among the modules, and register all of them in order."""
        loaded: dict[str, Any] = {}
        for name, plugin in self._plugins.items():
            if name in modules:
                loaded[name] = modules[name]
                continue
            if name in self._off or name in self._failed or self._manager.has_plugin(name):
                continue
            if unmet := unmet_requirement(plugin.point):
                self._fail(name, 601, f"could not be loaded: {unmet}")
                continue
            try:
                with stdout_to_stderr(), self.durations.measure(name, "load"):
                    module = plugin.point.load()
                same = next((other for other, known in loaded.items() if known is module), "")
                if same:
                    raise ValueError(f"plugin {same} has the same module")
                loaded[name] = module
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                self._fail_to_load(name, error, location_of_error(error, root_of(plugin.point)))
        # pluggy calls the hook that was registered last first.
        for name, module in reversed(loaded.items()):
            try:
                self._register(name, module)
            except Exception as error:
                if self._manager.has_plugin(name):
                    self._manager.unregister(name=name)
                self._fail_to_load(name, error, location_in_module(module, str(error)))

    def _fail_to_load(self, plugin: str, error: BaseException, location: SourceLocation | None) -> None:
        self._fail(plugin, 601, f"could not be loaded: {_describe_error(error)}", error, location)

    def _register(self, name: str, module: Any) -> None:
        self._manager.register(module, name=name)
        try:
            self._manager.check_pending()
        except pluggy.PluginValidationError as error:
            unknown = re.search(r"unknown hook '(\w+)'", str(error))
            if unknown is None:
                raise
            raise LookupError(f"unknown hook {unknown[1]!r}{did_you_mean(unknown[1], HOOKS)}") from error
        callers = self._manager.get_hookcallers(module)
        if not callers:
            unmarked = "; ".join(unmarked_hooks(module))
            raise LookupError(f"it implements no hook; {unmarked or 'mark its hooks with rck.hooks.hookimpl'}")
        for caller in callers:
            for implementation in caller.get_hookimpls():
                if caller.name in LIFECYCLE and implementation.plugin_name == name:
                    guard_hook(name, implementation, partial(self._report_hook, name, caller.name))

    def _report_hook(self, plugin: str, hook: str, error: BaseException) -> None:
        """Record that a lifecycle hook failed; the plugin stays enabled."""
        location = location_of_error(error, root_of(self._plugins[plugin].point))
        where = "" if location is None else f" ({location.short})"
        self._warn(plugin, 602, f"failed in {hook}, which is not called again: {_describe_error(error)}{where}")

    def listens(self, hook: str) -> bool:
        """Return True if a plugin implements this lifecycle hook."""
        self.load_all()
        return bool(getattr(self._manager.hook, hook).get_hookimpls())

    def inspect(self, hook: str, **arguments: Any) -> tuple[Finding, ...]:
        """Call a lifecycle hook of all plugins and return their findings; raise :class:`RckError` if one refuses."""
        if not self.listens(hook):
            return ()
        failed = [self._manager.get_plugin(name) for name in self._failed if self._manager.has_plugin(name)]
        called = self._manager.subset_hook_caller(hook, failed)(**arguments)
        return tuple(finding for found in called for finding in found)

    def hooks_of(self, plugin: str) -> tuple[str, ...]:
        """Return the names of the lifecycle hooks that a plugin implements."""
        self.load_all()
        callers = self._manager.get_hookcallers(self._manager.get_plugin(plugin)) or ()
        return tuple(sorted(caller.name for caller in callers if caller.name in LIFECYCLE))

    def check_codes(self, plugin: str, findings: Iterable[Finding]) -> tuple[Finding, ...]:
        """Return the findings with the name of their plugin; warn of codes that it has not declared."""
        declared = {code.name for owner, code in self.named(FindingCode) if owner == plugin}
        stamped = tuple(one if one.plugin else replace(one, plugin=plugin) for one in findings)
        for code in sorted({one.code for one in stamped if isinstance(one.code, str)} - declared):
            self._warn(plugin, 603, f"the finding code {code} is not declared in rck_finding_codes")
        return stamped

    def named(self, kind: type[T]) -> tuple[tuple[str, T], ...]:
        """Return all contributions of a kind, each with the name of its plugin."""
        if kind not in self._contributions:
            self.load_all()
            self._contributions[kind] = self._collect(kind)
        return tuple((plugin, found) for plugin, found in self._contributions[kind] if plugin not in self._failed)

    def all(self, kind: type[T]) -> tuple[T, ...]:
        """Return all contributions of a kind: RCK's own first, then in order of plugin name."""
        return tuple(contribution for _, contribution in self.named(kind))

    @contextmanager
    def guard(self, contribution: object, subject: str = "") -> Iterator[None]:
        """Report unexpected exceptions of a contribution as :class:`PluginFailure`; the plugin stays enabled.

        `subject` is the file or robot that it works on. :class:`RckError` and :class:`OSError` pass through.
        """
        owner = self.owner(contribution)
        activity = f"{type(contribution).__name__} {getattr(contribution, 'name', '')}"
        try:
            with self.durations.measure(owner or "?", activity):
                yield
        except (RckError, OSError):
            raise
        except (Exception, SystemExit) as error:
            if owner is None:
                raise
            raise self.report(contribution, error, subject) from error

    def report(self, contribution: object, error: BaseException, subject: str = "") -> RckError:
        """Record that a contribution failed, once per message; return the error to show to the user."""
        if isinstance(error, PluginFailure):
            return error
        plugin = self.owner(contribution)
        assert plugin is not None, "only contributions of plugins are reported"
        kind = re.sub(r"\B([A-Z])", r" \1", type(contribution).__name__).lower()
        on = f" on {subject}" if subject else ""
        self._keep_traceback(plugin, error)
        location = location_of_error(error, root_of(self._plugins[plugin].point))
        where = "" if location is None else f" ({location.short})"
        message = f"{kind} {cast(Any, contribution).name} failed{on}: {_describe_error(error)}{where}"
        self._warn(plugin, 602, message)
        return PluginFailure(f"plugin {plugin}: {message}; `{_disable(plugin)}` disables it")

    def _collect(self, kind: type) -> list[tuple[str, Any]]:
        """Call the hook of a kind in every loaded plugin; the first contribution of a name is used."""
        caller = getattr(self._manager.hook, HOOK_OF_KIND[kind])
        rank = {name: place for place, name in enumerate(self._plugins)}
        owner_of: dict[str, str] = {}
        collected: list[tuple[str, Any]] = []
        # One by one: a hook that raises must not cost the others their results.
        for implementation in sorted(caller.get_hookimpls(), key=lambda found: rank[found.plugin_name]):
            plugin = implementation.plugin_name
            if plugin in self._failed:
                continue
            for contribution in self._call_hook(plugin, caller.name, implementation.function, kind):
                name = contribution.name
                if name in owner_of:
                    self._warn(plugin, 604, f"{kind.__name__} {name} is ignored: plugin {owner_of[name]} has one")
                    continue
                owner_of[name] = plugin
                collected.append((plugin, self._guarded(plugin, contribution)))
        return collected

    def _guarded(self, plugin: str, contribution: Any) -> Any:
        result = guarded(
            contribution, lambda subject: self.guard(result, subject), self._plugins[plugin].package == GROUP
        )
        self._owners[id(result)] = (plugin, result)
        return result

    def _call_hook(self, plugin: str, hook: str, function: Any, kind: type) -> list[Any]:
        try:
            with stdout_to_stderr(), self.durations.measure(plugin, "load"):
                returned = function()
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            location = location_of_error(error, root_of(self._plugins[plugin].point))
            self._fail(plugin, 602, f"failed in {hook}: {_describe_error(error)}", error, location)
            return []
        wrong = _wrong_return(returned, kind)
        if wrong:
            self._fail(plugin, 603, f"{hook} {wrong}", location=location_of_function(function))
            return []
        for contribution in returned:
            if isinstance(contribution, PartLibrary) and not contribution.folder.is_dir():
                message = f"the folder of part library {contribution.name} does not exist: {contribution.folder}"
                self._warn(plugin, 603, message)
        return list(returned)

    def _fail(
        self,
        plugin: str,
        code: int,
        message: str,
        error: BaseException | None = None,
        location: SourceLocation | None = None,
    ) -> None:
        """Disable a plugin for this run; only the first reason is reported."""
        if plugin in self._failed:
            return
        if error is not None:
            self._errors[plugin] = error
            self._keep_traceback(plugin, error)
        if location is not None:
            self._locations[plugin] = location
        self._failed[plugin] = message
        self._warn(plugin, code, message if location is None else f"{message} ({location.short})")

    def _keep_traceback(self, plugin: str, error: BaseException) -> None:
        """Keep the traceback of a failure, and print it for the author of the plugin."""
        text = "".join(traceback.format_exception(error))
        repeated = self._tracebacks.get(plugin) == text
        self._tracebacks[plugin] = text
        if not repeated and (self._print_all or self.is_in_development(plugin)):
            print(f"plugin {plugin}:\n{text}", end="", file=sys.stderr)  # noqa: T201

    def choose(self, name: str, contributions: Iterable[Contribution], what: str) -> Contribution:
        """Return the contribution of that name; refuse it if a library that it needs is missing.

        `what` names the kind in messages. If there is no such contribution, the message names failed and disabled
        plugins that might provide it.
        """
        try:
            chosen = entry_named(name, {candidate.name: candidate for candidate in contributions}, what)
        except RckError as error:
            raise RckError(f"{error}{self.absent(name)}") from None
        refuse_missing(f"the {what} {name}", *getattr(chosen, "needs", ()))
        return chosen

    def absent(self, wanted: str = "") -> str:
        """Return a hint, to append to a message, at failed and disabled plugins that may provide what is wanted."""
        failed = [f"plugin {name} {self._short_reason(name)}" for name in self._failed]
        off = {name: why for name, why in self._off.items() if name in self._plugins}
        matching = [name for name in off if wanted and wanted.casefold() in name.casefold()]
        restricted = [name for name in off if RESTRICT in off[name]]
        shown = matching or [name for name in off if name not in restricted]
        hints = [*failed, *(f"plugin {name} is {_short_disabled(name, off[name])}" for name in shown[:MOST_HINTS])]
        if restricted and not matching:
            hints.append(f"{counted(len(restricted), 'plugin')} not named in {RESTRICT}")
        return "".join(f"; {hint}" for hint in hints)

    def _short_reason(self, plugin: str) -> str:
        """Return why a plugin failed; `rck plugins doctor` gives the long reasons."""
        why, location = self._failed[plugin], self.location(plugin)
        if why.startswith("could not be loaded"):
            return f"failed to load: `rck plugins doctor {plugin}`"
        if why.startswith("failed in"):
            return f"failed: `rck plugins doctor {plugin}`"
        return f"failed: {why}" + ("" if location is None else f" ({location.short})")

    def _warn(self, plugin: str, code: int, message: str) -> None:
        self.add_finding(Finding(code, Severity.WARNING, f"plugin {plugin}", message, _disable(plugin)))


HOOKS = LIFECYCLE.union(HOOK_OF_KIND.values())
"""Names of all hooks."""


def unmarked_hooks(module: object) -> Iterator[str]:
    """Yield the functions of a module that look like hooks but are not marked, each with advice."""
    for name, value in vars(module).items() if hasattr(module, "__dict__") else ():
        if not name.startswith("rck_") or not isfunction(value) or hasattr(value, "rck_impl"):
            continue
        if name in HOOKS:
            yield f"mark {name} with rck.hooks.hookimpl"
        else:
            yield f"{name} is no hook{did_you_mean(name, HOOKS)}"


def resolve_clash(left_out: PluginInfo) -> str:
    """Return the remedy for a plugin that is not loaded because its name is taken."""
    if left_out.package == PROJECT:
        return f"rename the file: {left_out.module}"
    return f"uninstall {left_out.package}"


def _disable(plugin: str) -> str:
    return f"rck plugins disable {quote(plugin)}"


def _short_disabled(plugin: str, why: str) -> str:
    return why if RESTRICT in why else f"disabled: `rck plugins enable {plugin}`"


def _describe_error(error: BaseException) -> str:
    text = ""
    # The text of an exception may itself raise.
    with suppress(Exception):
        text = " ".join(str(error).split())
    name = "TypeError" if isinstance(error, WrongReturnType) else type(error).__name__
    return f"{name}: {text}" if text else name


def _wrong_return(returned: Any, kind: type) -> str:
    """Describe the error in the value that a hook returned; empty if there is none."""
    if not isinstance(returned, list | tuple) or not all(isinstance(found, kind) for found in returned):
        return f"must return a list of {kind.__name__}, not {_describe_value(returned)}"
    for contribution in returned:
        name = contribution.name
        if not isinstance(name, str) or not name.strip():
            return f"must return a list of {kind.__name__}, each with a name, not {name!r}"
        if kind in (Command, CliCommand) and name.split() != [name]:
            return f"must return names of one word, not {name!r}"
    return ""


def _describe_value(value: object) -> str:
    if isinstance(value, list | tuple):
        return "a list with " + ", ".join(sorted({type(element).__name__ for element in value}))
    return type(value).__name__


def discover(
    disabled: Iterable[str] | None = None,
    environment: Mapping[str, str] = os.environ,
    project: Path | None = None,
    file: Path | None = None,
) -> Plugins:
    """Return the installed plugins and those of the project, by default the current folder, without importing any.

    The folder of `file` counts as a project too. `disabled` names the plugins to disable, by default those that the
    user has disabled.
    """
    switches = read_switches(config_folder(environment))
    restriction = environment.get(RESTRICT)
    only = None if restriction is None else [current_name(n.strip()) for n in restriction.split(",") if n.strip()]
    installed, findings = installed_points()
    projects = [Path.cwd() if project is None else project]
    if file is not None and file.parent.resolve() != projects[0].resolve():
        projects.append(file.parent)
    developed, more = developed_points(switches.developed)
    findings += more
    # A plugin in development replaces the installed one of its package, but none of RCK's own.
    names = {point.name for point in developed}
    points: list[Point] = [*developed]
    points += (point for point in installed if point.name not in names or package_and_version(point.dist)[0] == GROUP)
    folders = {point.path.parent for point in developed if isinstance(point, DevFile)}
    for folder in projects:
        if (folder / FOLDER).resolve() in folders:
            continue
        more_points, more_findings = project_points(folder, switches.allowed)
        points += more_points
        findings += more_findings
    disabled = switches.disabled if disabled is None else disabled
    plugins = Plugins(points, disabled, only, findings, tracebacks=bool(environment.get(TRACEBACK)))
    if environment.get(PROFILE):
        atexit.register(lambda: print(plugins.durations.table(), file=sys.stderr))  # noqa: T201
    return plugins
