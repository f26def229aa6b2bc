"""`rck plugins`: list, describe, enable and disable plugins."""

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from shlex import quote
from typing import Any, NamedTuple

import click

from rck.cli.inputs import parse_settings
from rck.cli.new_plugin import new_plugin
from rck.hooks import HOOK_OF_KIND, CliCommand, Exporter, PluginInfo, Plugins, Settings, discover, read_settings
from rck.hooks.manager import USED_INSTEAD, resolve_clash
from rck.hooks.plugin_settings import allow, stored_settings, switch, write_settings
from rck.hooks.project_plugins import FOLDER, fingerprints, ignored_files, loaded_files
from rck.model import RckError
from rck.support.names import did_you_mean
from rck.support.user_folders import config_folder


@click.group(invoke_without_command=True)
@click.pass_context
def plugins(context: click.Context) -> None:
    """List, enable and disable plugins."""
    if context.invoked_subcommand is None:
        context.invoke(list_plugins)


plugins.add_command(new_plugin)


@plugins.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_plugins(as_json: bool = False) -> None:
    """List plugins with version and state, without importing them."""
    found = discover()
    infos = found.infos()
    if as_json:
        click.echo(json.dumps([asdict(info) for info in infos], indent=2))
        return
    width = max((len(info.name) for info in infos), default=0)
    for info in infos:
        reason = f"  {info.reason}" if info.reason else ""
        click.echo(f"{info.name:{width}}  {info.state:6}  {info.package} {info.version}".rstrip() + reason)
    for finding in found.findings:
        click.echo(str(finding), err=True)


@plugins.command()
@click.argument("name")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def info(name: str, as_json: bool) -> None:
    """Load a plugin and print what it adds. The exit status is 1 if it fails."""
    _known(name)
    found = discover()
    added: dict[str, list[tuple[str, str]]] = {}
    for kind in HOOK_OF_KIND:
        given: tuple[tuple[str, Any], ...] = found.named(kind)
        added[kind.__name__] = [(one.name, one.summary) for plugin, one in given if plugin == name]
    state = _known(name, found.infos())
    if as_json:
        click.echo(json.dumps({**asdict(state), "adds": {kind: dict(ones) for kind, ones in added.items() if ones}}))
    else:
        click.echo(f"{name}  {state.state}  {state.package} {state.version}  {state.module}")
        for label, ones in added.items():
            for one, summary in ones:
                click.echo(f"  {label}  {one}: {summary}")
        if state.state == "loaded" and (hooks := found.hooks_of(name)):
            click.echo(f"  calls  {', '.join(hooks)}")
        if state.reason:
            click.echo(state.reason, err=True)
    sys.exit(int(state.state == "failed"))


@plugins.command()
@click.argument("name")
def enable(name: str) -> None:
    """Enable a plugin."""
    _known(name)
    switch(config_folder(), name, on=True)
    click.echo(f"enabled {name}")


@plugins.command()
@click.argument("name")
def disable(name: str) -> None:
    """Disable a plugin; it is no longer imported."""
    _known(name)
    switch(config_folder(), name, on=False)
    click.echo(f"disabled {name}; `rck plugins enable {quote(name)}` enables it again")


@plugins.command("set")
@click.argument("name")
@click.argument("given", nargs=-1, metavar="[OPTION=VALUE]...")
def set_options(name: str, given: tuple[str, ...]) -> None:
    """Set options of a plugin; `option=` restores the default. Without any, list the options."""
    settings = _settings_of(name)
    if given:
        write_settings(config_folder(), settings, parse_settings(given))
    stored = stored_settings(settings, config_folder())
    values = read_settings(settings)
    for option in settings.options:
        shown = stored.get(option.name, _shown_default(values[option.name]))
        origin = "" if option.name in stored else "  (default)"
        choices = f" ({', '.join(option.choices)})" if option.choices else ""
        click.echo(f"{option.name} = {shown}{origin}  {option.help}{choices}")


def _shown_default(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else str(value)


def _settings_of(name: str) -> Settings:
    """Return the settings of that name, or those of the plugin of that name."""
    found = discover().named(Settings)
    by_name = {settings.name: settings for _, settings in found}
    chosen = by_name.get(name) or next((settings for plugin, settings in found if plugin == name), None)
    if chosen is None:
        known = did_you_mean(name, by_name)
        listed = f"; plugins with settings: {', '.join(by_name)}" if by_name else "; no plugin has settings"
        raise RckError(f"no plugin has settings called {name!r}{known}{listed}")
    return chosen


@plugins.command("allow")
@click.argument("project", type=click.Path(path_type=Path, exists=True, file_okay=False), default=".")
def allow_project(project: Path) -> None:
    """Allow the plugins in a project's `rck_plugins` folder; they run with your permissions.

    If a file in the folder changes, RCK loads none of them until you allow them again.
    """
    folder = _plugins_of(project)
    files, ignored = loaded_files(folder), ignored_files(folder)
    allow(config_folder(), folder, fingerprints(folder))
    names = ", ".join(path.name for path in files) or "no file yet"
    click.echo(f"{folder} is allowed as it is now ({names}); `rck plugins forbid {quote(str(project))}` revokes this")
    if ignored:
        click.echo(f"not loaded: {', '.join(ignored)}")


@plugins.command("forbid")
@click.argument("project", type=click.Path(path_type=Path, file_okay=False), default=".")
def forbid_project(project: Path) -> None:
    """Stop loading this project's plugins."""
    allow(config_folder(), project / FOLDER, None)
    click.echo(f"plugins in {project / FOLDER} are not loaded")


@plugins.command()
@click.argument("names", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def doctor(names: tuple[str, ...], as_json: bool) -> None:
    """Load every plugin and explain each failure. The exit status is 1 if one fails."""
    for name in names:
        _known(name)
    found = discover()
    _report_clashes(found)
    adds = {
        name: sum(plugin == name for kind in HOOK_OF_KIND for plugin, _ in found.named(kind))
        for name in (info.name for info in found.infos())
    }
    shown = [info for info in found.infos() if not names or info.name in names]
    if as_json:
        told = [{**asdict(info), "adds": adds[info.name], **failure(info, found)._asdict()} for info in shown]
        click.echo(json.dumps(told, indent=2))
    else:
        for info in shown:
            _print_health(info, adds[info.name], failure(info, found))
        for finding in found.findings:
            if not any(info.reason and finding.message.startswith(info.reason) for info in shown):
                click.echo(str(finding))
        for line in _shared_endings(found):
            click.echo(line)
    sys.exit(int(any(info.state == "failed" for info in shown)))


def _report_clashes(found: Plugins) -> None:
    """Report commands and subcommands that have the name of a built-in one."""
    from rck.cli.main import COMMANDS
    from rck.language.session import full_grammar

    full_grammar(found)
    for one in found.all(CliCommand):
        if one.name in COMMANDS:
            found.leave_out(one, "RCK has a subcommand of this name")


def _shared_endings(found: Plugins) -> Iterator[str]:
    """Yield notes about exporters that are not used for an ending because another one is."""
    first: dict[tuple[str, str], Exporter] = {}
    for plugin, one in found.named(Exporter):
        for ending in one.endings:
            used = first.setdefault((one.takes, ending), one)
            if used is not one and not found.is_own(one):
                both = f"{ending} is written by the exporter {used.name}, not {one.name}"
                yield f"note: plugin {plugin}: {both}; `rck export --format {one.name}` selects it"


def _print_health(info: PluginInfo, adds: int, why: "Failure") -> None:
    if info.state != "failed":
        click.echo(f"✓ {info.name}  " + (info.reason if info.state == "off" else f"adds {adds}"))
        return
    click.echo(f"✗ {info.name}  {info.package} {info.version}".rstrip())
    for label, text in (("what", info.reason), ("where", why.where), ("do", why.remedy)):
        if text:
            click.echo(f"    {label + ':':7}{text}")


class Failure(NamedTuple):
    """Location and remedy of a failure."""

    where: str = ""
    remedy: str = ""


def failure(info: PluginInfo, found: Plugins) -> Failure:
    """Return where a plugin failed, and the remedy."""
    error = found.error(info.name)
    where = str(found.location(info.name) or "")
    if info.state != "failed":
        return Failure()
    if info.reason.endswith(USED_INSTEAD):
        return Failure("", resolve_clash(info))
    off = f"`rck plugins disable {quote(info.name)}`"
    if isinstance(error, ModuleNotFoundError) and error.name:
        missing = error.name.partition(".")[0]
        return Failure(where, f"install the missing module: pip install {missing}; or {off}")
    return Failure(where, f"fix it there, install another version of {info.package}, or {off}")


def _plugins_of(project: Path) -> Path:
    folder = project / FOLDER
    if not folder.is_dir():
        raise RckError(f"{project.resolve()} has no folder {FOLDER}; create it and put single-file plugins into it")
    return folder


def _known(name: str, infos: tuple[PluginInfo, ...] | None = None) -> PluginInfo:
    listed = discover().infos() if infos is None else infos
    # The first of two plugins with the same name is used.
    by_name = {info.name: info for info in reversed(listed)}
    if name not in by_name:
        raise RckError(f"there is no plugin {name!r}{did_you_mean(name, by_name)}")
    return by_name[name]
