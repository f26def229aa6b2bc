"""Panel of the editor: the mass of the robot, its heaviest items, and a button."""

from collections.abc import Iterator

from rck.hooks import EditorContext, EditorPanel, PanelBar, PanelButton, PanelContent, PanelText, hookimpl
from rck.model import Robot


@hookimpl
def rck_editor_panels() -> list[EditorPanel]:
    """Return the panel."""
    return [EditorPanel("my-plugin", "the heaviest items", show_masses, screens=("build", "move"))]


def show_masses(context: EditorContext) -> Iterator[PanelContent]:
    """Yield the content; the robot is None while the assembly has errors."""
    if context.robot is None:
        return
    yield PanelText(f"{context.robot.mass_properties.mass:.3f} kg", "bold")
    masses = heaviest(context.robot)
    for name, mass in masses:
        yield PanelBar(name, mass / max(masses[0][1], 1e-9), f"{mass:.3f} kg")
    yield PanelButton("Check the assembly", report)


def heaviest(robot: Robot, most: int = 3) -> list[tuple[str, float]]:
    """Return the names and masses of the heaviest items, in kilograms."""
    masses = [(item.name, item.mass_properties.mass) for item in robot.items]
    return sorted(masses, key=lambda entry: entry[1], reverse=True)[:most]


def report(context: EditorContext) -> None:
    """Run a command; it runs after this function has returned."""
    context.do("show masses")
