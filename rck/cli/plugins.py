"""`rck plugins`: what is installed, what it adds, and switching it on and off."""

import json
import sys
import traceback
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import click

import rck
from rck.cli.new_plugin import new_plugin
from rck.hooks import HOOK_OF_KIND, PluginInfo, discover
from rck.hooks.containment import Hangs
from rck.hooks.folders import config_folder
from rck.hooks.project import FOLDER
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
    click.echo(f"{name} is off; `rck plugins enable {name}` brings it back")


@plugins.command("allow")
@click.argument("project", type=click.Path(path_type=Path, exists=True, file_okay=False), default=".")
def allow_project(project: Path) -> None:
    """Let the plugins in a project's folder `rck_plugins` be loaded; they can do all that you can."""
    folder = _plugins_of(project)
    allow(config_folder(), folder, True)
    files = ", ".join(sorted(path.name for path in folder.glob("*.py"))) or "none yet"
    click.echo(f"{folder} is allowed ({files}); `rck plugins forbid {project}` takes it back")


@plugins.command("forbid")
@click.argument("project", type=click.Path(path_type=Path, file_okay=False), default=".")
def forbid_project(project: Path) -> None:
    """Load the plugins in a project's folder no more."""
    allow(config_folder(), project / FOLDER, False)
    click.echo(f"plugins in {project / FOLDER} are not loaded")


@plugins.command()
@click.argument("names", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="Print data instead of text.")
def doctor(names: tuple[str, ...], as_json: bool) -> None:
    """Load every plugin and ask it for all that it adds; explain each failure. Exit status 1 when one fails."""
    for name in names:
        _known(name)
    found = discover()
    adds = {
        name: sum(plugin == name for kind in HOOK_OF_KIND for plugin, _ in found.named(kind))
        for name in (info.name for info in found.infos())
    }
    shown = [info for info in found.infos() if not names or info.name in names]
    if as_json:
        told = [
            {**asdict(info), "adds": adds[info.name], **failure(info, found.error(info.name))._asdict()}
            for info in shown
        ]
        click.echo(json.dumps(told, indent=2))
    else:
        for info in shown:
            _tell_health(info, adds[info.name], found.error(info.name))
        for finding in found.findings:
            if finding.code not in (601, 602, 603):
                click.echo(str(finding))
    sys.exit(int(any(info.state == "failed" for info in shown)))


def _tell_health(info: PluginInfo, adds: int, error: BaseException | None) -> None:
    if info.state != "failed":
        click.echo(f"✓ {info.name}  " + (info.reason if info.state == "off" else f"adds {adds}"))
        return
    why = failure(info, error)
    click.echo(f"✗ {info.name}  {info.package} {info.version}".rstrip())
    for label, text in (("what", info.reason), ("where", why.where), ("do", why.remedy)):
        if text:
            click.echo(f"    {label + ':':7}{text}")


class Failure(NamedTuple):
    """Why a plugin does not work, as far as what it raised tells."""

    where: str = ""
    remedy: str = ""


def failure(info: PluginInfo, error: BaseException | None) -> Failure:
    """Where in the plugin it went wrong, and what to do about it."""
    if info.state != "failed":
        return Failure()
    off = f"`rck plugins disable {info.name}`"
    if isinstance(error, ModuleNotFoundError) and error.name:
        missing = error.name.partition(".")[0]
        return Failure(_place(error), f"install what it needs: pip install {missing}; or {off}")
    if isinstance(error, Hangs):
        return Failure("", f"it must not wait for anything while it is imported or asked; until it is mended, {off}")
    return Failure(_place(error), f"mend it there, install another version of {info.package}, or {off}")


def _place(error: BaseException | None) -> str:
    """The last line outside of RCK and of Python itself that the error went through."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}, line {error.lineno}"
    if error is None:
        return ""
    ours = str(Path(rck.__file__).parent)
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith((ours, "<")) and "importlib" not in frame.filename
    ]
    return f"{frames[-1].filename}, line {frames[-1].lineno}" if frames else ""


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
