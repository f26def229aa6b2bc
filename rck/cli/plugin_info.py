"""`rck plugins info`: what a plugin adds, with options, arguments, channels and hooks."""

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import click

from rck.cli.options import JSON
from rck.cli.plugin_names import contributions_of, known_plugin
from rck.hooks import HOOK_OF_KIND, Command, Option, Sensor, discover, read_options
from rck.model import RckError
from rck.testing.still_world import arm_before_a_wall


@click.command()
@click.argument("name")
@JSON
def info(name: str, as_json: bool) -> None:
    """Load a plugin and print what it adds, with options, channels and hooks. The exit status is 1 if it fails."""
    known_plugin(name)
    found = discover()
    contributions = contributions_of(name, found)
    hooks = sorted({HOOK_OF_KIND[type(one)] for one in contributions} | set(found.hooks_of(name)))
    state = known_plugin(name, found.infos())
    if as_json:
        adds: dict[str, dict[str, str]] = {}
        details: dict[str, dict[str, list[str]]] = {}
        for one in contributions:
            adds.setdefault(type(one).__name__, {})[one.name] = one.summary
            details.setdefault(type(one).__name__, {})[one.name] = list(_details(one))
        told = {**asdict(state), "adds": adds, "details": details, "hooks": hooks}
        click.echo(json.dumps(told))
    else:
        click.echo(f"{name}  {state.state}  {state.package} {state.version}  {state.module}")
        for one in contributions:
            click.echo(f"  {type(one).__name__}  {one.name}: {one.summary}")
            for line in _details(one):
                click.echo(f"    {line}")
        if hooks:
            click.echo(f"  hooks  {', '.join(hooks)}")
        if state.reason:
            click.echo(state.reason, err=True)
    sys.exit(int(state.state == "failed"))


def _details(one: Any) -> Iterator[str]:
    """Yield the options, endings, arguments and channels of a contribution."""
    if isinstance(one, Command):
        usage = " ".join(f"[{a.name.upper()}]" if a.optional else a.name.upper() for a in one.arguments)
        yield f"{one.name} {usage}".rstrip()
        for argument in one.arguments:
            yield f"{argument.name.upper()}: {argument.meaning}"
        for given in one.options:
            yield f"--{given.name}: {given.summary}"
        return
    if endings := getattr(one, "endings", ()):
        yield f"endings: {' '.join(endings)}"
    for option in getattr(one, "options", ()):
        if isinstance(option, Option):
            choices = f" ({', '.join(option.choices)})" if option.choices else ""
            default = "" if option.default is None else f", default {option.default}"
            yield f"option {option.name}: {option.help}; {option.type}{choices}{default}"
    if isinstance(one, Sensor):
        yield from _channels(one)


def _channels(sensor: Sensor) -> Iterator[str]:
    """Yield the channels of a sensor, as it reads them on a small arm in front of a wall."""
    world, mount = arm_before_a_wall()
    try:
        readings = sensor.make(world.robot, mount, read_options(sensor.options, {})).read(world)
    except RckError as error:
        yield f"channels: unknown ({error})"
        return
    for channel, values in readings.items():
        yield f"channel {channel}: shape {tuple(values.shape)}"
