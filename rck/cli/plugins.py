"""`rck plugins`: what is installed, what it adds, and switching it on and off."""

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from shlex import quote
from typing import Any, NamedTuple

import click

from rck.cli.new_plugin import new_plugin
from rck.hooks import HOOK_OF_KIND, CliCommand, Exporter, PluginInfo, Plugins, discover
from rck.hooks.containment import Hangs
from rck.hooks.folders import config_folder
from rck.hooks.manager import USED_INSTEAD, give_way
from rck.hooks.project import FOLDER, fingerprints, ignored_files, loaded_files
from rck.hooks.switches import allow, switch
from rck.model import RckError
from rck.model.names import did_you_mean


@click.group(invoke_without_command=True)
@click.pass_context
def plugins(context: click.Context) -> None:
    """List plugins and switch them on or off."""
    if context.invoked_subcommand is None:
        context.invoke(list_plugins)


plugins.add_command(new_plugin)


@plugins.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print data instead of text.")
def list_plugins(as_json: bool = False) -> None:
    """Names, versions and states; imports none of them."""
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
@click.option("--json", "as_json", is_flag=True, help="Print data instead of text.")
def info(name: str, as_json: bool) -> None:
    """Load a plugin and print what it adds. Exit status 1 when it fails."""
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
        if state.reason:
            click.echo(state.reason, err=True)
    sys.exit(int(state.state == "failed"))


@plugins.command()
@click.argument("name")
def enable(name: str) -> None:
    """Switch a plugin on again."""
    _known(name)
    switch(config_folder(), name, on=True)
    click.echo(f"{name} is on")


@plugins.command()
@click.argument("name")
def disable(name: str) -> None:
    """Switch a plugin off; it is not imported any more."""
    _known(name)
    switch(config_folder(), name, on=False)
    click.echo(f"{name} is off; `rck plugins enable {quote(name)}` brings it back")


@plugins.command("allow")
@click.argument("project", type=click.Path(path_type=Path, exists=True, file_okay=False), default=".")
def allow_project(project: Path) -> None:
    """Let the plugins in a project's folder `rck_plugins` be loaded; they can do all that you can.

    When a file there changes, it is not loaded any more until you allow it again.
    """
    folder = _plugins_of(project)
    files, ignored = loaded_files(folder), ignored_files(folder)
    allow(config_folder(), folder, fingerprints(folder))
    names = ", ".join(path.name for path in files) or "no file yet"
    click.echo(f"{folder} is allowed as it is now ({names}); `rck plugins forbid {quote(str(project))}` takes it back")
    if ignored:
        click.echo(f"not loaded: {', '.join(ignored)}")


@plugins.command("forbid")
@click.argument("project", type=click.Path(path_type=Path, file_okay=False), default=".")
def forbid_project(project: Path) -> None:
    """Load the plugins in a project's folder no more."""
    allow(config_folder(), project / FOLDER, None)
    click.echo(f"plugins in {project / FOLDER} are not loaded")


@plugins.command()
@click.argument("names", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="Print data instead of text.")
def doctor(names: tuple[str, ...], as_json: bool) -> None:
    """Load every plugin and ask it for all that it adds; explain each failure. Exit status 1 when one fails."""
    for name in names:
        _known(name)
    found = discover()
    _look_for_clashes(found)
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
            _tell_health(info, adds[info.name], failure(info, found))
        for finding in found.findings:
            if not any(info.reason and finding.message.startswith(info.reason) for info in shown):
                click.echo(str(finding))
        for line in _shared_endings(found):
            click.echo(line)
    sys.exit(int(any(info.state == "failed" for info in shown)))


def _look_for_clashes(found: Plugins) -> None:
    """Have words and subcommands reported that RCK has itself: they are left out."""
    from rck.cli.main import COMMANDS
    from rck.language.session import full_grammar

    full_grammar(found)
    for one in found.all(CliCommand):
        if one.name in COMMANDS:
            found.leave_out(one, "RCK has a subcommand of this name")


def _shared_endings(found: Plugins) -> Iterator[str]:
    """Which exporters of plugins are not asked for an ending that they have, because another one is."""
    first: dict[tuple[str, str], Exporter] = {}
    for plugin, one in found.named(Exporter):
        for ending in one.endings:
            used = first.setdefault((one.takes, ending), one)
            if used is not one and not found.is_own(one):
                both = f"{ending} is written by the exporter {used.name}, not {one.name}"
                yield f"note: plugin {plugin}: {both}; `rck export --format {one.name}` uses that one"


def _tell_health(info: PluginInfo, adds: int, why: "Failure") -> None:
    if info.state != "failed":
        click.echo(f"✓ {info.name}  " + (info.reason if info.state == "off" else f"adds {adds}"))
        return
    click.echo(f"✗ {info.name}  {info.package} {info.version}".rstrip())
    for label, text in (("what", info.reason), ("where", why.where), ("do", why.remedy)):
        if text:
            click.echo(f"    {label + ':':7}{text}")


class Failure(NamedTuple):
    """Why a plugin does not work, as far as what it raised tells."""

    where: str = ""
    remedy: str = ""


def failure(info: PluginInfo, found: Plugins) -> Failure:
    """Where in the plugin it went wrong, and what to do about it."""
    error = found.error(info.name)
    where = str(found.place(info.name) or "")
    if info.state != "failed":
        return Failure()
    if info.reason.endswith(USED_INSTEAD):
        return Failure("", give_way(info))
    off = f"`rck plugins disable {quote(info.name)}`"
    if isinstance(error, ModuleNotFoundError) and error.name:
        missing = error.name.partition(".")[0]
        return Failure(where, f"install what it needs: pip install {missing}; or {off}")
    if isinstance(error, Hangs):
        return Failure(where, f"it must not wait for anything while it is imported or asked; until it is mended, {off}")
    return Failure(where, f"mend it there, install another version of {info.package}, or {off}")


def _plugins_of(project: Path) -> Path:
    folder = project / FOLDER
    if not folder.is_dir():
        raise RckError(f"{project.resolve()} has no folder {FOLDER}; make it and put plugins, single files, into it")
    return folder


def _known(name: str, infos: tuple[PluginInfo, ...] | None = None) -> PluginInfo:
    listed = discover().infos() if infos is None else infos
    # Of two with one name the first is the one that is used.
    by_name = {info.name: info for info in reversed(listed)}
    if name not in by_name:
        raise RckError(f"there is no plugin {name!r}{did_you_mean(name, by_name)}")
    return by_name[name]
