"""Throttling and queues of subscriptions."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rck.control.protocol import Subscribe, Unsubscribe
from rck.control.subscriptions import TopicFeed


def feed(**wishes):
    made = TopicFeed("/a", longest_queue=100)
    made.subscribe(Subscribe(id="one", topic="/a", **wishes))
    return made


def test_every_message_is_sent_at_once_without_throttling():
    made = feed()
    assert [made.offer(b"%d" % n, n / 1000) for n in range(5)] == [b"0", b"1", b"2", b"3", b"4"]


def test_throttling_delays_the_newest_message():
    made = feed(throttle_rate=100)
    sent = [(n, made.offer(b"%d" % n, n * 0.02)) for n in range(11)]
    assert [(n, text) for n, text in sent if text is not None] == [(0, b"0"), (5, b"5"), (10, b"10")]


def test_full_queue_drops_the_oldest_message():
    made = feed(throttle_rate=1000, queue_length=2)
    assert made.offer(b"0", 0.0) == b"0"
    for n in range(1, 5):
        assert made.offer(b"%d" % n, 0.1 * n) is None
    assert [made.due(t) for t in (0.9, 1.0, 1.5, 2.0, 3.0)] == [None, b"3", None, b"4", None]


@given(
    st.integers(0, 200),
    st.integers(0, 5),
    st.lists(st.floats(0.0, 0.1), max_size=40),
)
def test_throttled_messages_keep_their_distance_and_order(throttle, queue, waits):
    made = feed(throttle_rate=throttle, queue_length=queue)
    now, sent = 0.0, []
    for number, wait in enumerate(waits):
        now += wait
        text = made.offer(b"%d" % number, now)
        if text is not None:
            sent.append((now, int(text)))
    for (before, first), (after, second) in pairwise(sent):
        assert after - before >= throttle / 1000
        assert second > first


def test_several_subscriptions_get_the_fastest_rate_and_the_longest_queue():
    made = feed(throttle_rate=500, queue_length=1, fragment_size=1000)
    made.subscribe(Subscribe(id="two", topic="/a", throttle_rate=100, queue_length=7, fragment_size=400))
    assert (made.options.throttle, made.options.queue_length, made.options.fragment_size) == (0.1, 7, 400)
    assert made.unsubscribe(Unsubscribe(id="two", topic="/a"))
    assert made.options.throttle == 0.5
    assert not made.unsubscribe(Unsubscribe(id="two", topic="/a"))
    assert made.count == 1
    assert made.unsubscribe(Unsubscribe(topic="/a"))
    assert made.count == 0


def test_queue_length_is_limited():
    made = feed(throttle_rate=1, queue_length=1_000_000)
    assert made.options.queue_length == pytest.approx(100)
