"""For work in the dark: a red theme, an overlay of the floor plan, and a key that moves the robot home."""

import numpy as np

from rck.hooks import (
    EditorAction,
    EditorContext,
    LegendEntry,
    Overlay,
    OverlayLines,
    OverlayShapes,
    Theme,
    hookimpl,
)
from rck.model import RckError

RED = (200, 60, 40)
COLOURS = {
    "primary": "#c83c28",
    "secondary": "#8f3a2e",
    "accent": "#e07a5f",
    "success": "#a3a847",
    "warning": "#d98e04",
    "error": "#ff5544",
    "background": "#0d0504",
    "surface": "#170a08",
    "panel": "#24100c",
    "foreground": "#e8b8a8",
}


@hookimpl
def rck_themes() -> list[Theme]:
    """Return the theme; the palette and `rck edit` offer it."""
    return [Theme("night-shift", "red on black", COLOURS)]


@hookimpl
def rck_overlays() -> list[Overlay]:
    """Return the overlay."""
    return [Overlay("footprint", "the area of the robot on the floor", draw_footprint)]


@hookimpl
def rck_editor_actions() -> list[EditorAction]:
    """Return the action with its key; `keys.yaml` changes it by the id `action-lights-out`."""
    return [EditorAction("lights-out", "move all joints home", move_home, "f9")]


def draw_footprint(context: EditorContext) -> OverlayShapes:
    """Return the rectangle on the floor that contains all items."""
    if context.robot is None or not context.robot.items:
        return OverlayShapes()
    corners = [
        subitem.shape.vertices @ item.pose[:2, :3].T + item.pose[:2, 3]
        for item in context.robot.items
        for subitem in item.subitems
    ]
    if not corners:
        return OverlayShapes()
    points = np.concatenate(corners)
    (left, back), (right, front) = points.min(axis=0), points.max(axis=0)
    ring = np.array([(left, back, 0.0), (right, back, 0.0), (right, front, 0.0), (left, front, 0.0)])
    size = f"{(right - left) * 1000:.0f} x {(front - back) * 1000:.0f} mm"
    lines = OverlayLines(np.stack([ring, np.roll(ring, -1, axis=0)], axis=1), RED)
    return OverlayShapes(lines=(lines,), legend=(LegendEntry(RED, f"footprint {size}"),))


def move_home(context: EditorContext) -> None:
    """Move all joints to their home positions."""
    if not context.positions:
        raise RckError("the robot has no joints")
    context.do("go home")
