"""The Move screen: joint sliders, jog pad, named poses, and live numbers of the tool and the torques."""

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
from rck.editor.collisions import Collisions
from rck.editor.live_numbers import numbers
from rck.editor.reach_map import ReachMap, reach_map
from rck.editor.screens.workshop import Workshop
from rck.editor.widgets.jog_pad import JogPad
from rck.editor.widgets.joint_sliders import JointSliders
from rck.editor.widgets.scene_view import SceneView
from rck.editor.widgets.views import Views
from rck.editor.workbench import Selected, Topic
from rck.hooks import Job
from rck.model import RckError, Robot

_GLANCE = 0.25
"""Seconds between two looks at how far a map has come."""


class PoseList(OptionList):
    """The named poses."""

    BORDER_TITLE = "Poses"
    HELP = """
# Poses

**Enter** moves all joints to the pose. **s** remembers where the joints are now under a new name, **delete** forgets
the pose under the cursor. `home` is where the drawings of the parts have the joints.
"""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "select", "Go there", show=True),
        Binding("delete,backspace", "forget", "Forget", show=True, id="delete"),
        Binding("down", "cursor_down", "Down", show=False, id="list-down"),
        Binding("up", "cursor_up", "Up", show=False, id="list-up"),
    ]

    def action_forget(self) -> None:
        """Forget the pose under the cursor."""
        if self.highlighted is not None:
            name = self.get_option_at_index(self.highlighted).id
            if name != "home":
                self.app.action_command(f"remove pose {name}")  # type: ignore[attr-defined]


class MoveScreen(Workshop):
    """Tries out how the robot moves."""

    NAME = "move"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "app.begin('pose ')", "Remember pose", show=True, id="pose"),
        Binding("h", "app.command('go home')", "Home", show=True, id="home"),
        Binding("a", "reach", "Reach", show=True, id="reach"),
        Binding("t", "teach", "Teach", show=True, id="teach"),
        Binding("m", "app.contacts", "Contacts", show=False, id="contacts"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._collisions = Collisions(self.workbench.session.plugins)
        self._looking = False
        self._looked: tuple[Robot, str] | None = None
        """The robot that was looked at for what touches, and with which back end."""
        self._contacts: tuple[Contact, ...] = ()
        self._map: ReachMap | None = None
        self._mapping: Job | None = None
        """The work on a map, while it is under way."""
        self._mapped = (0.0, "")
        """How much of that work is done, and at what it is."""

    def panels(self) -> ComposeResult:
        """The view, and beside it joints, jog pad, poses and numbers."""
        yield Views(self.workbench, live=True, id="views")
        with Vertical(id="move-side"):
            yield JointSliders(self.workbench, id="joints")
            yield JogPad(self.workbench, id="jog")
            yield PoseList(id="poses")
            with VerticalScroll(id="numbers", can_focus=False):
                yield Static(id="numbers-text")

    def on_mount(self) -> None:
        """The joints have the keys."""
        super().on_mount()
        self.query_one("#numbers").border_title = "Numbers"
        self.call_after_refresh(self._focus_first)

    def _focus_first(self) -> None:
        sliders = self.query_one(JointSliders)
        if sliders.joint is not None:
            sliders.focus()
        else:
            self.focus_view()
            self.workbench.say("Nothing moves yet: place a servo, or mate with --joint.")

    def on_screen_resume(self) -> None:
        """A joint that is selected is the one that moves."""
        super().on_screen_resume()
        chosen = next((one for one in self.workbench.selection if one.kind == "joint"), None)
        if chosen is not None:
            self.query_one(JointSliders).go_to(chosen.name)

    def on_screen_suspend(self) -> None:
        """What touches is shown here only."""
        self.workbench.colliding = frozenset()
        self._contacts = ()

    def changed(self, topic: Topic) -> None:
        """Follow the assembly and what is being dragged."""
        super().changed(topic)
        if not self.is_mounted or not self.query(JointSliders) or topic in ("log", "file"):
            return
        if topic in ("assembly", "opened"):
            self._forget_old_map()
            self.query_one(JointSliders).rebuild()
            self.query_one(JogPad).rebuild()
            self._list_poses()
        if topic in ("assembly", "opened", "preview"):
            self._tell_numbers()
            if not self._looking:
                self._looking = True
                self.run_worker(self._look_for_collisions(), group="collisions")

    def _list_poses(self) -> None:
        poses = self.query_one(PoseList)
        names = [*sorted(self.workbench.assembly.poses), "home"]
        if names != [one.id for one in poses.options]:
            poses.clear_options()
            poses.add_options([Option(name, id=name) for name in names])

    def _tell_numbers(self) -> None:
        shown = self.workbench.shown
        if shown is None:
            return
        text = numbers(shown.robot, self._contacts)
        if self._mapping is not None:
            share, what = self._mapped
            text = Text(f"mapping what is reached … {share:.0%} {what} (Escape stops it)\n").append_text(text)
        elif self._map is not None:
            text = self._map.told().append_text(text)
        self.query_one("#numbers-text", Static).update(text)

    def action_teach(self) -> None:
        """Remember where the joints are as the next pose of a run; the Simulate screen makes events of them."""
        self.query_one(JointSliders).settle()
        shown = self.workbench.shown
        if shown is None or not shown.robot.free_joints:
            self.workbench.say("nothing moves yet: there is nothing to teach", "refused")
            return
        self.workbench.taught = (*self.workbench.taught, shown.robot.positions)
        self.workbench.say(
            f"taught pose {len(self.workbench.taught)}; t on the Simulate screen (F4) makes events", "done"
        )

    def action_reach(self) -> None:
        """Show where the tool can get to; again hides it, or stops the work on it."""
        pad, built = self.query_one(JogPad), self.workbench.built.value
        if self._mapping is not None:
            self._mapping.cancel()
        elif self._map is not None:
            self._show_map(None)
        elif built is None or not pad.tool:
            self.workbench.say(f"there is no tool yet that could reach anything; `{pad.tool_line()}` makes one")
        else:
            self._mapping, self._mapped = Job(self._note_share), (0.0, "")
            self.run_worker(self._find_reach(built.robot, pad.tool, self._mapping), group="reach")

    async def _find_reach(self, robot: Robot, tool: str, job: Job) -> None:
        """Work out, beside the interface, what a tool reaches, and show it."""
        glances = self.set_interval(_GLANCE, self._tell_numbers)
        try:
            self._tell_numbers()
            plugins, solver = self.workbench.session.plugins, self.workbench.engines.solver
            found = await asyncio.to_thread(reach_map, plugins, robot, tool, job, solver)
        except RckError as refusal:
            self.workbench.say(str(refusal), "refused")
            found = None
        finally:
            glances.stop()
            self._mapping = None
        self._show_map(found)
        self._forget_old_map()

    def _note_share(self, share: float, what: str) -> None:
        """Called in the thread that works."""
        self._mapped = (share, what)

    def _show_map(self, found: ReachMap | None) -> None:
        self._map = found
        self.workbench.reached = None if found is None else found.cloud
        self._tell_numbers()
        self.query_one(Views).look_again()

    def _forget_old_map(self) -> None:
        """What was reached before instances or limits were changed is not what is reached now."""
        built = self.workbench.built.value
        if self._map is not None and (built is None or not self._map.holds_for(built.robot)):
            self._show_map(None)
            self.workbench.say("what is reached may be different now; the map is hidden")

    def action_escape(self) -> None:
        """Stop the work on a map first."""
        if self._mapping is not None:
            self._mapping.cancel()
        else:
            super().action_escape()

    async def _look_for_collisions(self) -> None:
        """Find out, beside the interface, what touches in what is shown now."""
        try:
            while (shown := self.workbench.shown) is not None:
                robot, backend = shown.robot, self.workbench.engines.collision
                if self._looked is not None and self._looked[0] is robot and self._looked[1] == backend:
                    break
                self._looked = robot, backend
                contacts = await asyncio.to_thread(self._found, robot, backend)
                touching = frozenset(name for one in contacts for name in one.items)
                if contacts != self._contacts and self.is_current:
                    self._contacts = contacts
                    self._tell_numbers()
                if touching != self.workbench.colliding and self.is_current:
                    self.workbench.colliding = touching
                    for view in self.query(SceneView):
                        view.look_again()
        finally:
            self._looking = False

    def _found(self, robot: Robot, backend: str) -> tuple[Contact, ...]:
        try:
            return self._collisions.deepest_contacts(robot, backend)
        except RckError as error:
            self.app.call_from_thread(self.workbench.say, str(error), "refused")
            return ()

    @on(SceneView.Picked)
    def _picked(self, event: SceneView.Picked) -> None:
        """A click on a piece takes the joint that carries it."""
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
    def _go(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.workbench.do(f"go {event.option.id}")
