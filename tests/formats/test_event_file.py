"""Event files: written and read back, and refused by line where they are wrong."""

import tracemalloc

import pytest
import rck_importers.event_file
from hypothesis import given, settings
from hypothesis import strategies as st

from rck.model import EventList, JointEvent

NAME = "run.events"


@st.composite
def event_lists(draw):
    numbers = sorted(draw(st.sets(st.integers(0, 2000), max_size=8)))
    events = []
    for number in numbers:
        start, length = draw(st.integers(0, 10**6)), draw(st.integers(0, 10**5))
        action = draw(st.floats(-360, 360, allow_subnormal=False))
        events.append(JointEvent(number, draw(st.integers(0, 40)), action, start, start + length))
    return EventList(tuple(events))


@given(events=event_lists())
@settings(max_examples=60, deadline=None)
def test_event_file_round_trip_is_exact(desk, events):
    written = desk.write(rck_importers.event_file, events, NAME).files[NAME]
    read = desk.read(rck_importers.event_file, NAME, written)
    assert read.findings == ()
    assert len(read.events.events) == len(events.events)
    for one, other in zip(events.events, read.events.events, strict=True):
        assert (one.number, one.joint, one.start, one.finish) == (other.number, other.joint, other.start, other.finish)
        assert one.action == pytest.approx(other.action, rel=1e-11)
    assert desk.write(rck_importers.event_file, read.events, NAME).files[NAME] == written


def test_sample_contains_four_motions(desk, data):
    events = desk.open(rck_importers.event_file, data / "pick.events").events.events
    assert events[0] == JointEvent(number=1, joint=0, action=45.0, start=0, finish=200)
    assert events[3] == JointEvent(number=4, joint=0, action=-90.0, start=6500, finish=7025)


def test_events_are_sorted_by_number_and_keep_their_numbers(desk):
    text = b"2\n30 1 5.5\n0 0 0\n0 1 0\n7 0 -1\n0 0 0\n0 1 0\n"
    assert [event.number for event in desk.read(rck_importers.event_file, NAME, text).events.events] == [7, 30]


def test_there_may_be_more_than_a_thousand_events(desk):
    events = EventList(tuple(JointEvent(n, 0, 1.0, n, n + 1) for n in range(2500)))
    written = desk.write(rck_importers.event_file, events, NAME).files[NAME]
    assert desk.read(rck_importers.event_file, NAME, written).events == events


def test_times_are_written_with_seconds_below_sixty_and_hundredths_below_a_hundred(desk):
    text = b"1\n0 0 1\n0 75 250\n2 0 0\n"
    events = desk.read(rck_importers.event_file, NAME, text).events
    assert events.events[0].start == 7750
    assert desk.write(rck_importers.event_file, events, NAME).files[NAME] == b"1\n0 0 1\n1 17 50\n2 0 0\n"


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (b"", 1, "the file is truncated; expected the number of events"),
        (b"1.5\n", 1, "expected the number of events, found '1.5'"),
        (b"1\n0 0 1\n0 0 0\n0 1 -", 4, "the file is truncated in '-'; expected the finish of event 0"),
        (
            b"2\n0 0 1\n0 0 0\n0 1 0\n",
            1,
            "the number of events is 2, which needs at least 18 more numbers, but the file has only 9",
        ),
        (b"1\n0 0 1\n0 0 0\n0 1 0\n5", 5, "expected the end of the file, found '5'"),
        (b"1\n0 -1 1\n0 0 0\n0 1 0\n", 2, "expected the joint of event 0, at least 0, found '-1'"),
        (b"1\n0 0 x\n0 0 0\n0 1 0\n", 2, "expected the action of event 0, found 'x'"),
        (b"1\n0 0 nan\n0 0 0\n0 1 0\n", 2, "expected the action of event 0"),
        (b"1\n0 0 1\n0 0.5 0\n0 1 0\n", 3, "expected the start of event 0 in minutes, seconds and hundredths"),
        (b"1\n0 0 1\n0 0 50\n0 0 49\n", 4, "event 0 finishes before it starts"),
        (b"2\n0 0 1\n0 0 0\n0 1 0\n0 0 1\n0 0 0\n0 1 0\n", 5, "there are two events 0"),
    ],
)
def test_damaged_file_gives_one_error_with_line_number(desk, text, line, message):
    read = desk.read(rck_importers.event_file, NAME, text)
    assert desk.is_refused_or_whole(read, NAME)
    assert read.findings[0].where == f"{NAME}:{line}"
    assert read.findings[0].message.startswith(message)


def test_damaged_file_is_read_or_refused_without_exception(desk, data):
    tokens = (data / "pick.events").read_bytes().split()
    for index in range(len(tokens)):
        assert desk.is_refused_or_whole(desk.read(rck_importers.event_file, NAME, b" ".join(tokens[:index])), NAME)
        for junk in (b"abc", b"nan", b"1e999", b"1_0"):
            damaged = b" ".join([*tokens[:index], junk, *tokens[index + 1 :]])
            assert desk.is_refused_or_whole(desk.read(rck_importers.event_file, NAME, damaged), NAME)
        for number in (b"-5", b"999999999999999999", b"7"):
            damaged = b" ".join([*tokens[:index], number, *tokens[index + 1 :]])
            desk.is_refused_or_whole(desk.read(rck_importers.event_file, NAME, damaged), NAME)


def test_huge_count_allocates_no_memory(desk):
    tracemalloc.start()
    read = desk.read(rck_importers.event_file, NAME, b"900000000\n0 0 1\n0 0 0\n0 1 0\n")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert desk.is_refused_or_whole(read, NAME)
    assert peak < 1_000_000


def test_events_that_readers_would_refuse_are_not_written(desk):
    good = JointEvent(0, 0, 1.0, 0, 1)
    for bad in (
        JointEvent(0, 0, 1.0, 0, 1),
        JointEvent(1, -1, 1.0, 0, 1),
        JointEvent(1, 0, float("nan"), 0, 1),
        JointEvent(1, 0, 1e30, 0, 1),
        JointEvent(1, 0, 1.0, 5, 4),
    ):
        refused = desk.write(rck_importers.event_file, EventList((good, bad)), NAME)
        assert not refused.files
        assert len(refused.findings) == 1


def test_files_of_this_format_are_recognised_by_content(data):
    (importer,) = rck_importers.event_file.rck_importers()
    assert importer.probe(data / "renamed.txt", (data / "pick.events").read_bytes())
    assert importer.probe(data / "none.events", b"0\n")
    for other in (b"", b"0 0\n", b"POLYGON { 4}", (data / "simple.robot").read_bytes(), b"3\nhello"):
        assert not importer.probe(data / "some.txt", other)
