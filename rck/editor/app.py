"""The editor application: modes, global keys, files, journal; the rest is in the screens and the workbench."""

import os
from collections.abc import Iterable
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import ClassVar

import msgspec
from rich.console import Console
from textual import events
from textual.app import SystemCommand
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widget import Widget

from rck.assembly.journal import unnamed_path
from rck.editor.background_jobs import IdleJob, LatestJob, ThreadJobs
from rck.editor.command_palette import palette_commands
from rck.editor.dialogs.basic import Choice, ChoiceDialog, ListChoice, ListDialog, TextDialog, ask_to_write
from rck.editor.dialogs.collision_matrix import MatrixDialog
from rck.editor.dialogs.engine import EngineDialog, EngineOptionsDialog, Role, options_of
from rck.editor.dialogs.export import ExportDialog, describe_errors
from rck.editor.dialogs.jump import JumpScreen, jump_targets
from rck.editor.engines import Engine
from rck.editor.journal_recovery import RecoverableWork, differences, find_recoverable_work, save_separately
from rck.editor.plugin_features import PluginFeatures, register_themes
from rck.editor.plugin_keys import is_of_plugin
from rck.editor.plugin_reload import POLL_INTERVAL, reload_changed_plugins
from rck.editor.screens import SCREENS, PluginScreenSpec, ScreenSpec
from rck.editor.screens.editor_screen import AssemblyScreen
from rck.editor.settings import KEYMAPS, EditorSettings, read_keymap, read_settings, used_keys, write_settings
from rck.editor.themes import FEW_COLOURS, THEMES, choose_theme
from rck.editor.type_ahead import TypeAheadApp
from rck.editor.viewer_processes import ViewerProcesses
from rck.editor.widgets.plugin_panels import PluginPanels
from rck.editor.widgets.title_bar import TitleBar
from rck.editor.workbench import Topic, Workbench
from rck.grammar import quote
from rck.hooks import EditorScreen, Keymap, Theme
from rck.language.session import Session
from rck.support.file_lock import FileLock, lock_file
from rck.support.files import write_atomically
from rck.support.finding import RckError
from rck.support.units import counted
from rck.support.user_folders import data_folder

_CHECK_DELAY = 0.3
"""Seconds between the last change and the start of the checks."""


class RckApp(TypeAheadApp):
    """The application that `rck edit` runs."""

    TITLE = "RCK"
    CSS_PATH = "editor.tcss"
    MODES: ClassVar = {name: screen.make for name, screen in SCREENS.items()}
    DEFAULT_MODE = "build"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f1", "help", "Help", id="help"),
        *(Binding(spec.key, f"go('{name}')", spec.label, show=False, id=name) for name, spec in SCREENS.items()),
        Binding("ctrl+z", "command('undo')", "Undo", show=False, id="undo"),
        Binding("ctrl+y", "command('redo')", "Redo", show=False, id="redo"),
        Binding("ctrl+s", "save", "Save", show=False, id="save"),
        # With priority, because an input would move the cursor to the end of the line.
        Binding("ctrl+e", "export", "Export", show=False, priority=True, id="export"),
        Binding("question_mark", "tutorial", "Tutorial", show=False, id="tutorial"),
        Binding("ctrl+n", "start", "New from template", show=False, id="start"),
        Binding("ctrl+o", "jump", "Jump", show=False, id="jump"),
        Binding("ctrl+q", "quit", "Quit", show=False, priority=True, id="quit"),
    ]

    def __init__(self, session: Session, settings: EditorSettings | None = None, first_command: str = "") -> None:
        # With NO_COLOR, use the terminal's default colours: Textual would map the theme to shades of grey.
        super().__init__(ansi_color=True if "NO_COLOR" in os.environ else None)
        self.workbench = Workbench(
            session,
            preview_runner=LatestJob(self),
            command_runner=ThreadJobs(self),
            check_runner=IdleJob(self, _CHECK_DELAY),
        )
        self.settings = settings or read_settings()
        self.in_tutorial = False
        self._first_command = first_command
        """A command for an empty assembly, such as an import."""
        self._file_lock: FileLock | None = None
        self._viewers = ViewerProcesses()
        # Textual prints the traceback of a fatal error here, not on the terminal.
        self._crash_log = StringIO()
        self.error_console = Console(file=self._crash_log, width=120)
        self._quit_after_save = False
        plugins = self.workbench.session.plugins
        self.screen_specs: dict[str, ScreenSpec | PluginScreenSpec] = dict(SCREENS)
        """The screens by name: RCK's, then those of plugins."""
        self._add_plugin_screens()
        self.plugin_features = PluginFeatures(self)
        self.workbench.listen(self._follow)
        # Set the theme before anything is shown, so that nothing is styled twice.
        self.register_theme(FEW_COLOURS)
        register_themes(self, (*THEMES, *plugins.all(Theme)))
        self.theme = choose_theme(self.settings.theme, self.available_themes, self.few_colours)

    def _add_plugin_screens(self) -> None:
        plugins = self.workbench.session.plugins
        for declared in plugins.all(EditorScreen):
            if declared.name in SCREENS:
                plugins.leave_out(declared, "RCK has a screen of this name")
            else:
                self.screen_specs[declared.name] = spec = PluginScreenSpec(declared)
                self.add_mode(declared.name, spec.make)

    @property
    def few_colours(self) -> bool:
        """True if the terminal has at most 16 colours, or the user has disabled colours."""
        return self.no_color or self.console.color_system in (None, "standard", "windows")

    def on_mount(self) -> None:
        """Apply the user's keymap, start the checks, then offer to recover unsaved work."""
        self.workbench.start_checks()
        self._bind_plugins()
        self.call_after_refresh(self._open_journal)
        if self.workbench.session.plugins.in_development:
            self.set_interval(POLL_INTERVAL, self._reload_plugins)

    async def _reload_plugins(self) -> None:
        """Load changed plugins in development again, with their screens, panels, keys, overlays and themes."""
        if not reload_changed_plugins(self.workbench):
            return
        await self._reload_plugin_screens()
        shown = self.plugin_features.shown_overlays
        self.plugin_features = PluginFeatures(self, shown)
        self._bind_plugins()
        register_themes(self, self.workbench.session.plugins.all(Theme))
        self.refresh_css(animate=False)
        for screen in [screen for stack in self._screen_stacks.values() for screen in stack]:
            for panels in screen.query(PluginPanels):
                await panels.recompose()
                panels.display = not panels.empty
                panels.request()
        self.plugin_features.draw_overlays()

    async def _reload_plugin_screens(self) -> None:
        """Replace the screens of plugins; a visible one that no longer exists gives way to the Build screen."""
        shown = self.current_mode or self.DEFAULT_MODE
        old = self.screen_specs.keys() - SCREENS.keys()
        if shown in old:
            await self.switch_mode(self.DEFAULT_MODE)
        for name in old:
            await self.remove_mode(name)
        self.screen_specs = dict(SCREENS)
        self._add_plugin_screens()
        if shown in self.screen_specs:
            await self.switch_mode(shown)
        for stack in self._screen_stacks.values():
            for title in (title for screen in stack for title in screen.query(TitleBar)):
                title.refresh()

    def _bind_plugins(self) -> None:
        """Bind the keys of plugins; the user's keymap may change them."""
        for key, bindings in list(self._bindings.key_to_bindings.items()):
            self._bindings.key_to_bindings[key] = [one for one in bindings if not is_of_plugin(one.id)]
        keymaps = (*KEYMAPS, *self.workbench.session.plugins.all(Keymap))
        keys, problems = read_keymap(keymaps=keymaps, more_ids=self.plugin_features.binding_ids)
        for binding in self.plugin_features.bindings(keys, used_keys):
            self._bindings.key_to_bindings.setdefault(binding.key, []).append(binding)
        self.set_keymap(keys)
        for problem in problems:
            self.workbench.log(problem, "error")
        # The key bar may have been filled without the keys of plugins.
        self.call_after_refresh(self.refresh_bindings)

    def write_crash_report(self) -> Path | None:
        """Write the traceback of a fatal error to a file and return its path; None if there was no error."""
        if self.return_code != 1:
            return None
        report = data_folder() / "crash-report.txt"
        write_atomically(report, self._crash_log.getvalue().encode())
        return report

    def _follow(self, topic: Topic) -> None:
        """Update the visible screens; a hidden one updates itself when it is shown again."""
        if not self.is_running:
            return
        if topic in ("opened", "file"):
            self._lock_file()
            self._remember_file()
            if self._quit_after_save and not self.workbench.session.unsaved:
                self._quit()
                return
        for screen in self.screen_stack:
            if isinstance(screen, AssemblyScreen):
                screen.follow(topic)

    def _lock_file(self) -> bool:
        """Lock the file for this editor; return False if another editor has it."""
        path = self.workbench.session.path or unnamed_path()
        if self._file_lock is not None:
            self._file_lock.release()
        self._file_lock = lock_file(path)
        if self._file_lock is None:
            self.workbench.log(
                f"{path.name} is open in another editor: saving here overwrites its changes, and there is no crash"
                " recovery",
                "error",
            )
        return self._file_lock is not None

    def _open_journal(self) -> None:
        """Start the journal; first offer to recover commands that a crash left unsaved."""
        session = self.workbench.session
        if not self._lock_file():
            self._run_first_command()
            return
        work = find_recoverable_work(session)
        if work is None or not work.recovery.entries:
            self._begin_journal()
            return
        self._ask_to_recover(work)

    def _run_first_command(self) -> None:
        """Run the command that the editor was started with, unless recovered work has taken its place."""
        if self._first_command and not self.workbench.assembly.parts:
            self.workbench.run_in_background(self._first_command)
        self._first_command = ""

    def _ask_to_recover(self, work: RecoverableWork) -> None:
        recovery = work.recovery
        text = f"RCK ended without saving {counted(len(recovery.entries), 'command')}."
        if recovery.damaged:
            text += f" {counted(recovery.damaged, 'damaged record')} of the journal cannot be recovered."
        choices = (Choice("recover", "Recover"), Choice("discard", "Discard"))
        if not recovery.matches:
            text += f" {recovery.doubt[0].upper()}{recovery.doubt[1:]}."
            separately = (Choice("save", "Save copy"), Choice("view", "Compare"))
            choices = (choices[0], *(separately if recovery.document is not None else ()), choices[1])

        def decide(answer: str | None) -> None:
            if answer == "view":
                self._show_differences(work)
            else:
                self._recover(work, answer)

        self.push_screen(ChoiceDialog(text, choices), decide)

    def _show_differences(self, work: RecoverableWork) -> None:
        try:
            text = differences(self.workbench.session, work.recovery)
        except RckError as error:
            text = str(error)
        self.push_screen(TextDialog(text or "no differences"), lambda _: self._ask_to_recover(work))

    def _recover(self, work: RecoverableWork, answer: str | None) -> None:
        """Carry out a choice; Escape recovers, or keeps the journal if the file has changed: neither loses anything."""
        session, recovery = self.workbench.session, work.recovery
        if answer == "recover" or (answer is None and recovery.matches):
            recovered = self.workbench.recover(lambda: session.recover_from(recovery))
            self._begin_journal()
            # The new journal of the same file already holds the recovered commands.
            if recovered and work.path != session.path:
                work.forget()
            return
        if answer == "save":
            try:
                self.workbench.log(f"saved the unsaved work to {save_separately(session, recovery)}", "done")
            except (RckError, OSError) as error:
                self.workbench.log(f"the unsaved work cannot be saved separately: {error}", "error")
                answer = None
        if answer is not None:
            work.forget()
        self._begin_journal()

    def _begin_journal(self) -> None:
        problem = self.workbench.session.begin_journal()
        if problem:
            self.workbench.log(problem, "error")
        self._run_first_command()

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """Return the palette entries: those of Textual, the editor's, then every command of the language."""
        yield from super().get_system_commands(screen)
        yield from palette_commands(self)

    @property
    def assembly_screen(self) -> AssemblyScreen | None:
        """The screen of the current mode if it shows the robot; dialogs may be on top of it."""
        screen = self.screen_stack[0] if self.screen_stack else None
        return screen if isinstance(screen, AssemblyScreen) else None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Enable the actions of plugins on their screens."""
        if action == "plugin_action":
            return self.plugin_features.is_available(str(parameters[0]))
        return super().check_action(action, parameters)

    def action_plugin_action(self, name: str) -> None:
        """Run an action of a plugin."""
        self.plugin_features.run_action(name)

    def action_plugin_overlay(self, name: str) -> None:
        """Show or hide an overlay of a plugin."""
        self.plugin_features.switch_overlay(name)

    def action_start(self) -> None:
        """Show the start page: templates and recent files."""
        templates = self.plugin_features.templates
        choices = [ListChoice(f"template {name}", name, one.summary) for name, one in templates.items()]
        choices += [ListChoice(f"recent {path}", Path(path).name, path) for path in self.settings.recent]

        def start(chosen: str | None) -> None:
            what, _, name = (chosen or "").partition(" ")
            if what == "template":
                self.plugin_features.start_from(name)
            elif what == "recent":
                self.action_command(f"load {quote(name)}")

        self.push_screen(ListDialog("Start from", choices), start)

    def action_tutorial(self) -> None:
        """Show or hide the tutorial."""
        self.in_tutorial = not self.in_tutorial
        if not isinstance(self.screen, AssemblyScreen):
            self.switch_mode("build")
        self._follow("log")

    def action_jump(self) -> None:
        """Label every panel with a letter, and focus the one whose letter is pressed."""

        def focus(target: Widget | None) -> None:
            if target is not None:
                target.focus()

        self.push_screen(JumpScreen(jump_targets(self.screen)), focus)

    def action_go(self, screen: str) -> None:
        """Show another screen."""
        if self.current_mode != screen:
            self.workbench.cancel_placing()
            self.switch_mode(screen)
            self.call_after_refresh(self._refresh_title)

    def _refresh_title(self) -> None:
        for title in self.screen.query(TitleBar):
            title.refresh()

    def action_command(self, line: str) -> None:
        """Run a command."""
        self.workbench.run(line)

    def action_contacts(self) -> None:
        """Show the allowed-collision matrix."""
        self.push_screen(MatrixDialog(self.workbench))

    def action_reach(self) -> None:
        """Show the reachable workspace on the Move screen."""
        self.switch_mode("move")
        self.call_later(self.run_action, "screen.reach")

    def action_choose(self, role: Role) -> None:
        """Choose a solver, collision backend or physics engine, or open a viewer."""

        plugins, current = self.workbench.session.plugins, getattr(self.workbench.engines, role)

        def choose(name: str | None) -> None:
            if name is None:
                return
            engine = current if name == current.name else Engine(name)
            if options := options_of(role, plugins, name):
                self.push_screen(EngineOptionsDialog(engine, options, self.workbench.assembly.units), use)
            else:
                use(engine)

        def use(engine: Engine | None) -> None:
            if engine is None:
                return
            self.workbench.engines = replace(self.workbench.engines, **{role: engine})
            if role == "viewer":
                self.run_worker(self._open_viewer(engine), group="viewer")
            else:
                self._follow("assembly")

        self.push_screen(EngineDialog(role, plugins, current.name), choose)

    async def _open_viewer(self, viewer: Engine) -> None:
        """Open the robot in a viewer, then show the viewer's output."""
        path = self.workbench.session.path
        if path is None or not path.exists():
            self.workbench.log("save the assembly first (ctrl+s): viewers read its file and the journal next to it")
            return
        self.workbench.log(f"opened the viewer {viewer.name}")
        succeeded, output = await self._viewers.show(path, viewer)
        if not succeeded:
            self.workbench.log(output.splitlines()[-1] if output else f"{viewer.name} failed", "error")
        elif output:
            self.push_screen(TextDialog(output))

    def action_begin(self, line: str) -> None:
        """Put the start of a command into the command line."""
        if isinstance(self.screen, AssemblyScreen):
            self.screen.begin(line)
        else:
            self.switch_mode("build")
            self.call_later(self._begin, line)

    def _begin(self, line: str) -> None:
        if isinstance(self.screen, AssemblyScreen):
            self.screen.begin(line)

    def action_focus_view(self) -> None:
        """Focus the view."""
        if isinstance(self.screen, AssemblyScreen):
            self.screen.focus_view()

    def action_export(self) -> None:
        """Open the export dialog."""

        def export(chosen: tuple[str, str] | None) -> None:
            if chosen is not None:
                line, format_name = chosen
                self._change_settings(msgspec.structs.replace(self.settings, export_format=format_name))
                self.workbench.run_in_background(line)

        built = self.workbench.built
        if built.value is None:
            self.push_screen(TextDialog(describe_errors(built.findings)))
        else:
            self.push_screen(ExportDialog(self.workbench, built.value.robot, self.settings.export_format), export)

    def action_save(self) -> None:
        """Save; ask for a name for an unnamed assembly, or if another program changed the file."""
        path = self.workbench.session.path
        if path is None:
            name = self.workbench.assembly.name
            self.action_begin(f"save {'robot' if name == 'untitled' else name}.rck")
        elif not self.workbench.run("save"):
            self.action_begin("save --overwrite")

    def _change_settings(self, settings: EditorSettings) -> None:
        self.settings = settings
        write_settings(settings)

    def _remember_file(self) -> None:
        path = self.workbench.session.path
        if path is not None:
            self._change_settings(self.settings.with_recent(path.resolve()))

    def remember_layout(self, layout: int) -> None:
        """Store the layout of the views for the next start."""
        self._change_settings(msgspec.structs.replace(self.settings, layout=layout))

    def action_save_script(self) -> None:
        """Save the commands of this session as a script."""
        session = self.workbench.session

        def write(path: Path) -> None:
            write_atomically(path, self.workbench.script.encode())
            self.workbench.log(f"wrote {path}; `rck run {path.name}` repeats these commands", "done")

        question = f"Save {counted(len(session.history.past), 'command')} as"
        ask_to_write(self, self.workbench, question, self.workbench.assembly.name, ".rcks", write)

    def action_help(self) -> None:
        """Show or hide the help of the focused panel, with its keys."""
        if self.screen.query("HelpPanel"):
            self.action_hide_help_panel()
        else:
            self.action_show_help_panel()

    async def action_quit(self) -> None:
        """Quit; ask first if there are unsaved changes."""
        if not self.workbench.session.unsaved:
            self._quit()
            return
        if isinstance(self.screen, ChoiceDialog):
            return

        def decide(answer: str | None) -> None:
            self._quit_after_save = answer == "save"
            if answer == "save":
                self.action_save()
            elif answer == "discard":
                self._quit()

        choices = (Choice("save", "Save"), Choice("discard", "Discard"), Choice("cancel", "Cancel"))
        self.push_screen(ChoiceDialog("There are unsaved changes.", choices), decide)

    def cancel_quit(self) -> None:
        """Do not quit after saving."""
        self._quit_after_save = False

    def on_paste(self, event: events.Paste) -> None:
        """Offer to run several pasted lines as commands; put a single line into the command line."""
        lines = [line for line in event.text.splitlines() if line.strip()]
        if len(lines) > 1:
            event.stop()
            self._ask_to_run(lines)
        elif lines:
            self.action_begin(lines[0])

    def _ask_to_run(self, lines: list[str]) -> None:
        def decide(answer: str | None) -> None:
            if answer == "run":
                self.workbench.run(*lines)

        choices = (Choice("run", "Run"), Choice("cancel", "Cancel"))
        self.push_screen(ChoiceDialog(f"Run the {len(lines)} pasted lines as commands?", choices), decide)

    def _quit(self) -> None:
        self._remember_file()
        theme = self.settings.theme if self.theme == FEW_COLOURS.name else self.theme
        self._change_settings(msgspec.structs.replace(self.settings, theme=theme))
        self.workbench.session.end_journal()
        self.exit()

    def on_unmount(self) -> None:
        """End viewers and release the lock on the file."""
        self._viewers.end()
        if self._file_lock is not None:
            self._file_lock.release()
            self._file_lock = None
