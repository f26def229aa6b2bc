"""Typed values are parsed with their units or refused."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rck.language import argument_values as values
from rck.model import RckError

READERS = [
    values.parse_value,
    values.parse_number,
    values.parse_count,
    values.parse_length,
    values.parse_angle,
    values.parse_mass,
    values.parse_position,
    values.parse_vector,
    values.parse_angles,
    values.parse_offset,
    values.parse_points,
    values.parse_numbers,
    values.parse_range,
    values.parse_axis,
    values.parse_flag,
    values.parse_new_name,
]


@pytest.mark.parametrize(
    ("reader", "text", "value"),
    [
        (values.parse_value, "12.5", 12.5),
        (values.parse_value, "12.5 mm", "12.5 mm"),
        (values.parse_length, "1/2in", "1/2in"),
        (values.parse_length, "-3", -3.0),
        (values.parse_angle, "90°", "90°"),
        (values.parse_position, "30 mm", "30 mm"),
        (values.parse_position, "30 deg", "30 deg"),
        (values.parse_vector, "0, 1in ,-2", (0.0, "1in", -2.0)),
        (values.parse_angles, "0,90,1 rad", (0.0, 90.0, "1 rad")),
        (values.parse_offset, "5", 5.0),
        (values.parse_offset, "5,6,7", (5.0, 6.0, 7.0)),
        (values.parse_points, "0,0,0; 1,0,0; 0,1,0", ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))),
        (values.parse_range, "-90..90", (-90.0, 90.0)),
        (values.parse_range, "-1 rad .. 2 rad", ("-1 rad", "2 rad")),
        (values.parse_axis, "-z", "-z"),
        (values.parse_axis, "1,0,-2.5", (1.0, 0.0, -2.5)),
        (values.parse_flag, "Yes", True),
        (values.parse_flag, "off", False),
        (values.parse_count, "7", 7),
        (values.parse_new_name, "tool-1", "tool-1"),
    ],
)
def test_values_are_parsed_as_typed(reader, text, value):
    assert reader(text) == value


@pytest.mark.parametrize(
    ("reader", "text"),
    [
        (values.parse_value, "nan"),
        (values.parse_value, "inf"),
        (values.parse_value, "-Infinity"),
        (values.parse_value, "1e999"),
        (values.parse_value, ""),
        (values.parse_number, "3 mm"),
        (values.parse_number, "nan"),
        (values.parse_count, "0"),
        (values.parse_count, "-1"),
        (values.parse_count, "2.5"),
        (values.parse_count, "٣"),
        (values.parse_count, "9" * 5000),
        (values.parse_length, "5 kg"),
        (values.parse_length, "1 furlong"),
        (values.parse_angle, "5 mm"),
        (values.parse_position, "5 kg"),
        (values.parse_vector, "1,2"),
        (values.parse_vector, "1,2,3,4"),
        (values.parse_vector, "1,,3"),
        (values.parse_vector, "1,2,nan"),
        (values.parse_points, "0,0,0; 1,0,0"),
        (values.parse_range, "5"),
        (values.parse_range, "1.."),
        (values.parse_range, "a..b"),
        (values.parse_axis, "w"),
        (values.parse_axis, "0,0,0"),
        (values.parse_axis, "1,inf,0"),
        (values.parse_flag, "maybe"),
        (values.parse_new_name, "a b"),
        (values.parse_new_name, "a/b"),
        (values.parse_new_name, ""),
    ],
)
def test_invalid_values_are_refused(reader, text):
    with pytest.raises(RckError):
        reader(text)


@given(st.sampled_from(READERS), st.text(max_size=30))
def test_any_text_is_parsed_or_refused(reader, text):
    with suppress(RckError):
        reader(text)
