"""Values that commands take: vectors, ranges, settings, axes, in the units of the assembly or with their own."""

from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar, cast

from rck.catalogue.manifest import Axis, Pair, Quantity, Triple
from rck.model import RckError
from rck.model.units import parse_quantity

T = TypeVar("T")


def quantity(text: str) -> Quantity:
    """A number, or a text with a unit, kept as the user typed it."""
    try:
        return float(text)
    except ValueError:
        return text


def length(text: str) -> Quantity:
    """A length; refused now, not when the assembly is compiled."""
    return _checked(text, "length", "mm")


def angle(text: str) -> Quantity:
    """An angle."""
    return _checked(text, "angle", "deg")


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


def numbers(text: str) -> tuple[float, float, float]:
    """Three plain numbers with commas between."""
    x, y, z = vector(text, _number)
    return cast(float, x), cast(float, y), cast(float, z)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise RckError(f"{text!r} is not a number") from None


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
    return numbers(text)


def flag(text: str) -> bool:
    """`yes` or `no`."""
    if text.lower() in ("yes", "true", "on", "1"):
        return True
    if text.lower() in ("no", "false", "off", "0"):
        return False
    raise RckError(f"{text!r} is neither yes nor no")


def settings(texts: Iterable[str]) -> Mapping[str, str]:
    """`name=value` words."""
    pairs = (text.partition("=") for text in texts)
    return {name.strip(): value.strip() for name, _, value in pairs}
