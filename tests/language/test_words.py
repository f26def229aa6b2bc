"""Splitting lines into words, and error positions within a line."""

from contextlib import suppress
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rck.grammar.tokens import LanguageError, Word, pointer, quote, split_words


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("", []),
        ("   \t ", []),
        ("# a comment", []),
        ("#no space needed at the beginning", []),
        ("  #!/usr/bin/env rck run", []),
        ("create a b  # the rest is one", ["create", "a", "b"]),
        ("create a #", ["create", "a"]),
        ("set cube colour=#ff8800 notes=#x", ["set", "cube", "colour=#ff8800", "notes=#x"]),
        ("set cube #ff8800", ["set", "cube", "#ff8800"]),
        ("set a notes='two words'", ["set", "a", "notes=two words"]),
        ('set a notes="it\'s"', ["set", "a", "notes=it's"]),
        ("'a b''c d'", ["a bc d"]),
        ("a''b \"\"", ["ab", ""]),
        ("über 机器人 🤖", ["über", "机器人", "🤖"]),
        ("a\u00a0b\tc", ["a", "b", "c"]),
    ],
)
def test_line_is_split_into_words(line: str, words: list[str]):
    assert [word.text for word in split_words(line)] == words


def test_words_store_their_positions():
    line = "  mate 'a b'.top  c"
    words = split_words(line)
    assert [line[word.start : word.end] for word in words] == ["mate", "'a b'.top", "c"]
    assert [word.quoted for word in words] == [False, True, False]


@pytest.mark.parametrize(("line", "start"), [("a 'b", 2), ('x="y z', 2), ("'", 0)])
def test_error_points_at_an_unclosed_quote(line: str, start: int):
    with pytest.raises(LanguageError, match="not closed") as caught:
        split_words(line)
    assert caught.value.word is not None
    assert caught.value.word.start == start


@given(st.text(alphabet=st.characters(blacklist_categories=["Cs"]), max_size=30))
def test_quoted_text_is_one_word(text: str):
    (word, last) = split_words(f"x {quote(text)}")[0:2]
    assert (word.text, last.text) == ("x", text)


@given(st.text(max_size=60))
def test_any_line_is_split_or_refused(line: str):
    with suppress(LanguageError):
        words = split_words(line)
        assert all(0 <= word.start < word.end <= len(line) for word in words)
        assert all(one.end <= other.start for one, other in pairwise(words))


@pytest.mark.parametrize(
    ("line", "carets"),
    [
        ("create basse", "       ^^^^^"),
        ("机器人 basse", "       ^^^^^"),
        ("\tmove basse", "\t     ^^^^^"),
        ("é\u0301 basse", "  ^^^^^"),
    ],
)
def test_carets_are_printed_under_the_word_in_a_terminal(line: str, carets: str):
    start = line.index("basse")
    assert pointer(Word("basse", start, start + 5), line) == carets


def test_error_shows_the_line_with_the_word_underlined():
    error = LanguageError("there is no basse", "create basse", Word("basse", 7, 12))
    assert str(error) == "there is no basse\n  create basse\n         ^^^^^"
    assert str(LanguageError("nothing to point at", "line")) == "nothing to point at"
