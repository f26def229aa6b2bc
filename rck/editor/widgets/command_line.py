"""The command line: completion, history, a preview of what the line would do, and what was said last."""

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

from rck.editor.dialogs import Told
from rck.editor.workbench import Workbench
from rck.language.completion import complete
from rck.model import RckError

_STYLES = {"done": "success", "told": "told", "refused": "refused"}
_MARKS = {"done": "✓ ", "told": "  ", "refused": "✗ "}
_LINES = 5
"""A longer text is shown over the screen."""


class _Completer(Suggester):
    """Offers the first word that the line could go on with; what only contains what was typed, Tab tells."""

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._workbench = workbench

    async def get_suggestion(self, value: str) -> str | None:
        """The line with its last word completed."""
        start, words = candidates(self._workbench, value)
        return value[:start] + words[0] if words and words[0].startswith(value[start:]) else None


def candidates(workbench: Workbench, line: str) -> tuple[int, list[str]]:
    """Where the last word begins, and what it could become."""
    try:
        return complete(workbench.session, line)
    except (RckError, OSError):
        return len(line), []


class CommandInput(Input):
    """The line itself."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "Do it", show=True),
        Binding("tab", "complete", "Complete", show=True, priority=True, id="complete"),
        Binding("up", "older", "Older", show=True, id="older"),
        Binding("down", "newer", "Newer", show=False, id="newer"),
        Binding("ctrl+z", "undo_typing", "Undo typing", show=False, id="undo-typing"),
        Binding("escape", "leave", "Leave", show=True),
    ]
    HELP = """
# Command line

Every action of the editor is a command; this is where it can be typed. **Tab** completes a word, **up** and **down**
go through what was typed before, **Enter** does it, **Escape** leaves. A command begun with **:** gives the keys back
to where they were; after a click into the line they stay here. **ctrl+z** takes back what was typed, and in an empty
line the last command. While you type, the view shows what the command would give. `help` lists the commands,
`help COMMAND` explains one. Several pasted lines are done one after the other, all or none.
"""

    class Left(Message):
        """The user left the line without doing it."""

    def __init__(self, workbench: Workbench, **options: object) -> None:
        super().__init__(
            suggester=_Completer(workbench),
            placeholder="command, or help",
            compact=True,
            select_on_focus=False,
            **options,  # type: ignore[arg-type]
        )
        self._workbench = workbench
        self._typed: list[str] = []
        self._place = 0
        self._before: list[str] = []
        """What stood here before each word, for taking typing back."""
        self.origin: Widget | None = None
        """What had the keys when a command was begun from there."""

    def watch_value(self, old: str, new: str) -> None:
        """Note what stood here, unless it only grew by another letter of a word."""
        if not new:
            self._before.clear()
        elif not (self._before and new[:-1] == old and not old[-1:].isspace()):
            self._before.append(old)

    def action_undo_typing(self) -> None:
        """Take back what was typed last; in an empty line, what was done last."""
        if not self.value:
            raise SkipAction
        self.value = self._before.pop() if self._before else ""
        if self._before:
            # Going back is nothing to go back from.
            self._before.pop()
        self.cursor_position = len(self.value)

    def on_blur(self) -> None:
        """Whoever comes back by another way stays."""
        self.origin = None

    def action_complete(self) -> None:
        """Complete the last word as far as it is certain."""
        start, words = candidates(self._workbench, self.value)
        if not words:
            return
        common = _common_beginning(words)
        if len(words) == 1:
            common = words[0] if words[0].endswith(("=", ".", "/")) else words[0] + " "
        elif len(self.value) - start >= len(common) or self.value[start:] not in common:
            self._workbench.say("  ".join(words[:30]))
            return
        self.value = self.value[:start] + common
        self.cursor_position = len(self.value)

    def action_older(self) -> None:
        """The line typed before."""
        self._recall(-1)

    def action_newer(self) -> None:
        """The line typed after."""
        self._recall(1)

    def _recall(self, step: int) -> None:
        if not self._typed:
            return
        self._place = min(max(self._place + step, 0), len(self._typed))
        self.value = self._typed[self._place] if self._place < len(self._typed) else ""
        self.cursor_position = len(self.value)

    def remember(self, line: str) -> None:
        """Keep a line for `up`."""
        if not self._typed or self._typed[-1] != line:
            self._typed.append(line)
        self._place = len(self._typed)

    def _on_paste(self, event: events.Paste) -> None:
        """Several lines are not one command: the application asks about them."""
        if len([line for line in event.text.splitlines() if line.strip()]) > 1:
            event.prevent_default()

    def action_leave(self) -> None:
        """Back to the view; the line stays empty, and what is under way is stopped."""
        if self._workbench.busy:
            self._workbench.stop()
        self.value = ""
        self._workbench.hide_preview()
        self.post_message(self.Left())


def _command(typed: str) -> str:
    """What is meant by a line: the sign that leads here is often typed once more."""
    return typed.strip().removeprefix(":").lstrip()


def _common_beginning(words: list[str]) -> str:
    first, last = min(words), max(words)
    length = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last)))
    return first[:length]


_GLANCE = 0.25
"""Seconds between two looks at the progress of a command."""


class CommandLine(Vertical):
    """The line with its prompt, and below it what was said last."""

    def __init__(self, workbench: Workbench, **options: object) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self._workbench = workbench
        self._shown = 0
        """How much of what was said has been shown."""
        self._said = (Text(), "")

    def compose(self) -> ComposeResult:
        """Prompt and line; message."""
        with Horizontal(id="prompt-row"):
            yield Static(">", id="prompt")
            yield CommandInput(self._workbench, id="command")
        yield Static(id="message")

    def on_mount(self) -> None:
        """Look now and then how far a command that takes long has come."""
        self.set_interval(_GLANCE, self._tell_progress)

    def _tell_progress(self) -> None:
        bench = self._workbench
        if bench.busy:
            share, what = bench.progress
            self._show(f"{bench.busy} … {share:.0%} {what}".rstrip() + " (Escape stops it)", "hint")

    @on(Input.Changed, "#command")
    def _typed(self, event: Input.Changed) -> None:
        line = _command(event.value)
        if not event.input.has_focus:
            return
        if " " in line:
            self._workbench.show_preview(line, self._explain)
        else:
            self._workbench.hide_preview()
            self._explain("")

    def _explain(self, reason: str) -> None:
        """Say why the line could not be done as it stands; why another line was refused is no longer of interest."""
        if reason or self._said[1] in ("hint", _STYLES["refused"]):
            self._show(reason, "hint")

    def _show(self, text: str | Text, kind: str) -> None:
        message = self.query_one("#message", Static)
        shown = Text(text) if isinstance(text, str) else text
        if (shown, kind) == self._said:
            return
        self._said = (shown, kind)
        message.set_classes(kind)
        # Another layout of the whole screen only where the message needs more lines, or fewer.
        width = max(1, self.size.width)
        lines = sum(max(1, -(-len(line) // width)) for line in shown.plain.split("\n"))
        message.update(shown, layout=min(lines, _LINES) != message.size.height)

    @on(Input.Submitted, "#command")
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        line = _command(event.value)
        if not line:
            return
        box = self.query_one(CommandInput)
        box.remember(line)

        def done(well: bool) -> None:
            if well and _command(box.value) == line:
                box.value = ""
                if box.has_focus and box.origin is not None:
                    self.screen.set_focus(box.origin if box.origin.is_attached else None)

        if self._workbench.takes_long(line):
            self._workbench.do_beside(line, done)
        else:
            done(self._workbench.do(line))

    def show_last(self) -> None:
        """The last thing that was said; what is too long for a line or two, over the screen."""
        said = self._workbench.said
        new, self._shown = said[self._shown :], len(said)
        if not said:
            return
        last = said[-1]
        lines = last.text.splitlines() or [""]
        if len(lines) > _LINES:
            if new and last.tone == "told":
                self.app.push_screen(Told(last.text))
            lines = [*lines[: _LINES - 1], f"… {len(lines) - _LINES + 1} more lines"]
        self._show(_MARKS[last.tone] + "\n".join(lines), _STYLES[last.tone])

    def hint(self, line: str) -> None:
        """Show the command that Enter would do."""
        self._show(Text.assemble(("⏎ ", "bold"), line), "placing")

    def begin(self, line: str) -> None:
        """Put a beginning into the line and the cursor behind it."""
        box = self.query_one(CommandInput)
        if not box.has_focus:
            box.origin = self.screen.focused
        box.value = line
        box.cursor_position = len(line)
        self.screen.set_focus(box)
