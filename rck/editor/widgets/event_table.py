"""The table of events, or of the instructions of a program; and the messages of a simulation."""

from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.widgets import DataTable, OptionList
from textual.widgets.option_list import Option

from rck.editor.event_lines import event_cells
from rck.editor.simulation_player import SimulationPlayer
from rck.model.quantities import Units

_STYLES = {"done": "green", "blocked": "red", "not done": "red", "doing": "bold", "next": "bold", "moving": "", "": ""}


class EventTable(DataTable[Text]):
    """The events in the order of their start, or the instructions of a program."""

    BORDER_TITLE = "Events"
    HELP = """
# Events

**a** adds an event, **Enter** changes the highlighted one, **delete** deletes it, **u** reverts all changes since the
events were loaded or saved. `elbow/axis 45 0 2` moves a joint by 45° from 0 s to 2 s; `close hand 3` closes a
gripper, `open hand 5` opens it; `say 1 hello` shows a message, `view 2 top` switches the view; `wait 2 eye.distance <
0.2` delays all later events until the condition is true.

# Programs

**l** loads a program; the table then lists its instructions. **Space** runs it, **s** executes one instruction, **b**
sets a breakpoint, **j** continues at the highlighted instruction. You can add, change and delete instructions like
events, also while the program is paused.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "screen.add_event", "Add", show=True, id="event-add"),
        Binding("enter", "screen.change_event", "Change", show=True),
        Binding("delete,backspace", "screen.remove_event", "Delete", show=True, id="delete"),
        Binding("n", "cursor_down", "Next", show=False),
        Binding("N", "cursor_up", "Previous", show=False),
        Binding("u", "screen.revert_events", "Revert", show=True, id="event-revert"),
        Binding("b", "screen.breakpoint", "Breakpoint", show=False, id="breakpoint"),
        Binding("j", "screen.go_to_line", "Continue here", show=False, id="go-to-line"),
    ]

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, cursor_type="row")
        self._headings: tuple[str, ...] = ()
        self._rows: list[tuple[str, ...]] = []
        """The visible texts."""
        self._current: list[int] = []
        """The row of the current or next instruction, which the cursor follows."""

    def show(self, player: SimulationPlayer, units: Units) -> None:
        """Show the events or instructions with their states."""
        script = player.script
        title = "Events" if script is None else script.name
        if self.border_title != title:
            self.border_title = title
        if script is None:
            headings: tuple[str, ...] = ("start", "end", "event", "change", "state")
            rows: list[tuple[str, ...]] = [
                (*event_cells(event, player.robot, units), player.state_of(event)) for event in player.events
            ]
        else:
            headings = ("", "line", "state", "instruction")
            rows = [("●" if row.stops else " ", str(row.number), row.state, row.text) for row in script.rows]
        if headings != self._headings:
            self.clear(columns=True)
            self.add_columns(*headings)
            self._headings, self._rows = headings, []
        self.border_subtitle = "" if rows else "a: add an event, l: load a file"
        if len(rows) != self.row_count:
            row = self.cursor_row
            self.clear()
            for texts in rows:
                self.add_row(*map(Text, texts))
            self.move_cursor(row=min(row, max(0, len(rows) - 1)))
            self._rows = [()] * len(rows)
        state = headings.index("state")
        for number, (texts, shown) in enumerate(zip(rows, self._rows, strict=True)):
            for column, text in enumerate(texts if texts != shown else ()):
                style = "" if column != state else _STYLES.get(text, "red")
                cell = Text(text, "red" if text == "●" else style)
                if self.get_cell_at((number, column)) != cell:  # type: ignore[arg-type]
                    self.update_cell_at((number, column), cell, update_width=True)  # type: ignore[arg-type]
        self._rows = rows
        current = [number for number, texts in enumerate(rows) if texts[state] in ("doing", "next")]
        if script is not None and current != self._current and current:
            self.move_cursor(row=current[0])
        self._current = current


class MessageLog(OptionList):
    """The messages of the simulation."""

    BORDER_TITLE = "Messages"
    HELP = """
# Messages

Blocked motions, pushed and gripped objects, errors, with their times. **Enter** returns to the time of a message and
pauses; **space** continues from there.
"""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._listed = 0

    def show(self, player: SimulationPlayer) -> None:
        """Add the new messages."""
        if len(player.moments) < self._listed:
            self.clear_options()
            self._listed = 0
        for moment in player.moments[self._listed :]:
            notice = moment.notice
            style = "red" if notice.kind in ("blocked", "refused", "safety", "stuck") else ""
            self.add_option(Option(Text(f"{notice.time:7.2f}  {notice.text}", style)))
        if len(player.moments) > self._listed and player.playing:
            self.scroll_end(animate=False)
        self._listed = len(player.moments)
