"""`rck plugins`: what is installed, what it adds, and switching it on and off."""

import json
import sys
from dataclasses import asdict
from typing import Any

import click

from rck.hooks import HOOK_OF_KIND, PluginInfo, discover
from rck.hooks.folders import config_folder
from rck.hooks.switches import switch
from rck.model import RckError
from rck.model.names import did_you_mean


@click.group(invoke_without_command=True)
@click.pass_context
def plugins(context: click.Context) -> None:
    """List plugins and switch them on or off."""
    if context.invoked_subcommand is None:
        context.invoke(list_plugins)


@plugins.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print data instead of text.")
def list_plugins(as_json: bool = False) -> None:
    """Names, versions and states; imports none of them."""
    infos = discover().infos()
    if as_json:
        click.echo(json.dumps([asdict(info) for info in infos], indent=2))
        return
    width = max((len(info.name) for info in infos), default=0)
    for info in infos:
        reason = f"  {info.reason}" if info.reason else ""
        click.echo(f"{info.name:{width}}  {info.state:6}  {info.package} {info.version}{reason}")


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


def _known(name: str, infos: tuple[PluginInfo, ...] | None = None) -> PluginInfo:
    by_name = {info.name: info for info in (discover().infos() if infos is None else infos)}
    if name not in by_name:
        raise RckError(f"there is no plugin {name!r}{did_you_mean(name, by_name)}")
    return by_name[name]
