"""Quantities with units: parsing and formatting."""

from fractions import Fraction
from math import degrees, isclose, isfinite, pi, radians

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rck.model import RckError
from rck.support.units import (
    SCREEN_UNITS,
    UNITS,
    convert_unit,
    extra_digits,
    format_number,
    format_quantity,
    from_si,
    parse_quantity,
    round_in_unit,
    si_from,
    split_quantity,
)

UNIT_PAIRS = [(dimension, unit) for dimension, units in UNITS.items() for unit in units]

# Yard and pound agreement of 1959, standard gravity of 1901, and what follows from them.
DEFINED = [
    ("1 in", "length", 0.0254),
    ("1 ft", "length", 12 * 0.0254),
    ("1000 mil", "length", 0.0254),
    ("1 um", "length", 1e-6),
    ("1 km", "length", 1000.0),
    ("180 deg", "angle", pi),
    ("1 rev", "angle", 2 * pi),
    ("60 arcmin", "angle", pi / 180),
    ("3600 arcsec", "angle", pi / 180),
    ("400 gon", "angle", 2 * pi),
    ("1 lb", "mass", 0.45359237),
    ("16 oz", "mass", 0.45359237),
    ("1 t", "mass", 1000.0),
    ("1 kgf", "force", 9.80665),
    ("1 lbf", "force", 0.45359237 * 9.80665),
    ("16 ozf", "force", 0.45359237 * 9.80665),
    ("1 kgf cm", "torque", 0.0980665),
    ("1 gf cm", "torque", 0.0000980665),
    ("1 lbf ft", "torque", 0.45359237 * 9.80665 * 0.3048),
    ("1 lbf in", "torque", 0.45359237 * 9.80665 * 0.0254),
    ("1 ozf in", "torque", 0.45359237 * 9.80665 * 0.0254 / 16),
    ("36 km/h", "speed", 10.0),
    ("60 m/min", "speed", 1.0),
    ("60 rpm", "angular speed", 2 * pi),
    ("1 rev/s", "angular speed", 2 * pi),
    ("60 rpm/s", "angular acceleration", 2 * pi),
    ("1 g/cm3", "density", 1000.0),
    ("1 lb/in3", "density", 0.45359237 / 0.0254**3),
    ("1 lb/ft3", "density", 0.45359237 / 0.3048**3),
    ("1 g cm2", "inertia", 1e-7),
    ("1 psi", "pressure", 0.45359237 * 9.80665 / 0.0254**2),
    ("1 bar", "pressure", 1e5),
    ("2 h", "time", 7200.0),
]


@pytest.mark.parametrize(("text", "dimension", "value"), DEFINED)
def test_units_are_as_defined(text, dimension, value):
    assert parse_quantity(text, dimension, "no matter") == pytest.approx(value, rel=1e-14)


PREFIXES = {"G": 1e9, "M": 1e6, "k": 1e3, "c": 1e-2, "m": 1e-3, "u": 1e-6}
PREFIXED = [(dimension, unit) for dimension, unit in UNIT_PAIRS if unit[0] in PREFIXES and unit[1:] in UNITS[dimension]]


@pytest.mark.parametrize(("dimension", "unit"), PREFIXED)
def test_decimal_prefixes_scale_units(dimension, unit):
    assert si_from(1, dimension, unit) == pytest.approx(PREFIXES[unit[0]] * si_from(1, dimension, unit[1:]), rel=1e-15)


@pytest.mark.parametrize("dimension", UNITS)
def test_the_first_unit_of_each_dimension_is_the_si_unit(dimension):
    assert parse_quantity("1", dimension, next(iter(UNITS[dimension]))) == 1.0


@pytest.mark.parametrize(
    ("text", "metres"),
    [
        ("12", 0.012),
        ("12mm", 0.012),
        ("  12   mm ", 0.012),
        ("0.3 m", 0.3),
        (".3m", 0.3),
        ("3.m", 3.0),
        ("-5", -0.005),
        ("+5", 0.005),
        ("1e3", 1.0),
        ("2E-3m", 0.002),
        ("1/2in", 0.0127),
        ("1/2 in", 0.0127),
        ('3/8"', 0.375 * 0.0254),
        ("1 1/2in", 0.0381),
        ("-1 1/2 in", -0.0381),
        ("2 1/2", 0.0025),
        ("100/2 + 5", 0.055),
        ("2*(3+4) cm", 0.14),
        ("-(3 - 4)*2", 0.002),
        ("2e-3*2 m", 0.004),
        ("10-2-3", 0.005),
        ("16/2/4", 0.002),
        ("1 - 1/2", 0.0005),
        ("1--2", 0.003),
        ("3 MM", 0.003),
        ("2 Inches", 0.0508),
        ("6'", 1.8288),
        ("5 µm", 5e-6),
        ("5 μm", 5e-6),
        ("−5 mm", -0.005),
        ("2×3 mm", 0.006),
        ("7\u00a0mm", 0.007),
    ],
)
def test_length_is_parsed(text, metres):
    assert parse_quantity(text, "length", "mm") == pytest.approx(metres, rel=1e-15)


@pytest.mark.parametrize(
    ("text", "dimension", "value"),
    [
        ("90", "angle", pi / 2),
        ("90°", "angle", pi / 2),
        ("90 Degrees", "angle", pi / 2),
        ("0.5rad", "angle", 0.5),
        ("1/4 turn", "angle", pi / 2),
        ("30 RPM", "angular speed", pi),
        ("180 °/s", "angular speed", pi),
        ("30 r/min", "angular speed", pi),
        ("2.5 Nm", "torque", 2.5),
        ("2.5 N m", "torque", 2.5),
        ("2.5 N·m", "torque", 2.5),
        ("2.5 N*m", "torque", 2.5),
        ("2.5 N.m", "torque", 2.5),
        ("2.5 N-m", "torque", 2.5),
        ("10 kg-cm", "torque", 0.980665),
        ("10 kg·cm", "torque", 0.980665),
        ("1 in-lb", "torque", 0.45359237 * 9.80665 * 0.0254),
        ("9.81 m/s²", "acceleration", 9.81),
        ("9.81 m/s^2", "acceleration", 9.81),
        ("7.85 g/cm³", "density", 7850.0),
        ("4 kg m^2", "inertia", 4.0),
        ("1 KG", "mass", 1.0),
        ("24", "voltage", 24.0),
        ("500 mA", "current", 0.5),
        ("0.75 kW", "power", 750.0),
    ],
)
def test_other_quantities_are_parsed(text, dimension, value):
    assert parse_quantity(text, dimension, SCREEN_UNITS[dimension]) == pytest.approx(value, rel=1e-14)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "'' is not a length: write a number"),
        ("mm", "write a number"),
        ("nan", "write a number"),
        ("inf", "write a number"),
        ("3 4", "ends before '4'"),
        ("1.2.3", "ends before '.3'"),
        ("12,5mm", "write decimals with a point"),
        ("1/0", "write a number"),
        ("1*", "write a number"),
        ("*2", "write a number"),
        ("(3 mm", "write a number"),
        ("3) mm", r"ends before '\)'"),
        ("()", "write a number"),
        ("1e999", "too large"),
        ("1e308 km", "too large"),
        ("3 mmm", r"'mmm' is not a unit of length \(did you mean mm\?\); known: m, mm, cm"),
        ("3 furlongs", "'furlongs' is not a unit of length"),
        ("3 M", "'M' is not a unit of length"),
        ("5 Nm", "Nm is a unit of torque, not of length; use m, mm"),
        ("5 kg", "kg is a unit of mass"),
        ("1_000", "'_000' is not a unit"),
        ("5'6\"", "is not a unit of length"),
        ("1-1/2in", "it is ambiguous; write 1 1/2 in"),
        ("0x10", "'x10' is not a unit"),
        ("__import__('os')", "write a number"),
        ("2**3", "write a number"),
        ("9" * 200 + "+1", "more than 100 characters"),
        ("(" * 90, "write a number"),
    ],
)
def test_invalid_length_is_refused_with_reason(text, said):
    with pytest.raises(RckError, match=said):
        parse_quantity(text, "length", "mm")


def test_milli_is_not_read_as_mega():
    for text, dimension in (("1 MN", "force"), ("1 mpa", "pressure"), ("1 MN m", "torque"), ("1 mhz", "frequency")):
        with pytest.raises(RckError, match="is not a unit"):
            parse_quantity(text, dimension, SCREEN_UNITS[dimension])


def test_number_accepts_only_its_unit():
    assert parse_quantity("640", "number", "px") == 640.0
    assert parse_quantity("640 px", "number", "px") == 640.0
    assert parse_quantity("3/4", "number", "") == 0.75
    with pytest.raises(RckError, match="'640 mm' is not a number: the unit is px"):
        parse_quantity("640 mm", "number", "px")
    with pytest.raises(RckError, match="it has no unit"):
        parse_quantity("3 mm", "number", "")


def test_quantities_are_formatted_without_rounding_noise():
    assert format_quantity(0.1 + 0.2, "length", "mm") == "300 mm"
    assert format_quantity(pi / 2, "angle", "deg") == "90 deg"
    assert format_quantity(pi / 2, "angle", "°") == "90°"
    assert format_quantity(-0.0, "mass", "g") == "0 g"
    assert format_quantity(1 / 3, "length", "m", digits=3) == "0.333 m"
    assert format_quantity(640, "number", "px") == "640 px"
    assert format_quantity(0.25, "number", "") == "0.25"


@given(st.integers(-(10**9), 10**9))
@settings(max_examples=100)
def test_integer_millimetres_are_exact_in_metres(number):
    assert parse_quantity(f"{number}mm", "length", "m") == float(Fraction(number, 1000))


@given(st.sampled_from(UNIT_PAIRS), st.floats(-1e6, 1e6))
@settings(max_examples=200)
def test_formatted_quantity_reads_back(pair, number):
    dimension, unit = pair
    value = si_from(number, dimension, unit)
    assert isclose(parse_quantity(format_quantity(value, dimension, unit), dimension, unit), value, rel_tol=1e-9)
    assert isclose(from_si(value, dimension, unit), number, rel_tol=1e-14, abs_tol=1e-300)


@given(st.sampled_from(UNIT_PAIRS), st.floats(-1e6, 1e6, width=32))
@settings(max_examples=100)
def test_a_bare_number_is_in_the_default_unit(pair, number):
    dimension, unit = pair
    assert parse_quantity(repr(number), dimension, unit) == parse_quantity(f"{number!r} {unit}", dimension, unit)


@given(st.floats(-1e4, 1e4))
@settings(max_examples=50)
def test_degrees_and_radians_agree_with_the_library(angle):
    assert isclose(parse_quantity(f"{angle!r}deg", "angle", "rad"), radians(angle), rel_tol=1e-15, abs_tol=1e-300)
    assert isclose(from_si(angle, "angle", "deg"), degrees(angle), rel_tol=1e-15, abs_tol=1e-300)


def sums(depth):
    """Return arithmetic as text with its exact fraction, or None for a division by zero."""
    numbers = st.integers(0, 99).map(lambda n: (str(n), Fraction(n)))
    if depth == 0:
        return numbers
    parts = sums(depth - 1)

    def joined(left, sign, right):
        text = f"({left[0]}{sign}{right[0]})" if depth % 2 else f"({left[0]}) {sign} ({right[0]})"
        if left[1] is None or right[1] is None or (sign == "/" and right[1] == 0):
            return text, None
        operations = {"+": left[1] + right[1], "-": left[1] - right[1], "*": left[1] * right[1]}
        return text, left[1] / right[1] if sign == "/" else operations[sign]

    return st.builds(joined, parts, st.sampled_from("+-*/"), parts) | numbers


@given(sums(2))
@settings(max_examples=200)
def test_arithmetic_matches_exact_fractions(made):
    text, value = made
    if value is None:
        with pytest.raises(RckError):
            parse_quantity(f"{text} m", "length", "mm")
    else:
        assert parse_quantity(f"{text} m", "length", "mm") == pytest.approx(float(value), rel=1e-9, abs=1e-9)


@given(
    st.text(alphabet=st.sampled_from(list("0123456789.+-*/()eE minrdg°'\"µ, \n_²")), max_size=20) | st.text(max_size=30)
)
@settings(max_examples=400)
def test_any_text_is_a_finite_quantity_or_refused(text):
    for dimension in ("length", "angle", "torque", "number"):
        try:
            value = parse_quantity(text, dimension, SCREEN_UNITS[dimension])
        except RckError:
            continue
        assert isinstance(value, float)
        assert isfinite(value)


def test_every_dimension_has_a_unit_for_screens():
    assert set(SCREEN_UNITS) == {*UNITS, "number"}
    assert (SCREEN_UNITS["length"], SCREEN_UNITS["angle"]) == ("mm", "deg")
    for dimension, unit in SCREEN_UNITS.items():
        assert dimension == "number" or unit in UNITS[dimension]


@given(st.sampled_from(UNIT_PAIRS), st.data(), st.decimals(-(10**9), 10**9, places=3))
def test_short_number_survives_unit_conversion(pair, data, number):
    dimension, unit = pair
    other = data.draw(st.sampled_from(list(UNITS[dimension])))
    there = convert_unit(float(number), dimension, unit, other)
    assert si_from(there, dimension, other) == pytest.approx(si_from(float(number), dimension, unit), rel=1e-14)
    assert convert_unit(there, dimension, other, unit) == float(number)


@pytest.mark.parametrize(
    ("number", "dimension", "unit", "other", "value"),
    [
        (30, "length", "in", "mm", 762),
        (762, "length", "mm", "in", 30),
        (0.1, "length", "in", "mm", 2.54),
        (12, "length", "in", "ft", 1),
        (90, "angle", "deg", "rev", 0.25),
        (180, "angle", "deg", "rad", pi),
        (16, "mass", "oz", "lb", 1),
        (1, "torque", "lbf ft", "lbf in", 12),
        (30, "angular speed", "rpm", "deg/s", 180),
        (7, "number", "", "", 7),
    ],
)
def test_conversions_give_clean_numbers(number, dimension, unit, other, value):
    assert convert_unit(number, dimension, unit, other) == value


def test_overflow_in_unit_conversion_is_refused():
    with pytest.raises(RckError, match="too large"):
        convert_unit(1e308, "length", "km", "um")


@pytest.mark.parametrize(
    ("text", "number", "unit"), [("12", 12, ""), ("1/2 in", 0.5, "in"), ("(3 + 4) * 2", 14, ""), ("1 1/2", 1.5, "")]
)
def test_text_is_split_into_number_and_unit(text, number, unit):
    assert split_quantity(text, "length") == (number, unit)


def test_rounding_is_equally_fine_in_every_unit():
    assert {unit: extra_digits("length", unit) for unit in ("m", "in", "um")} == {"m": 3, "in": 2, "um": -3}
    for dimension in ("length", "angle"):
        step = si_from(1, dimension, SCREEN_UNITS[dimension])
        for unit in UNITS[dimension]:
            value = si_from(round_in_unit(pi, dimension, unit, 2), dimension, unit)
            assert abs(value - pi) <= 0.005 * step


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_the_text_of_a_number_reads_back_as_the_same(number):
    assert float(format_number(number)) == number
    assert format_number(3.0) == "3"
