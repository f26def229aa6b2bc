"""Plain YAML: reading and writing."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rck.support.plain_yaml import DEEPEST, YamlError, dump_block, dump_flow, line_of, load_yaml

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**53) + 1, 2**53 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=30),
    st.sampled_from(["null", "yes", "on", "1e3", "12:30", "0x1f", "~", "- a", "a: b", "# x", "...", "---", "\u2028"]),
)
trees = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=12,
)


def test_mappings_lists_and_scalars_become_plain_data():
    text = "a: 1\nb: [1.5, true, null, ~, word]\nc: {d: 'quoted', e: \"1\"}\nf:\n"
    assert load_yaml(text) == {
        "a": 1,
        "b": [1.5, True, None, None, "word"],
        "c": {"d": "quoted", "e": "1"},
        "f": None,
    }


@pytest.mark.parametrize("word", ["on", "off", "yes", "no", "12:30", "2020-01-31", "0x1f", "1_000", "=", "<<"])
def test_words_that_yaml_1_1_converts_stay_strings(word: str):
    assert load_yaml(f"key: {word}") == {"key": word}


@pytest.mark.parametrize(
    ("text", "number"), [("1e3", 1000.0), ("-.5", -0.5), ("010", 10), ("+7", 7), ("99999999999999999999", 1e20)]
)
def test_numbers_are_read_as_decimal(text: str, number: float):
    assert load_yaml(f"key: {text}") == {"key": number}


def test_keys_are_always_strings():
    assert load_yaml("1: a\ntrue: b\non: c\nnull: d") == {"1": "a", "true": "b", "on": "c", "null": "d"}


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("a: 1\nb: {c: 2, c: 3}", 2, "is repeated"),
        ("a: &x 1\nb: *x", 2, "aliases"),
        ("a: 1\nb: !!python/object:os.system {}", 2, "tags"),
        ("a: 1\nb: !!binary aGk=", 2, "tags"),
        ("a: 1\n? [b]\n: 2", 2, "a key must be a word"),
        ("a: .nan", 1, "finite"),
        ("a:\n  - 1\n  - -.inf", 3, "finite"),
        ("a: 1e999", 1, "finite"),
        ("a: " + 5000 * "9", 1, "finite"),
        ("a: 1\n---\nb: 2", 2, "second document"),
        ("a: 1\nb: [1, 2\nc: 3", 3, "expected"),
        ("a: 1\nb: \x07", 2, "character"),
        ("a: 1\n\tb: 2", 2, "character"),
        ("a: 'open", 1, "end"),
    ],
)
def test_error_names_its_line(text: str, line: int, said: str):
    with pytest.raises(YamlError, match=said) as caught:
        load_yaml(text)
    assert caught.value.line == line


@pytest.mark.parametrize("opening", ["[", "{a: ", "- ", "- - - - - - - - - - "])
def test_deep_nesting_is_refused(opening: str):
    with pytest.raises(YamlError, match="levels deep"):
        load_yaml("a:\n  " + 100_000 * opening)


def test_deep_indentation_is_refused():
    text = "\n".join(" " * depth + "a:" for depth in range(2_000))
    with pytest.raises(YamlError, match="levels deep") as caught:
        load_yaml(text)
    assert caught.value.line == DEEPEST + 1


def test_alias_bomb_is_refused_at_first_alias():
    levels = [f"a{n}: &a{n} [{', '.join(9 * [f'*a{n - 1}'])}]" for n in range(1, 12)]
    with pytest.raises(YamlError, match="aliases") as caught:
        load_yaml("\n".join(["a0: &a0 [lol]", *levels]))
    assert caught.value.line == 2


@given(st.dictionaries(st.text(max_size=12), trees, max_size=4))
def test_inline_output_reads_back(data: dict[str, object]):
    line = dump_flow(data)
    assert "\n" not in line
    assert load_yaml(f"before: 1\nkey: {line}\nafter: 2\n") == {"before": 1, "key": data, "after": 2}


@given(st.dictionaries(st.text(max_size=12), trees, max_size=4))
def test_block_output_reads_back(data: dict[str, object]):
    assert load_yaml(dump_block({"key": data, "after": 2}) + "\n") == {"key": data, "after": 2}


@given(st.text(max_size=60))
def test_a_text_survives_as_key_and_value(text: str):
    assert load_yaml(f"  {dump_flow(text)}: {dump_flow(text)}\n") == {text: text}


@given(st.text(max_size=200))
def test_any_text_loads_or_is_refused(text: str):
    with suppress(YamlError):
        load_yaml(text)


def test_line_of_value_is_its_first_line():
    text = "a: 1\nb:\n  c: [x,\n      y]\n  d:\n    - {e: 1}\n    - {e: 2}\n"
    assert [line_of(text, keys) for keys in [("a",), ("b", "c", 1), ("b", "d", 1, "e")]] == [1, 4, 7]


def test_line_of_missing_value_is_that_of_its_parent():
    assert line_of("a: 1\nb:\n  c: 2\n", ("b", "d", 3)) == 2
