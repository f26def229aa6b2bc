"""Errors in files name the file, the line and the keys."""

import os
from pathlib import Path
from typing import Literal

import msgspec
import pytest

from rck.support import typed_yaml
from rck.support.typed_yaml import FileError, Strict, convert, parse, read_text


class Wheel(Strict, frozen=True):
    diameter: float
    spokes: int = 0


class Cart(Strict, frozen=True):
    name: str
    wheels: dict[str, Wheel] = {}
    boxes: list[tuple[float, float] | str] = []
    load_limit: float | str = 0.0
    brakes: dict[str, Literal["drum", "disc"]] = {}


def read(text: str) -> Cart:
    return convert(parse(text, "cart.yaml"), Cart, text, "cart.yaml")


def refusal(text: str) -> FileError:
    with pytest.raises(FileError) as caught:
        read(text)
    return caught.value


def test_a_mapping_becomes_a_typed_value():
    cart = read("name: red\nwheels: {left: {diameter: 10}, right: {diameter: 1e1}}\nload-limit: 5 kg")
    assert cart == Cart("red", {"left": Wheel(10.0), "right": Wheel(10.0)}, load_limit="5 kg")


def test_an_error_names_file_line_and_path():
    error = refusal("name: red\nwheels:\n  left: {diameter: 10}\n  right:\n    diameter: wide\n")
    assert str(error) == "cart.yaml:5: wheels.right.diameter: expected a number, got text"
    assert (error.line, error.keys) == (5, ("wheels", "right", "diameter"))


def test_error_in_a_list_names_its_index():
    error = refusal("name: red\nboxes:\n  - [1, 2]\n  - [1, 2, 3]\n")
    assert error.line == 4
    assert error.keys[:2] == ("boxes", 1)


def test_an_unknown_key_suggests_the_nearest_one_of_that_record():
    error = refusal("name: red\nwheels:\n  left: {diameter: 1}\n  right: {diamter: 10, diameter: 1}\n")
    assert str(error) == "cart.yaml:4: wheels.right.diamter: there is no such key (did you mean diameter?)"


def test_an_unknown_key_never_suggests_one_of_another_record():
    error = refusal("name: red\nwheels:\n  left: {diameter: 1, nam: x}\n")
    assert "name" not in error.message
    assert "known: diameter, spokes" in error.message


def test_a_missing_key_is_named():
    assert str(refusal("wheels: {}")) == "cart.yaml:1: missing: name"


@pytest.mark.parametrize(
    ("text", "said"), [("", "empty"), ("# soon\n", "empty"), ("- a\n", "a mapping"), ("just words", "a mapping")]
)
def test_file_without_mapping_is_refused(text: str, said: str):
    assert said in refusal(text).message


def test_unreadable_file_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "long").write_text("x" * 100)
    monkeypatch.setattr(typed_yaml, "LARGEST", 99)
    for name, said in [
        ("binary", "UTF-8"),
        ("pipe", "not a file"),
        (".", "not a file"),
        ("long", "MiB"),
        ("missing", "No such file"),
        ("a\0b", "null"),
    ]:
        with pytest.raises(FileError, match=said):
            read_text(tmp_path / name)


def test_the_schema_can_be_published():
    assert msgspec.json.schema(Cart)


def test_an_unknown_word_is_refused_with_the_known_ones():
    error = refusal("name: cart\nbrakes:\n  front: drum\n  rear: foo\n")
    assert error.line == 4
    assert "'foo' is not known; choose from: disc, drum" in str(error)
