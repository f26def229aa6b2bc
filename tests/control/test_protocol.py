"""Messages of the rosbridge protocol: validation, fragmentation and PNG compression."""

import json
from base64 import b64decode
from io import BytesIO

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from rck.control import protocol
from rck.control.message_packing import FragmentJoiner, compress, pack, split
from rck.control.protocol import CallService, Fragment, ProtocolError, Publish, Subscribe, decode, encode, refusal


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "not JSON"),
        ("[]", "`op`"),
        ('"publish"', "`op`"),
        ("{}", "`op`"),
        ('{"op": 3}', "`op`"),
        ('{"op": "shout"}', "unknown operation 'shout'"),
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
        ('{"op": "advertise", "topic": "' + "a" * 300 + '", "type": "x"}', "too long"),
        ('{"op": "publish", "topic": "/a", "msg": ' + "[" * 10_000 + "]" * 10_000 + "}", "nested"),
    ],
)
def test_invalid_message_is_refused_with_the_reason(text, words):
    with pytest.raises(ProtocolError) as caught:
        decode(text)
    assert words in caught.value.reason


def test_refusal_has_the_id_of_the_message():
    with pytest.raises(ProtocolError) as caught:
        decode('{"op": "publish", "id": "p1", "topic": 7}')
    assert refusal(caught.value).id == "p1"


def test_published_content_is_passed_on_unchanged():
    message = decode('{"op": "publish", "topic": "/a", "msg": {"x": [1, 2.50]}}')
    assert isinstance(message, Publish)
    assert bytes(message.msg) == b'{"x": [1, 2.50]}'


def test_messages_of_real_clients_are_accepted():
    roslibpy = {
        "op": "subscribe", "id": "subscribe:/chatter:1", "type": "std_msgs/String", "topic": "/chatter",
        "compression": "none", "throttle_rate": 0, "queue_length": 0,
    }  # fmt: skip
    assert isinstance(decode(json.dumps(roslibpy)), Subscribe)
    roslibjs = {"op": "call_service", "id": "call_service:/a:2", "service": "/a", "type": "x/Y", "args": {}}
    assert isinstance(decode(json.dumps(roslibjs)), CallService)


@given(st.text(max_size=400), st.integers(16, 100))
def test_fragments_are_joined_in_any_order(content, size):
    text = encode(Publish(topic="/a", msg=protocol.raw(content)))
    pieces = [msgspec.json.decode(piece) for piece in split(text, size, "one")]
    if len(pieces) == 1:
        assert pieces[0]["op"] == "publish"
        return
    joiner = FragmentJoiner(100_000)
    whole = None
    for piece in reversed(pieces):
        assert whole is None
        fragment = decode(json.dumps(piece))
        assert isinstance(fragment, Fragment)
        assert len(fragment.data) <= size
        whole = joiner.add(fragment)
    assert whole == text


def test_incomplete_fragments_are_limited():
    joiner = FragmentJoiner(25_000)
    for number in range(100):
        assert joiner.add(Fragment(id=number % 4, data="x" * 100, num=number, total=1000)) is None
    # A character can take several bytes, and a fragment takes memory besides its data.
    for data in ("\N{BEAMED EIGHTH NOTES}" * 8400, "x" * 25_000):
        with pytest.raises(ProtocolError, match="message dropped"):
            joiner.add(Fragment(id=0, data=data, num=100, total=1000))
    empty = FragmentJoiner(10_000)
    for number in range(100):
        empty.add(Fragment(id=0, data="", num=number, total=1000))
    with pytest.raises(ProtocolError, match="message dropped"):
        empty.add(Fragment(id=0, data="", num=100, total=1000))
    with pytest.raises(ProtocolError, match="the limit is 1000"):
        empty.add(Fragment(id=0, data="", num=0, total=1_000_000))
    many = FragmentJoiner(10_000, max_messages=8)
    for number in range(100):
        assert many.add(Fragment(id=number, data="x", num=0, total=2)) is None
    assert many.add(Fragment(id=99, data="y", num=1, total=2)) == b"xy"
    assert many.add(Fragment(id=0, data="y", num=1, total=2)) is None


def test_fragments_with_different_totals_are_refused():
    joiner = FragmentJoiner(1000)
    joiner.add(Fragment(id="a", data="x", num=0, total=3))
    with pytest.raises(ProtocolError, match="changed from 3 to 2"):
        joiner.add(Fragment(id="a", data="x", num=1, total=2))


@given(st.binary(min_size=1, max_size=2000).map(lambda content: content.hex().encode()))
def test_png_message_contains_the_message_in_its_pixels(text):
    picture = Image.open(BytesIO(b64decode(json.loads(compress(text))["data"])))
    assert picture.tobytes().rstrip(b"\n") == text


def test_png_message_can_be_fragmented():
    pieces = [json.loads(piece) for piece in pack(b'"' + b"ab" * 500 + b'"', "png", 64, "p")]
    assert {piece["op"] for piece in pieces} == {"fragment"}
    whole = json.loads("".join(piece["data"] for piece in pieces))
    assert whole["op"] == "png"
