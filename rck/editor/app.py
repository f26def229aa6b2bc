"""The editor application: screens, keys, files; everything else is in the widgets and the workbench."""

from collections.abc import Iterable
from typing import ClassVar

from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widget import Widget

from rck.editor.dialogs import Ask, Choice
from rck.editor.jump import JumpScreen, jump_targets
from rck.editor.recovery import begin_journal, left_behind
from rck.editor.screens.build import BuildScreen
from rck.editor.screens.importing import ImportScreen
from rck.editor.screens.move import MoveScreen
from rck.editor.screens.plugins import PluginsScreen
from rck.editor.screens.simulate import SimulateScreen
from rck.editor.settings import EditorSettings, read_keymap, read_settings, write_settings
from rck.editor.themes import THEMES
from rck.editor.workbench import Topic, Workbench
from rck.language.session import Session
from rck.model import RckError


class RckApp(App[None]):
    """`rck edit`."""

    TITLE = "RCK"
    CSS_PATH = "editor.tcss"
    ENABLE_COMMAND_PALETTE = True
    MODES: ClassVar = {
        "build": BuildScreen,
        "move": MoveScreen,
        "simulate": SimulateScreen,
        "import": ImportScreen,
        "plugins": PluginsScreen,
    }
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f1", "help", "Help", id="help"),
        Binding("f2", "go('build')", "Build", show=False, id="build"),
        Binding("f3", "go('move')", "Move", show=False, id="move"),
        Binding("f4", "go('simulate')", "Simulate", show=False, id="simulate"),
        Binding("f5", "go('import')", "Import", show=False, id="import"),
        Binding("f6", "go('plugins')", "Plugins", show=False, id="plugins"),
        Binding("ctrl+z", "command('undo')", "Undo", show=False, priority=True, id="undo"),
        Binding("ctrl+y", "command('redo')", "Redo", show=False, priority=True, id="redo"),
        Binding("ctrl+s", "save", "Save", show=False, priority=True, id="save"),
        Binding("ctrl+e", "begin('export ')", "Export", show=False, priority=True, id="export"),
        Binding("question_mark", "tutorial", "Tutorial", show=False, id="tutorial"),
        Binding("ctrl+o", "jump", "Jump", show=False, priority=True, id="jump"),
        Binding("ctrl+q", "quit", "Quit", show=False, priority=True, id="quit"),
    ]

    def __init__(self, session: Session, settings: EditorSettings | None = None) -> None:
        super().__init__()
        self.workbench = Workbench(session)
        self.settings = settings or read_settings()
        self.learning = False
        """Whether the tutorial is shown."""
        self.workbench.listen(self._changed)

    def on_mount(self) -> None:
        """Themes, keys, and what a crash left behind."""
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = self.settings.theme if self.settings.theme in self.available_themes else THEMES[0].name
        self.set_keymap(read_keymap())
        self.switch_mode("build")
        self.call_after_refresh(self._offer_recovery)

    def _changed(self, topic: Topic) -> None:
        """Tell the screen that is shown; the others look when they are shown again."""
        if self.is_running and isinstance(self.screen, BuildScreen | MoveScreen):
            self.screen.changed(topic)

    def _offer_recovery(self) -> None:
        session = self.workbench.session
        left = left_behind(session)
        if not left:
            begin_journal(session)
            return

        def decided(answer: str | None) -> None:
            try:
                if answer == "recover":
                    done = session.recover_from(left)
                    self.workbench.say(f"recovered {len(done)} commands", "done")
                    self._changed("assembly")
            except RckError as error:
                self.workbench.say(str(error), "refused")
            finally:
                begin_journal(session, left if answer == "recover" else None)

        count = len(left.entries)
        text = f"{count} command{'s' if count != 1 else ''} were not saved when RCK ended last time."
        self.push_screen(Ask(text, (Choice("recover", "Recover"), Choice("discard", "Discard"))), decided)

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """The palette: Textual's own, then every command of the language."""
        yield from super().get_system_commands(screen)
        for command in self.workbench.session.grammar.commands.values():
            needed = [one for one in command.arguments if not one.optional]
            if needed:
                yield SystemCommand(
                    command.name, command.summary, lambda name=command.name: self.action_begin(f"{name} ")
                )
            else:
                yield SystemCommand(command.name, command.summary, lambda name=command.name: self.action_command(name))

    def action_tutorial(self) -> None:
        """Show the tutorial, or put it away."""
        self.learning = not self.learning
        self._changed("assembly")

    def action_jump(self) -> None:
        """Put a letter on every panel and go to the one whose letter is pressed."""

        def decided(target: Widget | None) -> None:
            if target is not None:
                target.focus()

        self.push_screen(JumpScreen(jump_targets(self.screen)), decided)

    def action_go(self, screen: str) -> None:
        """Show another screen."""
        if self.current_mode != screen:
            self.switch_mode(screen)

    def action_command(self, line: str) -> None:
        """Do a command."""
        self.workbench.do(line)

    def action_begin(self, line: str) -> None:
        """Begin a command in the command line."""
        if not isinstance(self.screen, BuildScreen | MoveScreen):
            self.switch_mode("build")
        self.call_later(self._begin, line)

    def _begin(self, line: str) -> None:
        if isinstance(self.screen, BuildScreen | MoveScreen):
            self.screen.begin(line)

    def action_focus_view(self) -> None:
        """Give the keys back to the view."""
        if isinstance(self.screen, BuildScreen | MoveScreen):
            self.screen.focus_view()

    def action_save(self) -> None:
        """Save; ask for a name the first time."""
        if self.workbench.session.path is None:
            name = self.workbench.assembly.name
            self.action_begin(f"save {'robot' if name == 'untitled' else name}.rck")
        elif self.workbench.do("save"):
            self._remember_file()
            self._changed("assembly")

    def _remember_file(self) -> None:
        path = self.workbench.session.path
        if path is not None:
            self.settings = self.settings.with_recent(path.resolve())
            write_settings(self.settings)

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

        def decided(answer: str | None) -> None:
            if answer == "save":
                if self.workbench.session.path is None:
                    self.action_save()
                elif self.workbench.do("save"):
                    self._leave()
            elif answer == "discard":
                self._leave()

        choices = (Choice("save", "Save"), Choice("discard", "Discard"), Choice("stay", "Stay"))
        self.push_screen(Ask("There are unsaved changes.", choices), decided)

    def _leave(self) -> None:
        self._remember_file()
        self.settings = self.settings.with_theme(self.theme)
        write_settings(self.settings)
        if self.workbench.session.journal is not None:
            self.workbench.session.journal.end()
        self.exit()
