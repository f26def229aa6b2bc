"""One client cannot take the time or the memory of the server from the others."""

import asyncio
import json
from contextlib import suppress
from math import inf
from time import thread_time

import pytest
from rck_bench import flood
from rck_bench.flood import FLOODS
from websockets.asyncio.client import connect

from rck.control.client_session import ClientSession
from rck.control.hub import Hub, ServerLimits
from rck.control.memory_quota import MemoryQuota
from rck.control.protocol import ProtocolError, Subscribe, decode
from rck.control.served_world import ServedWorld
from rck.control.server import ControlServer, ProcessorShare
from rck.control.services import SERVICES, Caller, EmptyRequest, Service, request_of
from rck.control.subscriptions import TopicFeed
from rck.support.finding import RckError

FAR = {"position": {"x": 50.0}, "orientation": {"w": 1.0}}
CLOSER = {"position": {"x": 0.4, "y": 0.1, "z": 0.2}, "orientation": {"w": 1.0}}


class Person:
    """A client of a hub without sockets."""

    def __init__(self, hub, name="one"):
        self.got = []
        self.session = ClientSession(hub, name, lambda text, may_skip: self.got.append(json.loads(text)))

    def say(self, **message):
        """Send a message; return the messages that came in response."""
        self.got.clear()
        asyncio.run(self.session.receive(json.dumps(message).encode()))
        return list(self.got)

    def call(self, service, **args):
        return self.say(op="call_service", service=service, args=args)[-1]


@pytest.fixture
def hub(world_of):
    return Hub(world_of())


SLOW = {
    "compute_ik": ("/compute_ik", {"pose": FAR, "budget": 0.2, "most": 64}),
    "axis": ("/compute_ik", {"pose": CLOSER, "budget": 0.2, "most": 64, "wants": "axis"}),
    "move_tool": ("/move_tool", {"pose": FAR, "wants": "position"}),
    "line": ("/move_tool", {"pose": CLOSER, "straight": True}),
    "spawn": ("/spawn", {"name": "ball", "shape": "sphere", "sizes": [0.02], "pose": FAR}),
}


@pytest.mark.parametrize("name", SLOW)
def test_client_is_answered_while_another_floods_a_slow_service(world_of, serving, name):
    service, args = SLOW[name]
    world = world_of("two-arm-cell")
    world.warm_up()
    if "pose" in args and service != "/spawn":
        args = {**args, "tip": "left/tool0"}

    async def compete(url):
        async with connect(url) as greedy, connect(url) as modest:
            for number in range(60):
                await greedy.send(
                    json.dumps({"op": "call_service", "id": f"{number}", "service": service, "args": args})
                )
            answered = 0

            async def count():
                nonlocal answered
                async for _ in greedy:
                    answered += 1

            counting = asyncio.create_task(count())
            for number in range(20):
                await modest.send(json.dumps({"op": "call_service", "id": f"m{number}", "service": "/state"}))
                assert json.loads(await modest.recv())["result"]
            counting.cancel()
            greedy.transport.abort()
            return answered

    with serving(Hub(world)) as served:
        # On the event loop, every message of the modest client would wait for several calls of the other.
        assert asyncio.run(asyncio.wait_for(compete(served.url), 120)) < 40


@pytest.mark.parametrize("service", ["/compute_ik", "/move_tool"])
def test_search_for_the_reason_of_a_refusal_is_a_step_for_the_worker_thread(world_of, service):
    world = world_of("two-arm-cell")
    world.warm_up()
    request = request_of(SERVICES[service], json.dumps({"pose": FAR, "tip": "left/tool0"}).encode())
    steps, value, on_loop, on_worker = SERVICES[service].run(world, Caller("one"), request), None, 0.0, 0.0
    with suppress(StopIteration, RckError):
        while True:
            start = thread_time()
            try:
                step = steps.send(value)
            finally:
                on_loop += thread_time() - start
            start = thread_time()
            value = step() if step else None
            on_worker += thread_time() - start
    # The search takes the whole budget of 20 ms.
    assert on_worker > 0.015
    assert on_loop < on_worker / 2


def test_every_service_is_flooded_by_the_benchmark(world_of):
    services = Hub(world_of()).services
    flooded = {name.partition(",")[0] for name in FLOODS}
    assert set(services) <= flooded
    assert {name for name in flooded if name.startswith("/")} <= set(services)


@pytest.mark.slow
def test_benchmark_measures_a_client_and_an_echo_server_during_floods(monkeypatch, serving, world_of):
    monkeypatch.setattr(flood, "SECONDS", 0.5)
    monkeypatch.setattr(flood, "FLOODS", {name: FLOODS[name] for name in ("/compute_ik", "/state", "subscriptions")})
    with serving(Hub(world_of("two-arm-cell"))) as served:
        rows = flood.flood_rows(served.url.removeprefix("ws://"))
    assert [row.what.partition(" (")[0].partition(":")[0] for row in rows] == [
        "a client without floods",
        "a client while another floods /compute_ik",
        "a client while another floods /state",
        "a client while another floods subscriptions",
    ]
    for row in rows:
        assert row.ours > 1 / 5.0
        assert row.theirs > row.ours / 100
        assert "p99" in row.what


def test_processor_share_of_a_client_is_limited_while_others_are_connected():
    share = ProcessorShare()
    start = share._at
    assert share.pause(10.0, start, inf) == 0.0, "a lone client has no limit"
    share = ProcessorShare()
    assert share.pause(0.05, start, 0.5) == 0.0, "a short burst is not delayed"
    assert share.pause(0.25, start, 0.5) == pytest.approx(0.4, abs=0.01)
    # After the pause, it has paid for what it used.
    assert share.pause(0.1, start + 0.4, 0.5) == pytest.approx(0.2, abs=0.01)
    assert share.pause(1000.0, start + 10, 0.5) == 1.0, "no client is held back for long at once"


def test_processor_time_is_charged_to_the_client_that_uses_it(hub):
    one, other = Person(hub), Person(hub, "other")
    other_before = other.session.caller.processor_time
    assert not one.call("/compute_ik", pose=FAR, wants="position", budget=0.1)["values"]["success"]
    assert one.session.caller.processor_time > 0.05
    assert other.session.caller.processor_time == other_before


@pytest.mark.parametrize("sizes", [[1e-300], [0.0], [-1.0], [1e9]])
@pytest.mark.parametrize("shape", ["sphere", "box", "cylinder"])
def test_object_of_an_impossible_size_is_refused_and_the_client_stays(served, shape, sizes):
    async def spawn():
        async with connect(served.url) as line:
            count = {"sphere": 1, "cylinder": 2, "box": 3}[shape]
            args = {"name": "speck", "shape": shape, "sizes": sizes * count, "pose": FAR}
            await line.send(json.dumps({"op": "call_service", "service": "/spawn", "args": args}))
            refused = json.loads(await line.recv())
            await line.send(json.dumps({"op": "call_service", "service": "/state"}))
            return refused, json.loads(await line.recv())

    refused, state = asyncio.run(spawn())
    assert not refused["result"]
    assert "0.0001 to 100 m" in refused["values"]
    assert state["values"]["objects"].count("speck") == 0


def test_internal_error_is_a_refusal_and_the_client_stays(hub, caplog):
    def divide(world, caller, request):
        return {"value": 1 / 0}

    hub.services["/divide"] = Service("test/Divide", EmptyRequest, divide)
    one = Person(hub)
    reply = one.call("/divide")
    assert not reply["result"]
    assert "internal error in /divide: ZeroDivisionError" in reply["values"]
    assert "ZeroDivisionError" in caplog.text, "it is logged on the server"
    assert one.call("/state")["result"]


def test_failing_simulation_is_paused_and_all_clients_stay(world_of):
    class Broken(ServedWorld):
        def advance(self, seconds):
            raise FloatingPointError("not finite")

    world = Broken(world_of().simulation, world_of().plugins)
    hub = Hub(world)
    one, other = Person(hub), Person(hub, "other")
    ControlServer(hub).tick(0.01)
    assert world.paused
    for client in (one, other):
        assert "the simulation is paused" in client.got[-1]["msg"]
        assert client.call("/state")["result"]


def test_number_of_subscriptions_is_limited_also_for_one_topic(world_of):
    one = Person(Hub(world_of(), ServerLimits(subscriptions=5)))
    for number in range(5):
        assert not one.say(op="subscribe", topic="/joint_states", id=f"s{number}")[:-1]
    assert "too many subscriptions" in one.say(op="subscribe", topic="/joint_states", id="more")[-1]["msg"]
    # Replacing one is no more.
    one.say(op="subscribe", topic="/joint_states", id="s1", throttle_rate=5)
    assert all(message["op"] != "status" for message in one.got)
    one.say(op="unsubscribe", topic="/joint_states", id="s1")
    one.say(op="subscribe", topic="/joint_states", id="more")
    assert all(message["op"] != "status" for message in one.got)


@pytest.mark.parametrize("about", ["x" * 257, 1 << 70])
def test_long_ids_are_refused(about):
    with pytest.raises(ProtocolError, match=r"id is too long|not JSON|subscribe"):
        decode(json.dumps({"op": "subscribe", "topic": "/a", "id": about}))


def test_throttled_queues_share_the_memory_of_their_client():
    quota = MemoryQuota(1000)
    first, second = (TopicFeed(topic, 1_000_000, quota) for topic in ("/a", "/b"))
    for feed in (first, second):
        feed.subscribe(Subscribe(id="s", topic=feed.topic, throttle_rate=10_000, queue_length=1_000_000))
        feed.offer(b"now", 0.0)
    for number in range(100):
        first.offer(b"%099d" % number, 0.1)
        assert quota.used <= 1000
    assert first.due(20.0) == b"%099d" % 90, "the oldest messages were dropped"
    second.offer(b"x" * 5000, 0.1)
    assert quota.used <= 1000
    assert second.due(20.0) is None, "a message beyond the limit is skipped"
    while first.due(1e9) is not None:
        first._sent_at = -inf
    assert quota.used == 0


def test_topics_of_disconnected_clients_are_forgotten(world_of):
    hub = Hub(world_of())
    known = set(hub.types)
    for visit in range(20):
        one = Person(hub, f"visitor-{visit}")
        for number in range(100):
            one.say(op="advertise", topic=f"/mine-{visit}-{number}", type="std_msgs/String")
            one.say(op="subscribe", topic=f"/other-{visit}-{number}", type="std_msgs/String")
            assert not one.got
        one.session.close()
        assert set(hub.types) == known


def test_topic_stays_while_another_client_uses_it(hub):
    one, other = Person(hub), Person(hub, "other")
    one.say(op="advertise", topic="/shared", type="std_msgs/String")
    other.say(op="subscribe", topic="/shared")
    one.session.close()
    assert "/shared" in hub.types
    other.session.close()
    assert "/shared" not in hub.types


def test_reasons_do_not_repeat_long_messages(hub):
    one = Person(hub)
    (status,) = one.say(op="subscribe", topic="/a", compression="z" * 100_000)
    assert len(status["msg"]) < 1100


def test_shared_values_of_one_client_leave_room_for_others(hub):
    one, other = Person(hub), Person(hub, "other")
    replies = [one.call("/set_value", name=f"v{number}", value=number) for number in range(150)]
    assert sum(reply["result"] for reply in replies) == 100
    assert other.call("/set_value", name="mine", value=1)["result"]


def test_message_in_too_many_fragments_is_refused(hub):
    one = Person(hub)
    (status,) = one.say(op="subscribe", topic="/robot_description", fragment_size=16)
    assert status["op"] == "status"
    assert "use a fragment_size of at least" in status["msg"]
