"""Colour palettes of pictures, for dark and light backgrounds and for terminals with sixteen colours."""

from collections.abc import Mapping
from dataclasses import dataclass, fields

Rgb = tuple[int, int, int]
"""Red, green, blue, 0 to 255."""


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours of everything in a picture except the robot."""

    sky: Rgb
    """Background at the upper edge."""
    horizon: Rgb
    """Background at the lower edge."""
    floor: Rgb
    grid: Rgb
    grid_main: Rgb
    """Every fifth or tenth line of the grid."""
    axis_x: Rgb
    axis_y: Rgb
    axis_z: Rgb
    selection: Rgb
    ghost: Rgb
    """Previews of parts."""
    port: Rgb
    """Free ports."""
    fitting: Rgb
    """Free ports that the part being placed fits."""
    joint: Rgb
    """Joint axes."""
    collision: Rgb
    wire: Rgb
    """Edges in wireframes."""
    label: Rgb

    @property
    def is_dark(self) -> bool:
        """True if the background is dark."""
        return sum(self.horizon) < 3 * 128


DARK = Palette(
    sky=(34, 38, 45),
    horizon=(20, 23, 27),
    floor=(40, 46, 54),
    grid=(74, 82, 92),
    grid_main=(104, 114, 126),
    axis_x=(232, 80, 76),
    axis_y=(96, 190, 92),
    axis_z=(84, 140, 240),
    selection=(255, 176, 32),
    ghost=(120, 200, 255),
    port=(64, 208, 196),
    fitting=(150, 240, 90),
    joint=(226, 116, 232),
    collision=(255, 60, 48),
    wire=(200, 208, 216),
    label=(236, 238, 240),
)

LIGHT = Palette(
    sky=(236, 240, 244),
    horizon=(250, 251, 252),
    floor=(228, 231, 235),
    grid=(196, 202, 210),
    grid_main=(164, 172, 182),
    axis_x=(206, 44, 44),
    axis_y=(44, 140, 48),
    axis_z=(36, 88, 204),
    selection=(232, 124, 0),
    ghost=(20, 120, 200),
    port=(0, 140, 132),
    fitting=(70, 150, 0),
    joint=(160, 32, 176),
    collision=(216, 24, 16),
    wire=(64, 70, 78),
    label=(28, 32, 36),
)

PALETTES: Mapping[str, Palette] = {"dark": DARK, "light": LIGHT}

SIXTEEN: tuple[Rgb, ...] = (
    (0, 0, 0),
    (170, 0, 0),
    (0, 170, 0),
    (170, 85, 0),
    (0, 0, 170),
    (170, 0, 170),
    (0, 170, 170),
    (170, 170, 170),
    (85, 85, 85),
    (255, 85, 85),
    (85, 255, 85),
    (255, 255, 85),
    (85, 85, 255),
    (255, 85, 255),
    (85, 255, 255),
    (255, 255, 255),
)
"""The default colours of terminals with sixteen colours; users may have changed them."""

_IN_SIXTEEN = {
    "grid": 8,
    "grid_main": 7,
    "axis_x": 9,
    "axis_y": 10,
    "axis_z": 12,
    "selection": 11,
    "ghost": 14,
    "port": 6,
    "fitting": 10,
    "joint": 13,
    "collision": 9,
    "wire": 7,
    "label": 15,
}
_IN_SIXTEEN_LIGHT = {
    "grid": 7,
    "grid_main": 8,
    "axis_x": 1,
    "axis_y": 2,
    "axis_z": 4,
    "selection": 3,
    "ghost": 12,
    "port": 6,
    "fitting": 2,
    "joint": 5,
    "collision": 9,
    "wire": 8,
    "label": 0,
}


def sixteen_colours(palette: Palette) -> Palette:
    """Return the palette in terminal colours; different meanings keep different colours."""
    numbers = _IN_SIXTEEN if palette.is_dark else _IN_SIXTEEN_LIGHT
    ground = 0 if palette.is_dark else 15
    return Palette(**{field.name: SIXTEEN[numbers.get(field.name, ground)] for field in fields(palette)})
