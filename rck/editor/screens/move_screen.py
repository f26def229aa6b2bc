"""The Move screen: joint sliders, jog pad, named poses, and live figures of tools, torques and contacts."""

import asyncio
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from rck.collision.backend import Contact
from rck.editor.engines import Engine
from rck.editor.reach_map import ReachMap, compute_reach
from rck.editor.robot_checks import PoseChecker
from rck.editor.screens.editor_screen import AssemblyScreen
from rck.editor.widgets.jog_pad import JogPad
from rck.editor.widgets.joint_sliders import JointSliders
from rck.editor.widgets.plugin_panels import PluginPanels
from rck.editor.widgets.robot_figures import figures_text
from rck.editor.widgets.scene_view import SceneView
from rck.editor.widgets.view_grid import ViewGrid
from rck.editor.workbench import Selected, Topic
from rck.hooks import Job
from rck.model import RckError, Robot

_PROGRESS_INTERVAL = 0.25
"""Seconds between two updates of the progress of a reach map."""


class PoseList(OptionList):
    """The named poses."""

    BORDER_TITLE = "Poses"
    HELP = """
# Poses

**Enter** moves all joints to the highlighted pose. **s** saves the current joint positions under a new name, **delete**
deletes the pose. `home` is the pose in which the parts are defined.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "select", "Go to pose", show=True),
        Binding("delete,backspace", "delete", "Delete", show=True, id="delete"),
        Binding("down", "cursor_down", "Down", show=False, id="list-down"),
        Binding("up", "cursor_up", "Up", show=False, id="list-up"),
    ]

    def action_delete(self) -> None:
        """Delete the highlighted pose."""
        if self.highlighted is not None:
            name = self.get_option_at_index(self.highlighted).id
            if name != "home":
                self.app.action_command(f"remove pose {name}")  # type: ignore[attr-defined]


class MoveScreen(AssemblyScreen):
    """The screen where joints and tools are moved."""

    NAME = "move"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "app.begin('pose ')", "Save pose", show=True, id="pose"),
        Binding("h", "app.command('go home')", "Home", show=True, id="home"),
        Binding("a", "reach", "Reach", show=True, id="reach"),
        Binding("t", "teach", "Teach", show=True, id="teach"),
        Binding("m", "app.contacts", "Allowed collisions", show=False, id="contacts"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._contact_checker = PoseChecker(self.workbench.session.plugins)
        self._checking = False
        self._checked: tuple[Robot, Engine] | None = None
        """The robot that was checked for contacts last, and the collision backend."""
        self._contacts: tuple[Contact, ...] = ()
        self._map: ReachMap | None = None
        self._map_job: Job | None = None
        """The running computation of a map."""
        self._map_progress = (0.0, "")
        """Fraction done, and current activity."""

    def panels(self) -> ComposeResult:
        """Add the views, and on the right the joints, jog pad, poses and figures."""
        yield ViewGrid(self.workbench, live=True, id="views")
        with Vertical(id="move-side"):
            yield JointSliders(self.workbench, id="joints")
            yield JogPad(self.workbench, id="jog")
            yield PoseList(id="poses")
            yield PluginPanels(self.workbench, self.NAME, id="extras")
            with VerticalScroll(id="numbers", can_focus=False):
                yield Static(id="numbers-text")

    def on_mount(self) -> None:
        """Focus the joints."""
        super().on_mount()
        self.query_one("#numbers").border_title = "Figures"
        self.call_after_refresh(self._focus_first)

    def _focus_first(self) -> None:
        sliders = self.query_one(JointSliders)
        if sliders.joint is not None:
            sliders.focus()
        else:
            self.focus_view()
            self.workbench.log("There are no joints yet: place a servo, or mate parts with --joint.")

    def on_screen_resume(self) -> None:
        """Put the cursor on the selected joint."""
        super().on_screen_resume()
        selected = next((thing for thing in self.workbench.selection if thing.kind == "joint"), None)
        if selected is not None:
            self.query_one(JointSliders).go_to(selected.name)

    def on_screen_suspend(self) -> None:
        """Remove the contact highlights: only this screen shows them."""
        self.workbench.colliding = frozenset()
        self._contacts = ()

    def follow(self, topic: Topic) -> None:
        """Update the panels that show a changed topic."""
        super().follow(topic)
        if not self.is_mounted or not self.query(JointSliders) or topic in ("log", "file"):
            return
        if topic in ("assembly", "opened"):
            self._drop_outdated_map()
            self.query_one(JointSliders).rebuild()
            self.query_one(JogPad).rebuild()
            self._list_poses()
        if topic in ("assembly", "opened", "preview"):
            self._show_figures()
            self.query_one(JointSliders).refresh()
            if not self._checking:
                self._checking = True
                self.run_worker(self._check_contacts(), group="collisions")

    def _list_poses(self) -> None:
        poses = self.query_one(PoseList)
        names = [*sorted(self.workbench.assembly.poses), "home"]
        if names != [option.id for option in poses.options]:
            poses.clear_options()
            poses.add_options([Option(name, id=name) for name in names])

    def _show_figures(self) -> None:
        shown = self.workbench.shown
        if shown is None:
            return
        text = figures_text(shown.robot, self._contacts)
        if self._map_job is not None:
            fraction, activity = self._map_progress
            text = Text(f"computing reach … {fraction:.0%} {activity} (Escape: stop)\n").append_text(text)
        elif self._map is not None:
            text = self._map.summary().append_text(text)
        self.query_one("#numbers-text", Static).update(text)

    def action_teach(self) -> None:
        """Teach the current pose; the Simulate screen turns taught poses into events."""
        self.query_one(JointSliders).settle()
        shown = self.workbench.shown
        if shown is None or not shown.robot.free_joints:
            self.workbench.log("there are no joints to teach", "error")
            return
        self.workbench.taught_poses = (*self.workbench.taught_poses, shown.robot.positions)
        self.workbench.log(
            f"taught pose {len(self.workbench.taught_poses)}; t on the Simulate screen (F4) makes events of it", "done"
        )

    def action_reach(self) -> None:
        """Show the workspace of the tool; hide it if it is shown, cancel it if it is being computed."""
        pad, built = self.query_one(JogPad), self.workbench.built.value
        if self._map_job is not None:
            self._map_job.cancel()
        elif self._map is not None:
            self._show_map(None)
        elif built is None or not pad.tool:
            self.workbench.log(f"there is no tool yet; `{pad.tool_line()}` adds one")
        else:
            self._map_job, self._map_progress = Job(self._note_progress), (0.0, "")
            self.run_worker(self._compute_reach(built.robot, pad.tool, self._map_job), group="reach")

    async def _compute_reach(self, robot: Robot, tool: str, job: Job) -> None:
        """Compute the workspace of a tool in a thread, and show it."""
        timer = self.set_interval(_PROGRESS_INTERVAL, self._show_figures)
        try:
            self._show_figures()
            plugins, solver = self.workbench.session.plugins, self.workbench.engines.solver
            reach = await asyncio.to_thread(compute_reach, plugins, robot, tool, job, solver)
        except RckError as error:
            self.workbench.log(str(error), "error")
            reach = None
        finally:
            timer.stop()
            self._map_job = None
        self._show_map(reach)
        self._drop_outdated_map()

    def _note_progress(self, fraction: float, activity: str) -> None:
        """Store the progress; called in the worker thread."""
        self._map_progress = (fraction, activity)

    def _show_map(self, reach: ReachMap | None) -> None:
        self._map = reach
        self.workbench.reach_cloud = None if reach is None else reach.cloud
        self._show_figures()
        self.query_one(ViewGrid).redraw()

    def _drop_outdated_map(self) -> None:
        """Hide the map if instances or limits have changed."""
        built = self.workbench.built.value
        if self._map is not None and (built is None or not self._map.is_valid_for(built.robot)):
            self._show_map(None)
            self.workbench.log("the reach map is hidden: the assembly has changed")

    def action_escape(self) -> None:
        """Cancel the computation of a map first."""
        if self._map_job is not None:
            self._map_job.cancel()
        else:
            super().action_escape()

    async def _check_contacts(self) -> None:
        """Find the contacts of the visible robot in a thread."""
        try:
            while (shown := self.workbench.shown) is not None:
                robot, backend = shown.robot, self.workbench.engines.collision
                if self._checked is not None and self._checked[0] is robot and self._checked[1] == backend:
                    break
                self._checked = robot, backend
                contacts = await asyncio.to_thread(self._find_contacts, robot, backend)
                colliding = frozenset(name for contact in contacts for name in contact.items)
                if contacts != self._contacts and self.is_current:
                    self._contacts = contacts
                    self._show_figures()
                if colliding != self.workbench.colliding and self.is_current:
                    self.workbench.colliding = colliding
                    self.query_one(ViewGrid).redraw()
        finally:
            self._checking = False

    def _find_contacts(self, robot: Robot, backend: Engine) -> tuple[Contact, ...]:
        try:
            return self._contact_checker.deepest_contacts(robot, backend)
        except RckError as error:
            self.app.call_from_thread(self.workbench.log, str(error), "error")
            return ()

    @on(SceneView.Picked)
    def _pick(self, event: SceneView.Picked) -> None:
        """Go to the joint that moves the clicked instance."""
        shown = self.workbench.shown
        if event.thing is None or shown is None:
            return
        sliders = self.query_one(JointSliders)
        for joint in reversed(shown.robot.free_joints):
            if any(name.partition("/")[0] == event.thing.instance for name in shown.robot.moved_by(joint.name)):
                sliders.focus()
                sliders.go_to(joint.name)
                return
        self.workbench.select(Selected("instance", event.thing.instance))

    @on(OptionList.OptionSelected)
    def _go_to_pose(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.workbench.run(f"go {event.option.id}")
