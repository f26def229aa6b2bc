"""What colours mean in pictures, on dark and on light screens, in full colour and in sixteen."""

from collections.abc import Mapping
from dataclasses import dataclass, fields

Rgb = tuple[int, int, int]
"""Red, green, blue, 0 to 255."""


@dataclass(frozen=True, slots=True)
class Palette:
    """One colour for each thing that a picture shows besides the robot's own colours."""

    sky: Rgb
    """Behind everything, at the upper edge."""
    horizon: Rgb
    """Behind everything, at the lower edge."""
    floor: Rgb
    grid: Rgb
    grid_main: Rgb
    """Every fifth or tenth line of the grid."""
    axis_x: Rgb
    axis_y: Rgb
    axis_z: Rgb
    selection: Rgb
    ghost: Rgb
    """Pieces that are not there yet."""
    port: Rgb
    """A port that nothing is fastened to."""
    fitting: Rgb
    """A free port that the piece in hand fits."""
    joint: Rgb
    """Joint axes."""
    collision: Rgb
    wire: Rgb
    """Edges in wireframes."""
    label: Rgb

    @property
    def is_dark(self) -> bool:
        """Whether light things stand on a dark ground."""
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
"""The colours that terminals of sixteen colours have always had; the user's own may differ a little."""

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
    """The palette in colours that a terminal of sixteen has, each meaning still apart from the others."""
    numbers = _IN_SIXTEEN if palette.is_dark else _IN_SIXTEEN_LIGHT
    ground = 0 if palette.is_dark else 15
    return Palette(**{one.name: SIXTEEN[numbers.get(one.name, ground)] for one in fields(palette)})
