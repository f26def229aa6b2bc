"""The entry point of `rck`: its subcommands, and the output of errors.

Nothing heavy is imported here, so that `rck --help` answers at once.
"""

import _thread
import gc
import os
import re
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from traceback import print_exception
from types import FrameType
from typing import TYPE_CHECKING

import click

from rck import __version__

if TYPE_CHECKING:
    from rck.hooks import CliCommand, Plugins

COMMANDS: dict[str, tuple[str, str]] = {
    "bench": ("rck.cli.bench:bench", "Measure the speed of RCK and of installed peer libraries."),
    "check": ("rck.cli.check:check", "List the problems of a robot."),
    "collide": ("rck.cli.collide:collide", "List contacts and distances between items."),
    "demo": ("rck.cli.demo:demo", "Run a short demonstration; needs no terminal."),
    "doctor": ("rck.cli.doctor:doctor", "Check the installation and print how to install what is missing."),
    "edit": ("rck.cli.edit:edit", "Open the editor (`rck` without a command does the same)."),
    "export": ("rck.cli.export:export_file", "Export a robot to another format."),
    "fk": ("rck.cli.fk:fk", "Print the poses of items and frames (forward kinematics)."),
    "ik": ("rck.cli.ik:ik", "Find joint positions for a pose of the tip (inverse kinematics)."),
    "import": ("rck.cli.import_command:import_file", "Import a file into an assembly."),
    "loads": ("rck.cli.loads:loads", "Compute the largest static load of each joint."),
    "new": ("rck.cli.session:new", "Create an empty assembly."),
    "parts": ("rck.cli.parts:parts", "Search the parts catalogue."),
    "path": ("rck.cli.path:path", "Compute a motion within the joint limits."),
    "plugins": ("rck.cli.plugins:plugins", "List, enable and disable plugins."),
    "reach": ("rck.cli.reach:reach", "Map the workspace of an arm, or compare base placements."),
    "render": ("rck.cli.render:render", "Draw a robot to a file or to the terminal."),
    "run": ("rck.cli.session:run", "Run a script of commands on an assembly."),
    "simulate": ("rck.cli.simulate:simulate", "Simulate events or a robot program."),
    "serve": ("rck.cli.serve:serve", "Serve a simulation to other programs (rosbridge protocol)."),
    "show": ("rck.cli.show:show", "Print a robot's tree, masses and joints."),
    "view": ("rck.cli.view:view", "Show a robot live in a browser."),
}
"""The module and the help line of each subcommand."""
_COLLECTION = (100_000, 20, 50)
"""Thresholds of garbage collection. Python's are for small programs: large robots took a third longer with them."""
_PATIENCE = 1.0
"""Seconds after which a ctrl+C without effect is repeated."""


class Commands(click.Group):
    """The built-in subcommands, imported when they are called, and those of plugins."""

    def list_commands(self, context: click.Context) -> list[str]:
        """Return the built-in names; plugins are not imported for a list."""
        return sorted(COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Return the command of that name, built-in or from a plugin."""
        if name in COMMANDS:
            module, attribute = COMMANDS[name][0].split(":")
            command = getattr(import_module(module), attribute)
            assert isinstance(command, click.Command)
            return command
        return _plugin_command(context, name)

    def resolve_command(
        self, context: click.Context, arguments: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Resolve a command as click does; suggest the most similar command for an unknown one."""
        name = arguments[0]
        if not name.startswith("-") and self.get_command(context, name) is None:
            from rck.support.names import did_you_mean

            absent = _plugins_of(context).absent(name)
            known = [*COMMANDS, *(one.name for one in _added_commands())]
            raise click.UsageError(f"there is no command {name!r}{did_you_mean(name, known)}{absent}", context)
        return super().resolve_command(context, arguments)

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands of `rck --help`."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in sorted(COMMANDS.items())])
        if added := _added_commands():
            with formatter.section("Commands of plugins"):
                formatter.write_dl([(one.name, one.summary) for one in added])


def _plugins_of(context: click.Context) -> "Plugins":
    """Return the plugins, which are discovered once."""
    from rck.hooks import Plugins, discover

    if "rck.plugins" not in context.meta:
        context.meta["rck.plugins"] = discover()
    plugins = context.meta["rck.plugins"]
    assert isinstance(plugins, Plugins)
    return plugins


def _added_commands() -> "list[CliCommand]":
    """Return the commands of plugins by name. RCK's own plugins have none, and are not imported."""
    others = any(point.dist is None or point.dist.name != "rck" for point in entry_points(group="rck"))
    if not others and not Path("rck_plugins").is_dir():
        return []
    from rck.hooks import CliCommand, discover

    infos = discover().infos()
    plugins = discover({info.name for info in infos if info.package == "rck" or info.state == "off"})
    return sorted((one for one in plugins.all(CliCommand) if one.name not in COMMANDS), key=lambda one: one.name)


def _plugin_command(context: click.Context, name: str) -> click.Command | None:
    from rck.hooks import CliCommand

    plugins = _plugins_of(context)
    added = next((one for one in plugins.all(CliCommand) if one.name == name), None)
    return None if added is None else _guarded(added, plugins)


def _guarded(added: "CliCommand", plugins: "Plugins") -> click.Command:
    """Return the command of a plugin; unexpected exceptions are reported as failures of the plugin."""
    invoke = added.command.invoke

    def invoked(context: click.Context) -> object:
        try:
            return invoke(context)
        except (click.ClickException, click.exceptions.Exit, click.Abort, SystemExit):
            raise
        except BaseException:
            with plugins.guard(added):
                raise

    vars(added.command)["invoke"] = invoked
    return added.command


@click.group(
    cls=Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="`rck COMMAND --help` explains a command.",
)
@click.version_option(__version__, prog_name="rck")
@click.option("--traceback", is_flag=True, help="Print the tracebacks of errors and of plugins that fail.")
@click.option("--profile", is_flag=True, help="Print the durations of plugins at the end.")
@click.pass_context
def cli(context: click.Context, traceback: bool, profile: bool) -> None:
    """Robot Construction Kit: assemble robots from parts, simulate them, and export them to other simulators.

    `rck` alone opens the editor.
    """
    # Environment variables, because programs that RCK starts follow them too.
    for variable, wanted in (("RCK_TRACEBACK", traceback), ("RCK_PROFILE", profile)):
        if wanted:
            os.environ[variable] = "1"
    if context.invoked_subcommand is None:
        if not sys.stdout.isatty():
            click.echo(context.get_help())
            return
        edit = cli.get_command(context, "edit")
        assert edit is not None
        context.invoke(edit)


def main() -> None:
    """Run `rck`. Exit status: 0 done, 1 findings or a refused action, 2 bad usage or unreadable input."""
    gc.set_threshold(*_COLLECTION)
    try:
        with _insisting():
            status = cli(standalone_mode=False) or 0
        sys.exit(status)
    except click.ClickException as error:
        click.echo(f"rck: {_in_one_line(error)}", err=True)
        sys.exit(2)
    except (click.Abort, KeyboardInterrupt):
        click.echo("stopped", err=True)
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
    except Exception as error:
        from rck.support.files import in_words
        from rck.support.finding import RckError

        if not isinstance(error, RckError | OSError):
            raise
        if os.environ.get("RCK_TRACEBACK"):
            print_exception(error)
        click.echo(f"rck: {in_words(error)}", err=True)
        sys.exit(2)


def _in_one_line(error: click.ClickException) -> str:
    """Return the message about a usage error, with a pointer to the help."""
    message = error.format_message().rstrip(".")
    missing = re.search(r"(File|Directory|Path) '(.*)' does not exist$", message)
    if missing:
        return f"{'folder' if missing[1] == 'Directory' else 'file'} not found: {missing[2]}"
    context = error.ctx if isinstance(error, click.UsageError) else None
    if context is None:
        return message
    pause = "" if message.endswith("?") else ";"
    return f"{message}{pause} `{context.command_path} --help` shows the usage"


@contextmanager
def _insisting() -> Iterator[None]:
    """Let ctrl+C stop the command, even if a library ignores the first: trimesh does while it is imported."""
    asked, ended, asking = threading.Event(), threading.Event(), threading.Lock()

    def ask_again() -> None:
        while not ended.wait(_PATIENCE):
            with asking:
                if not ended.is_set():
                    _thread.interrupt_main()

    def stop(number: int, frame: FrameType | None) -> None:
        if not asked.is_set():
            asked.set()
            # Interrupts in callbacks of libraries are ignored with a traceback; the next one ends the command.
            sys.unraisablehook = lambda _: None
            threading.Thread(target=ask_again, daemon=True).start()
        raise KeyboardInterrupt

    own = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if own:
        signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        with asking:
            ended.set()
        if own:
            signal.signal(signal.SIGINT, signal.default_int_handler)
