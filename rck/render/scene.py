"""Scenes: all that a picture shows, as one frozen value."""

from dataclasses import dataclass
from math import floor as rounded_down
from math import log10

import numpy as np

from rck.geometry.arrays import Bools, Floats, Point
from rck.geometry.transforms import apply, rotation_about
from rck.model.units import format_quantity
from rck.render.figure import Figure


@dataclass(frozen=True, slots=True)
class Floor:
    """A level floor with a grid. Make one that suits a figure with :func:`floor_for`."""

    height: float = 0.0
    middle: tuple[float, float] = (0.0, 0.0)
    spacing: float = 0.5
    """From line to line, in metres."""
    cells: int = 10
    """How many the grid has along each side."""

    @property
    def label(self) -> str:
        """What the spacing is, for people."""
        return f"grid {format_quantity(self.spacing, 'length', 'm' if self.spacing >= 1 else 'mm')}"


@dataclass(frozen=True, eq=False)
class PortMark:
    """A port to be shown."""

    item: str
    pose: Floats
    """Item from port; z points out of the part. Shape (4, 4)."""
    fits: bool = False
    """Whether the piece in hand fits."""


@dataclass(frozen=True, slots=True)
class Label:
    """A text at a point of the world."""

    text: str
    at: Point


@dataclass(frozen=True, eq=False)
class Cloud:
    """Points of the world, each a dot of its own colour; later ones are drawn over earlier ones."""

    points: Floats
    """Shape (points, 3), in metres."""
    colours: Floats
    """Red, green, blue, 0 to 1. Shape (points, 3)."""
    size: float = 0.0
    """How large a dot is, in metres; one of a pixel or two at least."""


@dataclass(frozen=True, eq=False)
class Scene:
    """A figure and what is shown with it. Names are those of items, or of scopes that hold items."""

    figure: Figure
    floor: Floor | None = None
    axes: bool = False
    """Whether the axes of the world are shown."""
    selected: frozenset[str] = frozenset()
    colliding: frozenset[str | tuple[str, int]] = frozenset()
    """What collides: an item, or one of its subitems, as (item, number)."""
    ghosts: tuple[Figure, ...] = ()
    """See-through figures: pieces before they are placed, robots where they will be."""
    joints: frozenset[str] = frozenset()
    """The joints whose axes are shown."""
    frames: frozenset[str] = frozenset()
    """The tool frames that are shown as three small axes."""
    ports: tuple[PortMark, ...] = ()
    cloud: Cloud | None = None
    labels: tuple[Label, ...] = ()
    mark_size: float | None = None
    """The length of port marks and frame axes, in metres; by default it follows from the size of the figure."""


def floor_for(figure: Figure) -> Floor:
    """The floor under a figure: at zero or at its lowest point, with a grid that reaches well beyond it."""
    if len(figure.placed[1]) == 0:
        return Floor()
    low, high = figure.bounds
    spacing = grid_spacing(figure.size)
    middle = np.round((low + high)[:2] / 2 / spacing) * spacing
    reach = 0.5 * float(np.hypot(*(high - low)[:2])) + 0.6 * figure.size
    cells = 2 * int(np.ceil(max(reach / spacing, 4)))
    return Floor(min(0.0, float(low[2])), (float(middle[0]), float(middle[1])), spacing, cells)


def points_of(figure: Figure, *, all_round: bool = False) -> Floats:
    """The corners of a figure for `fit`, shape (N, 4); `all_round`, wherever they come when it turns upright."""
    vertices = figure.placed[1]
    if all_round and len(vertices):
        middle = figure.bounds.mean(axis=0)
        turns = [rotation_about((0.0, 0.0, 1.0), angle, middle) for angle in np.arange(24) * (np.pi / 12)]
        vertices = np.concatenate([apply(turn, vertices) for turn in turns])
    return np.concatenate([vertices, np.zeros((len(vertices), 1))], axis=1)


def grid_spacing(size: float) -> float:
    """The length of 1, 2 or 5 times a power of ten metres that goes about five to ten times into `size`."""
    wanted = max(size, 1e-6) / 7.0
    power = 10.0 ** rounded_down(log10(wanted))
    return power * min((1.0, 2.0, 5.0, 10.0), key=lambda factor: abs(log10(factor * power / wanted)))


def items_named(figure: Figure, names: frozenset[str]) -> Bools:
    """Which items have one of the names, or lie in a scope that has. Shape (items,)."""
    if not names:
        return np.zeros(len(figure.robot.items), dtype=bool)
    return np.array([_is_named(item.name, names) for item in figure.robot.items], dtype=bool)


def _is_named(name: str, names: frozenset[str]) -> bool:
    words = name.split("/")
    return any("/".join(words[:count]) in names for count in range(1, len(words) + 1))


def subitems_named(figure: Figure, names: frozenset[str | tuple[str, int]]) -> Bools:
    """Which subitems belong to the named items, or are named as (item, number). Shape (subitems,)."""
    solids = figure.shapes.arrays.solids
    items = items_named(figure, frozenset(name for name in names if isinstance(name, str)))
    chosen: Bools = items[solids.item_of_subitem]
    for name in names:
        if not isinstance(name, str) and name[0] in figure.robot.item_index:
            item = figure.robot.item_index[name[0]]
            first, last = solids.subitem_offsets[item : item + 2]
            if 0 <= name[1] < last - first:
                chosen[first + name[1]] = True
    return chosen
