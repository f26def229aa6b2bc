"""Draw examples/side.dxf with ezdxf, with the same bytes on every run: `python tools/example_drawing.py`.

A side plate between two servos: 182 x 64 mm with round corners and six holes, in millimetres.
"""

from math import pi, tan
from pathlib import Path

import ezdxf

FILE = Path(__file__).parent.parent / "examples" / "side.dxf"
LENGTH, WIDTH, CORNER = 182.0, 64.0, 8.0
HOLES = [(32, 32, 22), (150, 32, 22), (72, 16, 4.3), (72, 48, 4.3), (110, 16, 4.3), (110, 48, 4.3)]
"""Centre and diameter of each hole."""
QUARTER = tan(pi / 8)
"""Bulge of a quarter circle in a polyline."""


def draw(file: Path) -> None:
    """Write the drawing."""
    ezdxf.options.write_fixed_meta_data_for_testing = True
    drawing = ezdxf.new("R2000", units=4)
    space = drawing.modelspace()
    far, high = LENGTH - CORNER, WIDTH - CORNER
    outline = [
        (CORNER, 0, 0), (far, 0, QUARTER), (LENGTH, CORNER, 0), (LENGTH, high, QUARTER),
        (far, WIDTH, 0), (CORNER, WIDTH, QUARTER), (0, high, 0), (0, CORNER, QUARTER),
    ]  # fmt: skip
    space.add_lwpolyline(outline, format="xyb", close=True)
    for x, y, diameter in HOLES:
        space.add_circle((x, y), diameter / 2)
    drawing.saveas(file)


if __name__ == "__main__":
    draw(FILE)
