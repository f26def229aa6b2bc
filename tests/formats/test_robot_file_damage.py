"""Damaged robot description files: refused with one error, or read; never more."""

import tracemalloc

import pytest
import rck_importers.robot_file

NAME = "arm.robot"


@pytest.fixture(scope="module")
def text(data):
    return (data / "simple.robot").read_bytes()


def replaced(text: bytes, index: int, new: bytes) -> bytes:
    """The text with one token changed and every line where it was."""
    start = 0
    for _ in range(index):
        start = _token_end(text, start)
    start += len(text[start:]) - len(text[start:].lstrip())
    return text[:start] + new + text[_token_end(text, start) :]


def _token_end(text: bytes, start: int) -> int:
    rest = text[start:]
    stripped = rest.lstrip()
    return start + len(rest) - len(stripped) + len(stripped.split(maxsplit=1)[0])


def test_a_file_cut_off_after_any_token_is_refused_with_one_error(desk, text):
    tokens = text.split()
    for kept in range(len(tokens)):
        read = desk.read(rck_importers.robot_file, NAME, b"\n".join(tokens[:kept]))
        assert desk.is_refused_or_whole(read, NAME), kept


JUNK = [b"abc", b"nan", b"-inf", b"1e999", b"1_0", b"0x1", b"\xff\x00", b"7" * 5000]
NUMBERS = [b"-5", b"0", b"3", b"9", b"1000000000000", b"123456789012345678901234567890"]


@pytest.mark.parametrize("sort", range(len(JUNK)))
def test_junk_for_any_token_is_refused_with_one_error(desk, text, sort):
    tokens = text.split()
    for index in range(sort, len(tokens), len(JUNK)):
        damaged = b" ".join([*tokens[:index], JUNK[sort], *tokens[index + 1 :]])
        assert desk.is_refused_or_whole(desk.read(rck_importers.robot_file, NAME, damaged), NAME), index


@pytest.mark.parametrize("sort", range(len(NUMBERS)))
def test_wrong_number_is_read_or_refused_without_exception(desk, text, sort):
    tokens = text.split()
    for index in range(sort, len(tokens), len(NUMBERS)):
        damaged = b" ".join([*tokens[:index], NUMBERS[sort], *tokens[index + 1 :]])
        desk.is_refused_or_whole(desk.read(rck_importers.robot_file, NAME, damaged), NAME)


def test_missing_or_duplicate_token_is_read_or_refused_without_exception(desk, text):
    tokens = text.split()
    for index in range(0, len(tokens) - 1, 2):
        for damaged in (tokens[:index] + tokens[index + 1 :], tokens[: index + 2] + tokens[index + 1 :]):
            desk.is_refused_or_whole(desk.read(rck_importers.robot_file, NAME, b" ".join(damaged)), NAME)


@pytest.mark.parametrize("index", [0, 1, 26, 55])
def test_huge_count_allocates_no_memory(desk, text, index):
    huge = replaced(text, index, b"900000000")
    tracemalloc.start()
    read = desk.read(rck_importers.robot_file, NAME, huge)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert desk.is_refused_or_whole(read, NAME)
    assert "900000000" in read.findings[0].message
    assert peak < 2_000_000


@pytest.mark.parametrize(
    ("index", "new", "line", "message"),
    [
        (0, b"x", 1, "expected the number of items, found 'x'"),
        (1, b"-3", 2, "expected the number of joints, at least 0, found '-3'"),
        (2, b"2", 4, "expected the mobile flag of item0"),
        (3, b"1.5", 5, "expected red, green and blue of item0, 0 to 1, found '1.5'"),
        (21, b"0.5", 6, "the last row of the matrix of item0 is not 0 0 0 1"),
        (
            26,
            b"8.0",
            12,
            "expected the number of points of a subitem of item0, or the mobile flag of item1, found '8.0'",
        ),
        (26, b"3", 12, "expected the mobile flag of item1 (a subitem has at least 4 points), 0 to 1, found '3'"),
        (33, b"nan", 15, "expected the points of subitem 0 of item0"),
        (55, b"abc", 23, "expected the number of polygons of subitem 0 of item0, found 'abc'"),
        (57, b"9", 24, "expected the number of vertices of a polygon of subitem 0 of item0, 3 to 8, found '9'"),
        (62, b"8", 25, "expected a vertex number of subitem 0 of item0, 0 to 7, found '8'"),
        (422, b"3", 144, "expected the type of joint0 (1 revolute, 2 prismatic), 1 to 2, found '3'"),
        (432, b"5", 150, "expected the base item of joint0, 0 to 4, found '5'"),
        (434, b"7", 152, "expected an item that joint0 moves, 0 to 4, found '7'"),
    ],
)
def test_error_names_the_expected_value_and_the_line(desk, text, index, new, line, message):
    (finding,) = desk.read(rck_importers.robot_file, NAME, replaced(text, index, new)).findings
    assert finding.where.split(": ")[0] == f"{NAME}:{line}"
    assert finding.message.startswith(message)


def test_data_after_the_last_joint_is_refused(desk, text):
    (finding,) = desk.read(rck_importers.robot_file, NAME, text + b"\n1 2 3\n").findings
    assert finding.code == 501


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        (b"0\n3\n1 2 3", b"1\n3\n1 2 3", 204),  # a joint moves its own base
        (b"0\n3\n1 2 3", b"0\n3\n1 2 2", 204),  # an item is repeated
        (b"0\n3\n1 2 3", b"0\n2\n1 2", 208),  # what is carried along is left out
        (b"2\n1\n3", b"1\n2\n2 3", 203),  # two joints move the same items
        (b"0\n3\n1 2 3", b"3\n2\n1 2", 208),  # going round in a circle
        (b"0.0 0.0 0.6\n-1.0", b"0.0 0.0 0.1\n-1.0", 205),  # an axis without length
        (b"-45.0\n90.0", b"90.0\n-45.0", 404),
        (b"-45.0\n90.0\n0.0", b"-45.0\n90.0\n100.0", 405),
        (b"0 3 2 1", b"0 3 2 2", 304),
        (b"4\n0 3 2 1", b"4\n0 1 2 3", 304),
        (b"-0.20  -0.20  0.00", b"0.10  0.10  0.00", 306),
        (b"1.0  0.0  0.0  0.00", b"2.0  0.0  0.0  0.00", 309),
    ],
)
def test_impossible_robot_is_refused_with_a_specific_code(desk, text, old, new, code):
    assert old in text
    read = desk.read(rck_importers.robot_file, NAME, text.replace(old, new, 1))
    assert desk.is_refused_or_whole(read, NAME)
    assert read.findings[0].code == code


def test_missing_file_is_one_error(desk):
    (finding,) = desk.open(rck_importers.robot_file, desk.folder / "missing.robot").findings
    assert "No such file" in finding.message
