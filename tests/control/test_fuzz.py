"""Random messages to the parser and to a live server: each is accepted or refused, and other clients are not affected.

`RCK_FUZZ_MESSAGES=100000 pytest tests/control/test_fuzz.py` sends that many messages, instead of a few thousand, to a
server in a subprocess.
"""

import asyncio
import gc
import json
import os
import sys
from contextlib import suppress
from itertools import count
from pathlib import Path
from time import monotonic, sleep

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from rck.control import protocol
from rck.control.background_loop import BackgroundLoop
from rck.control.client_session import ClientSession
from rck.control.hub import Hub, ServerLimits
from rck.control.protocol import ProtocolError, Status, decode, encode, refusal
from rck.control.services import SERVICES
from rck.control.topics import SUBSCRIBED, TOPICS

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
BATCH = 20
"""Messages that each client sends before the server is checked."""
CLIENTS = 4

FIELDS = ("id", "topic", "type", "service", "args", "msg", "action", "level", "data", "num", "total")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
NEARLY = st.fixed_dictionaries(
    {"op": st.sampled_from(protocol.CLIENT_OPERATIONS)},
    optional=dict.fromkeys((*FIELDS, "throttle_rate", "queue_length", "fragment_size", "compression"), JSON),
)


def decode_or_refuse(text):
    """Return the message, or the refusal."""
    try:
        return decode(text)
    except ProtocolError as error:
        return refusal(error)


@given(st.binary(max_size=200))
def test_any_bytes_are_accepted_or_refused_with_a_reason(content):
    answer = decode_or_refuse(content)
    assert not isinstance(answer, Status) or answer.msg


@settings(max_examples=50)
@given(NEARLY)
def test_almost_valid_messages_are_accepted_or_refused_with_a_reason(message):
    answer = json.loads(encode(decode_or_refuse(json.dumps(message))))
    assert answer["op"] in (message["op"], "status")


ODD = st.sampled_from([None, True, -1, 0, 2**63, 1e308, -1e308, "", "long", "many", [], {}, [[]], {"x": 1.0}]).map(
    lambda value: "x" * 300 if value == "long" else [0.0] * 2000 if value == "many" else value
)
TRAJECTORY = {"joint_names": ["scara_a1"], "points": [{"positions": [0.2], "time_from_start": {"sec": 1}}]}
NAMES = ["scara_a1", "scara_a2", "world", "cube", "box", "sphere", "/tf"]
USUAL = st.sampled_from(
    [*NAMES, 0.1, 0.5, [0.1, 0.1, 0.1], {"scara_a1": 0.3}, {"position": {"x": 1.0, "z": 2.0}}, TRAJECTORY]
)
VALUES = ODD | USUAL
TOPIC_NAMES = st.sampled_from([*TOPICS, *SUBSCRIBED, "/a", "/b"])


def _to_service(name):
    """Draw a call with known arguments of the service, and perhaps an unknown one."""
    fields = [*SERVICES[name].request.__struct_fields__, "more"]
    return st.fixed_dictionaries(
        {
            "op": st.sampled_from(["call_service", "call_service", "send_action_goal"]),
            "service": st.just(name),
            "action": st.just(name),
            "id": st.sampled_from(["a", "b", None]),
            "args": st.dictionaries(st.sampled_from(fields), VALUES, max_size=len(fields)),
        }
    )


def _cut(text_and_share):
    text, share = text_and_share
    return text[: int(share * len(text))]


CALLS = st.sampled_from(sorted(SERVICES)).flatmap(_to_service)
TOPIC_MESSAGES = st.fixed_dictionaries(
    {"op": st.sampled_from(["publish", "subscribe", "unsubscribe", "advertise", "unadvertise"]), "topic": TOPIC_NAMES},
    optional={"msg": VALUES, "type": VALUES, "throttle_rate": VALUES, "compression": st.sampled_from(["png", "x"])},
)
TEXTS = st.one_of(CALLS, CALLS, CALLS, TOPIC_MESSAGES, TOPIC_MESSAGES, NEARLY).map(json.dumps)
MESSAGES = st.one_of(TEXTS, TEXTS, TEXTS, st.tuples(TEXTS, st.floats(0, 1)).map(_cut), st.binary(max_size=40))
"""Valid, almost valid, truncated and binary messages."""


class FloodClients:
    """Several clients that send the same messages in different orders, and one that checks the server."""

    def __init__(self, url):
        self.url = url
        self.sent = 0
        self.slowest = 0.0
        self._lines = [None] * CLIENTS
        self._bystander = None
        self._numbers = count()

    async def send(self, batch):
        turn = len(batch) // CLIENTS
        orders = (batch[number * turn :] + batch[: number * turn] for number in range(CLIENTS))
        await asyncio.gather(*(self._send(number, order) for number, order in enumerate(orders)))
        await self._ask()

    async def _send(self, number, messages):
        for message in messages:
            if self._lines[number] is None:
                line = self._lines[number] = await connect(self.url, max_size=None)
                line.listening = asyncio.create_task(self._listen(line))
            try:
                await self._lines[number].send(message)
            except ConnectionClosed:
                self._lines[number] = None
            self.sent += 1

    async def _listen(self, line):
        with suppress(ConnectionClosed):
            async for _ in line:
                pass

    async def _ask(self):
        if self._bystander is None:
            self._bystander = await connect(self.url, max_size=None)
        about, begun = f"q{next(self._numbers)}", monotonic()
        await self._bystander.send(json.dumps({"op": "call_service", "id": about, "service": "/state"}))
        answer = json.loads(await self._bystander.recv())
        assert (answer["id"], answer["result"]) == (about, True)
        self.slowest = max(self.slowest, monotonic() - begun)

    async def close(self):
        for line in (*self._lines, self._bystander):
            if line is not None:
                await line.close()


def torment(url, messages):
    """Send a number of messages generated by hypothesis."""
    with BackgroundLoop("flood") as background:
        flood = FloodClients(url)

        @settings(
            max_examples=messages // (BATCH * CLIENTS),
            deadline=None,
            database=None,
            phases=[Phase.generate, Phase.shrink],
            suppress_health_check=list(HealthCheck),
        )
        @given(st.lists(MESSAGES, min_size=BATCH, max_size=BATCH))
        def send(batch):
            background.wait_for(flood.send(batch))

        try:
            send()
        finally:
            background.wait_for(flood.close())
    return flood


def test_arbitrary_messages_do_not_affect_other_clients_and_leave_nothing_behind(world_of, serving):
    with serving(Hub(world_of(), ServerLimits(messages_a_second=1e6))) as served:
        assert torment(served.url, 800).sent >= 800
        while served.do(lambda: len(served.hub.sessions)):
            sleep(0.01)
        gc.collect()
        assert not [thing for thing in gc.get_objects() if isinstance(thing, ClientSession)]


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the system does not tell what processes hold")
def test_long_flood_neither_crashes_the_server_nor_grows_its_memory(serve_command, tmp_path):
    messages = int(os.environ.get("RCK_FUZZ_MESSAGES", "4000"))
    with serve_command(EXAMPLES / "scara-cell.rck", "--state", str(tmp_path / "state.json")) as server:
        url = f"ws://127.0.0.1:{server.port}"
        torment(url, 4000)
        before = memory(server.number)
        flood = torment(url, messages)
        after = memory(server.number)
        status, _ = server.end()
    sys.stderr.write(
        f"{flood.sent} messages: the server held {before / 1e6:.1f} MB before and {after / 1e6:.1f} MB after;"
        f" the slowest answer to somebody else took {1000 * flood.slowest:.0f} ms\n"
    )
    assert status == 0
    assert flood.sent >= messages
    assert after - before < 30e6


def memory(process):
    """Return the resident memory of a process, in bytes."""
    pages = Path(f"/proc/{process}/statm").read_text().split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")
