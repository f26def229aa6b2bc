"""The jog pad: moves a tool in steps along or about the axes of the world or of the tool."""

import asyncio
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.app import RenderResult
from textual.binding import Binding, BindingType
from textual.timer import Timer
from textual.widget import Widget

from rck.assembly.compiler import free_ports
from rck.editor.properties import shown_position
from rck.editor.workbench import Workbench
from rck.kinematics.jog import JogFrame, Jogger, JogStep
from rck.kinematics.tip import framed_tips
from rck.model import RckError, Robot

_STEPS = (0.1, 1.0, 5.0, 10.0, 50.0)
_SETTLE = 0.5
"""Seconds after the last step before a motion becomes a command."""


class JogPad(Widget, can_focus=True):
    """The panel that moves a tool; steps are previewed, and become one command after a pause."""

    BORDER_TITLE = "Jog"
    HELP = """
# Jog pad

Moves the tool in small steps; an IK solver finds the joint positions. **Left** and **right** move along x, **up** and
**down** along y, **page up** and **page down** along z. **r** switches between moving and rotating, **f** between the
axes of the world and of the tool, **+** and **-** change the step size, **g** selects the next tool. You can also click
the arrows. `tool NAME END` adds a tool; without a tool, **Enter** begins that command.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "make_tool", "Add tool", show=True),
        Binding("left", "jog('x', -1)", "-x", show=False, id="jog-x-back"),
        Binding("right", "jog('x', 1)", "+x", show=False, id="jog-x"),
        Binding("down", "jog('y', -1)", "-y", show=False, id="jog-y-back"),
        Binding("up", "jog('y', 1)", "+y", show=False, id="jog-y"),
        Binding("pagedown", "jog('z', -1)", "-z", show=False, id="jog-z-back"),
        Binding("pageup", "jog('z', 1)", "+z", show=False, id="jog-z"),
        Binding("r", "turning", "Move / rotate", show=True, id="jog-turn"),
        Binding("f", "frame", "World / tool", show=True, id="jog-frame"),
        Binding("plus,equals_sign", "size(1)", "Larger steps", show=True, id="jog-larger"),
        Binding("minus", "size(-1)", "Smaller steps", show=False, id="jog-smaller"),
        Binding("g", "tool", "Next tool", show=False, id="jog-tool"),
    ]

    def __init__(self, workbench: Workbench, **options: object) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self._workbench = workbench
        self._jogger = Jogger(workbench.session.plugins)
        self._frame: JogFrame = "world"
        self._turns = False
        self._step = 3
        self._tool = ""
        self._reason = ""
        self._positions: dict[str, str] = {}
        """Joint positions after the steps so far, as `drive` takes them."""
        self._timer: Timer | None = None
        self._queue: list[JogStep] = []
        self._working = False
        self._arrows: list[tuple[int, int, str, int]] = []
        """First and last column, axis and direction of each arrow."""

    @property
    def _robot(self) -> Robot | None:
        shown = self._workbench.shown
        return None if shown is None else shown.robot

    @property
    def tool(self) -> str:
        """The tool that is moved; empty without a tool."""
        return self._tool

    def tools(self) -> list[str]:
        """Return the frames at arm tips, tools of the assembly first, then the other frames."""
        robot = self._robot
        if robot is None:
            return []
        tips = sorted(framed_tips(robot), key=lambda name: name not in self._workbench.assembly.tools)
        return [*tips, *(frame.name for frame in robot.frames if frame.name not in tips)]

    def tool_line(self) -> str:
        """Return the command that adds a tool at a free port of the newest instance, preferably `tip`; or empty."""
        built = self._workbench.built.value
        if built is None:
            return ""
        order = list(self._workbench.assembly.parts)
        ends = [end for end, port in free_ports(built).items() if port.type != "floor"]
        ends.sort(key=lambda end: (-order.index(end.partition(".")[0]), not end.endswith(".tip")))
        return f"tool grip {ends[0]}" if ends else ""

    def action_make_tool(self) -> None:
        """Begin the command that adds a tool."""
        if line := self.tool_line():
            self.app.action_begin(line)  # type: ignore[attr-defined]

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Enable adding a tool if the robot has no tool, and the other keys otherwise."""
        return bool(self._tool) != (action == "make_tool")

    def rebuild(self) -> None:
        """Update the tools after a change of the assembly."""
        tools = self.tools()
        before = self._tool, self._reason
        if self._tool not in tools:
            self._tool = self._workbench.jogged_tool = tools[0] if tools else ""
        self._reason = ""
        # Another text may need another number of lines.
        self.refresh(layout=before != (self._tool, self._reason))
        self.refresh_bindings()

    def render(self) -> RenderResult:
        """Draw two arrows for each axis; the title shows the tool, the frame and the step size."""
        if not self._tool:
            line = self.tool_line()
            keys = "Enter" if self.has_focus else "Tab, then Enter,"
            hint = f"No tool yet: press {keys} to begin `{line}`" if line else "Nothing to move yet: place a part"
            return Text(hint, "dim")
        unit = "°" if self._turns else " mm"
        self.border_title = Text(f"Jog · {self._tool} · {self._frame} · {_STEPS[self._step]:g}{unit}")
        text = Text()
        self._arrows = []
        backward, forward = ("↶", "↷") if self._turns else ("◀", "▶")
        for axis in "xyz":
            text.append(f" {'r' if self._turns else ''}{axis}", "bold")
            for sign, mark in ((-1, backward), (1, forward)):
                start = len(text)
                text.append(f" {mark} ", "reverse" if self.has_focus else "")
                self._arrows.append((start, len(text), axis, sign))
                text.append(" ")
        if self._reason:
            text.append(f"\n{self._reason}", "red")
        return text

    def on_click(self, event: events.Click) -> None:
        """Take the step of the clicked arrow."""
        position = event.get_content_offset(self)
        if position is not None and position.y == 0:
            for start, end, axis, sign in self._arrows:
                if start <= position.x < end:
                    self.action_jog(axis, sign)

    def action_jog(self, axis: str, sign: int) -> None:
        """Queue a step along or about an axis."""
        if not self._tool:
            return
        self._queue.append(JogStep(axis, sign * _STEPS[self._step], self._turns, self._frame))
        if not self._working:
            self._working = True
            self.run_worker(self._work(), group="jog")

    async def _work(self) -> None:
        """Take the queued steps one after the other."""
        try:
            while self._queue:
                await self._take(self._queue.pop(0))
        finally:
            self._working = False

    async def _take(self, step: JogStep) -> None:
        robot, built = self._robot, self._workbench.built.value
        if robot is None or built is None:
            return
        engine = self._workbench.engines.solver
        try:
            positions = await asyncio.to_thread(
                self._jogger.solve, built.robot, robot, self._tool, step, engine.name, engine.given
            )
        except RckError as error:
            self._reason = str(error)
            self._queue.clear()
            self.refresh(layout=True)
            return
        self._reason = ""
        units = self._workbench.assembly.units
        for name, value in positions.items():
            self._positions[name] = shown_position(robot.joint(name), value, units)
        self._workbench.show_preview(self._line())
        self.refresh(layout=True)
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(_SETTLE, self.settle)

    def settle(self) -> None:
        """Turn the steps into a command."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        if self._positions:
            line, reason = self._line(), self._reason
            self._positions = {}
            self._workbench.run(line)
            # The reason why the last step failed is still valid.
            self._reason = reason
            self.refresh(layout=True)

    def _line(self) -> str:
        """Return the command that moves the joints to the current positions."""
        (first, position), *others = self._positions.items()
        return " ".join([f"drive {first} {position}", *(f"{name}={value}" for name, value in others)])

    def on_focus(self) -> None:
        """Update the hint for Enter."""
        self.refresh(layout=not self._tool)

    def on_blur(self) -> None:
        """Finish the motion."""
        self.settle()

    def action_turning(self) -> None:
        """Switch between moving along the axes and rotating about them."""
        self._turns = not self._turns
        self.refresh()

    def action_frame(self) -> None:
        """Switch between the axes of the world and of the tool."""
        self._frame = "tool" if self._frame == "world" else "world"
        self.refresh()

    def action_size(self, step: int) -> None:
        """Change the step size."""
        self._step = min(max(self._step + step, 0), len(_STEPS) - 1)
        self.refresh()

    def action_tool(self) -> None:
        """Select the next tool."""
        tools = self.tools()
        if tools:
            self._tool = tools[(tools.index(self._tool) + 1) % len(tools)] if self._tool in tools else tools[0]
            self._workbench.jogged_tool = self._tool
            self.refresh()
