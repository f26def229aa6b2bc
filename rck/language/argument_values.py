"""Parsers for the values that commands take, for use with :meth:`rck.grammar.Arguments.read`.

Quantities stay as the user typed them: a number in the units of the assembly, or a text with a unit.
"""

from collections.abc import Callable
from contextlib import suppress
from math import isfinite
from typing import cast

from rck.model import RckError
from rck.model.quantities import Axis, Pair, Quantity, Triple
from rck.support.names import name_findings
from rck.support.units import parse_quantity


def parse_value(text: str) -> Quantity:
    """Parse a number, or return a text with a unit of any dimension."""
    try:
        value = float(text)
    except ValueError:
        if not text.strip():
            raise RckError("a value is missing") from None
        return text
    if not isfinite(value):
        raise RckError(f"{text!r} is not a finite number")
    return value


def parse_speed(text: str) -> Quantity:
    """Parse the velocity limit of a joint, angular or linear; it must be positive."""
    value = parse_value(text)
    for dimension, unit in (("angular speed", "rpm"), ("speed", "mm/s")):
        with suppress(RckError):
            if not parse_quantity(text, dimension, unit) > 0:
                break
    else:
        return value
    raise RckError(f"the speed must be positive, not {text}; omit it if it is unknown")


def parse_number(text: str) -> float:
    """Parse a number without a unit."""
    value = parse_value(text)
    if isinstance(value, str):
        raise RckError(f"{text!r} is not a number")
    return value


def parse_count(text: str) -> int:
    """Parse a positive integer."""
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text)):
        raise RckError(f"{text!r} is not a positive whole number")
    return int(text)


def parse_length(text: str) -> Quantity:
    """Parse a length."""
    return _parse(text, "length", "mm")


def parse_angle(text: str) -> Quantity:
    """Parse an angle."""
    return _parse(text, "angle", "deg")


def parse_mass(text: str) -> Quantity:
    """Parse a mass, zero or more."""
    value = _parse(text, "mass", "kg")
    _require_not_negative(value if isinstance(value, float) else parse_quantity(value, "mass", "kg"), text, "mass")
    return value


def parse_density(text: str) -> float:
    """Parse a density in kg/m3, zero or more."""
    return _require_not_negative(parse_number(text), text, "density")


def parse_friction(text: str) -> float:
    """Parse a coefficient of friction, zero or more."""
    return _require_not_negative(parse_number(text), text, "friction")


def _require_not_negative(value: float, text: str, what: str) -> float:
    if value < 0:
        raise RckError(f"{what} must not be negative: {text}")
    return value


def parse_position(text: str) -> Quantity:
    """Parse a joint position: an angle or a length."""
    value = parse_value(text)
    if isinstance(value, str):
        try:
            parse_quantity(value, "angle", "deg")
        except RckError:
            parse_quantity(value, "length", "mm")
    return value


def _parse(text: str, dimension: str, unit: str) -> Quantity:
    value = parse_value(text)
    if isinstance(value, str):
        parse_quantity(value, dimension, unit)
    return value


def parse_vector(text: str, parse: Callable[[str], Quantity] = parse_length) -> Triple:
    """Parse three values separated by commas."""
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != 3 or not all(parts):
        raise RckError(f"{text!r} is not three numbers separated by commas, such as 0,0,100")
    x, y, z = (parse(part) for part in parts)
    return x, y, z


def parse_angles(text: str) -> Triple:
    """Parse three angles separated by commas."""
    return parse_vector(text, parse_angle)


def parse_offset(text: str) -> Quantity | Triple:
    """Parse a length, or three separated by commas."""
    return parse_vector(text) if "," in text else parse_length(text)


def parse_contour(text: str) -> list[tuple[Quantity, Quantity]]:
    """Parse the corners of a polygon, x,y each, separated by semicolons."""
    corners = [[part.strip() for part in corner.split(",")] for corner in text.split(";")]
    if len(corners) < 3 or any(len(corner) != 2 or not all(corner) for corner in corners):
        raise RckError(f"{text!r} is no contour; give three or more corners x,y, such as contour=0,0;80,0;80,40")
    return [(parse_length(x), parse_length(y)) for x, y in corners]


def parse_points(text: str) -> tuple[Triple, Triple, Triple]:
    """Parse three points separated by semicolons."""
    points = text.split(";")
    if len(points) != 3:
        raise RckError(f"{text!r} is not three points, such as '0,0,0; 1,0,0; 0,1,0'")
    a, b, c = (parse_vector(point) for point in points)
    return a, b, c


def parse_numbers(text: str) -> tuple[float, float, float]:
    """Parse three numbers without units, separated by commas."""
    x, y, z = parse_vector(text, parse_number)
    return cast(float, x), cast(float, y), cast(float, z)


def parse_range(text: str) -> Pair:
    """Parse a range of joint positions, such as `-90..90`."""
    low, dots, high = text.partition("..")
    if not dots or not low.strip() or not high.strip():
        raise RckError(f"{text!r} is not a range such as -90..90")
    return parse_position(low.strip()), parse_position(high.strip())


def parse_axis(text: str) -> Axis:
    """Parse an axis: `x`, `-z`, or three numbers."""
    if text in ("x", "y", "z", "-x", "-y", "-z"):
        return cast(Axis, text)
    direction = parse_numbers(text)
    if not any(direction):
        raise RckError("0,0,0 has no direction")
    return direction


def parse_flag(text: str) -> bool:
    """Parse `yes` or `no`."""
    if text.lower() in ("yes", "true", "on", "1"):
        return True
    if text.lower() in ("no", "false", "off", "0"):
        return False
    raise RckError(f"{text!r} is neither yes nor no")


def parse_new_name(text: str) -> str:
    """Return a name for something new; it has no scope."""
    if name_findings(text, "name") or "/" in text:
        raise RckError(f"{text!r} is not a valid name; use letters, digits, - and _")
    return text
