"""The dialog that shows and edits the allowed-collision matrix: one symbol for every pair of items."""

from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult, RenderResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Static

from rck.collision.allowed_matrix import AllowedCollisionMatrix, matrix_of
from rck.editor.workbench import Workbench
from rck.grammar import quote
from rck.model import PairRule, RckError, Reason

_SYMBOLS = {
    Reason.ADJACENT: ("=", "dim", "adjacent"),
    Reason.NEVER: ("·", "dim", "never in contact"),
    Reason.ALWAYS: ("a", "yellow", "always in contact"),
    Reason.DEFAULT: ("d", "yellow", "in contact as assembled"),
    Reason.SOMETIMES: ("o", "green", "tested by default"),
}
_ALLOWED, _FORBIDDEN = ("+", "bold yellow", "allowed by you"), ("!", "bold green", "tested on your request")
_NAME_WIDTH = 28


def symbol_of(rule: PairRule) -> tuple[str, str, str]:
    """Return the symbol of a pair, its style, and the reason why it is tested or not."""
    if rule.reason is Reason.USER:
        return _FORBIDDEN if rule.tested else _ALLOWED
    return _SYMBOLS[rule.reason]


class MatrixGrid(Widget, can_focus=True):
    """The pairs below the diagonal; shows the rows and columns around the cursor that fit."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1, 0)", "Up", show=False, id="list-up"),
        Binding("down", "move(1, 0)", "Down", show=False, id="list-down"),
        Binding("left", "move(0, -1)", "Left", show=False, id="view-left"),
        Binding("right", "move(0, 1)", "Right", show=False, id="view-right"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []
        self.rules: dict[tuple[int, int], PairRule] = {}
        self.row, self.column = 1, 0

    def show(self, matrix: AllowedCollisionMatrix) -> None:
        """Show a matrix; the cursor stays."""
        self.names = list(dict.fromkeys(name for entry in matrix.entries for name in entry.rule.items))
        index = {name: number for number, name in enumerate(self.names)}
        self.rules = {}
        for entry in matrix.entries:
            column, row = sorted(index[name] for name in entry.rule.items)
            self.rules[row, column] = entry.rule
        self.action_move(0, 0)

    @property
    def rule(self) -> PairRule | None:
        """The rule of the pair under the cursor."""
        return self.rules.get((self.row, self.column))

    def action_move(self, down: int, right: int) -> None:
        """Move the cursor."""
        self.row = min(max(self.row + down, 1), max(1, len(self.names) - 1))
        self.column = min(max(self.column + right, 0), self.row - 1)
        self.refresh()
        self.screen.query_one("#matrix-pair", Static).update(self._describe())

    def _describe(self) -> Text:
        """Describe the pair under the cursor."""
        if self.rule is None:
            return Text("no pairs: fewer than two items have shapes")
        state = "tested" if self.rule.tested else "contact allowed"
        return Text(f"{self.rule.items[0]} and {self.rule.items[1]}: {state} ({symbol_of(self.rule)[2]})")

    def render(self) -> RenderResult:
        """Draw a line for each item."""
        rows, columns = max(1, self.size.height - 1), max(1, (self.size.width - _NAME_WIDTH - 5) // 2)
        top = min(max(0, self.row - rows // 2), max(0, len(self.names) - rows))
        first = min(max(0, self.column - columns // 2), max(0, len(self.names) - columns))
        shown = range(first, min(first + columns, len(self.names)))
        text = Text(" " * (_NAME_WIDTH + 5) + " ".join(str((number + 1) % 10) for number in shown) + "\n", style="dim")
        for row in range(top, min(top + rows, len(self.names))):
            name = self.names[row]
            name = name if len(name) <= _NAME_WIDTH else "…" + name[1 - _NAME_WIDTH :]
            text.append(f"{row + 1:3} {name:{_NAME_WIDTH}} ", "bold" if row == self.row else "")
            for column in shown:
                if column < row:
                    symbol, style, _ = symbol_of(self.rules[row, column])
                    text.append(symbol, f"{style} reverse" if (row, column) == (self.row, self.column) else style)
                    text.append(" ")
            text.append("\n")
        text.right_crop(1)
        return text


class MatrixDialog(ModalScreen[None]):
    """The allowed-collision matrix, with the reason for each pair."""

    DEFAULT_CSS = """
    MatrixDialog { align: center middle; }
    MatrixDialog #matrix { width: 95%; height: 90%; border: round $primary; background: $surface; padding: 0 1; }
    MatrixDialog MatrixGrid { height: 1fr; }
    MatrixDialog #matrix-pair, MatrixDialog #matrix-legend { height: auto; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "Close"),
        Binding("space", "switch", "Test / allow", id="switch-pair"),
        Binding("delete,backspace", "forget", "Clear", id="delete"),
        Binding("m", "sample", "Sample", id="sample"),
    ]

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self._workbench = workbench

    def compose(self) -> ComposeResult:
        """Add the grid, the description of the pair under the cursor, and the legend."""
        with Vertical(id="matrix") as box:
            box.border_title = "Allowed-collision matrix"
            box.border_subtitle = "space: test / allow · delete: clear rule · m: sample poses · Escape: close"
            yield MatrixGrid()
            yield Static(id="matrix-pair")
            yield Static(_legend(), id="matrix-legend")

    def on_mount(self) -> None:
        """Show the matrix of the assembly."""
        self._show()
        self.query_one(MatrixGrid).focus()

    def action_switch(self) -> None:
        """Test the pair under the cursor, or allow contact."""
        rule = self.query_one(MatrixGrid).rule
        if rule is not None:
            self._do("allow" if rule.tested else "disallow", rule)

    def action_forget(self) -> None:
        """Remove the rule of the pair under the cursor."""
        rule = self.query_one(MatrixGrid).rule
        if rule is not None and rule.reason is not Reason.ADJACENT:
            self._do("forget", rule)

    def action_sample(self) -> None:
        """Derive rules from sampled joint positions; the user's rules stay."""
        self.query_one("#matrix-pair", Static).update("sampling joint positions …")
        self._workbench.run_in_background("matrix", lambda _: self._show())

    def _do(self, word: str, rule: PairRule) -> None:
        one, other = map(quote, rule.items)
        if self._workbench.run(f"{word} {one} {other}"):
            self._show()
        else:
            self.query_one("#matrix-pair", Static).update(Text(self._workbench.messages[-1].text, "red"))

    def _show(self) -> None:
        if not self.is_attached:
            return
        try:
            self.query_one(MatrixGrid).show(matrix_of(self._workbench.built.unwrap().robot))
        except RckError as error:
            self.query_one("#matrix-pair", Static).update(Text(str(error), "red"))


def _legend() -> Text:
    text = Text()
    for symbol, style, meaning in (*_SYMBOLS.values(), _ALLOWED, _FORBIDDEN):
        text.append(f"{symbol} ", style).append(f"{meaning}   ", "dim")
    return text
