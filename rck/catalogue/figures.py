"""The figures that data sheets give and searches compare, with what each one measures."""

from typing import NamedTuple


class Figure(NamedTuple):
    """What a figure measures and the unit that lists show it in."""

    dimension: str
    unit: str
    summary: str


FIGURES: dict[str, Figure] = {
    "accuracy": Figure("length", "mm", "how far from the commanded place it ends up"),
    "angular-accuracy": Figure("angle", "deg", "how far from the true angle it is"),
    "angular-resolution": Figure("angle", "deg", "smallest step or spacing of angle"),
    "axial-load": Figure("force", "N", "largest load along the axis"),
    "backlash": Figure("angle", "deg", "play at the output"),
    "bandwidth": Figure("number", "Hz", "how fast it can follow"),
    "baseline": Figure("length", "mm", "distance between the two cameras"),
    "bore": Figure("length", "mm", "inner diameter"),
    "channels": Figure("number", "", "number of beams or axes measured"),
    "current": Figure("number", "A", "rated or stall current"),
    "diameter": Figure("length", "mm", "outer diameter"),
    "dof": Figure("number", "", "number of joints that move"),
    "dynamic-load": Figure("force", "N", "dynamic load rating"),
    "encoder-resolution": Figure("number", "", "counts for one turn"),
    "field-of-view": Figure("angle", "deg", "horizontal opening angle"),
    "field-of-view-vertical": Figure("angle", "deg", "vertical opening angle"),
    "force": Figure("force", "N", "largest force"),
    "gear-ratio": Figure("number", "", "turns of the motor for one of the output"),
    "grip-force": Figure("force", "N", "largest grip force"),
    "holding-torque": Figure("torque", "N m", "torque that holds against turning"),
    "lead": Figure("length", "mm", "travel for one turn"),
    "linear-speed": Figure("speed", "mm/s", "largest speed along a line"),
    "max-range": Figure("length", "m", "farthest that it measures"),
    "min-range": Figure("length", "mm", "nearest that it measures"),
    "moment": Figure("torque", "N m", "largest moment"),
    "opening": Figure("length", "mm", "widest thing that fits between the fingers"),
    "payload": Figure("mass", "kg", "what it can carry"),
    "peak-torque": Figure("torque", "N m", "torque for a short time"),
    "power": Figure("number", "W", "rated power"),
    "price": Figure("number", "USD", "list price when the data was taken"),
    "range-accuracy": Figure("length", "mm", "how far from the true distance it is"),
    "rate": Figure("number", "Hz", "measurements or frames a second"),
    "rated-speed": Figure("angular speed", "rpm", "speed under rated load"),
    "rated-torque": Figure("torque", "N m", "torque that it can give all the time"),
    "reach": Figure("length", "mm", "working radius, as the maker defines it"),
    "repeatability": Figure("length", "mm", "how well it comes back to the same place"),
    "resolution-x": Figure("number", "px", "pixels in a row"),
    "resolution-y": Figure("number", "px", "pixels in a column"),
    "speed": Figure("angular speed", "rpm", "largest speed, without load where the sheet says so"),
    "stall-torque": Figure("torque", "N m", "torque when held still"),
    "static-load": Figure("force", "N", "static load rating"),
    "step-angle": Figure("angle", "deg", "one full step"),
    "stroke": Figure("length", "mm", "travel from end to end"),
    "vacuum": Figure("number", "kPa", "largest vacuum, below atmosphere"),
    "voltage": Figure("number", "V", "rated voltage"),
    "width": Figure("length", "mm", "across"),
}
"""By the name that manifests and searches use. `mass` needs no entry: it follows from the items."""
