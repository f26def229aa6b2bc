"""Values that commands take: vectors, ranges, settings, axes, in the units of the assembly or with their own."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from math import isfinite
from typing import cast

from rck.catalogue.manifest import Axis, Pair, Quantity, Triple
from rck.model import RckError
from rck.model.names import name_findings
from rck.model.units import parse_quantity


def quantity(text: str) -> Quantity:
    """A number, or a text with a unit, kept as the user typed it."""
    try:
        value = float(text)
    except ValueError:
        if not text.strip():
            raise RckError("a value is missing") from None
        return text
    if not isfinite(value):
        raise RckError(f"{text!r} is not a finite number")
    return value


def speed(text: str) -> Quantity:
    """The speed of a joint, which turns or slides: more than zero."""
    value = quantity(text)
    for dimension, unit in (("angular speed", "rpm"), ("speed", "mm/s")):
        with suppress(RckError):
            if not parse_quantity(text, dimension, unit) > 0:
                break
    else:
        return value
    raise RckError(f"speed must be positive, not {text}; leave it out if it is not known")


def number(text: str) -> float:
    """A plain number."""
    value = quantity(text)
    if isinstance(value, str):
        raise RckError(f"{text!r} is not a number")
    return value


def count(text: str) -> int:
    """A whole number, one or more."""
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text)):
        raise RckError(f"{text!r} is not a whole number, one or more")
    return int(text)


def length(text: str) -> Quantity:
    """A length; refused now, not when the assembly is compiled."""
    return _checked(text, "length", "mm")


def angle(text: str) -> Quantity:
    """An angle."""
    return _checked(text, "angle", "deg")


def mass(text: str) -> Quantity:
    """A mass, zero or more."""
    value = _checked(text, "mass", "kg")
    _refuse_negative(text, value if isinstance(value, float) else parse_quantity(value, "mass", "kg"), "mass")
    return value


def density(text: str) -> float:
    """A density in kg/m3, zero or more."""
    value = number(text)
    _refuse_negative(text, value, "density")
    return value


def friction(text: str) -> float:
    """A coefficient of friction, zero or more."""
    value = number(text)
    _refuse_negative(text, value, "friction")
    return value


def _refuse_negative(text: str, value: float, what: str) -> None:
    if value < 0:
        raise RckError(f"a {what} is zero or more, not {text}")


def position(text: str) -> Quantity:
    """A position of a joint: an angle or a length."""
    value = quantity(text)
    if isinstance(value, str):
        try:
            parse_quantity(value, "angle", "deg")
        except RckError:
            parse_quantity(value, "length", "mm")
    return value


def _checked(text: str, dimension: str, unit: str) -> Quantity:
    value = quantity(text)
    if isinstance(value, str):
        parse_quantity(value, dimension, unit)
    return value


def vector(text: str, read: Callable[[str], Quantity] = length) -> Triple:
    """Three values with commas between."""
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != 3 or not all(parts):
        raise RckError(f"{text!r} is not three numbers with commas between, such as 0,0,100")
    x, y, z = (read(part) for part in parts)
    return x, y, z


def angles(text: str) -> Triple:
    """Three angles with commas between."""
    return vector(text, angle)


def offset(text: str) -> Quantity | Triple:
    """A length, or three with commas between."""
    return vector(text) if "," in text else length(text)


def points(text: str) -> tuple[Triple, Triple, Triple]:
    """Three points with semicolons between."""
    given = text.split(";")
    if len(given) != 3:
        raise RckError(f"{text!r} is not three points, such as '0,0,0; 1,0,0; 0,1,0'")
    a, b, c = (vector(one) for one in given)
    return a, b, c


def numbers(text: str) -> tuple[float, float, float]:
    """Three plain numbers with commas between."""
    x, y, z = vector(text, number)
    return cast(float, x), cast(float, y), cast(float, z)


def span(text: str) -> Pair:
    """A range: `-90..90`."""
    low, dots, high = text.partition("..")
    if not dots or not low.strip() or not high.strip():
        raise RckError(f"{text!r} is not a range such as -90..90")
    return position(low.strip()), position(high.strip())


def axis(text: str) -> Axis:
    """`x`, `-z`, or three numbers."""
    if text in ("x", "y", "z", "-x", "-y", "-z"):
        return cast(Axis, text)
    direction = numbers(text)
    if not any(direction):
        raise RckError("0,0,0 has no direction")
    return direction


def flag(text: str) -> bool:
    """`yes` or `no`."""
    if text.lower() in ("yes", "true", "on", "1"):
        return True
    if text.lower() in ("no", "false", "off", "0"):
        return False
    raise RckError(f"{text!r} is neither yes nor no")


def new_name(text: str) -> str:
    """A name of one word, for something new."""
    if name_findings(text, "name") or "/" in text:
        raise RckError(f"{text!r} is not a name; use letters, digits, - and _")
    return text


def settings(texts: Iterable[str]) -> Mapping[str, str]:
    """`name=value` words."""
    pairs = (text.partition("=") for text in texts)
    return {name.strip(): value.strip() for name, _, value in pairs}
