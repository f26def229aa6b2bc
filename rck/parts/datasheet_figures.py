"""Figures of data sheets, with the dimension and unit of each."""

from typing import NamedTuple

from rck.support.units import to_si


class DatasheetFigure(NamedTuple):
    """The dimension of a figure, and its unit in lists."""

    dimension: str
    unit: str
    summary: str


FIGURES: dict[str, DatasheetFigure] = {
    "accuracy": DatasheetFigure("length", "mm", "how far from the commanded place it ends up"),
    "angular-accuracy": DatasheetFigure("angle", "deg", "how far from the true angle it is"),
    "angular-resolution": DatasheetFigure("angle", "deg", "smallest step or spacing of angle"),
    "axial-load": DatasheetFigure("force", "N", "largest load along the axis"),
    "backlash": DatasheetFigure("angle", "deg", "play at the output"),
    "bandwidth": DatasheetFigure("number", "Hz", "how fast it can follow"),
    "baseline": DatasheetFigure("length", "mm", "distance between the two cameras"),
    "bore": DatasheetFigure("length", "mm", "inner diameter"),
    "channels": DatasheetFigure("number", "", "number of beams or axes measured"),
    "current": DatasheetFigure("number", "A", "rated or stall current"),
    "diameter": DatasheetFigure("length", "mm", "outer diameter"),
    "dof": DatasheetFigure("number", "", "number of joints that move"),
    "dynamic-load": DatasheetFigure("force", "N", "dynamic load rating"),
    "encoder-resolution": DatasheetFigure("number", "", "counts for one turn"),
    "field-of-view": DatasheetFigure("angle", "deg", "horizontal opening angle"),
    "field-of-view-vertical": DatasheetFigure("angle", "deg", "vertical opening angle"),
    "force": DatasheetFigure("force", "N", "largest force"),
    "gear-ratio": DatasheetFigure("number", "", "turns of the motor for one of the output"),
    "grip-force": DatasheetFigure("force", "N", "largest grip force"),
    "holding-torque": DatasheetFigure("torque", "N m", "torque that holds against turning"),
    "lead": DatasheetFigure("length", "mm", "travel for one turn"),
    "linear-speed": DatasheetFigure("speed", "mm/s", "largest speed along a line"),
    "max-range": DatasheetFigure("length", "m", "farthest that it measures"),
    "min-range": DatasheetFigure("length", "mm", "nearest that it measures"),
    "moment": DatasheetFigure("torque", "N m", "largest moment"),
    "opening": DatasheetFigure("length", "mm", "widest thing that fits between the fingers"),
    "payload": DatasheetFigure("mass", "kg", "what it can carry"),
    "peak-torque": DatasheetFigure("torque", "N m", "torque for a short time"),
    "power": DatasheetFigure("number", "W", "rated power"),
    "price": DatasheetFigure("number", "USD", "list price when the data was taken"),
    "range-accuracy": DatasheetFigure("length", "mm", "how far from the true distance it is"),
    "rate": DatasheetFigure("number", "Hz", "measurements or frames a second"),
    "rated-speed": DatasheetFigure("angular speed", "rpm", "speed under rated load"),
    "rated-torque": DatasheetFigure("torque", "N m", "torque that it can give all the time"),
    "reach": DatasheetFigure("length", "mm", "working radius, as the maker defines it"),
    "repeatability": DatasheetFigure("length", "mm", "how well it comes back to the same place"),
    "resolution-x": DatasheetFigure("number", "px", "pixels in a row"),
    "resolution-y": DatasheetFigure("number", "px", "pixels in a column"),
    "speed": DatasheetFigure("angular speed", "rpm", "largest speed, without load where the sheet says so"),
    "stall-torque": DatasheetFigure("torque", "N m", "torque when held still"),
    "static-load": DatasheetFigure("force", "N", "static load rating"),
    "step-angle": DatasheetFigure("angle", "deg", "one full step"),
    "stroke": DatasheetFigure("length", "mm", "travel from end to end"),
    "vacuum": DatasheetFigure("number", "kPa", "largest vacuum, below atmosphere"),
    "voltage": DatasheetFigure("number", "V", "rated voltage"),
    "width": DatasheetFigure("length", "mm", "across"),
}
"""By the name in manifests and searches. `mass` has no entry: it follows from the items."""


def figure_value(name: str, quantity: float | str) -> float:
    """Return the SI value of a figure, by its name."""
    figure = FIGURES[name]
    return to_si(quantity, figure.dimension, figure.unit)
