"""A slider for each joint that moves; what is dragged is previewed, what is let go of becomes a command."""

from typing import ClassVar

from rich.text import Text
from textual import events
from textual.app import RenderResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.reactive import reactive
from textual.widget import Widget

from rck.editor.workbench import Selected, Workbench
from rck.model import Joint
from rck.model.units import from_si

_SETTLE = 0.5
"""Seconds after the last key before a motion becomes a command."""
_TURN = 360.0
_FREE_SLIDE = 1000.0


class JointSlider(Widget, can_focus=True):
    """One joint: its range, and where it stands. Degrees and millimetres."""

    HELP = """
# Joint

**Left** and **right** move the joint by 1 degree or millimetre, with **shift** by 10, **home** and **end** to its limits, **0** to
zero. Drag with the mouse. A motion becomes one command when it comes to rest, so one undo takes it back.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "nudge(-1)", "Back", show=True),
        Binding("right,l", "nudge(1)", "Forth", show=True),
        Binding("shift+left,H", "nudge(-10)", "10 back", show=False),
        Binding("shift+right,L", "nudge(10)", "10 forth", show=False),
        Binding("home", "to_end('lower')", "Lower limit", show=False),
        Binding("end", "to_end('upper')", "Upper limit", show=False),
        Binding("0", "to_zero", "Zero", show=True),
        Binding("up,k", "app.focus_previous", "Joint before", show=False),
        Binding("down,j", "app.focus_next", "Next joint", show=False),
    ]
    position: reactive[float] = reactive(0.0)

    def __init__(self, joint: Joint, workbench: Workbench) -> None:
        super().__init__()
        self.joint = joint
        self._workbench = workbench
        self._timer = None
        self._settled = self._shown(joint.position)
        self.set_reactive(JointSlider.position, self._settled)

    def _shown(self, value: float) -> float:
        return from_si(value, "angle", "deg") if self.joint.kind.turns else from_si(value, "length", "mm")

    @property
    def span(self) -> tuple[float, float]:
        """The range that the slider covers."""
        if self.joint.limits is not None:
            return self._shown(self.joint.limits.lower), self._shown(self.joint.limits.upper)
        reach = _TURN / 2 if self.joint.kind.turns else _FREE_SLIDE
        return -reach, reach

    def show(self, joint: Joint) -> None:
        """Follow the joint; not while it is being moved here."""
        self.joint = joint
        if self._timer is None:
            self._settled = self._shown(joint.position)
            self.set_reactive(JointSlider.position, self._settled)
            self.refresh()

    def render(self) -> RenderResult:
        """Name, track, position."""
        lower, upper = self.span
        unit = "°" if self.joint.kind.turns else " mm"
        name_width = min(18, max(8, self.size.width // 3))
        number = f"{self.position:8.1f}{unit}"
        width = max(4, self.size.width - name_width - len(number) - 3)
        share = 0.0 if upper <= lower else (self.position - lower) / (upper - lower)
        knob = round(min(max(share, 0.0), 1.0) * (width - 1))
        track = "─" * knob + "●" + "─" * (width - 1 - knob)
        text = Text(no_wrap=True, overflow="crop")
        text.append(f"{self.joint.name:{name_width}.{name_width}} ", "bold" if self.has_focus else "")
        text.append(track[:knob], "dim").append("●", "bold").append(track[knob + 1 :], "dim")
        return text.append(number)

    def on_focus(self) -> None:
        """The joint under the keys is the selection."""
        self._workbench.select(Selected("joint", self.joint.name))

    def move_to(self, position: float) -> None:
        """Show the joint there; it becomes a command when it rests."""
        lower, upper = self.span
        self.position = min(max(position, lower), upper)
        self._workbench.show_preview(self._line)
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(_SETTLE, self.settle)

    @property
    def _line(self) -> str:
        return f"drive {self.joint.name} {round(self.position, 3):g}"

    def settle(self) -> None:
        """Make the motion a command."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        if self.position != self._settled:
            self._settled = self.position
            if not self._workbench.do(self._line):
                self.show(self.joint)

    def action_nudge(self, step: int) -> None:
        """Move a little."""
        self.move_to(self.position + step)

    def action_to_end(self, which: str) -> None:
        """Move to a limit."""
        self.move_to(self.span[0 if which == "lower" else 1])

    def action_to_zero(self) -> None:
        """Move to zero."""
        self.move_to(0.0)

    def on_blur(self) -> None:
        """What was begun is done."""
        self.settle()

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Take hold of the knob."""
        self.focus()
        self.capture_mouse()
        self._drag(event.x)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Drag it."""
        if self.app.mouse_captured is self:
            self._drag(event.x)

    def on_mouse_up(self) -> None:
        """Let go."""
        self.release_mouse()
        self.settle()

    def _drag(self, x: int) -> None:
        name_width = min(18, max(8, self.size.width // 3))
        unit = "°" if self.joint.kind.turns else " mm"
        width = max(4, self.size.width - name_width - 8 - len(unit) - 3)
        share = min(max((x - name_width - 1) / max(1, width - 1), 0.0), 1.0)
        lower, upper = self.span
        self.move_to(round(lower + share * (upper - lower), 1))


class JointSliders(VerticalScroll):
    """All joints that move."""

    BORDER_TITLE = "Joints"
    can_focus = False

    def __init__(self, workbench: Workbench, **options: object) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self._workbench = workbench

    async def rebuild(self) -> None:
        """Follow the assembly."""
        compiled = self._workbench.built.value
        joints = () if compiled is None else compiled.robot.free_joints
        sliders = list(self.query(JointSlider))
        if [slider.joint.name for slider in sliders] == [joint.name for joint in joints]:
            for slider, joint in zip(sliders, joints, strict=True):
                slider.show(joint)
            return
        await self.remove_children()
        await self.mount_all([JointSlider(joint, self._workbench) for joint in joints])
