"""Names: valid characters, and suggestions."""

from hypothesis import given, settings
from hypothesis import strategies as st

from rck.support.names import did_you_mean, name_findings, nearest_name, repeated_names


@given(st.text(max_size=250))
@settings(max_examples=200)
def test_any_text_can_be_made_a_name(text):
    name = nearest_name(text, "part")
    assert name_findings(name, "part") == []
    assert "/" not in name


@given(st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=200))
@settings(max_examples=100)
def test_letters_and_digits_of_any_language_are_kept_in_names(text):
    assert name_findings(text, "part") == []
    assert nearest_name(text, "part") == text


def test_invalid_characters_become_dashes():
    assert nearest_name("Motor (left).v2", "part") == "Motor-(left)-v2"
    assert nearest_name(" ./ ", "part") == "part"


def test_long_name_is_refused_with_short_message():
    finding = name_findings("x" * 10_000, "item")[0]
    assert finding.message == "a name has at most 200 characters, not 10000"


def test_each_repetition_is_reported():
    findings = repeated_names(iter(["a", "b", "a", "a"]), "item")
    assert [(finding.code, finding.where) for finding in findings] == [(103, "item a"), (103, "item a")]


def test_only_a_similar_word_is_suggested():
    assert did_you_mean("sholder", ["elbow", "shoulder"]) == " (did you mean shoulder?)"
    assert did_you_mean("xyz", ["elbow", "shoulder"]) == ""
    assert did_you_mean("elbow", []) == ""
