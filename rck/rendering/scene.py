"""Scenes: everything that a picture shows, as one frozen value."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import floor as rounded_down
from math import log10

import numpy as np

from rck.geometry.arrays import Bools, Floats, Point
from rck.geometry.transforms import apply, rotation_about
from rck.model.joint import Joint
from rck.rendering.palette import Rgb
from rck.rendering.posed_robot import PosedRobot
from rck.support.units import format_quantity


@dataclass(frozen=True, slots=True)
class Floor:
    """A horizontal floor with a grid. Create one for a figure with :func:`floor_for`."""

    height: float = 0.0
    middle: tuple[float, float] = (0.0, 0.0)
    spacing: float = 0.5
    """Distance of the grid lines in metres."""
    cells: int = 10
    """Number of cells along each side."""

    @property
    def label(self) -> str:
        """The grid spacing as text."""
        return f"grid {format_quantity(self.spacing, 'length', 'm' if self.spacing >= 1 else 'mm')}"


@dataclass(frozen=True, eq=False)
class PortMark:
    """The mark of a port."""

    item: str
    pose: Floats
    """Item from port; z points out of the part. Shape (4, 4)."""
    fits: bool = False
    """True if the part being placed fits this port."""


@dataclass(frozen=True, slots=True)
class Label:
    """A text at a point in the world."""

    text: str
    at: Point


@dataclass(frozen=True, eq=False)
class PointCloud:
    """Coloured points in the world; later ones are drawn over earlier ones."""

    points: Floats
    """Shape (points, 3), in metres."""
    colours: Floats
    """Red, green, blue, 0 to 1. Shape (points, 3)."""
    size: float = 0.0
    """Size of a dot in metres; at least one or two pixels are drawn."""


@dataclass(frozen=True, eq=False)
class ColouredLines:
    """Straight lines of one colour in the world."""

    ends: Floats
    """Shape (lines, 2, 3), in metres."""
    colour: Rgb
    width: float = 1.5
    """Width in pixels."""
    hidden: float = 0.0
    """Fraction of the opacity where solids hide the lines."""


@dataclass(frozen=True, eq=False)
class Scene:
    """A posed robot with floor, highlights and marks. Names are those of items, or of scopes that contain items."""

    figure: PosedRobot
    floor: Floor | None = None
    axes: bool = False
    """Show the axes of the world."""
    selected: frozenset[str] = frozenset()
    colliding: frozenset[str | tuple[str, int]] = frozenset()
    """Colliding items, or subitems as (item, number)."""
    ghosts: tuple[PosedRobot, ...] = ()
    """Transparent figures: parts that are being placed, robots in a future pose."""
    joints: frozenset[str] = frozenset()
    """Joints whose axes are shown."""
    world_joints: tuple[Joint, ...] = ()
    """Joints whose axes are shown where their points are in the world; they need not belong to the robot."""
    frames: frozenset[str] = frozenset()
    """Tool frames that are shown as three small axes."""
    ports: tuple[PortMark, ...] = ()
    clouds: tuple[PointCloud, ...] = ()
    lines: tuple[ColouredLines, ...] = ()
    surfaces: tuple[PosedRobot, ...] = ()
    """Transparent surfaces in their own colours and opacities; pictures show them, wireframes do not."""
    item_colours: Mapping[str, Rgb] = field(default_factory=dict)
    """Colours of items, or of scopes that contain items, that replace those of their surfaces."""
    labels: tuple[Label, ...] = ()
    mark_size: float | None = None
    """Length of port marks and frame axes in metres; by default proportional to the size of the figure."""


def collision_scene(scene: Scene) -> Scene:
    """Return the scene with the collision geometry of its robots instead of their visuals."""
    figure, *ghosts = (PosedRobot(one.shapes.collision, one.poses) for one in (scene.figure, *scene.ghosts))
    return replace(scene, figure=figure, ghosts=tuple(ghosts))


def floor_for(figure: PosedRobot) -> Floor:
    """Return a floor for a figure: at zero or at its lowest point, with a grid larger than the figure."""
    if len(figure.placed[1]) == 0:
        return Floor()
    low, high = figure.bounds
    spacing = grid_spacing(figure.size)
    middle = np.round((low + high)[:2] / 2 / spacing) * spacing
    reach = 0.5 * float(np.hypot(*(high - low)[:2])) + 0.6 * figure.size
    cells = 2 * int(np.ceil(max(reach / spacing, 4)))
    return Floor(min(0.0, float(low[2])), (float(middle[0]), float(middle[1])), spacing, cells)


def points_of(figure: PosedRobot, *, all_round: bool = False) -> Floats:
    """Return the vertices of a figure for `fit`, shape (N, 4); with `all_round`, in all rotations about z."""
    vertices = figure.placed[1]
    if all_round and len(vertices):
        middle = figure.bounds.mean(axis=0)
        turns = [rotation_about((0.0, 0.0, 1.0), angle, middle) for angle in np.arange(24) * (np.pi / 12)]
        vertices = np.concatenate([apply(turn, vertices) for turn in turns])
    return np.concatenate([vertices, np.zeros((len(vertices), 1))], axis=1)


def grid_spacing(size: float) -> float:
    """Return 1, 2 or 5 times a power of ten, in metres, so that `size` has about five to ten cells."""
    ideal = max(size, 1e-6) / 7.0
    power = 10.0 ** rounded_down(log10(ideal))
    return power * min((1.0, 2.0, 5.0, 10.0), key=lambda factor: abs(log10(factor * power / ideal)))


def items_named(figure: PosedRobot, names: frozenset[str]) -> Bools:
    """Return the mask of the items with one of the names, or in a scope with one of the names. Shape (items,)."""
    if not names:
        return np.zeros(len(figure.robot.items), dtype=bool)
    return np.array([_is_named(item.name, names) for item in figure.robot.items], dtype=bool)


def _is_named(name: str, names: frozenset[str]) -> bool:
    words = name.split("/")
    return any("/".join(words[:count]) in names for count in range(1, len(words) + 1))


def subitems_named(figure: PosedRobot, names: frozenset[str | tuple[str, int]]) -> Bools:
    """Return the mask of the surfaces of named items, or named as (item, number of the subitem). Shape (surfaces,).

    An item that is drawn by its visuals is marked as a whole.
    """
    surfaces, every = figure.shapes.surfaces, figure.shapes.arrays.solids
    items = items_named(figure, frozenset(name for name in names if isinstance(name, str)))
    mask: Bools = items[surfaces.solids.item_of_subitem]
    for name in names:
        if not isinstance(name, str) and name[0] in figure.robot.item_index:
            item = figure.robot.item_index[name[0]]
            first, last = every.subitem_offsets[item : item + 2]
            if 0 <= name[1] < last - first:
                mask[: surfaces.first_mesh] |= surfaces.subitem_of == first + name[1]
                mask[surfaces.first_mesh :] |= surfaces.solids.item_of_subitem[surfaces.first_mesh :] == item
    return mask
