"""A slider for each joint; a motion is previewed, and becomes a command when it ends."""

from math import pi
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.actions import SkipAction
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.timer import Timer

from rck.editor.widgets.rich_text import shorten_name
from rck.editor.workbench import Selected, Workbench
from rck.model import Joint
from rck.support.units import extra_digits, format_number, from_si

_SETTLE = 0.5
"""Seconds after the last key before a motion becomes a command."""
_UNLIMITED_RANGE = 1.0
"""Range of a slider for a prismatic joint without limits, in metres on either side."""


class JointSliders(ScrollView, can_focus=True):
    """The joints, in the units of the assembly, with a cursor. Only visible lines are drawn.

    Joints that loops move are read-outs with a hollow knob; moving one moves the free joints.
    """

    BORDER_TITLE = "Joints"
    HELP = """
# Joints

**Up** and **down** select a joint, **left** and **right** move it by 1° or 1 mm, with **shift** by 10. In other units a
step is the largest power of ten that is not longer: 0.01 in, 0.01 rad. **Home** and **end** move to the limits, **0**
to zero. You can also drag with the mouse. A joint with a hollow knob is moved by a loop: it shows where the others take
it, and moving it moves them. A motion becomes one command when it ends, so one undo reverts it. **Escape**
cancels a motion, or returns the focus to the view.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "nudge(-1)", "Back", show=True, id="joint-back"),
        Binding("right", "nudge(1)", "Forward", show=True, id="joint-forth"),
        Binding("shift+left", "nudge(-10)", "10 back", show=False, id="joint-far-back"),
        Binding("shift+right", "nudge(10)", "10 forward", show=False, id="joint-far-forth"),
        Binding("home", "to_end('lower')", "Lower limit", show=False, id="joint-lower"),
        Binding("end", "to_end('upper')", "Upper limit", show=False, id="joint-upper"),
        Binding("0", "to_zero", "Zero", show=True, id="joint-zero"),
        Binding("up", "step(-1)", "Previous joint", show=False, id="joint-before"),
        Binding("down", "step(1)", "Next joint", show=True, id="joint-next"),
        Binding("escape", "cancel", "Cancel", show=False),
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = {"joint--cursor", "joint--track"}

    def __init__(self, workbench: Workbench, **options: object) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self._workbench = workbench
        self._joints: tuple[Joint, ...] = ()
        self._free: frozenset[str] = frozenset()
        """The names of the joints that no loop moves."""
        self._longest = 0
        """Length of the longest name."""
        self.cursor = 0
        self._moving: float | None = None
        """Previewed position of the joint under the cursor."""
        self._timer: Timer | None = None
        self._dragging = False

    @property
    def joint(self) -> Joint | None:
        """The joint under the cursor."""
        return self._joints[self.cursor] if self.cursor < len(self._joints) else None

    def rebuild(self) -> None:
        """Update the joints after a change of the assembly."""
        compiled = self._workbench.built.value
        name = self.joint.name if self.joint is not None else ""
        self._joints = () if compiled is None else compiled.robot.coordinate_joints
        self._free = frozenset() if compiled is None else frozenset(one.name for one in compiled.robot.free_joints)
        self._longest = max((len(joint.name) for joint in self._joints), default=0)
        self.cursor = next((number for number, joint in enumerate(self._joints) if joint.name == name), 0)
        self.border_subtitle = "" if self._joints else "no joints yet: place a servo"
        self.virtual_size = Size(self._width, len(self._joints))
        self.refresh()

    def on_resize(self) -> None:
        """Fill the available width."""
        self.virtual_size = Size(self._width, len(self._joints))

    @property
    def _width(self) -> int:
        """Columns without the scroll bar."""
        return self.scrollable_content_region.width

    def _unit(self, joint: Joint) -> tuple[str, str]:
        return self._workbench.assembly.units.position_unit(joint.kind.turns)

    def _shown(self, joint: Joint, value: float) -> float:
        return from_si(value, *self._unit(joint))

    def _digits(self, joint: Joint, digits: int) -> int:
        """Return the decimals in the joint's unit with the same resolution as in degrees or millimetres."""
        return digits + extra_digits(*self._unit(joint))

    def span(self, joint: Joint) -> tuple[float, float]:
        """Return the range of a joint's slider."""
        if joint.limits is not None:
            return self._shown(joint, joint.limits.lower), self._shown(joint, joint.limits.upper)
        end = self._shown(joint, pi if joint.kind.turns else _UNLIMITED_RANGE)
        return -end, end

    def position(self, number: int) -> float:
        """Return the shown position of a joint."""
        if number == self.cursor and self._moving is not None:
            return self._moving
        joint = self._joints[number]
        shown = self._workbench.shown
        if self._moving is not None and shown is not None and joint.name in shown.robot.joint_index:
            # The previewed motion of another joint may move this one.
            joint = shown.robot.joint(joint.name)
        return self._shown(joint, joint.position)

    def _columns(self, joint: Joint) -> tuple[int, int]:
        """Return the widths of the name and of the track."""
        name = min(self._longest, max(6, self._width - 20))
        return name, max(3, self._width - name - 8 - len(self._unit_mark(joint)) - 1)

    def _unit_mark(self, joint: Joint) -> str:
        unit = self._unit(joint)[1]
        return "°" if unit == "deg" else f" {unit}"

    def render_line(self, y: int) -> Strip:
        """Draw the name, track and position of a joint."""
        number = y + self.scroll_offset.y
        style = self.rich_style
        if number >= len(self._joints):
            return Strip.blank(self._width, style)
        joint = self._joints[number]
        if number == self.cursor and self.has_focus:
            style = self.get_component_rich_style("joint--cursor")
        track = style + self.get_component_rich_style("joint--track", partial=True)
        lower, upper = self.span(joint)
        position = self.position(number)
        name_width, width = self._columns(joint)
        share = 0.0 if upper <= lower else (position - lower) / (upper - lower)
        knob = round(min(max(share, 0.0), 1.0) * (width - 1))
        shown = f"{position:.{max(0, self._digits(joint, 1))}f}"
        segments = [
            Segment(f"{shorten_name(joint.name, name_width):{name_width}} ", style),
            Segment("─" * knob, track),
            Segment("●" if joint.name in self._free else "○", style + Style(bold=True)),
            Segment("─" * (width - 1 - knob), track),
            Segment(" " * (8 - len(shown)), style),
            Segment(f"{shown}{self._unit_mark(joint)}", style),
        ]
        return Strip(segments).adjust_cell_length(self._width, style)

    def on_focus(self) -> None:
        """Select the joint under the cursor."""
        self._select()

    def _select(self) -> None:
        if self.joint is not None:
            self._workbench.select(Selected("joint", self.joint.name))

    def go_to(self, name: str) -> None:
        """Put the cursor on a joint."""
        for number, joint in enumerate(self._joints):
            if joint.name == name and number != self.cursor:
                self._step_to(number)

    def action_step(self, step: int) -> None:
        """Move to another joint."""
        self._step_to(min(max(self.cursor + step, 0), len(self._joints) - 1))

    def _step_to(self, number: int) -> None:
        if number == self.cursor or not 0 <= number < len(self._joints):
            return
        self.settle()
        self.cursor = number
        self.scroll_to_region(Region(0, number, 1, 1), animate=False)
        self.refresh()
        self._select()

    def move_to(self, position: float) -> None:
        """Preview a position; it becomes a command when the motion ends."""
        if self.joint is None:
            return
        lower, upper = self.span(self.joint)
        self._moving = min(max(position, lower), upper)
        self._workbench.show_preview(self._line(self.joint, self._moving))
        self._stop_timer()
        if not self._dragging:
            self._timer = self.set_timer(_SETTLE, self.settle)
        self.refresh()

    def _line(self, joint: Joint, position: float) -> str:
        return f"drive {joint.name} {format_number(round(position, self._digits(joint, 4)))}"

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    def settle(self) -> None:
        """Turn the motion into a command."""
        self._stop_timer()
        if self._moving is None or self.joint is None:
            return
        line = self._line(self.joint, self._moving)
        moved = self._moving != self._shown(self.joint, self.joint.position)
        self._moving = None
        if moved:
            self._workbench.run(line)
        else:
            self._workbench.hide_preview()
        self.refresh()

    def action_cancel(self) -> None:
        """Cancel a motion; without one, leave the key to the screen."""
        self._stop_timer()
        if self._moving is None:
            raise SkipAction
        self._moving = None
        self._workbench.hide_preview()
        self.refresh()

    def action_nudge(self, step: int) -> None:
        """Move the joint by some steps."""
        if self.joint is not None:
            self.move_to(self.position(self.cursor) + step * 10.0 ** -self._digits(self.joint, 0))

    def action_to_end(self, which: str) -> None:
        """Move the joint to a limit."""
        if self.joint is not None:
            self.move_to(self.span(self.joint)[0 if which == "lower" else 1])

    def action_to_zero(self) -> None:
        """Move the joint to zero."""
        self.move_to(0.0)

    def on_blur(self) -> None:
        """Finish the motion."""
        self.settle()

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Start dragging the joint on this line."""
        position = event.get_content_offset(self)
        if position is None or position.y + self.scroll_offset.y >= len(self._joints):
            return
        self.focus()
        self._step_to(position.y + self.scroll_offset.y)
        self.capture_mouse()
        self._dragging = True
        self._drag(position.x)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Continue dragging."""
        if self._dragging:
            self._drag(event.get_content_offset_capture(self).x)

    def on_mouse_up(self) -> None:
        """Stop dragging."""
        if self._dragging:
            self._dragging = False
            self.release_mouse()
            self.settle()

    def _drag(self, x: int) -> None:
        if self.joint is None:
            return
        name, width = self._columns(self.joint)
        if x <= name and self._moving is None:
            return
        share = min(max((x - name - 1) / max(1, width - 1), 0.0), 1.0)
        lower, upper = self.span(self.joint)
        self.move_to(round(lower + share * (upper - lower), self._digits(self.joint, 1)))
