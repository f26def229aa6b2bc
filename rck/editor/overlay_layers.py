"""Overlays of plugins: which are shown, and their shapes, converted for the views."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from rck.geometry.mesh import make_mesh
from rck.hooks import LegendEntry, OverlayMesh, OverlayPoints, OverlayShapes
from rck.hooks.overlay_shapes import check_shapes
from rck.model import Item, Robot
from rck.model.visual import Visual
from rck.rendering.drawn_surfaces import Geometry
from rck.rendering.posed_robot import PosedRobot, pose_robot
from rck.rendering.scene import ColouredLines, Label, PointCloud, Scene


@dataclass(frozen=True, eq=False)
class OverlayLayer:
    """The shapes of one overlay, checked and converted for the views. Create one with :func:`make_layer`."""

    shapes: OverlayShapes
    clouds: tuple[PointCloud, ...]
    lines: tuple[ColouredLines, ...]
    surfaces: tuple[PosedRobot, ...]
    labels: tuple[Label, ...]

    @property
    def legend(self) -> tuple[LegendEntry, ...]:
        """The lines of the legend."""
        return self.shapes.legend


def make_layer(shapes: OverlayShapes) -> OverlayLayer:
    """Convert shapes for the views; raise :class:`ValueError` if an array has a wrong shape or value."""
    check_shapes(shapes)
    items = tuple(Item(f"overlay-{number}", visuals=(_visual(mesh),)) for number, mesh in enumerate(shapes.meshes))
    return OverlayLayer(
        shapes,
        tuple(map(_cloud, shapes.points)),
        tuple(
            ColouredLines(np.array(one.ends, dtype=float).reshape(-1, 2, 3), one.colour, one.width, one.hidden)
            for one in shapes.lines
        ),
        (pose_robot(Robot("overlay", items), geometry=Geometry.VISUAL),) if items else (),
        tuple(Label(one.text, one.at) for one in shapes.texts),
    )


def _cloud(points: OverlayPoints) -> PointCloud:
    positions = np.array(points.positions, dtype=float).reshape(-1, 3)
    return PointCloud(positions, np.tile(np.array(points.colour) / 255, (len(positions), 1)), points.size)


def _visual(mesh: OverlayMesh) -> Visual:
    red, green, blue = (channel / 255 for channel in mesh.colour)
    surface = make_mesh(mesh.vertices, np.asarray(mesh.triangles).tolist())
    return Visual(surface, (red, green, blue, float(np.clip(mesh.opacity, 0.0, 1.0))))


def with_layers(scene: Scene, layers: Iterable[OverlayLayer]) -> Scene:
    """Return the scene with overlays; later ones are drawn over earlier ones."""
    for layer in layers:
        scene = replace(
            scene,
            clouds=(*scene.clouds, *layer.clouds),
            lines=(*scene.lines, *layer.lines),
            surfaces=(*scene.surfaces, *layer.surfaces),
            labels=(*scene.labels, *layer.labels),
            item_colours={**scene.item_colours, **layer.shapes.item_colours},
        )
    return scene
