"""The editor application: screens, keys, files; everything else is in the widgets and the workbench."""

import os
import traceback
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from textual import events
from textual.app import SystemCommand
from textual.binding import Binding, BindingType
from textual.dom import DOMNode
from textual.screen import Screen
from textual.widget import Widget

from rck.assembly.journal import unnamed_path
from rck.editor.asking import ask_to_write
from rck.editor.background import EachInTurn, NewestFirst, WhenQuiet
from rck.editor.claims import Claim, claim
from rck.editor.dialogs import Ask, Choice, Told
from rck.editor.engine_dialog import EngineDialog, Role
from rck.editor.keymap import read_keymap
from rck.editor.palette import palette_commands
from rck.editor.recovery import left_behind
from rck.editor.screens import SCREENS
from rck.editor.screens.workshop import Workshop
from rck.editor.settings import EditorSettings, read_settings, write_settings
from rck.editor.themes import FEW_COLOURS, THEMES, choose_theme
from rck.editor.type_ahead import TypeAhead
from rck.editor.viewing import ViewerProcess
from rck.editor.widgets.title_bar import TitleBar
from rck.editor.workbench import Topic, Workbench
from rck.hooks.folders import data_folder
from rck.language.session import Session
from rck.model.files import write_atomically
from rck.model.units import counted

_PAUSE = 0.3
"""So many seconds after the last change the robot is looked over."""


class RckApp(TypeAhead):
    """`rck edit`."""

    TITLE = "RCK"
    CSS_PATH = "editor.tcss"
    MODES: ClassVar = {name: screen.make for name, screen in SCREENS.items()}
    DEFAULT_MODE = "build"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f1", "help", "Help", id="help"),
        *(Binding(one.key, f"go('{name}')", one.label, show=False, id=name) for name, one in SCREENS.items()),
        Binding("ctrl+z", "command('undo')", "Undo", show=False, id="undo"),
        Binding("ctrl+y", "command('redo')", "Redo", show=False, id="redo"),
        Binding("ctrl+s", "save", "Save", show=False, id="save"),
        # An input line would take it for the end of the line.
        Binding("ctrl+e", "export", "Export", show=False, priority=True, id="export"),
        Binding("question_mark", "tutorial", "Tutorial", show=False, id="tutorial"),
        Binding("ctrl+o", "jump", "Jump", show=False, id="jump"),
        Binding("ctrl+q", "quit", "Quit", show=False, priority=True, id="quit"),
    ]

    def __init__(self, session: Session, settings: EditorSettings | None = None) -> None:
        # Without colour the terminal's own are kept: Textual would turn others into shades of grey.
        super().__init__(ansi_color=True if "NO_COLOR" in os.environ else None)
        self.workbench = Workbench(
            session, background=NewestFirst(self), beside=EachInTurn(self), quietly=WhenQuiet(self, _PAUSE)
        )
        self.settings = settings or read_settings()
        self.learning = False
        """Whether the tutorial is shown."""
        self._claim: Claim | None = None
        self._viewers = ViewerProcess()
        self.broke_down: Path | None = None
        """What happened, where the editor ended by a mistake of its own."""
        self._leaving = False
        """Whether the user wants to leave once the assembly is saved."""
        self.workbench.listen(self._changed)
        # Before anything is shown, so that nothing has to be styled twice.
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = choose_theme(self.settings.theme, self.available_themes, self.few_colours)

    @property
    def few_colours(self) -> bool:
        """Whether the terminal has no more than 16 colours, or the user wants none."""
        return self.no_color or self.console.color_system in (None, "standard", "windows")

    def on_mount(self) -> None:
        """The user's keys, and what a crash left behind."""
        self.workbench.look_over()
        keys, complaints = read_keymap()
        self.set_keymap(keys)
        for complaint in complaints:
            self.workbench.say(complaint, "refused")
        self.call_after_refresh(self._open_journal)

    def _handle_exception(self, error: Exception) -> None:
        """An exception out of a plugin's panel costs that panel; any other ends the editor, as Textual has it."""
        if not self._is_of_a_panel(error):
            super()._handle_exception(error)

    async def _dispatch_action(self, namespace: DOMNode, action_name: str, params: Any) -> bool:
        """The same for actions: they are done by the application, which would end with an exception of its own."""
        try:
            return await super()._dispatch_action(namespace, action_name, params)
        except (Exception, SystemExit) as error:
            if self._is_of_a_panel(error):
                return True
            raise

    def _is_of_a_panel(self, error: BaseException) -> bool:
        """Whether an exception came out of the panel of a plugin, which is then taken out."""
        from rck.editor.widgets.plugin_panels import PluginPanels

        return any(
            panels.took_the_blame(error) for screen in self.screen_stack for panels in screen.query(PluginPanels)
        )

    def _fatal_error(self) -> None:
        """Keep what happened in a file instead of printing it over the terminal: users have no use for it there."""
        report = data_folder() / "broke-down.txt"
        text = "".join(traceback.format_exception(self._exception)) if self._exception else traceback.format_exc()
        try:
            write_atomically(report, text.encode())
        except OSError:
            super()._fatal_error()
            return
        self.broke_down = report
        self._close_messages_no_wait()

    def _changed(self, topic: Topic) -> None:
        """Tell the screens that are shown; the others look when they are shown again."""
        if not self.is_running:
            return
        if topic in ("opened", "file"):
            self._claim_file()
            self._remember_file()
            if self._leaving and not self.workbench.session.unsaved:
                self._leave()
                return
        for screen in self.screen_stack:
            if isinstance(screen, Workshop):
                screen.changed(topic)

    def _claim_file(self) -> bool:
        """Take the file for this editor; whether no other has it."""
        path = self.workbench.session.path or unnamed_path()
        if self._claim is not None:
            self._claim.release()
        self._claim = claim(path)
        if self._claim is None:
            self.workbench.say(
                f"{path.name} is open in another editor: saving here writes over what is saved there, and nothing"
                " is written down for after a crash",
                "refused",
            )
        return self._claim is not None

    def _open_journal(self) -> None:
        """Write commands down from now on; first ask about what a crash left behind."""
        session = self.workbench.session
        if not self._claim_file():
            return
        left = left_behind(session)
        if left is None:
            self._begin_journal()
            return

        def decided(answer: str | None) -> None:
            # Escape recovers too: nothing is lost by it, everything recovered can be undone.
            if answer != "discard":
                self.workbench.recover(lambda: session.recover_from(left.recovery))
            self._begin_journal()
            left.forget()

        text = f"{left.count} command{'s were' if left.count != 1 else ' was'} not saved when RCK ended last time."
        self.push_screen(Ask(text, (Choice("recover", "Recover"), Choice("discard", "Discard"))), decided)

    def _begin_journal(self) -> None:
        problem = self.workbench.session.begin_journal()
        if problem:
            self.workbench.say(problem, "refused")

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """The palette: Textual's own, the editor's, then every command of the language."""
        yield from super().get_system_commands(screen)
        yield from palette_commands(self)

    def action_tutorial(self) -> None:
        """Show the tutorial, or put it away."""
        self.learning = not self.learning
        if not isinstance(self.screen, Workshop):
            self.switch_mode("build")
        self._changed("log")

    def action_jump(self) -> None:
        """Put a letter on every panel and go to the one whose letter is pressed."""
        from rck.editor.jump import JumpScreen, jump_targets

        def decided(target: Widget | None) -> None:
            if target is not None:
                target.focus()

        self.push_screen(JumpScreen(jump_targets(self.screen)), decided)

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
        """Do a command."""
        self.workbench.do(line)

    def action_contacts(self) -> None:
        """Show which pairs of items are tested for collision."""
        from rck.editor.matrix_dialog import MatrixDialog

        self.push_screen(MatrixDialog(self.workbench))

    def action_reach(self) -> None:
        """Show where the tool can get to, on the screen where joints move."""
        self.switch_mode("move")
        self.call_later(self.run_action, "screen.reach")

    def action_choose(self, role: Role) -> None:
        """Choose what works behind a screen, or a viewer to look with."""

        def chosen(name: str | None) -> None:
            if name is None:
                return
            if role == "viewer":
                self.run_worker(self._look_with(name), group="viewer")
                return
            self.workbench.engines = replace(self.workbench.engines, **{role: name})
            self._changed("assembly")

        now = "" if role == "viewer" else getattr(self.workbench.engines, role)
        self.push_screen(EngineDialog(role, self.workbench.session.plugins, now), chosen)

    async def _look_with(self, viewer: str) -> None:
        """Show the robot with a viewer, and then what it printed."""
        path = self.workbench.session.path
        if path is None or not path.exists():
            self.workbench.say("save the assembly first (ctrl+s): viewers look at its file, and at what changes since")
            return
        self.workbench.say(f"looking with {viewer}")
        done, said = await self._viewers.show(path, viewer)
        if not done:
            self.workbench.say(said.splitlines()[-1] if said else f"{viewer} ended with an error", "refused")
        elif said:
            self.push_screen(Told(said))

    def action_begin(self, line: str) -> None:
        """Begin a command in the command line."""
        if isinstance(self.screen, Workshop):
            self.screen.begin(line)
        else:
            self.switch_mode("build")
            self.call_later(self._begin, line)

    def _begin(self, line: str) -> None:
        if isinstance(self.screen, Workshop):
            self.screen.begin(line)

    def action_focus_view(self) -> None:
        """Give the keys back to the view."""
        if isinstance(self.screen, Workshop):
            self.screen.focus_view()

    def action_export(self) -> None:
        """Choose a format, hear what it would lose, and export."""
        from rck.editor.export_dialog import ExportDialog, reasons_against

        def chosen(line: str | None) -> None:
            if line:
                self.workbench.do_beside(line, lambda _: None)

        built = self.workbench.built
        if built.value is None:
            self.push_screen(Told(reasons_against(built.findings)))
        else:
            self.push_screen(ExportDialog(self.workbench, built.value.robot), chosen)

    def action_save(self) -> None:
        """Save; the first time, and where another program wrote the file, the name is asked for."""
        path = self.workbench.session.path
        if path is None:
            name = self.workbench.assembly.name
            self.action_begin(f"save {'robot' if name == 'untitled' else name}.rck")
        elif not self.workbench.do("save"):
            self.action_begin(f"save {path.name}")

    def _remember_file(self) -> None:
        path = self.workbench.session.path
        if path is not None:
            self.settings = self.settings.with_recent(path.resolve())
            write_settings(self.settings)

    def action_save_script(self) -> None:
        """Write the commands that were done to a script."""
        session = self.workbench.session

        def write(path: Path) -> None:
            write_atomically(path, self.workbench.script.encode())
            self.workbench.say(f"wrote {path}; `rck run {path.name}` does it again", "done")

        question = f"Save {counted(len(session.history.past), 'command')} as"
        ask_to_write(self, self.workbench, question, self.workbench.assembly.name, ".rcks", write)

    def action_help(self) -> None:
        """Explain what has the focus, and its keys."""
        if self.screen.query("HelpPanel"):
            self.action_hide_help_panel()
        else:
            self.action_show_help_panel()

    async def action_quit(self) -> None:
        """Leave; unsaved work is asked about."""
        if not self.workbench.session.unsaved:
            self._leave()
            return
        if isinstance(self.screen, Ask):
            return

        def decided(answer: str | None) -> None:
            self._leaving = answer == "save"
            if answer == "save":
                self.action_save()
            elif answer == "discard":
                self._leave()

        choices = (Choice("save", "Save"), Choice("discard", "Discard"), Choice("stay", "Stay"))
        self.push_screen(Ask("There are unsaved changes.", choices), decided)

    def stay(self) -> None:
        """The user does not want to leave after all."""
        self._leaving = False

    def on_paste(self, event: events.Paste) -> None:
        """Several lines are commands; one line goes to where the cursor is, or to the command line."""
        lines = [line for line in event.text.splitlines() if line.strip()]
        if len(lines) > 1:
            event.stop()
            self.ask_to_do(lines)
        elif lines:
            self.action_begin(lines[0])

    def remember_layout(self, layout: int) -> None:
        """Show so many views from now on, also after the next start."""
        self.settings = self.settings.with_layout(layout)
        write_settings(self.settings)

    def ask_to_do(self, lines: list[str]) -> None:
        """Do pasted commands, all of them or none, if the user wants that."""

        def decided(answer: str | None) -> None:
            if answer == "do":
                self.workbench.do_all(lines)

        choices = (Choice("do", "Do them"), Choice("leave", "Leave it"))
        self.push_screen(Ask(f"{len(lines)} lines were pasted. Do them as commands?", choices), decided)

    def _leave(self) -> None:
        self._remember_file()
        theme = self.settings.theme if self.theme == FEW_COLOURS.name else self.theme
        self.settings = self.settings.with_theme(theme)
        write_settings(self.settings)
        if self.workbench.session.journal is not None:
            self.workbench.session.journal.end()
        self.exit()

    def on_unmount(self) -> None:
        """Let others open the file."""
        self._viewers.end()
        if self._claim is not None:
            self._claim.release()
            self._claim = None
