"""The command line: completion, history, a preview of what the line would do, and what was said last."""

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.suggester import Suggester
from textual.widgets import Input, Static

from rck.editor.workbench import Workbench
from rck.language.completion import complete
from rck.model import RckError

_TONES = {"done": "green", "told": "", "refused": "red"}
_MARKS = {"done": "✓ ", "told": "  ", "refused": "✗ "}


class _Completer(Suggester):
    """Offers the first word that the line could go on with."""

    def __init__(self, workbench: Workbench) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._workbench = workbench

    async def get_suggestion(self, value: str) -> str | None:
        """The line with its last word completed."""
        words = candidates(self._workbench, value)
        return None if not words else words[1][0] and value[: words[0]] + words[1][0]


def candidates(workbench: Workbench, line: str) -> tuple[int, list[str]] | None:
    """Where the last word begins and what it could become; None when nothing is known."""
    try:
        start, words = complete(workbench.session, line)
    except RckError:
        return None
    return (start, words) if words else None


class CommandInput(Input):
    """The line itself."""

    BINDINGS = [
        Binding("tab", "complete", "Complete", show=True, priority=True),
        Binding("up", "older", "Older", show=False),
        Binding("down", "newer", "Newer", show=False),
        Binding("escape", "leave", "Leave", show=True),
    ]
    HELP = """
# Command line

Every action of the editor is a command; this is where it can be typed. **Tab** completes a word, **up** and **down** go through
what was typed before, **Enter** does it, **Escape** leaves. While you type, the view shows what the command would give. `help
COMMAND` explains one.
"""

    class Left(Message):
        """The user left the line without doing it."""

    def __init__(self, workbench: Workbench, **options: object) -> None:
        super().__init__(suggester=_Completer(workbench), placeholder="command, or help", compact=True, **options)  # type: ignore[arg-type]
        self._workbench = workbench
        self._typed: list[str] = []
        self._place = 0

    def action_complete(self) -> None:
        """Complete the last word as far as it is certain."""
        found = candidates(self._workbench, self.value)
        if found is None:
            return
        start, words = found
        common = _common_beginning(words)
        if len(words) == 1:
            common = words[0] if words[0].endswith(("=", ".", "/")) else words[0] + " "
        elif len(self.value) - start >= len(common):
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

    def action_leave(self) -> None:
        """Back to the view; the line stays empty."""
        self.value = ""
        self._workbench.hide_preview()
        self.post_message(self.Left())


def _common_beginning(words: list[str]) -> str:
    first, last = min(words), max(words)
    length = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last)))
    return first[:length]


class CommandLine(Vertical):
    """The line with its prompt, and below it what was said last."""

    def __init__(self, workbench: Workbench, **options: object) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self._workbench = workbench

    def compose(self) -> ComposeResult:
        """Prompt and line; message."""
        with Horizontal(id="prompt-row"):
            yield Static(">", id="prompt")
            yield CommandInput(self._workbench, id="command")
        yield Static(id="message")

    @on(Input.Changed, "#command")
    def _typed(self, event: Input.Changed) -> None:
        line = event.value.strip()
        if not event.input.has_focus:
            return
        reason = self._workbench.show_preview(line) if " " in line else self._workbench.hide_preview()
        self.query_one("#message", Static).update(Text(reason or "", "dim"))

    @on(Input.Submitted, "#command")
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        line = event.value.strip()
        if not line:
            return
        box = self.query_one(CommandInput)
        box.remember(line)
        if self._workbench.do(line):
            box.value = ""

    def show_last(self) -> None:
        """The last thing that was said."""
        if self._workbench.said:
            last = self._workbench.said[-1]
            text = Text(_MARKS[last.tone] + last.text, _TONES[last.tone], no_wrap=False)
            self.query_one("#message", Static).update(text)

    def hint(self, line: str) -> None:
        """Show the command that Enter would do."""
        self.query_one("#message", Static).update(Text.assemble(("⏎ ", "bold"), (line, "cyan")))

    def begin(self, line: str) -> None:
        """Put a beginning into the line and the cursor behind it."""
        box = self.query_one(CommandInput)
        box.focus()
        box.value = line
        box.cursor_position = len(line)
