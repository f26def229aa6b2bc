"""Messages of the rosbridge protocol: taken or refused with the reason, whole, in fragments or as pictures."""

import json
from base64 import b64decode
from io import BytesIO

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from rck.control import protocol
from rck.control.packing import Joiner, as_picture, packed, split
from rck.control.protocol import CallService, Fragment, Publish, Refused, Subscribe, decode, encode, refusal


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "not JSON"),
        ("[]", "`op`"),
        ('"publish"', "`op`"),
        ("{}", "`op`"),
        ('{"op": 3}', "`op`"),
        ('{"op": "shout"}', "no operation 'shout'"),
        ('{"op": "publish", "topic": "/a"}', "publish: Object missing required field `msg`"),
        ('{"op": "publish", "topic": 7, "msg": {}}', "`$.topic`"),
        ('{"op": "publish", "topic": "/a", "msg": {"x": NaN}}', "not JSON"),
        ('{"op": "subscribe", "topic": "/a", "throttle_rate": -1}', "throttle_rate"),
        ('{"op": "subscribe", "topic": "/a", "throttle_rate": 1e999}', "out of range"),
        ('{"op": "subscribe", "topic": "/a", "queue_length": -2}', "queue_length"),
        ('{"op": "subscribe", "topic": "/a", "compression": "cbor"}', "use none or png"),
        ('{"op": "subscribe", "topic": "/a", "fragment_size": 1}', "fragment_size"),
        ('{"op": "fragment", "data": "x", "num": 3, "total": 2, "id": "a"}', "fragment"),
        ('{"op": "fragment", "data": "x", "num": 0, "total": 2}', "fragment"),
        ('{"op": "set_level", "level": "loud"}', "level"),
        ('{"op": "advertise", "topic": "' + "a" * 300 + '", "type": "x"}', "at most"),
        ('{"op": "publish", "topic": "/a", "msg": ' + "[" * 10_000 + "]" * 10_000 + "}", "nested"),
    ],
)
def test_what_is_wrong_with_a_message_is_said(text, words):
    with pytest.raises(Refused) as caught:
        decode(text)
    assert words in caught.value.reason


def test_a_refusal_carries_the_id_of_what_was_refused():
    with pytest.raises(Refused) as caught:
        decode('{"op": "publish", "id": "p1", "topic": 7}')
    assert refusal(caught.value).id == "p1"


def test_the_content_of_a_publication_is_left_as_it_came():
    message = decode('{"op": "publish", "topic": "/a", "msg": {"x": [1, 2.50]}}')
    assert isinstance(message, Publish)
    assert bytes(message.msg) == b'{"x": [1, 2.50]}'


def test_messages_of_clients_in_use_are_taken():
    roslibpy = {
        "op": "subscribe", "id": "subscribe:/chatter:1", "type": "std_msgs/String", "topic": "/chatter",
        "compression": "none", "throttle_rate": 0, "queue_length": 0,
    }  # fmt: skip
    assert isinstance(decode(json.dumps(roslibpy)), Subscribe)
    roslibjs = {"op": "call_service", "id": "call_service:/a:2", "service": "/a", "type": "x/Y", "args": {}}
    assert isinstance(decode(json.dumps(roslibjs)), CallService)


@given(st.text(max_size=400), st.integers(16, 100))
def test_a_message_in_fragments_comes_together_again_in_any_order(content, size):
    text = encode(Publish(topic="/a", msg=protocol.raw(content)))
    pieces = [msgspec.json.decode(piece) for piece in split(text, size, "one")]
    if len(pieces) == 1:
        assert pieces[0]["op"] == "publish"
        return
    joiner = Joiner(100_000)
    whole = None
    for piece in reversed(pieces):
        assert whole is None
        fragment = decode(json.dumps(piece))
        assert isinstance(fragment, Fragment)
        assert len(fragment.data) <= size
        whole = joiner.add(fragment)
    assert whole == text


def test_fragments_that_never_end_do_not_pile_up():
    joiner = Joiner(10_000)
    for number in range(100):
        assert joiner.add(Fragment(id=number % 4, data="x" * 100, num=number, total=1_000_000)) is None
    with pytest.raises(Refused, match="waiting"):
        joiner.add(Fragment(id=0, data="x", num=100, total=1_000_000))
    many = Joiner(10_000, most_messages=8)
    for number in range(100):
        assert many.add(Fragment(id=number, data="x", num=0, total=2)) is None
    assert many.add(Fragment(id=99, data="y", num=1, total=2)) == b"xy"
    assert many.add(Fragment(id=0, data="y", num=1, total=2)) is None


def test_fragments_that_disagree_about_their_number_are_refused():
    joiner = Joiner(1000)
    joiner.add(Fragment(id="a", data="x", num=0, total=3))
    with pytest.raises(Refused, match="3 pieces"):
        joiner.add(Fragment(id="a", data="x", num=1, total=2))


@given(st.binary(min_size=1, max_size=2000).map(lambda content: content.hex().encode()))
def test_a_picture_holds_the_message_in_its_pixels(text):
    picture = Image.open(BytesIO(b64decode(json.loads(as_picture(text))["data"])))
    assert picture.tobytes().rstrip(b"\n") == text


def test_a_picture_can_come_in_fragments():
    pieces = [json.loads(piece) for piece in packed(b'"' + b"ab" * 500 + b'"', "png", 64, "p")]
    assert {piece["op"] for piece in pieces} == {"fragment"}
    whole = json.loads("".join(piece["data"] for piece in pieces))
    assert whole["op"] == "png"
