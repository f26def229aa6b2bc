"""The options that importers of meshes and of robots share, and their values."""

from dataclasses import dataclass

from rck.hooks import Option, Values
from rck.importing.convex import CHOICES, Convexity
from rck.importing.refusals import refused

_MEGABYTE = 1_000_000

ALLOW_OUTSIDE = Option("allow-outside", "let the file name files outside its own folder or package", "flag", False)
MOST_MEGABYTES = Option("most-megabytes", "the largest file that is read, in MB", "number", 256.0)
MOST_TRIANGLES = Option("most-triangles", "the most triangles that a file may hold", "number", 2_000_000.0)
TOLERANCE = Option("tolerance", "dents that `cut` may fill, 0.01 to 1 of half the size", "number", 0.05)
MOST_CORNERS = Option("most-corners", "corners of a hull; farther ones are kept, 0 keeps all", "number", 256.0)
DENSITY = Option("density", "kg/m3 of what has no mass in the file", "number", 1000.0)


def convex_option(default: str) -> Option:
    """How surfaces become convex pieces."""
    help_text = "cut into convex pieces (needs CoACD), one hull, one box, or as-is if convex already"
    return Option("convex", help_text, "choice", default, CHOICES)


@dataclass(frozen=True, slots=True)
class Limits:
    """How much is read."""

    bytes: int = 256 * _MEGABYTE
    triangles: int = 2_000_000
    anywhere: bool = False
    """Whether a file may name files outside its folder or package."""


def limits_of(values: Values) -> Limits:
    """The limits that the options set."""
    megabytes = _positive(values, MOST_MEGABYTES)
    triangles = _positive(values, MOST_TRIANGLES)
    return Limits(int(megabytes * _MEGABYTE), int(triangles), bool(values.get("allow-outside", False)))


def convexity_of(values: Values, default: str) -> Convexity:
    """How surfaces become convex pieces, from the options."""
    corners = float(values.get("most-corners", MOST_CORNERS.default))
    if not (corners == 0 or 4 <= corners <= 1e9):
        raise refused("option most-corners", f"{corners:g} is neither 0 nor at least 4", code=104)
    return Convexity(str(values.get("convex", default)), tolerance_of(values), int(corners))


def tolerance_of(values: Values) -> float:
    """The dents that cutting may fill, from the option."""
    tolerance = float(values.get("tolerance", TOLERANCE.default))
    if not 0.01 <= tolerance <= 1:
        raise refused("option tolerance", f"{tolerance:g} is not from 0.01 to 1", code=104)
    return tolerance


def density_of(values: Values) -> float:
    """The density, in kg/m3, that the option sets."""
    density = float(values.get("density", DENSITY.default))
    if not 0 < density <= 1e9:
        raise refused("option density", f"{density:g} kg/m3 is not possible", code=407)
    return density


def _positive(values: Values, option: Option) -> float:
    number = float(values.get(option.name, option.default))
    if not 0 < number <= 1e12:
        raise refused(f"option {option.name}", f"{number:g} is no limit", code=104)
    return number
