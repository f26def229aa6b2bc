"""The entry point of `rck`: which subcommands there are, and how errors reach the user.

Nothing heavy is imported here, so that `rck --help` answers at once.
"""

import _thread
import re
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import FrameType
from typing import TYPE_CHECKING

import click

from rck import __version__

if TYPE_CHECKING:
    from rck.hooks import CliCommand, Plugins

COMMANDS: dict[str, tuple[str, str]] = {
    "bench": ("rck.cli.bench:bench", "Measure RCK side by side with the peers that are installed."),
    "check": ("rck.cli.check:check", "List what is wrong with a robot."),
    "collide": ("rck.cli.collide:collide", "List who touches whom, and how near things are."),
    "demo": ("rck.cli.demo:demo", "Show what RCK does; needs no terminal."),
    "doctor": ("rck.cli.doctor:doctor", "Tell what is installed, what is missing, and how to install it."),
    "edit": ("rck.cli.edit:edit", "Open the editor; `rck` alone does too."),
    "export": ("rck.cli.exporting:export_file", "Write a robot in another format."),
    "fk": ("rck.cli.fk:fk", "Print where items and frames are."),
    "ik": ("rck.cli.ik:ik", "Find joint positions that bring a tip to a place."),
    "import": ("rck.cli.importing:import_file", "Read a file of any known format."),
    "loads": ("rck.cli.loads:loads", "Tell whether every motor is strong enough to hold the arm."),
    "new": ("rck.cli.session:new", "Start an assembly."),
    "parts": ("rck.cli.parts:parts", "Search the parts catalogue."),
    "path": ("rck.cli.path:path", "Plan a motion under the limits of the joints."),
    "plugins": ("rck.cli.plugins:plugins", "List plugins and switch them on or off."),
    "reach": ("rck.cli.reach:reach", "Map what an arm can reach, or where to put its base."),
    "render": ("rck.cli.render:render", "Draw a robot, into a file or into the terminal."),
    "run": ("rck.cli.session:run", "Apply a script of commands."),
    "simulate": ("rck.cli.simulate:simulate", "Run events or a program on a robot, without a screen."),
    "serve": ("rck.cli.serve:serve", "Let other programs drive the simulation."),
    "show": ("rck.cli.show:show", "Print a robot's tree, masses and joints."),
    "view": ("rck.cli.view:view", "Show the world live in a browser."),
}
"""Each subcommand, where it lives, and its line in the help."""
_PATIENCE = 1.0
"""Seconds after which ctrl+C is taken to have been lost."""


class Commands(click.Group):
    """The subcommands above, then those that plugins add; each is imported only when it is called."""

    def list_commands(self, context: click.Context) -> list[str]:
        """The built-in names; plugins are not imported for a list."""
        return sorted(COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """The command of that name, from RCK or from a plugin."""
        if name in COMMANDS:
            module, attribute = COMMANDS[name][0].split(":")
            command = getattr(import_module(module), attribute)
            assert isinstance(command, click.Command)
            return command
        return _plugin_command(context, name)

    def resolve_command(
        self, context: click.Context, arguments: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, with the nearest known command suggested for an unknown one."""
        name = arguments[0]
        if not name.startswith("-") and self.get_command(context, name) is None:
            from rck.model.names import did_you_mean

            absent = _plugins_of(context).absent(name)
            raise click.UsageError(f"there is no command {name!r}{did_you_mean(name, COMMANDS)}{absent}", context)
        return super().resolve_command(context, arguments)

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """The list in `rck --help`."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in sorted(COMMANDS.items())])


def _plugins_of(context: click.Context) -> "Plugins":
    """The plugins of this call, discovered once: one that hangs is waited for once."""
    from rck.hooks import Plugins, discover

    if "rck.plugins" not in context.meta:
        context.meta["rck.plugins"] = discover()
    plugins = context.meta["rck.plugins"]
    assert isinstance(plugins, Plugins)
    return plugins


def _plugin_command(context: click.Context, name: str) -> click.Command | None:
    from rck.hooks import CliCommand

    plugins = _plugins_of(context)
    added = next((one for one in plugins.all(CliCommand) if one.name == name), None)
    return None if added is None else _guarded(added, plugins)


def _guarded(added: "CliCommand", plugins: "Plugins") -> click.Command:
    """The command of a plugin; what it raises, other than click's own, is told as a fault of the plugin."""
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
    epilog="`rck COMMAND --help` explains a command. Plugins may add more: see `rck plugins list`.",
)
@click.version_option(__version__, prog_name="rck")
@click.pass_context
def cli(context: click.Context) -> None:
    """Robot Construction Kit: assemble robots from parts, try them out, write them for every simulator.

    `rck` alone opens the editor.
    """
    if context.invoked_subcommand is None:
        if not sys.stdout.isatty():
            click.echo(context.get_help())
            return
        edit = cli.get_command(context, "edit")
        assert edit is not None
        context.invoke(edit)


def main() -> None:
    """Run `rck`. Exit status: 0 done, 1 findings or a refused action, 2 bad usage or unreadable input."""
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
        from rck.model.files import in_words
        from rck.model.finding import RckError

        if not isinstance(error, RckError | OSError):
            raise
        click.echo(f"rck: {in_words(error)}", err=True)
        sys.exit(2)


def _in_one_line(error: click.ClickException) -> str:
    """What is wrong with a command line, and where to read on."""
    message = error.format_message().rstrip(".")
    missing = re.search(r"(File|Directory|Path) '(.*)' does not exist$", message)
    if missing:
        return f"there is no {'folder' if missing[1] == 'Directory' else 'file'} {missing[2]}"
    context = error.ctx if isinstance(error, click.UsageError) else None
    if context is None:
        return message
    pause = "" if message.endswith("?") else ";"
    return f"{message}{pause} `{context.command_path} --help` explains it"


@contextmanager
def _insisting() -> Iterator[None]:
    """Let ctrl+C end what runs, even where a library swallows the first: trimesh does while it is imported."""
    asked, ended, asking = threading.Event(), threading.Event(), threading.Lock()

    def ask_again() -> None:
        while not ended.wait(_PATIENCE):
            with asking:
                if not ended.is_set():
                    _thread.interrupt_main()

    def stop(number: int, frame: FrameType | None) -> None:
        if not asked.is_set():
            asked.set()
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
