"""Centres of mass of the items and of the robot, with the line along which gravity pulls."""

import numpy as np

from rck.geometry.transforms import apply
from rck.hooks import EditorContext, LegendEntry, Overlay, OverlayLines, OverlayPoints, OverlayShapes, hookimpl

ITEM, ROBOT = (84, 140, 240), (232, 80, 76)
"""Colours of the centres of items, and of that of the robot."""
_LARGEST = 0.03
"""Diameter of the point of the heaviest item, relative to the extent of all centres."""
_SIZES = 4
"""Number of sizes of points."""


@hookimpl
def rck_overlays() -> list[Overlay]:
    """Return the overlay."""
    return [Overlay("mass-centres", "centres of mass of the items and of the robot", draw)]


def draw(context: EditorContext) -> OverlayShapes:
    """Return a point for each item, larger if it is heavier, and the centre of the robot with a plumb line."""
    robot = context.robot
    heavy = [] if robot is None else [item for item in robot.items if item.mass_properties.mass > 0.0]
    if robot is None or not heavy:
        return OverlayShapes()
    masses = np.array([item.mass_properties.mass for item in heavy])
    centres = np.array([apply(item.pose, [item.mass_properties.centre])[0] for item in heavy])
    centre = masses @ centres / masses.sum()
    extent = float(max(np.ptp(centres, axis=0).max(), 0.05))
    # Volumes of equal density: the diameter grows with the cube root of the mass.
    share = np.ceil(_SIZES * np.cbrt(masses / masses.max())).astype(int)
    points = [
        OverlayPoints(centres[share == size], ITEM, _LARGEST * extent * size / _SIZES) for size in np.unique(share)
    ]
    points.append(OverlayPoints(centre[None], ROBOT, 1.5 * _LARGEST * extent))
    plumb = OverlayLines(np.array([[centre, (centre[0], centre[1], min(0.0, float(centres[:, 2].min())))]]), ROBOT)
    legend = (LegendEntry(ITEM, "item"), LegendEntry(ROBOT, f"robot, {masses.sum():.3g} kg"))
    return OverlayShapes(points=tuple(points), lines=(plumb,), legend=legend)
