"""The command line: completion, history, a preview of the typed command, and the last message."""

from typing import ClassVar

from rich.text import Text
from textual import events, on
from textual.actions import SkipAction
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.suggester import Suggester
from textual.widget import Widget
from textual.widgets import Input, Static

from rck.editor.dialogs.basic import TextDialog
from rck.editor.workbench import Workbench
from rck.language.completion import complete
from rck.model import RckError

_CLASSES = {"done": "success", "info": "info", "error": "error"}
_MARKS = {"done": "✓ ", "info": "  ", "error": "✗ "}
_MAX_LINES = 5
"""A longer text is shown in a dialog."""
_PROGRESS_INTERVAL = 0.25
"""Seconds between two updates of the progress of a command."""


class _Completer(Suggester):
    """A suggester that completes the last word; Tab also lists words that only contain the typed text."""

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._workbench = workbench

    async def get_suggestion(self, value: str) -> str | None:
        """Return the line with its last word completed."""
        start, words = candidates(self._workbench, value)
        return value[:start] + words[0] if words and words[0].startswith(value[start:]) else None


def candidates(workbench: Workbench, line: str) -> tuple[int, list[str]]:
    """Return the start of the last word, and its completions."""
    try:
        return complete(workbench.session, line)
    except (RckError, OSError):
        return len(line), []


class CommandInput(Input):
    """The input of the command line."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "Run", show=True),
        Binding("tab", "complete", "Complete", show=True, priority=True, id="complete"),
        Binding("up", "older", "Previous", show=True, id="older"),
        Binding("down", "newer", "Next", show=False, id="newer"),
        Binding("ctrl+z", "undo_typing", "Undo typing", show=False, id="undo-typing"),
        Binding("escape", "cancel", "Cancel", show=True),
    ]
    HELP = """
# Command line

Every action of the editor is a command that you can type here. **Enter** runs it, **Tab** completes a word, **up** and
**down** recall earlier commands, **Escape** cancels. While you type, the view shows a preview of the result. After a
command started with **:**, the focus returns to the panel where it was; after a click into the line it stays here.
**ctrl+z** undoes typing, and in an empty line the last command. `help` lists the commands, `help COMMAND` explains one.
Several pasted lines run one after the other, all or none.
"""

    class Cancelled(Message):
        """The user left the line without running it."""

    def __init__(self, workbench: Workbench, **options: object) -> None:
        super().__init__(
            suggester=_Completer(workbench),
            placeholder="type a command, or help",
            compact=True,
            select_on_focus=False,
            **options,  # type: ignore[arg-type]
        )
        self._workbench = workbench
        self._history: list[str] = []
        self._index = 0
        self._undo: list[str] = []
        """The value before each typed word."""
        self.origin: Widget | None = None
        """The widget that had the focus when a command was begun."""

    def watch_value(self, old: str, new: str) -> None:
        """Record the old value, unless only a letter was added to a word."""
        if not new:
            self._undo.clear()
        elif not (self._undo and new[:-1] == old and not old[-1:].isspace()):
            self._undo.append(old)

    def action_undo_typing(self) -> None:
        """Undo typing; in an empty line, undo the last command."""
        if not self.value:
            raise SkipAction
        self.value = self._undo.pop() if self._undo else ""
        if self._undo:
            # Remove the entry that this change has added.
            self._undo.pop()
        self.cursor_position = len(self.value)

    def on_blur(self) -> None:
        """Forget where the focus came from."""
        self.origin = None

    def action_complete(self) -> None:
        """Complete the last word as far as it is unambiguous; list the completions if nothing can be added."""
        start, words = candidates(self._workbench, self.value)
        if not words:
            return
        common = _common_prefix(words)
        if len(words) == 1:
            common = words[0] if words[0].endswith(("=", ".", "/")) else words[0] + " "
        elif len(self.value) - start >= len(common) or self.value[start:] not in common:
            self._workbench.log("  ".join(words[:30]))
            return
        self.value = self.value[:start] + common
        self.cursor_position = len(self.value)

    def action_older(self) -> None:
        """Recall the previous line."""
        self._recall(-1)

    def action_newer(self) -> None:
        """Recall the next line."""
        self._recall(1)

    def _recall(self, step: int) -> None:
        if not self._history:
            return
        self._index = min(max(self._index + step, 0), len(self._history))
        self.value = self._history[self._index] if self._index < len(self._history) else ""
        self.cursor_position = len(self.value)

    def remember(self, line: str) -> None:
        """Add a line to the history."""
        if not self._history or self._history[-1] != line:
            self._history.append(line)
        self._index = len(self._history)

    def on_paste(self, event: events.Paste) -> None:
        """Leave several pasted lines to the application, which offers to run them."""
        if len([line for line in event.text.splitlines() if line.strip()]) > 1:
            event.prevent_default()

    def action_cancel(self) -> None:
        """Clear the line, stop a running command, and return to the view."""
        if self._workbench.busy:
            self._workbench.stop()
        self.value = ""
        self._workbench.hide_preview()
        self.post_message(self.Cancelled())


def _command(typed: str) -> str:
    """Return the command of a line, without the colon that users often type again."""
    return typed.strip().removeprefix(":").lstrip()


def _common_prefix(words: list[str]) -> str:
    first, last = min(words), max(words)
    length = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last)))
    return first[:length]


class CommandLine(Vertical):
    """The prompt, the input, and the last message below them."""

    def __init__(self, workbench: Workbench, **options: object) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self._workbench = workbench
        self._seen = 0
        """The number of messages of the log that have been shown."""
        self._message = (Text(), "")
        """The visible message and its CSS class."""

    def compose(self) -> ComposeResult:
        """Add the prompt, the input and the message."""
        with Horizontal(id="prompt-row"):
            yield Static(">", id="prompt")
            yield CommandInput(self._workbench, id="command")
        yield Static(id="message")

    def on_mount(self) -> None:
        """Update the progress of a slow command regularly."""
        self.set_interval(_PROGRESS_INTERVAL, self._show_progress)

    def _show_progress(self) -> None:
        bench = self._workbench
        if bench.busy:
            fraction, activity = bench.progress
            self._show(f"{bench.busy} … {fraction:.0%} {activity}".rstrip() + " (Escape: stop)", "hint")

    @on(Input.Changed, "#command")
    def _preview(self, event: Input.Changed) -> None:
        line = _command(event.value)
        if not event.input.has_focus:
            return
        if " " in line:
            self._workbench.show_preview(line, self._explain)
        else:
            self._workbench.hide_preview()
            self._explain("")

    def _explain(self, reason: str) -> None:
        """Show why the line would be refused; this also clears the error of an earlier line."""
        if reason or self._message[1] in ("hint", _CLASSES["error"]):
            self._show(reason, "hint")

    def _show(self, text: str | Text, css_class: str) -> None:
        message = self.query_one("#message", Static)
        shown = Text(text) if isinstance(text, str) else text
        if (shown, css_class) == self._message:
            return
        self._message = (shown, css_class)
        message.set_classes(css_class)
        # Lay out the screen again only if the number of lines changes.
        width = max(1, self.size.width)
        lines = sum(max(1, -(-len(line) // width)) for line in shown.plain.split("\n"))
        message.update(shown, layout=min(lines, _MAX_LINES) != message.size.height)

    @on(Input.Submitted, "#command")
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        line = _command(event.value)
        if not line:
            return
        box = self.query_one(CommandInput)
        box.remember(line)

        def done(succeeded: bool) -> None:
            if succeeded and _command(box.value) == line:
                box.value = ""
                if box.has_focus and box.origin is not None:
                    self.screen.set_focus(box.origin if box.origin.is_attached else None)

        if self._workbench.is_slow(line):
            self._workbench.run_in_background(line, done)
        else:
            done(self._workbench.run(line))

    def show_last(self) -> None:
        """Show the last message of the log; a long new one is shown in a dialog."""
        messages = self._workbench.messages
        new, self._seen = messages[self._seen :], len(messages)
        if not messages:
            return
        last = messages[-1]
        lines = last.text.splitlines() or [""]
        if len(lines) > _MAX_LINES:
            if new and last.tone == "info":
                self.app.push_screen(TextDialog(last.text))
            lines = [*lines[: _MAX_LINES - 1], f"… {len(lines) - _MAX_LINES + 1} more lines"]
        self._show(_MARKS[last.tone] + "\n".join(lines), _CLASSES[last.tone])

    def show_command(self, line: str) -> None:
        """Show the command that Enter would run."""
        self._show(Text.assemble(("⏎ ", "bold"), line), "placing")

    def begin(self, line: str) -> None:
        """Put the start of a command into the line, with the cursor at its end."""
        box = self.query_one(CommandInput)
        if not box.has_focus:
            box.origin = self.screen.focused
        box.value = line
        box.cursor_position = len(line)
        self.screen.set_focus(box)
