"""The table of events, or of the lines of a program; and the messages of a run."""

from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.widgets import DataTable, OptionList
from textual.widgets.option_list import Option

from rck.catalogue.manifest import Units
from rck.editor.event_lines import amount, described
from rck.editor.theatre import Theatre

_STYLES = {"done": "green", "blocked": "red", "not done": "red", "doing": "bold", "next": "bold", "moving": "", "": ""}


class EventTable(DataTable[Text]):
    """The events, by start, or the program."""

    BORDER_TITLE = "Events"
    HELP = """
# Events

What happens when: **a** adds an event, **Enter** changes the one under the cursor, **delete** takes it out, **u** takes
back all changes since the events were loaded or saved. `elbow/axis 45 0 2` moves a joint by 45° from second 0 to second
2; `close hand 3` closes a gripper, `open hand 5` opens it; `say 1 hello` and `view 2 top` do what they say;
`wait 2 eye.distance < 0.2` holds all later events back until a sensor says so.

# Programs

**l** loads one: its lines are here instead. **Space** plays it, **s** carries out one line, **b** sets a breakpoint
before the line under the cursor, **j** lets that line come next. Lines are added, changed and deleted as events are,
also while it stands still in the middle: it goes on with the new text.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "screen.add_event", "Add", show=True, id="event-add"),
        Binding("enter", "screen.change_event", "Change", show=True),
        Binding("delete,backspace", "screen.remove_event", "Delete", show=True, id="delete"),
        Binding("n", "cursor_down", "Next", show=False),
        Binding("N", "cursor_up", "Prev", show=False),
        Binding("u", "screen.revert_events", "Revert", show=True, id="event-revert"),
        Binding("b", "screen.breakpoint", "Breakpoint", show=False, id="breakpoint"),
        Binding("j", "screen.go_to_line", "Go on here", show=False, id="go-to-line"),
    ]

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, cursor_type="row")
        self._headings: tuple[str, ...] = ()
        self._rows: list[tuple[str, ...]] = []
        """As they are shown."""
        self._coming: list[int] = []
        """The row of the line that comes next: the cursor goes along with it."""

    def show(self, theatre: Theatre, units: Units) -> None:
        """Show how the events, or the lines, stand."""
        script = theatre.script
        title = "Events" if script is None else script.name
        if self.border_title != title:
            self.border_title = title
        if script is None:
            headings: tuple[str, ...] = ("start", "end", "what", "by", "state")
            rows: list[tuple[str, ...]] = [
                (
                    f"{event.start:.4g}",
                    f"{event.finish:.4g}" if hasattr(event, "finish") else "",
                    described(event),
                    amount(event, theatre.robot, units),
                    theatre.state_of(event),
                )
                for event in theatre.events
            ]
        else:
            headings = ("", "line", "state", "command")
            rows = [("●" if row.stops else " ", str(row.number), row.state, row.text) for row in script.rows]
        if headings != self._headings:
            self.clear(columns=True)
            self.add_columns(*headings)
            self._headings, self._rows = headings, []
        self.border_subtitle = "" if rows else "a adds one, l loads a file"
        if len(rows) != self.row_count:
            here = self.cursor_row
            self.clear()
            for texts in rows:
                self.add_row(*map(Text, texts))
            self.move_cursor(row=min(here, max(0, len(rows) - 1)))
            self._rows = [()] * len(rows)
        state = headings.index("state")
        for number, (texts, shown) in enumerate(zip(rows, self._rows, strict=True)):
            for column, text in enumerate(texts if texts != shown else ()):
                style = "" if column != state else _STYLES.get(text, "red")
                cell = Text(text, "red" if text == "●" else style)
                if self.get_cell_at((number, column)) != cell:  # type: ignore[arg-type]
                    self.update_cell_at((number, column), cell, update_width=True)  # type: ignore[arg-type]
        self._rows = rows
        coming = [number for number, texts in enumerate(rows) if texts[state] in ("doing", "next")]
        if script is not None and coming != self._coming and coming:
            self.move_cursor(row=coming[0])
        self._coming = coming


class Messages(OptionList):
    """What the simulation told."""

    BORDER_TITLE = "Messages"
    HELP = """
# Messages

What was blocked, pushed, gripped or refused, and when. **Enter** goes to that moment and stands still; **space** goes
on from there.
"""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._listed = 0

    def show(self, theatre: Theatre) -> None:
        """Add what is new."""
        if len(theatre.moments) < self._listed:
            self.clear_options()
            self._listed = 0
        for moment in theatre.moments[self._listed :]:
            notice = moment.notice
            style = "red" if notice.kind in ("blocked", "refused", "safety", "stuck") else ""
            self.add_option(Option(Text(f"{notice.time:7.2f}  {notice.text}", style)))
        if len(theatre.moments) > self._listed and theatre.playing:
            self.scroll_end(animate=False)
        self._listed = len(theatre.moments)
