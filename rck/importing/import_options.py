"""Options shared by mesh and robot importers, and their values."""

from dataclasses import dataclass

from rck.hooks import Option, Values
from rck.importing.convex_pieces import CHOICES, Convexity
from rck.importing.file_errors import refused

_MEGABYTE = 1_000_000

ALLOW_OUTSIDE = Option("allow-outside", "allow references to files outside the folder or package", "flag", False)
MOST_MEGABYTES = Option("most-megabytes", "maximum size of a file, in MB", "number", 256.0)
MOST_TRIANGLES = Option("most-triangles", "maximum number of triangles in a file", "number", 2_000_000.0)
MOST_ELEMENTS = Option("most-elements", "maximum number of elements, with replicas and includes", "number", 100_000.0)
MOST_INCLUDES = Option("most-includes", "maximum number of included files", "number", 1_000.0)
MOST_OBJECTS = Option("most-objects", "maximum number of objects in a mesh file", "number", 20_000.0)
MOST_SECONDS = Option(
    "most-seconds", "time limit of a library in a child process, in s (default: 20, and 10 for each MB)", "number"
)
MOST_MEMORY = Option(
    "most-memory", "memory limit of a library in a child process, in MB (default: 1000, and 50 for each MB)", "number"
)
TOLERANCE = Option("tolerance", "concavity that `cut` may fill, 0.01 to 1, relative to half the size", "number", 0.05)
MOST_CORNERS = Option("most-corners", "maximum number of hull vertices; 0 keeps all", "number", 256.0)
DENSITY = Option("density", "density in kg/m3 of links without mass in the file", "number", 1000.0)


def convex_option(default: str) -> Option:
    """Return the option that selects how surfaces become convex pieces."""
    help_text = "how to make meshes convex: cut (with CoACD), one hull, one box, or as-is if convex already"
    return Option("convex", help_text, "choice", default, CHOICES)


@dataclass(frozen=True, slots=True)
class ImportLimits:
    """Limits on the size of files and on the work that they cause."""

    bytes: int = 256 * _MEGABYTE
    triangles: int = 2_000_000
    anywhere: bool = False
    """True if a file may refer to files outside its folder or package."""
    elements: int = 100_000
    """Maximum number of elements, with replicas and includes."""
    includes: int = 1_000
    """Maximum number of included files."""
    seconds: float | None = None
    """Time limit of a library in a child process; None for one that depends on the size of the file."""
    objects: int = 20_000
    """Maximum number of objects in a mesh file, with repeated ones."""
    memory: int | None = None
    """Memory limit of a library in a child process, in bytes; None for one that depends on the size of the file."""


def limits_of(values: Values) -> ImportLimits:
    """Return the limits that the options set."""
    memory = _positive(values, MOST_MEMORY) if values.get("most-memory") is not None else None
    return ImportLimits(
        int(_positive(values, MOST_MEGABYTES) * _MEGABYTE),
        int(_positive(values, MOST_TRIANGLES)),
        bool(values.get("allow-outside", False)),
        int(_positive(values, MOST_ELEMENTS)),
        int(_positive(values, MOST_INCLUDES)),
        _positive(values, MOST_SECONDS) if values.get("most-seconds") is not None else None,
        int(_positive(values, MOST_OBJECTS)),
        None if memory is None else int(memory * _MEGABYTE),
    )


def convexity_of(values: Values, default: str) -> Convexity:
    """Return how surfaces become convex pieces, from the options."""
    corners = float(values.get("most-corners", MOST_CORNERS.default))
    if not (corners == 0 or 4 <= corners <= 1e9):
        raise refused("option most-corners", f"{corners:g} is neither 0 nor at least 4", code=104)
    limits = limits_of(values)
    how = str(values.get("convex", default))
    return Convexity(how, tolerance_of(values), int(corners), seconds=limits.seconds, memory=limits.memory)


def tolerance_of(values: Values) -> float:
    """Return the concavity that cutting may fill, from the option."""
    tolerance = float(values.get("tolerance", TOLERANCE.default))
    if not 0.01 <= tolerance <= 1:
        raise refused("option tolerance", f"{tolerance:g} is not from 0.01 to 1", code=104)
    return tolerance


def density_of(values: Values) -> float:
    """Return the density, in kg/m3, that the option sets."""
    density = float(values.get("density", DENSITY.default))
    if not 0 < density <= 1e9:
        raise refused("option density", f"{density:g} kg/m3 is not possible", code=407)
    return density


def _positive(values: Values, option: Option) -> float:
    number = float(values.get(option.name, option.default or 0.0))
    if not 0 < number <= 1e12:
        raise refused(f"option {option.name}", f"{number:g} is not a valid limit", code=104)
    return number
