"""Options: conversion of user input to typed values in SI units."""

from math import pi

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rck.hooks import Option
from rck.hooks.options import read_options, state_units
from rck.model import RckError

OPTIONS = (
    Option("title", "what it is called", "text", "untitled"),
    Option("meshes", "write meshes", "flag", True),
    Option("count", "how many", "number", 3.0),
    Option("gap", "distance between", "length", "2mm"),
    Option("turn", "angle between", "angle", 0.5),
    Option("up", "which axis is up", "choice", "z", ("y", "z")),
    Option("note", "anything"),
)


def test_options_not_given_have_their_defaults():
    values = read_options(OPTIONS, {})
    assert values == {
        "title": "untitled",
        "meshes": True,
        "count": 3.0,
        "gap": 0.002,
        "turn": 0.5,
        "up": "z",
        "note": None,
    }


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("title", " as it is ", " as it is "),
        ("note", "", ""),
        ("meshes", "no", False),
        ("meshes", "Off", False),
        ("meshes", "false", False),
        ("meshes", "0", False),
        ("meshes", " YES ", True),
        ("meshes", "on", True),
        ("meshes", "1", True),
        ("count", "1/4", 0.25),
        ("count", "-2e3", -2000.0),
        ("gap", "12", 0.012),
        ("gap", "12mm", 0.012),
        ("gap", "1/2in", 0.0127),
        ("gap", "0.3 m", 0.3),
        ("turn", "90", pi / 2),
        ("turn", "90deg", pi / 2),
        ("turn", "0.5rad", 0.5),
        ("up", "y", "y"),
        ("up", "Y", "y"),
    ],
)
def test_text_is_converted_to_the_type_of_the_option(name, text, value):
    assert read_options(OPTIONS, {name: text})[name] == pytest.approx(value)


@pytest.mark.parametrize(
    ("given_texts", "said"),
    [
        (
            {"gab": "1"},
            r"there is no option 'gab' \(did you mean gap\?\); options: title, meshes, count, gap, turn, up, note",
        ),
        ({"up": "x"}, "option up: 'x' is not one of y, z"),
        ({"meshes": "maybe"}, "option meshes: 'maybe' is neither yes nor no"),
        ({"gap": "2 kg"}, "option gap: kg is a unit of mass"),
        ({"gap": "wide"}, "option gap: 'wide' is not a length"),
        ({"turn": "3 mm"}, "option turn: mm is a unit of length"),
        ({"count": "three"}, "option count: 'three' is not a number"),
        ({"count": "3 mm"}, "option count: '3 mm' is not a number: it has no unit"),
    ],
)
def test_invalid_option_text_is_refused_with_the_reason(given_texts, said):
    with pytest.raises(RckError, match=said):
        read_options(OPTIONS, given_texts)


def test_option_for_a_contribution_without_options_is_refused():
    with pytest.raises(RckError, match="there is no option 'gap'; it has no options"):
        read_options((), {"gap": "1"})


def test_choices_that_differ_only_in_case_are_distinguished():
    option = Option("unit", "which", "choice", None, ("mPa", "MPa"))
    assert read_options([option], {"unit": "mPa"}) == {"unit": "mPa"}
    assert read_options([option], {"unit": "MPa"}) == {"unit": "MPa"}


@pytest.mark.parametrize(
    "wrong",
    [
        {"type": "choice"},
        {"type": "text", "choices": ("a", "b")},
        {"type": "choice", "choices": ("a", "b"), "default": "c"},
    ],
)
def test_contradictory_option_declaration_is_refused(wrong):
    with pytest.raises(ValueError, match="option format"):
        Option("format", "which", **wrong)


@given(st.dictionaries(st.sampled_from([option.name for option in OPTIONS]), st.text(max_size=12)))
@settings(max_examples=100)
def test_any_option_text_is_parsed_or_refused(given_texts):
    try:
        values = read_options(OPTIONS, given_texts)
    except RckError:
        return
    assert list(values) == [option.name for option in OPTIONS]


def test_bare_lengths_and_angles_use_the_document_units():
    options = (
        Option("gap", "", "length"),
        Option("lean", "", "angle"),
        Option("name", ""),
        Option("count", "", "number"),
    )
    given = {"gap": " 1/4 ", "lean": "2 rad", "name": "12", "count": "3", "odd": "1"}
    units = {"length": "in", "angle": "deg", "number": "mm"}
    stated = state_units(options, given, units.get)
    assert stated == {"gap": "1/4in", "lean": "2 rad", "name": "12", "count": "3", "odd": "1"}
    assert state_units(options, {"gap": "far"}, units.get) == {"gap": "far"}
