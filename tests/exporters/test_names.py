"""Names that files can hold: legal, different, and unchanged where they were legal already."""

import re

from hypothesis import given
from hypothesis import strategies as st

from rck.exporting import legal_name, legal_names
from rck.support.names import name_findings

letters = st.text("aAbB2_-/éß手:", min_size=1, max_size=5)
names = st.lists(letters.filter(lambda name: not name_findings(name, "")), max_size=8)


def test_scopes_become_prefixes():
    assert legal_name("left/gripper/finger-2") == "left_gripper_finger-2"
    assert legal_name("left/gripper/finger-2", identifiers=True) == "left_gripper_finger_2"


def test_illegal_letters_are_spelled_out():
    assert legal_name("Größe") == "Groudfe"
    assert legal_name("手") == "u624b"
    assert legal_name("__model__") == "x__model__"
    assert legal_name("2nd") == "2nd"
    assert legal_name("2nd", identifiers=True) == "x2nd"


def test_equal_names_get_numbers_and_legal_ones_stay():
    assert legal_names(["a/b", "a_b", "a:b"]) == ["a_b_2", "a_b", "a_b_3"]
    assert legal_names(["arm", "arm"]) == ["arm", "arm_2"]
    assert legal_names(["world"], taken=["world"]) == ["world_2"]
    assert legal_names(["Lid", "lid"], any_case=True) == ["Lid", "lid_2"]


@given(names, names, st.booleans(), st.booleans())
def test_names_are_legal_different_and_not_taken(given_names, taken, identifiers, any_case):
    found = legal_names(given_names, taken=taken, identifiers=identifiers, any_case=any_case)
    pattern = r"[A-Za-z][A-Za-z0-9_]*" if identifiers else r"[A-Za-z0-9][A-Za-z0-9_-]*"
    assert all(re.fullmatch(pattern, name) for name in found)
    keys = [name.casefold() if any_case else name for name in found]
    assert len(set(keys)) == len(given_names)
    assert not set(keys) & {name.casefold() if any_case else name for name in taken}
    assert found == legal_names(given_names, taken=taken, identifiers=identifiers, any_case=any_case)


@given(names)
def test_legal_names_stay(given_names):
    once = legal_names(given_names)
    assert legal_names(once) == once
