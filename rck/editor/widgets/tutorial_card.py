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
        self.step = 0

    def rebuild(self) -> None:
        """Go on when the step was done."""
        self.step = current_step(self._workbench, self.step)
        if self.step >= len(STEPS):
            text = Text.assemble(
                ("Done: an arm that moves.", "bold"), "\n", "Ctrl+S saves it, ctrl+E exports it. ? closes this."
            )
        else:
            step = STEPS[self.step]
            text = Text.assemble((step.title, "bold"), "\n", step.text)
        self.update(text)
