"""Access control and limits of the server, and the isolation of clients."""

import asyncio
import json
import re
import socket
import threading

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.frames import Frame, Opcode

from rck.control import server
from rck.control.hub import Hub, ServerLimits
from rck.control.lockstep import Lockstep
from rck.control.server import Address, RateLimiter, Sender
from rck.support.finding import RckError


async def say(line, **message):
    await line.send(json.dumps(message))


async def ask(line, service, about="q", **args):
    """Return the reply of a service; ignore other messages."""
    await say(line, op="call_service", id=about, service=service, args=args)
    return await answer(line, lambda message: message["op"] == "service_response" and message.get("id") == about)


async def answer(line, fits):
    async with asyncio.timeout(30):
        while True:
            message = json.loads(await line.recv())
            if fits(message):
                return message


def status_code(url, **options):
    async def knock():
        async with connect(url, **options):
            pass

    with pytest.raises(InvalidStatus) as caught:
        asyncio.run(knock())
    return caught.value.response.status_code


def test_non_loopback_address_requires_a_token():
    for host in ("0.0.0.0", "192.168.1.5", "::", "robot.example"):
        with pytest.raises(RckError, match="token"):
            Address(host)
        assert Address(host, token="secret")
    for host in ("127.0.0.1", "localhost", "::1", "127.3.4.5"):
        assert Address(host).is_local


def test_client_without_the_token_is_refused(world_of, serving):
    with serving(Hub(world_of()), Address(port=0, token="secret")) as served:
        assert status_code(served.url) == 401
        assert status_code(f"{served.url}/?token=wrong") == 401

        async def come_in():
            async with connect(f"{served.url}/?token=secret&name=driver") as line:
                assert (await ask(line, "/state"))["values"]["you"] == "driver"
            async with connect(served.url, additional_headers={"Authorization": "Bearer secret"}) as line:
                assert (await ask(line, "/state"))["result"]

        asyncio.run(come_in())


def test_foreign_origins_are_refused(world_of, serving, served):
    assert status_code(served.url, origin="https://evil.example") == 403
    assert status_code(f"ws://evil.example:{served.port}", host="127.0.0.1") == 403
    assert status_code(served.url, additional_headers={"Host": "evil.example"}) == 403

    async def come_in(url, origin):
        async with connect(url, origin=origin) as line:
            return (await ask(line, "/state"))["result"]

    assert asyncio.run(come_in(served.url, f"http://127.0.0.1:{served.port}"))
    with serving(Hub(world_of()), Address(port=0, origins=("https://lab.example",))) as open_to_lab:
        assert asyncio.run(come_in(open_to_lab.url, "https://lab.example"))


def test_number_of_clients_is_limited(world_of, serving):
    with serving(Hub(world_of(), ServerLimits(clients=2))) as served:

        async def crowd():
            async with connect(served.url) as one, connect(served.url) as two:
                with pytest.raises(InvalidStatus) as caught:
                    await connect(served.url)
                assert caught.value.response.status_code == 503
                assert (await ask(one, "/state"))["result"]
                assert (await ask(two, "/state"))["result"]
            async with connect(served.url) as line:
                assert (await ask(line, "/state"))["result"]

        asyncio.run(crowd())


def test_too_long_message_disconnects_only_its_client(world_of, serving):
    with serving(Hub(world_of(), ServerLimits(message_bytes=1000))) as served:

        async def shout():
            async with connect(served.url) as quiet, connect(served.url) as loud:
                await loud.send("x" * 2000)
                with pytest.raises(ConnectionClosed) as caught:
                    await loud.recv()
                assert caught.value.rcvd.code == 1009
                assert (await ask(quiet, "/state"))["result"]

        asyncio.run(shout())


def test_invalid_message_gets_a_status_and_the_client_stays_connected(served):
    async def babble():
        async with connect(served.url) as line:
            for nonsense in ("{", '{"op": "dance", "id": "x"}', '{"op": "publish", "topic": "/clock", "msg": {}}'):
                await line.send(nonsense)
                told = await answer(line, lambda message: message["op"] == "status")
                assert told["level"] == "error"
            await line.send(b"\xff\xfe")
            assert (await answer(line, lambda message: message["op"] == "status"))["level"] == "error"
            assert (await ask(line, "/state"))["result"]

    asyncio.run(babble())


def test_connection_without_websocket_does_no_harm(served):
    for content in (b"", b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01" * 100, b"\x00" * 5000, b"POST / HTTP/1.0\r\n"):
        with socket.create_connection(("127.0.0.1", served.port), timeout=10) as line:
            line.sendall(content)

    async def still_there():
        async with connect(served.url) as line:
            return (await ask(line, "/state"))["result"]

    assert asyncio.run(still_there())


def test_clients_exchange_messages(served):
    async def chat():
        async with connect(served.url) as one, connect(served.url) as two:
            await say(two, op="subscribe", topic="/chatter", type="std_msgs/String")
            assert (await ask(two, "/rosapi/topic_type", topic="/chatter"))["values"]["type"] == "std_msgs/String"
            await say(one, op="publish", topic="/chatter", msg={"data": "early"})
            assert "advertise" in (await answer(one, lambda m: m["op"] == "status"))["msg"]
            await say(one, op="advertise", topic="/chatter", type="std_msgs/Int32")
            assert "is of type" in (await answer(one, lambda m: m["op"] == "status"))["msg"]
            await say(one, op="advertise", topic="/chatter", type="std_msgs/msg/String")
            await say(one, op="publish", topic="/chatter", msg={"data": "hello"})
            heard = await answer(two, lambda m: m["op"] == "publish")
            assert heard == {"op": "publish", "topic": "/chatter", "msg": {"data": "hello"}}

    asyncio.run(chat())


def test_motion_of_a_lost_client_stops_unless_it_requested_otherwise(served):
    async def die():
        watcher = await connect(served.url)
        await say(watcher, op="subscribe", topic="/motions")
        mortal = await connect(f"{served.url}/?name=mortal")
        await ask(mortal, "/move_joints", joints={"scara_a1": 1.0}, duration=60)
        mortal.transport.abort()
        ended = await answer(watcher, lambda m: m["op"] == "publish" and m["msg"]["state"] == "stopped")
        assert ended["msg"]["message"] == "mortal has disconnected"
        lasting = await connect(f"{served.url}/?name=lasting")
        await ask(lasting, "/stop_on_disconnect", data=False)
        number = (await ask(lasting, "/move_joints", joints={"scara_a2": 0.5}, duration=0.3))["values"]["motion"]
        lasting.transport.abort()
        await answer(
            watcher, lambda m: m["op"] == "publish" and m["msg"]["motion"] == number and m["msg"]["state"] == "done"
        )
        assert len((await ask(watcher, "/rosapi/nodes"))["values"]["nodes"]) == 2
        await watcher.close()

    asyncio.run(die())


def test_dead_connection_is_noticed_and_its_motion_stops(world_of, serving):
    with serving(Hub(world_of(), ServerLimits(ping=0.5))) as served:

        async def watch(dead):
            async with connect(served.url) as watcher:
                await say(watcher, op="subscribe", topic="/motions")
                call = {"op": "call_service", "service": "/move_joints"}
                args = {"joints": {"scara_a1": 1.0}, "duration": 600}
                dead.sendall(Frame(Opcode.TEXT, json.dumps({**call, "args": args}).encode()).serialize(mask=True))
                told = await answer(watcher, lambda m: m["op"] == "publish" and m["msg"]["state"] == "stopped")
                assert told["msg"]["message"] == "dead has disconnected"

        with socket.create_connection(("127.0.0.1", served.port), timeout=30) as dead:
            # It connects correctly, and then answers nothing, neither pings nor the closing handshake.
            lines = ["GET /?name=dead HTTP/1.1", f"Host: 127.0.0.1:{served.port}", "Upgrade: websocket"]
            lines += ["Connection: Upgrade", "Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {'A' * 22}==", "", ""]
            dead.sendall("\r\n".join(lines).encode())
            assert dead.recv(1000).startswith(b"HTTP/1.1 101")
            asyncio.run(watch(dead))


async def overwhelm(url, until):
    """Return how the connection of a client ends that subscribes to large messages and reads nothing."""
    sleeper = await connect(f"{url}/?name=sleeper", max_queue=1)
    await say(sleeper, op="subscribe", topic="/pictures", type="std_msgs/String")
    awake = await connect(url)
    await say(awake, op="advertise", topic="/pictures", type="std_msgs/String")
    while not until((await ask(awake, "/rosapi/nodes"))["values"]["nodes"]):
        await say(awake, op="publish", topic="/pictures", msg={"data": "x" * 100_000})
    await awake.close()
    return await closed(sleeper)


def test_client_that_does_not_read_is_disconnected_and_others_stay(world_of, serving):
    with serving(Hub(world_of(), ServerLimits(patience=0.2))) as served:
        assert asyncio.run(overwhelm(served.url, lambda nodes: "/sleeper" not in nodes))


def test_disconnected_slow_client_gets_the_reason(world_of, serving, monkeypatch):
    dropped = threading.Event()
    drop = Sender._disconnect

    def remembered(line, unread):
        drop(line, unread)
        dropped.set()

    monkeypatch.setattr(Sender, "_disconnect", remembered)
    monkeypatch.setattr(server, "_CLOSE_TIMEOUT", 30.0)
    with serving(Hub(world_of(), ServerLimits(patience=0.2))) as served:
        error = asyncio.run(overwhelm(served.url, lambda nodes: dropped.is_set()))
        assert error.rcvd.code == 1008
        assert re.fullmatch(r"too slow: \d+ bytes unread, \d+ messages skipped", error.rcvd.reason)


async def closed(line):
    """Read all messages; return how the connection ends."""
    try:
        while True:
            await line.recv()
    except ConnectionClosed as error:
        return error


def test_fast_sender_is_slowed_down():
    pace = RateLimiter(100.0)
    now = pace._at
    assert [pace.pause(now) for _ in range(100)] == [0.0] * 100
    assert pace.pause(now) == pytest.approx(0.01)
    assert pace.pause(now + 1.0) == 0.0


def test_lock_step_waits_for_dependents_and_reports_late_ones(world_of, serving):
    with serving(Hub(world_of(), lockstep=Lockstep(patience=0.3, enabled=True))) as served:

        async def step():
            async with connect(f"{served.url}/?name=viewer") as line, connect(served.url) as other:
                await say(other, op="subscribe", topic="/late_clients")
                await ask(line, "/register", depends_on=["world"])
                await say(line, op="subscribe", topic="/clock")
                await answer(line, lambda m: m["op"] == "publish")
                moments = []
                for number in range(5):
                    seen = await ask(line, "/seen", about=f"s{number}")
                    moments.append(seen["values"]["time"])
                    await answer(line, lambda m: m["op"] == "publish")
                late = await answer(other, lambda m: m["op"] == "publish")
                assert late["msg"]["client"] == "viewer"
                assert "viewer did not read step of world" in late["msg"]["message"]
                return moments

        moments = asyncio.run(step())
        assert len({json.dumps(moment) for moment in moments}) == 5


def test_shared_values_wait_for_dependents(served):
    async def share():
        async with connect(f"{served.url}/?name=robot") as robot, connect(f"{served.url}/?name=sensor") as sensor:
            await ask(sensor, "/register", depends_on=["robot"])
            await ask(robot, "/lockstep", data=True, patience=30)
            assert (await ask(robot, "/set_value", name="grip", value=[1]))["values"]["answer"] == "OK"
            waiting = (await ask(robot, "/set_value", name="grip", value=[2]))["values"]
            assert (waiting["answer"], waiting["waiting_for"]) == ("WAIT", ["sensor"])
            assert (await ask(sensor, "/get_value", owner="robot", name="grip"))["values"]["value"] == [1]
            assert (await ask(robot, "/set_value", name="grip", value=[2]))["values"]["answer"] == "OK"

    asyncio.run(share())


def test_following_robot_gets_trajectories_and_is_compared(served):
    async def couple():
        async with connect(served.url) as driver, connect(served.url) as user:
            state = {"name": ["scara_a1"], "position": [0.2]}
            await say(driver, op="publish", topic="/feedback/joint_states", msg=state)
            assert "coupled" in (await answer(driver, lambda m: m["op"] == "status"))["msg"]
            await ask(driver, "/feedback", mode="follow", lag=0.0, alarm=0.1)
            await say(driver, op="subscribe", topic="/robot/joint_trajectory")
            await say(driver, op="subscribe", topic="/deviation")
            await ask(driver, "/state")
            await ask(user, "/move_joints", joints={"scara_a2": 0.2})
            sent = await answer(driver, lambda m: m.get("topic") == "/robot/joint_trajectory")
            assert sent["msg"]["joint_names"] == ["scara_a2"]
            assert sent["msg"]["points"][-1]["positions"] == pytest.approx([0.2])
            for _ in range(50):
                await say(driver, op="publish", topic="/feedback/joint_states", msg=state)
                await asyncio.sleep(0.01)
            told = await answer(driver, lambda m: m.get("topic") == "/deviation")
            assert told["msg"]["alarm"]
            assert told["msg"]["deviation"] == pytest.approx([0.2])
            await ask(driver, "/feedback", mode="lead")
            await say(driver, op="publish", topic="/feedback/joint_states", msg=state)
            await ask(driver, "/state")

    asyncio.run(couple())
    assert served.hub.world.positions["scara/a1"] == pytest.approx(0.2)
