"""Flat drawings for the drawing view: curves and regions of a plane as arrays, with their colours."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rck.geometry.arrays import Floats
from rck.geometry.transforms import apply, invert
from rck.hooks import Drawing
from rck.rendering.canvas import Bytes
from rck.rendering.palette import SIXTEEN, Palette, Rgb
from rck.rendering.picture import PlacedLabel
from rck.rendering.planar_picture import DOWN, PlanarColours, PlanarPaths, PlanarView, planar_paths

_DRAWING_ORDER = ("excluded", "annotation", "outline", "stray", "port", "joint")
"""Uses of curves; later ones are drawn over earlier ones."""
_FAINT = {"excluded": 0.3, "annotation": 0.5}
"""Opacity of curves that are not part of outlines."""
_FILLS = {"plate": 0.14, "counterbore": 0.08, "pocket": 0.08}
"""Opacity of the areas of regions by role; others are as the background."""
_STEPS = frozenset({"counterbore", "pocket"})
"""Roles of regions that belong to the plate around them."""
_LOWEST_CONTRAST = 0.35
"""Minimum difference in brightness between a curve and the background."""
_CHOSEN_FILL, _REFUSED_FILL = 0.3, 0.3
_SMALLEST_TEXT = 2.0
"""Minimum height of texts in dots."""


@dataclass(frozen=True, slots=True)
class FlatColours:
    """Background and palette of a drawing view."""

    palette: Palette
    ground: Rgb
    few: bool = False
    """True for a terminal with 16 colours: areas have no background."""


@dataclass(frozen=True, eq=False)
class FlatScene:
    """A drawing as seen along the normal of one of its planes."""

    drawing: Drawing
    plane: int = 0

    @cached_property
    def _order(self) -> list[int]:
        rank = {use: number for number, use in enumerate(_DRAWING_ORDER)}
        curves = self.drawing.curves
        return sorted(range(len(curves)), key=lambda number: rank.get(curves[number].use, 0))

    @cached_property
    def paths(self) -> PlanarPaths:
        """The curves, in the order in which they are drawn."""
        curves = [self.drawing.curves[number] for number in self._order]
        return planar_paths(self._flat([one.points for one in curves]), [one.stroke for one in curves])

    @cached_property
    def regions(self) -> tuple[int, ...]:
        """Indices of the regions in this plane, those inside another after it."""
        return tuple(number for number, one in enumerate(self.drawing.regions) if one.plane == self.plane)

    @cached_property
    def areas(self) -> PlanarPaths:
        """The rings of the regions in this plane."""
        return planar_paths(self._flat([self.drawing.regions[number].points for number in self.regions]))

    @cached_property
    def bounds(self) -> tuple[Floats, Floats]:
        """Lower and upper corner of all curves. Shapes (2,)."""
        points = self.paths.points
        if not len(points):
            return np.zeros(2), np.zeros(2)
        return points.min(axis=0), points.max(axis=0)

    def bounds_of(self, regions: Sequence[int]) -> tuple[Floats, Floats]:
        """Return the lower and upper corner of regions, by their index in the drawing. Shapes (2,)."""
        points = np.concatenate(self._flat([self.drawing.regions[number].points for number in regions]))
        return points.min(axis=0), points.max(axis=0)

    def _flat(self, parts: Sequence[Floats]) -> list[Floats]:
        """Return points in the coordinates of the plane. Shapes (N, 2)."""
        if not parts:
            return []
        flat = apply(invert(self.drawing.planes[self.plane]), np.concatenate(parts))[:, :2]
        return np.split(flat, np.cumsum([len(part) for part in parts])[:-1])

    def colours(
        self, colours: FlatColours, chosen: Sequence[int], refused: frozenset[str], layer: str = ""
    ) -> PlanarColours:
        """Return the colours with these regions chosen, by their index in the drawing.

        `refused` names the regions that cannot be used; the curves on `layer` are highlighted.
        """
        palette, ground = colours.palette, np.array(colours.ground, dtype=float)
        areas = np.tile(ground, (len(self.regions), 1))
        if not colours.few:
            lit: set[str] = set()
            for place, number in enumerate(self.regions):
                region = self.drawing.regions[number]
                if number in chosen or (region.role in _STEPS and region.parent in lit):
                    lit.add(region.name)
                    areas[place] = _mixed(ground, palette.selection, _CHOSEN_FILL)
                elif region.name in refused:
                    areas[place] = _mixed(ground, palette.collision, _REFUSED_FILL)
                else:
                    areas[place] = _mixed(ground, palette.label, _FILLS.get(region.role, 0.0))
        return PlanarColours(self._path_colours(colours, layer), _bytes(areas), colours.ground, palette.selection)

    def _path_colours(self, colours: FlatColours, layer: str) -> Bytes:
        palette, ground = colours.palette, np.array(colours.ground, dtype=float)
        marked = {"joint": palette.joint, "port": palette.port, "stray": palette.collision}
        known: dict[tuple[object, ...], Floats] = {}
        rows = []
        for number in self._order:
            curve = self.drawing.curves[number]
            key = (curve.colour, curve.use, curve.layer == layer)
            if key not in known:
                drawn = 255.0 * np.array(curve.colour[:3])
                colour = np.array(marked[curve.use], dtype=float) if curve.use in marked else drawn
                colour = _visible(colour, ground, palette)
                if layer and curve.layer == layer:
                    colour = np.array(palette.selection, dtype=float)
                elif not colours.few:
                    colour = _mixed(ground, colour, _FAINT.get(curve.use, 1.0))
                known[key] = _nearest_of_sixteen(colour) if colours.few else colour
            rows.append(known[key])
        return _bytes(np.array(rows).reshape(-1, 3))

    def labels(self, view: PlanarView, columns: int, rows: int) -> tuple[PlacedLabel, ...]:
        """Return the texts that are large enough to be read in a picture of this many cells."""
        shown = [one for one in self.drawing.texts if one.text and one.height / view.scale >= _SMALLEST_TEXT]
        if not shown:
            return ()
        places = view.dots(np.array(self._flat([np.array([one.point for one in shown])])[0]), columns, rows)
        labels = []
        for text, (column, row) in zip(shown, places.tolist(), strict=True):
            for line, words in enumerate(text.text.split("\n")):
                # The letters stand on the line through the point.
                place = row - 0.5 * DOWN + line * max(1.6 * text.height / view.scale, DOWN)
                if abs(column) < 1e6 and abs(place) < 1e6:
                    labels.append(PlacedLabel(words, round(column), round(place)))
        return tuple(labels)


def _mixed(ground: Floats, colour: Rgb | Floats, opacity: float) -> Floats:
    return np.asarray(ground + opacity * (np.asarray(colour, dtype=float) - ground))


def visible_colour(colour: Rgb, colours: FlatColours) -> Rgb:
    """Return the colour in which a curve of this colour is drawn."""
    red, green, blue = np.rint(_visible(np.array(colour, dtype=float), np.array(colours.ground), colours.palette))
    return int(red), int(green), int(blue)


def _visible(colour: Floats, ground: Floats, palette: Palette) -> Floats:
    """Return the colour, or one between it and that of labels, which stands out from the background."""
    weights = np.array([0.3, 0.59, 0.11]) / 255
    for share in (0.0, 0.25, 0.5, 0.75):
        mixed = _mixed(colour, palette.label, share)
        if abs(float((mixed - ground) @ weights)) >= _LOWEST_CONTRAST:
            return mixed
    return np.array(palette.label, dtype=float)


def _nearest_of_sixteen(colour: Floats) -> Floats:
    table = np.array(SIXTEEN, dtype=float)[1:]
    return np.asarray(table[((table - colour) ** 2).sum(axis=1).argmin()])


def _bytes(colours: Floats) -> Bytes:
    return np.rint(colours).astype(np.uint8)
