"""Figures of data sheets, with the dimension and unit of each."""

from typing import NamedTuple

from rck.support.units import UNITS, to_si


class DatasheetFigure(NamedTuple):
    """The dimension of a figure, and its unit in lists."""

    dimension: str
    unit: str
    summary: str


FIGURES: dict[str, DatasheetFigure] = {
    "accuracy": DatasheetFigure("length", "mm", "largest deviation from the commanded position"),
    "angular-accuracy": DatasheetFigure("angle", "deg", "largest deviation from the true angle"),
    "angular-resolution": DatasheetFigure("angle", "deg", "smallest angle step, or angle between beams"),
    "axial-load": DatasheetFigure("force", "N", "maximum load along the axis"),
    "backlash": DatasheetFigure("angle", "deg", "free play at the output"),
    "bandwidth": DatasheetFigure("number", "Hz", "frequency up to which it follows commands"),
    "baseline": DatasheetFigure("length", "mm", "distance between the two cameras"),
    "bore": DatasheetFigure("length", "mm", "inner diameter"),
    "channels": DatasheetFigure("number", "", "number of beams, or of measured axes"),
    "diameter": DatasheetFigure("length", "mm", "outer diameter"),
    "dof": DatasheetFigure("number", "", "degrees of freedom"),
    "dynamic-load": DatasheetFigure("force", "N", "dynamic load rating"),
    "efficiency": DatasheetFigure("number", "", "share of the power that a gear after the motor passes on, 0 to 1"),
    "encoder-resolution": DatasheetFigure("number", "", "counts per revolution"),
    "field-of-view": DatasheetFigure("angle", "deg", "horizontal opening angle"),
    "field-of-view-vertical": DatasheetFigure("angle", "deg", "vertical opening angle"),
    "force": DatasheetFigure("force", "N", "maximum force"),
    "gear-ratio": DatasheetFigure("number", "", "motor revolutions per output revolution"),
    "grip-force": DatasheetFigure("force", "N", "maximum grip force"),
    "holding-torque": DatasheetFigure("torque", "N m", "maximum load torque without rotation"),
    "lead": DatasheetFigure("length", "mm", "travel per revolution"),
    "linear-speed": DatasheetFigure("speed", "mm/s", "maximum linear speed"),
    "max-range": DatasheetFigure("length", "m", "maximum measured distance"),
    "min-range": DatasheetFigure("length", "mm", "minimum measured distance"),
    "moment": DatasheetFigure("torque", "N m", "maximum moment"),
    "opening": DatasheetFigure("length", "mm", "maximum distance between the fingers"),
    "payload": DatasheetFigure("mass", "kg", "maximum load"),
    "peak-torque": DatasheetFigure("torque", "N m", "momentary maximum torque"),
    "power": DatasheetFigure("number", "W", "rated mechanical power"),
    "range-accuracy": DatasheetFigure("length", "mm", "largest deviation from the true distance"),
    "rate": DatasheetFigure("number", "Hz", "measurements or frames per second"),
    "rated-speed": DatasheetFigure("angular speed", "rpm", "speed under rated load"),
    "rated-torque": DatasheetFigure("torque", "N m", "maximum continuous torque"),
    "reach": DatasheetFigure("length", "mm", "working radius as defined by the manufacturer"),
    "repeatability": DatasheetFigure("length", "mm", "largest deviation between repeated moves to one position"),
    "resolution-x": DatasheetFigure("number", "px", "pixels in a row"),
    "resolution-y": DatasheetFigure("number", "px", "pixels in a column"),
    "rotor-inertia": DatasheetFigure("number", "kg m2", "inertia of the rotor, before its gear"),
    "speed": DatasheetFigure("angular speed", "rpm", "maximum speed; the no-load speed if the data sheet gives it"),
    "stall-torque": DatasheetFigure("torque", "N m", "torque at standstill"),
    "static-load": DatasheetFigure("force", "N", "static load rating"),
    "step-angle": DatasheetFigure("angle", "deg", "angle of one full step"),
    "stroke": DatasheetFigure("length", "mm", "travel between the end stops"),
    "vacuum": DatasheetFigure("number", "kPa", "maximum vacuum, relative to the atmosphere"),
    "voltage": DatasheetFigure("number", "V", "rated voltage"),
    "width": DatasheetFigure("length", "mm", "overall width"),
}
"""By the name in manifests and searches. `mass` has no entry: it follows from the items."""

ELECTRICAL_FIGURES: dict[str, DatasheetFigure] = {
    "idle-current": DatasheetFigure("current", "A", "without load, or in standby"),
    "rated-current": DatasheetFigure("current", "A", "continuous current under rated load"),
    "peak-current": DatasheetFigure("current", "A", "momentary maximum"),
    "stall-current": DatasheetFigure("current", "A", "at standstill, at the stall torque"),
    "idle-power": DatasheetFigure("power", "W", "without load, or in standby"),
    "rated-power": DatasheetFigure("power", "W", "electrical power under rated load"),
    "peak-power": DatasheetFigure("power", "W", "momentary maximum"),
}
"""Figures of the key `electrical` that searches compare."""


MODEL_FIGURES = (
    "mass",
    "centre",
    "inertia",
    "kinematics",
    "limits",
    "speeds",
    "efforts",
    "damping",
    "friction",
    "shape",
    "electrical",
    "bus",
    "connector",
    "price",
    "ports",
)
"""Names of other data of a part in `sources` and `status`."""


def figure_quantity(name: str, value: float) -> float | str:
    """Return the SI value of a figure as a quantity that :func:`figure_value` reads back."""
    dimension = FIGURES[name].dimension
    return value if dimension == "number" else f"{value!r} {next(iter(UNITS[dimension]))}"


def figure_value(name: str, quantity: float | str) -> float:
    """Return the SI value of a figure, by its name."""
    figure = FIGURES[name]
    return to_si(quantity, figure.dimension, figure.unit)
