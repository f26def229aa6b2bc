"""The card that shows the step of the tutorial."""

from rich.text import Text
from textual.widgets import Static

from rck.editor.tutorial import STEPS, current_step
from rck.editor.workbench import Workbench


class TutorialCard(Static):
    """Says what to do next, and notices when it was done."""

    def __init__(self, workbench: Workbench, **options: object) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self._workbench = workbench

    def rebuild(self) -> None:
        """Go on when the step was done."""
        step = self._workbench.lesson = current_step(self._workbench, self._workbench.lesson)
        if step >= len(STEPS):
            text = Text.assemble(("Done: an arm that moves. ", "bold"), "Ctrl+S saves it, ctrl+E exports it. ? closes.")
        else:
            here = STEPS[step]
            text = Text.assemble((f"{step + 1} of {len(STEPS)}  {here.title}  ", "bold"), here.text)
        self.update(text)
