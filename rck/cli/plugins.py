"""`rck plugins`: list, describe, enable, disable and develop plugins."""

import json
from dataclasses import asdict
from pathlib import Path
from shlex import quote

import click

from rck.cli.inputs import parse_settings
from rck.cli.new_plugin import new_plugin
from rck.cli.options import JSON
from rck.cli.plugin_doctor import doctor
from rck.cli.plugin_info import info
from rck.cli.plugin_names import known_plugin
from rck.cli.plugin_search import search_plugins
from rck.hooks import Settings, discover, read_settings
from rck.hooks.development import dev_points
from rck.hooks.plugin_settings import allow, develop, read_switches, stored_settings, switch, write_settings
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


for command in (new_plugin, info, doctor, search_plugins):
    plugins.add_command(command)


@plugins.command("list")
@JSON
def list_plugins(as_json: bool = False) -> None:
    """List plugins with version and state, without importing them."""
    found = discover()
    infos = found.infos()
    if as_json:
        click.echo(json.dumps([asdict(one) for one in infos], indent=2))
        return
    width = max((len(one.name) for one in infos), default=0)
    for one in infos:
        reason = f"  {one.reason}" if one.reason else ""
        click.echo(f"{one.name:{width}}  {one.state:6}  {one.package} {one.version}".rstrip() + reason)
    for finding in found.findings:
        click.echo(str(finding), err=True)


@plugins.command()
@click.argument("name")
def enable(name: str) -> None:
    """Enable a plugin."""
    known_plugin(name)
    switch(config_folder(), name, on=True)
    click.echo(f"enabled {name}")


@plugins.command()
@click.argument("name")
def disable(name: str) -> None:
    """Disable a plugin; it is no longer imported."""
    known_plugin(name)
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


@plugins.command("dev")
@click.argument("path", type=click.Path(path_type=Path), required=False)
@click.option("--stop", is_flag=True, help="Stop loading the plugins at this path.")
def develop_plugin(path: Path | None, stop: bool) -> None:
    """Load the plugins in a folder or file without installation, and show their tracebacks.

    PATH is a package with a pyproject.toml, a single file, or a project with a folder `rck_plugins`. The editor loads
    them again when their files change. Plugins run with your permissions. Without PATH, list the paths.
    """
    if path is None:
        for one in sorted(read_switches(config_folder()).developed):
            click.echo(one)
        return
    if stop:
        if str(path.resolve()) not in read_switches(config_folder()).developed:
            raise RckError(f"{path} is not in development; `rck plugins dev` lists the paths")
        develop(config_folder(), path, on=False)
        click.echo(f"{path} is no longer loaded")
        return
    names = [point.name for point in dev_points(path)]
    develop(config_folder(), path, on=True)
    click.echo(f"in development: {', '.join(names)}; `rck plugins dev --stop {quote(str(path))}` ends it")
    click.echo(f"check it: rck plugins doctor {' '.join(map(quote, names))}")


def _plugins_of(project: Path) -> Path:
    folder = project / FOLDER
    if not folder.is_dir():
        raise RckError(f"{project.resolve()} has no folder {FOLDER}; create it and put single-file plugins into it")
    return folder
