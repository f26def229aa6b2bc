"""Values as users type them: read in their units, or refused."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rck.language import values
from rck.model import RckError

READERS = [
    values.quantity, values.number, values.count, values.length, values.angle, values.mass, values.position,
    values.vector, values.angles, values.offset, values.points, values.numbers, values.span, values.axis, values.flag,
    values.new_name,
]  # fmt: skip


@pytest.mark.parametrize(
    ("reader", "text", "value"),
    [
        (values.quantity, "12.5", 12.5),
        (values.quantity, "12.5 mm", "12.5 mm"),
        (values.length, "1/2in", "1/2in"),
        (values.length, "-3", -3.0),
        (values.angle, "90°", "90°"),
        (values.position, "30 mm", "30 mm"),
        (values.position, "30 deg", "30 deg"),
        (values.vector, "0, 1in ,-2", (0.0, "1in", -2.0)),
        (values.angles, "0,90,1 rad", (0.0, 90.0, "1 rad")),
        (values.offset, "5", 5.0),
        (values.offset, "5,6,7", (5.0, 6.0, 7.0)),
        (values.points, "0,0,0; 1,0,0; 0,1,0", ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))),
        (values.span, "-90..90", (-90.0, 90.0)),
        (values.span, "-1 rad .. 2 rad", ("-1 rad", "2 rad")),
        (values.axis, "-z", "-z"),
        (values.axis, "1,0,-2.5", (1.0, 0.0, -2.5)),
        (values.flag, "Yes", True),
        (values.flag, "off", False),
        (values.count, "7", 7),
        (values.new_name, "tool-1", "tool-1"),
    ],
)
def test_values_are_read_as_typed(reader, text, value):
    assert reader(text) == value


@pytest.mark.parametrize(
    ("reader", "text"),
    [
        (values.quantity, "nan"),
        (values.quantity, "inf"),
        (values.quantity, "-Infinity"),
        (values.quantity, "1e999"),
        (values.quantity, ""),
        (values.number, "3 mm"),
        (values.number, "nan"),
        (values.count, "0"),
        (values.count, "-1"),
        (values.count, "2.5"),
        (values.count, "٣"),
        (values.count, "9" * 5000),
        (values.length, "5 kg"),
        (values.length, "1 furlong"),
        (values.angle, "5 mm"),
        (values.position, "5 kg"),
        (values.vector, "1,2"),
        (values.vector, "1,2,3,4"),
        (values.vector, "1,,3"),
        (values.vector, "1,2,nan"),
        (values.points, "0,0,0; 1,0,0"),
        (values.span, "5"),
        (values.span, "1.."),
        (values.span, "a..b"),
        (values.axis, "w"),
        (values.axis, "0,0,0"),
        (values.axis, "1,inf,0"),
        (values.flag, "maybe"),
        (values.new_name, "a b"),
        (values.new_name, "a/b"),
        (values.new_name, ""),
    ],
)
def test_what_is_no_such_value_is_refused(reader, text):
    with pytest.raises(RckError):
        reader(text)


@given(st.sampled_from(READERS), st.text(max_size=30))
def test_any_text_is_read_or_refused(reader, text):
    with suppress(RckError):
        reader(text)
