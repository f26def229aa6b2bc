"""Conversion between quantities that users type and read, such as ``1/2in`` or ``30 rpm``, and SI values."""

import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cache, lru_cache
from math import ceil, isfinite, log10, pi
from typing import NoReturn, TypeAlias

from rck.support.finding import RckError
from rck.support.names import did_you_mean

Scale: TypeAlias = tuple[float, float]
"""An SI value is value * first / second. Two factors, so that 12 mm is exactly 0.012 m."""

_POUND_FORCE = 4.4482216152605  # in N, exact: 0.45359237 kg times standard gravity

UNITS: Mapping[str, Mapping[str, Scale]] = {
    "length": {
        "m": (1, 1),
        "mm": (1, 1000),
        "cm": (1, 100),
        "um": (1, 1_000_000),
        "km": (1000, 1),
        "in": (254, 10_000),
        "ft": (3048, 10_000),
        "mil": (254, 10_000_000),
    },
    "angle": {
        "rad": (1, 1),
        "deg": (pi, 180),
        "mrad": (1, 1000),
        "rev": (2 * pi, 1),
        "arcmin": (pi, 180 * 60),
        "arcsec": (pi, 180 * 3600),
        "gon": (pi, 200),
    },
    "mass": {
        "kg": (1, 1),
        "g": (1, 1000),
        "mg": (1, 1_000_000),
        "t": (1000, 1),
        "lb": (45_359_237, 100_000_000),
        "oz": (45_359_237, 1_600_000_000),
    },
    "force": {
        "N": (1, 1),
        "mN": (1, 1000),
        "kN": (1000, 1),
        "gf": (980_665, 100_000_000),
        "kgf": (980_665, 100_000),
        "lbf": (_POUND_FORCE, 1),
        "ozf": (_POUND_FORCE, 16),
    },
    "torque": {
        "N m": (1, 1),
        "N cm": (1, 100),
        "N mm": (1, 1000),
        "mN m": (1, 1000),
        "kN m": (1000, 1),
        "kgf m": (980_665, 100_000),
        "kgf cm": (980_665, 10_000_000),
        "gf cm": (980_665, 10_000_000_000),
        "lbf ft": (_POUND_FORCE * 3048, 10_000),
        "lbf in": (_POUND_FORCE * 254, 10_000),
        "ozf in": (_POUND_FORCE * 254, 160_000),
    },
    "speed": {
        "m/s": (1, 1),
        "mm/s": (1, 1000),
        "cm/s": (1, 100),
        "m/min": (1, 60),
        "mm/min": (1, 60_000),
        "km/h": (10, 36),
        "in/s": (254, 10_000),
        "ft/s": (3048, 10_000),
    },
    "angular speed": {
        "rad/s": (1, 1),
        "deg/s": (pi, 180),
        "rpm": (2 * pi, 60),
        "rev/s": (2 * pi, 1),
    },
    "acceleration": {
        "m/s2": (1, 1),
        "mm/s2": (1, 1000),
        "in/s2": (254, 10_000),
        "ft/s2": (3048, 10_000),
    },
    "angular acceleration": {
        "rad/s2": (1, 1),
        "deg/s2": (pi, 180),
        "rev/s2": (2 * pi, 1),
        "rpm/s": (2 * pi, 60),
    },
    "time": {"s": (1, 1), "ms": (1, 1000), "us": (1, 1_000_000), "min": (60, 1), "h": (3600, 1)},
    "density": {
        "kg/m3": (1, 1),
        "g/cm3": (1000, 1),
        "lb/in3": (45_359_237, 1638.7064),
        "lb/ft3": (45_359_237, 2_831_684.6592),
    },
    "inertia": {
        "kg m2": (1, 1),
        "kg cm2": (1, 10_000),
        "kg mm2": (1, 1_000_000),
        "g cm2": (1, 10_000_000),
        "g mm2": (1, 1_000_000_000),
    },
    "pressure": {
        "Pa": (1, 1),
        "kPa": (1000, 1),
        "MPa": (1_000_000, 1),
        "GPa": (1_000_000_000, 1),
        "bar": (100_000, 1),
        "mbar": (100, 1),
        "psi": (_POUND_FORCE, 0.00064516),
    },
    "frequency": {"Hz": (1, 1), "kHz": (1000, 1), "MHz": (1_000_000, 1)},
    "voltage": {"V": (1, 1), "mV": (1, 1000), "kV": (1000, 1)},
    "current": {"A": (1, 1), "mA": (1, 1000)},
    "power": {"W": (1, 1), "mW": (1, 1000), "kW": (1000, 1)},
}
"""The known units of each dimension; the first is the SI unit."""

SCREEN_UNITS: Mapping[str, str] = {
    **{dimension: next(iter(units)) for dimension, units in UNITS.items()},
    "length": "mm",
    "angle": "deg",
    "speed": "mm/s",
    "angular speed": "deg/s",
    "acceleration": "mm/s2",
    "angular acceleration": "deg/s2",
    "number": "",
}
"""The default units of input and screens."""

_OTHER_SPELLINGS = {
    **dict.fromkeys(("metre", "metres", "meter", "meters"), "m"),
    "MM": "mm",
    **dict.fromkeys(('"', "inch", "inches"), "in"),
    **dict.fromkeys(("'", "foot", "feet"), "ft"),
    "thou": "mil",
    **dict.fromkeys(("°", "degree", "degrees"), "deg"),
    **dict.fromkeys(("radian", "radians"), "rad"),
    **dict.fromkeys(("turn", "turns"), "rev"),
    "°/s": "deg/s",
    "°/s2": "deg/s2",
    **dict.fromkeys(("rev/min", "r/min"), "rpm"),
    **dict.fromkeys(("sec", "second", "seconds"), "s"),
    # Data sheets of small servos write kg cm and oz in for kgf cm and ozf in.
    "kg m": "kgf m",
    "kg cm": "kgf cm",
    "g cm": "gf cm",
    "oz in": "ozf in",
    **dict.fromkeys(("lb in", "in lb"), "lbf in"),
    **dict.fromkeys(("lb ft", "ft lb"), "lbf ft"),
}

_NUMBER = r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?+"
_UNIT = r"([^0-9\s.,+*/()\-].*)?"
_PLAIN = re.compile(rf"([+-]?{_NUMBER})\s*{_UNIT}")
_MIXED = re.compile(rf"([+-]?)([0-9]+)\s+([0-9]+)/([0-9]+)\s*{_UNIT}")
_DASHED = re.compile(rf"([0-9]+)\s*-\s*([0-9]+/[0-9]+)\s*{_UNIT}")
_TOKEN = re.compile(rf"\s*({_NUMBER}|[-+*/()])\s*")
_TYPOGRAPHY = str.maketrans({"−": "-", "×": "*", "·": " ", "²": "2", "³": "3", "µ": "u", "μ": "u", "″": '"', "′": "'"})
_BETWEEN_UNITS = str.maketrans("", "", " \t\u00a0*^-.")
_LONGEST = 100
_NOISE = {12: Fraction(1, 2**47), 14: Fraction(1, 2**52)}
"""Relative error, by number of digits, below which a converted number is rounded to that many digits: the rounding
error of a dozen conversions, or of two."""


def _plain_spelling(unit: str) -> str:
    """Return the unit without separators, so that ``N·m``, ``N*m`` and ``N m`` are equal."""
    return unit.translate(_TYPOGRAPHY).translate(_BETWEEN_UNITS)


_SCALES: dict[str, dict[str, Scale]] = {
    dimension: {
        **{_plain_spelling(name): scale for name, scale in units.items()},
        **{_plain_spelling(other): units[name] for other, name in _OTHER_SPELLINGS.items() if name in units},
    }
    for dimension, units in UNITS.items()
}


def to_si(quantity: float | str, dimension: str, unit: str) -> float:
    """Return the SI value of a number in the given unit, or of a text with its own unit."""
    if isinstance(quantity, str):
        return parse_quantity(quantity, dimension, unit)
    return si_from(quantity, dimension, unit)


def parse_quantity(text: str, dimension: str, default_unit: str) -> float:
    """Return the SI value of a text such as ``12mm``, ``1/2 in``, ``1 1/2in``, ``(3 + 4) * 2`` or ``90°``.

    The number may be arithmetic of ``+ - * /`` and parentheses; the unit comes last and applies to the whole result.
    A bare number is in the default unit. The dimension is one of `UNITS`, or `number`, for which the default unit is
    the only one and is not converted.
    """
    number, own_unit = split_quantity(text, dimension)
    unit = own_unit or default_unit
    if dimension == "number" and unit != default_unit:
        _refuse(text, dimension, f"the unit is {default_unit}" if default_unit else "it has no unit")
    value = si_from(number, dimension, unit)
    if not isfinite(value):
        _refuse(text, dimension, "it is too large")
    return value


def split_quantity(text: str, dimension: str) -> tuple[float, str]:
    """Return the number and the unit in a text; the unit is empty if there is none."""
    plain = text.strip() if text.isascii() else text.translate(_TYPOGRAPHY).strip()
    simple = _PLAIN.fullmatch(plain)
    return (float(simple[1]), simple[2] or "") if simple else _calculated(plain, text, dimension)


def dimension_of(unit: str) -> str:
    """Return the dimension that has the unit in its list; `number` for an empty or unlisted unit."""
    return next((dimension for dimension, units in UNITS.items() if unit in units), "number")


def convert_unit(number: float, dimension: str, unit: str, other: str) -> float:
    """Convert a number from one unit to another of the same dimension.

    The result is computed exactly, then rounded once. If it is within a few bits of a number with few digits, it
    becomes that number: 30 mm converted to inches and back are 30 mm, not 30.000000000000004 mm.
    """
    ratio = _ratio(dimension, unit, other)
    if ratio == 1 or not isfinite(number):
        return number
    exact = Fraction(number) * ratio
    try:
        value = float(exact)
    except OverflowError:
        raise RckError(f"{number:g} {unit} is too large in {other}") from None
    for digits, noise in _NOISE.items():
        short = Fraction(float(f"{value:.{digits}g}"))
        # Symmetric in both numbers: converting back restores a shortened number.
        if abs(short - exact) <= noise * max(abs(short), abs(exact)):
            return float(short)
    return value


def si_from(number: float, dimension: str, unit: str) -> float:
    """Convert a number in a unit to SI."""
    times, per = _scale(dimension, unit)
    return number * times / per


def from_si(value: float, dimension: str, unit: str) -> float:
    """Convert an SI value to a unit."""
    times, per = _scale(dimension, unit)
    return value * per / times


def format_quantity(value: float, dimension: str, unit: str, digits: int = 10) -> str:
    """Format an SI value in a unit, such as ``12.5 mm``; :func:`parse_quantity` reads it back."""
    # Adding zero turns -0.0 into 0.0.
    number = f"{from_si(value, dimension, unit) + 0.0:.{digits}g}"
    space = "" if unit in ("", "°", '"', "'") else " "
    return f"{number}{space}{unit}"


def round_in_unit(value: float, dimension: str, unit: str, digits: int) -> float:
    """Return an SI value in the unit, rounded to the resolution of `digits` decimals of the screen unit."""
    return rounded(from_si(value, dimension, unit), digits + extra_digits(dimension, unit))


def format_fixed(value: float, dimension: str, unit: str, digits: int) -> str:
    """Return an SI value in the unit as text with as many decimals as :func:`round_in_unit` keeps."""
    decimals = max(0, digits + extra_digits(dimension, unit))
    return f"{round_in_unit(value, dimension, unit, digits):.{decimals}f}"


@cache
def extra_digits(dimension: str, unit: str) -> int:
    """Return how many more decimals the unit needs than the screen unit to be at least as fine: 3 for m, -3 for um."""
    return ceil(log10(convert_unit(1.0, dimension, unit, SCREEN_UNITS[dimension])))


def format_number(number: float) -> str:
    """Return the shortest text that reads back as the same number."""
    # Avoid -0.0
    return repr(float(number) + 0.0).removesuffix(".0")


def rounded(value: float, digits: int) -> float:
    """Format a number with a fixed number of decimals; zero has no sign."""
    # Adding zero turns -0.0 into 0.0.
    return round(value, digits) + 0.0


def position_unit(turns: bool) -> tuple[str, str]:
    """Return the dimension and screen unit of joint positions: angles if it rotates, lengths if it slides."""
    dimension = "angle" if turns else "length"
    return dimension, SCREEN_UNITS[dimension]


def effort_unit(turns: bool) -> str:
    """Return the unit of the effort of a joint: torque if it rotates, force if it slides."""
    return "N m" if turns else "N"


@cache
def _ratio(dimension: str, unit: str, other: str) -> Fraction:
    """Return how many of the other unit one unit is."""
    (times, per), (other_times, other_per) = _scale(dimension, unit), _scale(dimension, other)
    return Fraction(times) * Fraction(other_per) / (Fraction(per) * Fraction(other_times))


@lru_cache
def _scale(dimension: str, unit: str) -> Scale:
    if dimension == "number":
        return 1, 1
    scales = _SCALES[dimension]
    spelling = _plain_spelling(unit)
    if spelling in scales:
        return scales[spelling]
    for other, others in _SCALES.items():
        if spelling in others:
            raise RckError(f"{unit} is a unit of {other}, not of {dimension}; use {', '.join(UNITS[dimension])}")
    # Case is ignored, except for a first letter m: mN is not MN.
    for name, scale in scales.items():
        if name.casefold() == spelling.casefold() and (name[0] == spelling[0] or name[0] not in "mM"):
            return scale
    hint = did_you_mean(unit, UNITS[dimension])
    raise RckError(f"{unit!r} is not a unit of {dimension}{hint}; known: {', '.join(UNITS[dimension])}")


def amount(value: float) -> str:
    """Format a non-negative number without an exponent."""
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}" if value >= 1e-3 else "0"


def require_positive(what: str, value: float, unit: str, example: float) -> None:
    """Refuse a number that is not positive and finite; the message names it and gives an example."""
    if not (value > 0 and isfinite(value)):
        raise RckError(f"{what} must be positive, not {value:g} {unit}; use for example {example:g}")


def counted(number: int, noun: str) -> str:
    """`1 joint`, `2 joints`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _calculated(plain: str, text: str, dimension: str) -> tuple[float, str]:
    """Return the number and the unit of an arithmetic expression with a unit."""
    if len(plain) > _LONGEST:
        _refuse(text[:20] + "...", dimension, f"it has more than {_LONGEST} characters")
    dashed = _DASHED.fullmatch(plain)
    if dashed and dashed[3]:
        _refuse(text, dimension, f"it is ambiguous; write {dashed[1]} {dashed[2]} {dashed[3]}")
    try:
        mixed = _MIXED.fullmatch(plain)
        if mixed:
            size = int(mixed[2]) + int(mixed[3]) / int(mixed[4])
            return (-size if mixed[1] == "-" else size), mixed[5] or ""
        tokens, unit = _tokens(plain)
        number = _sum(tokens)
    except (ArithmeticError, ValueError):
        _refuse(text, dimension, "write a number, or arithmetic with numbers, and then the unit")
    if tokens or unit.startswith((",", ".")):
        hint = "; write decimals with a point" if "," in plain else ""
        _refuse(text, dimension, f"the number ends before {tokens[-1] if tokens else unit!r}{hint}")
    return number, unit


def _tokens(plain: str) -> tuple[list[str], str]:
    """Return the leading numbers and operators of a text, last first, and the rest of the text."""
    tokens: list[str] = []
    place = 0
    while token := _TOKEN.match(plain, place):
        tokens.append(token[1])
        place = token.end()
    return tokens[::-1], plain[place:]


def _sum(tokens: list[str]) -> float:
    """Take a sum off the end of the tokens."""
    value = _product(tokens)
    while tokens and tokens[-1] in "+-":
        value = value + _product(tokens) if tokens.pop() == "+" else value - _product(tokens)
    return value


def _product(tokens: list[str]) -> float:
    value = _factor(tokens)
    while tokens and tokens[-1] in "*/":
        value = value * _factor(tokens) if tokens.pop() == "*" else value / _factor(tokens)
    return value


def _factor(tokens: list[str]) -> float:
    if not tokens:
        raise ValueError("a number is missing")
    token = tokens.pop()
    if token in "+-":
        return _factor(tokens) if token == "+" else -_factor(tokens)
    if token == "(":
        value = _sum(tokens)
        if not tokens or tokens.pop() != ")":
            raise ValueError("a closing parenthesis is missing")
        return value
    return float(token)


def _refuse(text: str, dimension: str, why: str) -> NoReturn:
    article = "an" if dimension[0] in "aeiou" else "a"
    raise RckError(f"{text!r} is not {article} {dimension}: {why}")


def digits(value: float) -> str:
    """Format a number with twelve significant digits; zero has no sign."""
    return f"{value + 0.0:.12g}"


def row(values: Iterable[float]) -> str:
    """Format numbers on one line, separated by spaces."""
    return " ".join(map(digits, values))
