"""`rck plugins doctor`: load plugins and explain what is wrong with each."""

import json
import os
import sys
from collections.abc import Iterator
from dataclasses import asdict
from shlex import quote
from typing import NamedTuple

import click

from rck.cli.options import JSON
from rck.cli.plugin_names import contributions_of, known_plugin
from rck.hooks import CliCommand, Exporter, PluginInfo, Plugins, discover
from rck.hooks.manager import RESTRICT, USED_INSTEAD, resolve_clash, unmarked_hooks
from rck.hooks.signatures import wrong_signatures
from rck.support.units import counted


@click.command()
@click.argument("names", nargs=-1)
@click.option("--only", metavar="NAME", default=None, help="Load no other plugin than this.")
@click.option("--traceback", "with_traceback", is_flag=True, help="Print the traceback of each failure.")
@JSON
def doctor(names: tuple[str, ...], only: str | None, with_traceback: bool, as_json: bool) -> None:
    """Load every plugin, check the signatures of its functions and explain each failure.

    The time is that of loading. The exit status is 1 if a plugin fails or has a wrong signature.
    """
    names = names if only is None else (*names, only)
    for name in names:
        known_plugin(name)
    found = discover() if only is None else discover(environment={**os.environ, RESTRICT: only})
    _report_clashes(found)
    examined = {info.name: _examine(info, found) for info in found.infos()}
    shown = [info for info in found.infos() if not names or info.name in names]
    if as_json:
        told = [{**asdict(info), **examined[info.name]._asdict(), **failure(info, found)._asdict()} for info in shown]
        click.echo(json.dumps(told, indent=2))
    else:
        for info in shown:
            _print_health(info, examined[info.name], failure(info, found))
            if found.traceback(info.name) and (with_traceback or found.is_in_development(info.name)):
                click.echo(found.traceback(info.name).rstrip())
        for finding in found.findings:
            if not any(info.reason and finding.message.startswith(info.reason) for info in shown):
                click.echo(str(finding))
        for line in (*_shared_endings(found), *_refused_keys(found)):
            click.echo(line)
    sys.exit(int(any(info.state == "failed" or examined[info.name].signatures for info in shown)))


class Examination(NamedTuple):
    """Findings about a plugin that was loaded."""

    adds: int = 0
    """Number of contributions."""
    hooks: int = 0
    """Number of lifecycle hooks."""
    milliseconds: float | None = None
    """Time of loading; None if it was not loaded."""
    signatures: tuple[str, ...] = ()
    """Functions that RCK cannot call as their kind declares."""
    advice: tuple[str, ...] = ()
    """Functions that look like hooks but are none."""


def _examine(info: PluginInfo, found: Plugins) -> Examination:
    contributions = contributions_of(info.name, found)
    signatures = tuple(
        f"{type(one).__name__} {one.name}: {wrong.message}" + (f" ({wrong.location})" if wrong.location else "")
        for one in contributions
        for wrong in wrong_signatures(one)
    )
    seconds = found.durations.seconds(info.name, "load")
    milliseconds = None if seconds is None else round(seconds * 1e3, 1)
    module = found.module(info.name)
    advice = () if module is None else tuple(unmarked_hooks(module))
    hooks = 0 if module is None else len(found.hooks_of(info.name))
    return Examination(len(contributions), hooks, milliseconds, signatures, advice)


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


def _refused_keys(found: Plugins) -> Iterator[str]:
    """Yield notes about keys that the editor does not give to plugins because they are used."""
    from rck.editor.plugin_keys import assign_keys, keyed_contributions
    from rck.editor.settings import used_keys

    for one, why in assign_keys(keyed_contributions(found), {}, used_keys).refused:
        yield f"note: plugin {found.owner(one)}: {type(one).__name__} {one.name}: {why}"


def _print_health(info: PluginInfo, examined: Examination, why: "Failure") -> None:
    if info.state == "failed":
        click.echo(f"✗ {info.name}  {info.package} {info.version}".rstrip())
        for label, text in (("what", info.reason), ("where", why.where), ("do", why.remedy)):
            if text:
                click.echo(f"    {label + ':':7}{text}")
        return
    mark = "✗" if examined.signatures else "✓"
    time = "" if examined.milliseconds is None else f"  {examined.milliseconds:.1f} ms"
    hooks = f", {counted(examined.hooks, 'lifecycle hook')}" if examined.hooks else ""
    click.echo(f"{mark} {info.name}  " + (info.reason if info.state == "off" else f"adds {examined.adds}{hooks}{time}"))
    for text in examined.signatures:
        click.echo(f"    {text}")
    for text in examined.advice:
        click.echo(f"    note: {text}")


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
    if found.is_in_development(info.name):
        return Failure(where, "fix it there")
    off = f"`rck plugins disable {quote(info.name)}`"
    if isinstance(error, ModuleNotFoundError) and error.name:
        missing = error.name.partition(".")[0]
        return Failure(where, f"install the missing module: pip install {missing}; or {off}")
    return Failure(where, f"fix it there, install another version of {info.package}, or {off}")
