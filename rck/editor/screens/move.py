"""The Move screen: joint sliders, named poses, and live numbers of the tool and the torques."""

from typing import ClassVar

import numpy as np
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from rck.assembly.compile import Compiled
from rck.editor.screens.workshop import Workshop
from rck.editor.widgets.joint_sliders import JointSlider, JointSliders
from rck.editor.widgets.views import Views
from rck.editor.workbench import Topic
from rck.geometry.transforms import to_euler
from rck.kinematics.statics import static_efforts
from rck.model import Robot


class PoseList(OptionList):
    """The named poses."""

    BORDER_TITLE = "Poses"
    HELP = """
# Poses

**Enter** moves all joints to the pose. **s** remembers where the joints are now under a new name.
"""


class MoveScreen(Workshop):
    """Tries out how the robot moves."""

    NAME = "move"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("s", "app.begin('pose ')", "Remember pose", show=True, id="pose"),
        Binding("H", "app.command('go home')", "Home", show=True, id="home"),
    ]

    def panels(self) -> ComposeResult:
        """The view, and beside it joints, poses and numbers."""
        yield Views(self.workbench, live=True, id="views")
        with Vertical(id="move-side"):
            yield JointSliders(self.workbench, id="joints")
            yield PoseList(id="poses")
            yield Static(id="numbers")

    def on_mount(self) -> None:
        """The first joint has the keys."""
        self.call_after_refresh(self._focus_first)

    def _focus_first(self) -> None:
        first = next(iter(self.query(JointSlider)), None)
        if first is not None:
            first.focus()
        else:
            self.focus_view()
            self.workbench.say("Nothing moves yet: place a servo, or mate with --joint.")

    def changed(self, topic: Topic) -> None:
        """Follow the assembly and what is being dragged."""
        super().changed(topic)
        if not self.is_mounted or topic in ("log", "selection"):
            return
        if topic == "assembly":
            self.run_worker(self.query_one(JointSliders).rebuild, exclusive=True, group="sliders")
            poses = self.query_one(PoseList)
            poses.clear_options()
            poses.add_options([Option(name, id=name) for name in (*sorted(self.workbench.assembly.poses), "home")])
        compiled = self.workbench.preview.compiled if self.workbench.preview else self.workbench.built.value
        if compiled is not None:
            self.query_one("#numbers", Static).update(numbers(compiled))

    @on(OptionList.OptionSelected)
    def _go(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.workbench.do(f"go {event.option.id}")


def numbers(compiled: Compiled) -> Text:
    """Tool poses, mass, and the effort that holds each joint against its limit."""
    robot = compiled.robot
    text = Text()
    for frame in robot.frames:
        pose = robot.item(frame.item).pose @ frame.pose
        x, y, z = (1000 * pose[:3, 3]).tolist()
        roll, pitch, yaw = np.degrees(to_euler(pose)).tolist()
        text.append(f"{frame.name} ", "bold").append(f"{x:.1f} {y:.1f} {z:.1f} mm\n")
        text.append(f"  roll {roll:.1f} pitch {pitch:.1f} yaw {yaw:.1f}°\n", "dim")
        text.append(f"  reach {1000 * _reach(robot, pose[:3, 3]):.0f} mm\n", "dim")
    text.append("mass ", "bold").append(f"{robot.mass_properties.mass:.3f} kg\n")
    for name, effort in static_efforts(robot).items():
        joint = robot.joint(name)
        if joint.mimic is not None:
            continue
        unit = "N m" if joint.kind.turns else "N"
        text.append(f"{name} ", "bold").append(f"{abs(effort):.2f}")
        if joint.effort:
            share = abs(effort) / joint.effort
            style = "red" if share > 1 else "yellow" if share > 0.7 else "green"
            text.append(f" of {joint.effort:.3g} {unit} ").append(f"{share:.0%}", style).append("\n")
        else:
            text.append(f" {unit}\n")
    return text


def _reach(robot: Robot, point: "np.ndarray[tuple[int, ...], np.dtype[np.float64]]") -> float:
    """How far a point is from the first axis that turns."""
    first = next((joint for joint in robot.free_joints if joint.kind.turns), None)
    if first is None:
        return float(np.linalg.norm(point))
    offset = point - np.asarray(first.start)
    return float(np.linalg.norm(offset - first.direction * (offset @ first.direction)))
