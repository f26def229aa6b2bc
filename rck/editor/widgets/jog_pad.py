"""The jog pad: steps of the tool along and about axes, of the world or its own."""

import asyncio
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.app import RenderResult
from textual.binding import Binding, BindingType
from textual.timer import Timer
from textual.widget import Widget

from rck.assembly.compile import free_ports
from rck.editor.jogging import Jogger, Step, Within
from rck.editor.properties import shown_position
from rck.editor.workbench import Workbench
from rck.kinematics.tip import framed_tips
from rck.model import RckError, Robot

_STEPS = (0.1, 1.0, 5.0, 10.0, 50.0)
_SETTLE = 0.5
"""Seconds after the last step before a motion becomes a command."""


class JogPad(Widget, can_focus=True):
    """Moves a tool; what it shows becomes a command when it comes to rest."""

    BORDER_TITLE = "Jog"
    HELP = """
# Jog pad

Moves the tool in small steps; a kinematic solver finds the joint positions. **Left** and **right** go along x, **up**
and **down** along y, **page up** and **page down** along z. **r** switches between going and turning, **f** between the
axes of the world and of the tool, **+** and **-** change the step, **g** takes the next tool. The arrows on the pad can
be clicked. `tool NAME END` adds a tool; as long as there is none, **Enter** begins that command.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "make_tool", "Make a tool", show=True),
        Binding("left", "jog('x', -1)", "x", show=False, id="jog-x-back"),
        Binding("right", "jog('x', 1)", "x", show=False, id="jog-x"),
        Binding("down", "jog('y', -1)", "y", show=False, id="jog-y-back"),
        Binding("up", "jog('y', 1)", "y", show=False, id="jog-y"),
        Binding("pagedown", "jog('z', -1)", "z", show=False, id="jog-z-back"),
        Binding("pageup", "jog('z', 1)", "z", show=False, id="jog-z"),
        Binding("r", "turning", "Go / turn", show=True, id="jog-turn"),
        Binding("f", "frame", "World / tool", show=True, id="jog-frame"),
        Binding("plus,equals_sign", "size(1)", "Larger steps", show=True, id="jog-larger"),
        Binding("minus", "size(-1)", "Smaller steps", show=False, id="jog-smaller"),
        Binding("g", "tool", "Next tool", show=False, id="jog-tool"),
    ]

    def __init__(self, workbench: Workbench, **options: object) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self._workbench = workbench
        self._jogger = Jogger(workbench.session.plugins)
        self._within: Within = "world"
        self._turns = False
        self._step = 3
        self._tool = ""
        self._reason = ""
        self._positions: dict[str, str] = {}
        """Where the joints have been jogged to, as `drive` takes it."""
        self._timer: Timer | None = None
        self._wanted: list[Step] = []
        self._working = False
        self._places: list[tuple[int, int, str, int]] = []

    @property
    def _robot(self) -> Robot | None:
        shown = self._workbench.shown
        return None if shown is None else shown.robot

    @property
    def tool(self) -> str:
        """The tool that goes; empty where there is none."""
        return self._tool

    def tools(self) -> list[str]:
        """Return the frames at the tips of arms, tools of the assembly first, then the other frames."""
        robot = self._robot
        if robot is None:
            return []
        tips = sorted(framed_tips(robot), key=lambda name: name not in self._workbench.assembly.tools)
        return [*tips, *(frame.name for frame in robot.frames if frame.name not in tips)]

    def tool_line(self) -> str:
        """The command that makes a tool of a free end of what was placed last, its tip if it has one; or empty."""
        built = self._workbench.built.value
        if built is None:
            return ""
        order = list(self._workbench.assembly.parts)
        ends = [end for end, port in free_ports(built).items() if port.kind != "floor"]
        ends.sort(key=lambda end: (-order.index(end.partition(".")[0]), not end.endswith(".tip")))
        return f"tool grip {ends[0]}" if ends else ""

    def action_make_tool(self) -> None:
        """Begin the command that makes a tool."""
        if line := self.tool_line():
            self.app.action_begin(line)  # type: ignore[attr-defined]

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A tool is made where there is none, and goes where there is one."""
        return bool(self._tool) != (action == "make_tool")

    def rebuild(self) -> None:
        """Follow the assembly."""
        tools = self.tools()
        before = self._tool, self._reason
        if self._tool not in tools:
            self._tool = tools[0] if tools else ""
        self._reason = ""
        # Other words may take another number of lines.
        self.refresh(layout=before != (self._tool, self._reason))
        self.refresh_bindings()

    def render(self) -> RenderResult:
        """The tool, how it steps, and two arrows for each axis."""
        if not self._tool:
            line = self.tool_line()
            begin = "Enter begins" if self.has_focus else "Tab here, then Enter begins"
            said = f"no tool yet: {begin} `{line}`" if line else "nothing to move yet: place a part"
            return Text(said, "dim")
        unit = "°" if self._turns else " mm"
        self.border_title = Text(f"Jog · {self._tool} · {self._within} · {_STEPS[self._step]:g}{unit}")
        text = Text()
        self._places = []
        back, forth = ("↶", "↷") if self._turns else ("◀", "▶")
        for axis in "xyz":
            text.append(f" {'r' if self._turns else ''}{axis}", "bold")
            for sign, mark in ((-1, back), (1, forth)):
                start = len(text)
                text.append(f" {mark} ", "reverse" if self.has_focus else "")
                self._places.append((start, len(text), axis, sign))
                text.append(" ")
        if self._reason:
            text.append(f"\n{self._reason}", "red")
        return text

    def on_click(self, event: events.Click) -> None:
        """A click on an arrow is a step."""
        place = event.get_content_offset(self)
        if place is not None and place.y == 0:
            for start, end, axis, sign in self._places:
                if start <= place.x < end:
                    self.action_jog(axis, sign)

    def action_jog(self, axis: str, sign: int) -> None:
        """A step along or about an axis."""
        if not self._tool:
            return
        self._wanted.append(Step(axis, sign * _STEPS[self._step], self._turns, self._within))
        if not self._working:
            self._working = True
            self.run_worker(self._work(), group="jog")

    async def _work(self) -> None:
        """Take the steps one after the other, beside the interface."""
        try:
            while self._wanted:
                await self._take(self._wanted.pop(0))
        finally:
            self._working = False

    async def _take(self, step: Step) -> None:
        robot, built = self._robot, self._workbench.built.value
        if robot is None or built is None:
            return
        solver = self._workbench.engines.solver
        try:
            positions = await asyncio.to_thread(self._jogger.jogged, built.robot, robot, self._tool, step, solver)
        except RckError as error:
            self._reason = str(error)
            self._wanted.clear()
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
        """Make the motion a command."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        if self._positions:
            line, reason = self._line(), self._reason
            self._positions = {}
            self._workbench.do(line)
            # Why the last step was not taken is still true.
            self._reason = reason
            self.refresh(layout=True)

    def _line(self) -> str:
        """The command that moves the joints to where they have been jogged to."""
        (first, position), *others = self._positions.items()
        return " ".join([f"drive {first} {position}", *(f"{name}={value}" for name, value in others)])

    def on_focus(self) -> None:
        """Say what Enter does."""
        self.refresh(layout=not self._tool)

    def on_blur(self) -> None:
        """What was begun is done."""
        self.settle()

    def action_turning(self) -> None:
        """Go along the axes, or turn about them."""
        self._turns = not self._turns
        self.refresh()

    def action_frame(self) -> None:
        """The axes of the world, or of the tool."""
        self._within = "tool" if self._within == "world" else "world"
        self.refresh()

    def action_size(self, step: int) -> None:
        """Larger or smaller steps."""
        self._step = min(max(self._step + step, 0), len(_STEPS) - 1)
        self.refresh()

    def action_tool(self) -> None:
        """The next tool."""
        tools = self.tools()
        if tools:
            self._tool = tools[(tools.index(self._tool) + 1) % len(tools)] if self._tool in tools else tools[0]
            self.refresh()
