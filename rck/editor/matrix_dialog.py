"""The allowed-collision matrix: a sign for every pair of items, changed by keys."""

from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.app import ComposeResult, RenderResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Static

from rck.editor.workbench import Workbench
from rck.language.words import quote
from rck.model import PairRule, RckError, Reason

if TYPE_CHECKING:
    from rck.collision.matrix import Matrix

_SIGNS = {
    Reason.ADJACENT: ("=", "dim", "a joint or a bolt holds them together"),
    Reason.NEVER: ("·", "dim", "they touch in no sample"),
    Reason.ALWAYS: ("a", "yellow", "they touch in every sample"),
    Reason.DEFAULT: ("d", "yellow", "they touch as they were put together"),
    Reason.SOMETIMES: ("o", "green", "nothing was decided"),
}
_ALLOWED, _FORBIDDEN = ("+", "bold yellow", "you let them touch"), ("!", "bold green", "you want them tested")
_NAME = 28
"""Columns of the names."""


def sign_of(rule: PairRule) -> tuple[str, str, str]:
    """The sign of a pair, its style, and why it is tested or not."""
    if rule.reason is Reason.USER:
        return _FORBIDDEN if rule.tested else _ALLOWED
    return _SIGNS[rule.reason]


class MatrixGrid(Widget, can_focus=True):
    """The pairs below the diagonal; as many rows and columns as there is room for, round the cursor."""

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

    def show(self, matrix: "Matrix") -> None:
        """Show other pairs; the cursor stays."""
        self.names = list(dict.fromkeys(name for entry in matrix.entries for name in entry.rule.items))
        place = {name: number for number, name in enumerate(self.names)}
        self.rules = {}
        for entry in matrix.entries:
            one, other = sorted(place[name] for name in entry.rule.items)
            self.rules[other, one] = entry.rule
        self.action_move(0, 0)

    @property
    def rule(self) -> PairRule | None:
        """What is decided about the pair under the cursor."""
        return self.rules.get((self.row, self.column))

    def action_move(self, down: int, right: int) -> None:
        """Move the cursor."""
        self.row = min(max(self.row + down, 1), max(1, len(self.names) - 1))
        self.column = min(max(self.column + right, 0), self.row - 1)
        self.refresh()
        self.screen.query_one("#matrix-pair", Static).update(self.told())

    def told(self) -> Text:
        """The pair under the cursor in words."""
        if self.rule is None:
            return Text("there are no two items with shapes")
        tested = "are tested" if self.rule.tested else "may touch"
        return Text(f"{self.rule.items[0]} and {self.rule.items[1]} {tested}: {sign_of(self.rule)[2]}")

    def render(self) -> RenderResult:
        """A line for each item."""
        rows, columns = max(1, self.size.height - 1), max(1, (self.size.width - _NAME - 5) // 2)
        top = min(max(0, self.row - rows // 2), max(0, len(self.names) - rows))
        first = min(max(0, self.column - columns // 2), max(0, len(self.names) - columns))
        shown = range(first, min(first + columns, len(self.names)))
        text = Text(" " * (_NAME + 5) + " ".join(str((number + 1) % 10) for number in shown) + "\n", style="dim")
        for row in range(top, min(top + rows, len(self.names))):
            name = self.names[row]
            name = name if len(name) <= _NAME else "…" + name[1 - _NAME :]
            text.append(f"{row + 1:3} {name:{_NAME}} ", "bold" if row == self.row else "")
            for column in shown:
                if column < row:
                    sign, style, _ = sign_of(self.rules[row, column])
                    text.append(sign, f"{style} reverse" if (row, column) == (self.row, self.column) else style)
                    text.append(" ")
            text.append("\n")
        text.right_crop(1)
        return text


class MatrixDialog(ModalScreen[None]):
    """Which pairs of items are tested for collision, and why."""

    DEFAULT_CSS = """
    MatrixDialog { align: center middle; }
    MatrixDialog #matrix { width: 95%; height: 90%; border: round $primary; background: $surface; padding: 0 1; }
    MatrixDialog MatrixGrid { height: 1fr; }
    MatrixDialog #matrix-pair, MatrixDialog #matrix-legend { height: auto; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "Leave"),
        Binding("space", "switch", "Switch", id="switch-pair"),
        Binding("delete,backspace", "forget", "Forget", id="delete"),
        Binding("m", "sample", "Sample", id="sample"),
    ]

    def __init__(self, workbench: Workbench) -> None:
        super().__init__()
        self._workbench = workbench

    def compose(self) -> ComposeResult:
        """The grid, the pair under the cursor in words, and what the signs mean."""
        with Vertical(id="matrix") as box:
            box.border_title = "Contacts"
            box.border_subtitle = "space: test or let touch · delete: forget · m: find out by samples · Escape leaves"
            yield MatrixGrid()
            yield Static(id="matrix-pair")
            yield Static(_legend(), id="matrix-legend")

    def on_mount(self) -> None:
        """Show the assembly as it is."""
        self._show()
        self.query_one(MatrixGrid).focus()

    def action_switch(self) -> None:
        """Test the pair under the cursor, or let it touch."""
        rule = self.query_one(MatrixGrid).rule
        if rule is not None:
            self._do("allow" if rule.tested else "disallow", rule)

    def action_forget(self) -> None:
        """Take back what was decided about the pair under the cursor."""
        rule = self.query_one(MatrixGrid).rule
        if rule is not None and rule.reason is not Reason.ADJACENT:
            self._do("forget", rule)

    def action_sample(self) -> None:
        """Find out by samples; what the user decided stays."""
        self.query_one("#matrix-pair", Static).update("trying many joint positions …")
        self._workbench.do_beside("matrix", lambda _: self._show())

    def _do(self, word: str, rule: PairRule) -> None:
        one, other = map(quote, rule.items)
        if self._workbench.do(f"{word} {one} {other}"):
            self._show()
        else:
            self.query_one("#matrix-pair", Static).update(Text(self._workbench.said[-1].text, "red"))

    def _show(self) -> None:
        from rck.collision.matrix import matrix_of

        if not self.is_attached:
            return
        try:
            self.query_one(MatrixGrid).show(matrix_of(self._workbench.built.unwrap().robot))
        except RckError as error:
            self.query_one("#matrix-pair", Static).update(Text(str(error), "red"))


def _legend() -> Text:
    text = Text()
    for sign, style, meaning in (*_SIGNS.values(), _ALLOWED, _FORBIDDEN):
        text.append(f"{sign} ", style).append(f"{meaning}   ", "dim")
    return text
