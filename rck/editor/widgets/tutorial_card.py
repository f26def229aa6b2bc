"""The tutorial in the editor: six short steps that end with an arm that moves."""

from collections.abc import Callable
from dataclasses import dataclass

from rich.text import Text
from textual.widgets import Static

from rck.editor.workbench import Workbench


@dataclass(frozen=True, slots=True)
class TutorialStep:
    """An instruction, and a test whether the user has followed it."""

    title: str
    text: str
    done: Callable[[Workbench], bool]


def _has_parts(workbench: Workbench, count: int) -> bool:
    return len(workbench.assembly.parts) >= count


def _has_joints(workbench: Workbench, count: int) -> bool:
    compiled = workbench.built.value
    return compiled is not None and len(compiled.robot.free_joints) >= count


STEPS = (
    TutorialStep(
        "Place a base",
        "Press / and type  round base,  then Enter. The base appears on the floor.",
        lambda workbench: _has_parts(workbench, 1),
    ),
    TutorialStep(
        "Add a servo",
        "Press / and type  xm540,  then Enter. A ghost shows the servo on the base: t rotates it, n moves it to the"
        " next port, Escape cancels. Enter places it.",
        lambda workbench: _has_joints(workbench, 1),
    ),
    TutorialStep(
        "Add a link",
        "Press / and type  bar link,  then Enter. The link snaps to the horn of the servo. Enter places it.",
        lambda workbench: _has_parts(workbench, 3),
    ),
    TutorialStep(
        "Add a second servo",
        "Press / and type  xm430,  then Enter, and Enter again. The Assembly panel (key 2) shows the tree of parts.",
        lambda workbench: _has_joints(workbench, 2),
    ),
    TutorialStep(
        "Edit and undo",
        "Press 2, move to the link, press 3, change its length to 150 and press Enter. Ctrl+Z undoes any change, Ctrl+Y"
        " redoes it.",
        lambda workbench: any(command.startswith("set ") for command, _ in workbench.session.history.past),
    ),
    TutorialStep(
        "Move the arm",
        "Press F3. Left and Right move the joint, Up and Down select another one.",
        lambda workbench: any(setting.position is not None for setting in workbench.assembly.joints.values()),
    ),
)


def current_step(workbench: Workbench, reached: int = 0) -> int:
    """Return the first open step; steps before `reached` count as done, even if they were undone."""
    steps = enumerate(STEPS[reached:], reached)
    return next((number for number, step in steps if not step.done(workbench)), len(STEPS))


class TutorialCard(Static):
    """A card with the current step of the tutorial."""

    def __init__(self, workbench: Workbench, **options: object) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self._workbench = workbench

    def rebuild(self) -> None:
        """Show the first step that is not done."""
        number = self._workbench.tutorial_step = current_step(self._workbench, self._workbench.tutorial_step)
        if number >= len(STEPS):
            text = Text.assemble(
                ("Finished: your arm moves. ", "bold"), "Ctrl+S saves it, Ctrl+E exports it, ? closes this."
            )
        else:
            step = STEPS[number]
            text = Text.assemble((f"{number + 1} of {len(STEPS)}  {step.title}  ", "bold"), step.text)
        self.update(text)
