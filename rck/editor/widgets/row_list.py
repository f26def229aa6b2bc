"""A list of rows in columns with a cursor. One widget draws all rows, so that ten thousand of them stay fast."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

_GAP = 1
"""Blank columns between two columns of cells."""


@dataclass(frozen=True, eq=False, slots=True)
class Row:
    """A row of a list."""

    key: str
    """Unique in the list."""
    cells: tuple[str | Text, ...]
    style: str = ""


class RowMessage(Message):
    """A message about a row of a list."""

    def __init__(self, source: "RowList", key: str) -> None:
        super().__init__()
        self.source = source
        self.key = key

    @property
    def control(self) -> "RowList":
        """The list."""
        return self.source


class RowList(ScrollView, can_focus=True):
    """The rows; the cursor moves by keys and clicks, Enter or a double click chooses."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "step(1)", "Down", show=False, id="list-down"),
        Binding("up", "step(-1)", "Up", show=False, id="list-up"),
        Binding("pagedown", "page(1)", "Page down", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("home", "step(-1000000000)", "First", show=False),
        Binding("end", "step(1000000000)", "Last", show=False),
        Binding("enter", "choose", "Choose", show=True),
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = {"row-list--cursor", "row-list--marked"}

    class Highlighted(RowMessage):
        """The cursor has moved to another row."""

    class Chosen(RowMessage):
        """A row was chosen by Enter or a double click."""

    def __init__(self, shrink: int = 0, **options: object) -> None:
        """Create a list; the column `shrink` is shortened after the last two columns if the rows are too wide."""
        super().__init__(**options)  # type: ignore[arg-type]
        self._shrink = shrink
        self.rows: list[Row] = []
        self.marked: frozenset[str] = frozenset()
        """Keys of the marked rows."""
        self._cursor = 0
        self._places: dict[str, int] = {}
        self._widths: list[int] = []

    @property
    def key(self) -> str:
        """The key of the row under the cursor; empty without rows."""
        return self.rows[self._cursor].key if self.rows else ""

    def show(self, rows: Sequence[Row]) -> None:
        """Show other rows; the cursor stays on the row with the same key."""
        key = self.key
        self.rows = list(rows)
        self._places = {row.key: place for place, row in enumerate(self.rows)}
        self._cursor = self._places.get(key, min(self._cursor, max(0, len(self.rows) - 1)))
        columns = max((len(row.cells) for row in rows), default=0)
        self._widths = [
            max((_width(row.cells[n]) for row in rows if n < len(row.cells)), default=0) for n in range(columns)
        ]
        self.virtual_size = Size(self.size.width, len(self.rows))
        self._show_cursor()
        self.refresh()
        if self.key != key and self.key:
            self.post_message(self.Highlighted(self, self.key))

    def mark(self, keys: frozenset[str]) -> None:
        """Mark rows."""
        if keys != self.marked:
            self.marked = keys
            self.refresh()

    def move_to(self, key: str) -> None:
        """Move the cursor to a row."""
        if key in self._places:
            self._move(self._places[key])

    def on_resize(self) -> None:
        """Keep the cursor visible."""
        self.virtual_size = Size(self.size.width, len(self.rows))
        self._show_cursor()

    def _move(self, place: int) -> None:
        place = max(0, min(place, len(self.rows) - 1))
        if place != self._cursor and self.rows:
            self._cursor = place
            self._show_cursor()
            self.refresh()
            self.post_message(self.Highlighted(self, self.key))

    def _show_cursor(self) -> None:
        self.scroll_to_region(Region(0, self._cursor, 1, 1), animate=False, force=True)

    def render_line(self, y: int) -> Strip:
        """Return a visible line."""
        place = y + self.scroll_offset.y
        width = self.size.width
        base = self.rich_style
        if place >= len(self.rows):
            return Strip.blank(width, base)
        row = self.rows[place]
        style = base + Style.parse(row.style)
        if row.key in self.marked:
            style += self.get_component_rich_style("row-list--marked", partial=True)
        if place == self._cursor:
            style += self.get_component_rich_style("row-list--cursor") if self.has_focus else Style(bold=True)
        segments = [Segment("● " if row.key in self.marked else "  ", style)]
        for cell, room in zip(row.cells, self._room(width - 2), strict=False):
            if room <= 0:
                continue
            if isinstance(cell, Text):
                # The first style of a cell applies to all of it.
                own = style + Style.parse(str(cell.spans[0].style)) if cell.spans else style
                segments.append(Segment(_fitted(cell.plain, room), own))
            else:
                segments.append(Segment(_fitted(cell, room), style))
            segments.append(Segment(" " * _GAP, style))
        return Strip(segments).adjust_cell_length(width, style)

    def _room(self, width: int) -> list[int]:
        """Return the widths of the columns within a total width."""
        widths = list(self._widths)
        last = len(widths) - 1
        excess = sum(width + _GAP for width in widths if width) - _GAP - width
        for column, least in ((last, 12), (last - 1, 4), (self._shrink, 8), (last - 1, 0), (last, 0), (last - 2, 4)):
            if excess > 0 and 0 <= column < len(widths) and widths[column] > least:
                cut = min(excess, widths[column] - least)
                widths[column] -= cut
                excess -= cut if widths[column] else cut + _GAP
        return widths

    def action_step(self, step: int) -> None:
        """Move the cursor by some rows."""
        self._move(self._cursor + step)

    def action_page(self, pages: int) -> None:
        """Move the cursor by some pages."""
        self._move(self._cursor + pages * max(1, self.size.height - 1))

    def action_choose(self) -> None:
        """Choose the row under the cursor."""
        if self.rows:
            self.post_message(self.Chosen(self, self.key))

    def on_click(self, event: events.Click) -> None:
        """Move to the clicked row; a double click chooses it."""
        place = event.y - self.gutter.top + self.scroll_offset.y
        if 0 <= place < len(self.rows):
            self._move(place)
            if event.chain > 1:
                self.action_choose()


def _width(cell: str | Text) -> int:
    return cell.cell_len if isinstance(cell, Text) else cell_len(cell)


def _fitted(text: str, width: int) -> str:
    """Return the text with exactly this width in cells; a longer one ends in an ellipsis."""
    length = cell_len(text)
    if length <= width:
        return text + " " * (width - length)
    while text and cell_len(text) > width - 1:
        text = text[:-1]
    return f"{text}…" if width > 0 else ""
