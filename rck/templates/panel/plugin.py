"""Panel of the editor: the mass of the robot and its heaviest items."""

from textual.widgets import Static

from rck.hooks import EditorPanel, hookimpl
from rck.model import Robot


@hookimpl
def rck_editor_panels() -> list[EditorPanel]:
    """Return the panel."""
    return [EditorPanel("my-plugin", "the heaviest items", Heaviest)]


class Heaviest(Static):
    """Panel that shows the masses of the robot."""

    def show_robot(self, robot: Robot | None) -> None:
        """Show the robot, or nothing while the assembly has errors."""
        self.update("" if robot is None else text_about(robot))


def text_about(robot: Robot, most: int = 3) -> str:
    """Return the total mass and the heaviest items as text."""
    heaviest = sorted(robot.items, key=lambda item: item.mass_properties.mass, reverse=True)[:most]
    lines = [f"{robot.mass_properties.mass:.3f} kg"]
    return "\n".join([*lines, *(f"{item.mass_properties.mass:7.3f}  {item.name}" for item in heaviest)])
