"""Lock-step: shared values wait for the clients that depend on them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rck.control.lockstep import Lockstep
from rck.support.finding import RckError


def test_value_waits_until_all_dependents_have_read_the_old_one():
    shared = Lockstep(patience=10.0, enabled=True)
    shared.register("sensor", ["robot"])
    shared.register("screen", ["robot"])
    assert shared.set("robot", "gripper", b"1", 0.0)[0] == "OK"
    assert shared.set("robot", "gripper", b"2", 1.0) == ("WAIT", ["screen", "sensor"], [])
    assert shared.get("sensor", "robot", "gripper") == b"1"
    assert shared.set("robot", "gripper", b"2", 2.0)[:2] == ("WAIT", ["screen"])
    assert shared.get("screen", "robot", "gripper") == b"1"
    assert shared.set("robot", "gripper", b"2", 3.0)[0] == "OK"
    assert shared.get("sensor", "robot", "gripper") == b"2"


def test_independent_clients_are_not_waited_for():
    shared = Lockstep(enabled=True)
    shared.register("sensor", ["other"])
    for number in range(3):
        assert shared.set("robot", "gripper", b"%d" % number, 0.0)[0] == "OK"


def test_clients_do_not_wait_without_lock_step():
    shared = Lockstep(enabled=False)
    shared.register("sensor", ["robot"])
    for number in range(3):
        assert shared.set("robot", "gripper", b"%d" % number, 0.0)[0] == "OK"


def test_late_client_is_reported_and_no_longer_waited_for():
    shared = Lockstep(patience=0.5, enabled=True)
    shared.register("sensor", ["robot"])
    shared.set("robot", "gripper", b"1", 0.0)
    assert shared.set("robot", "gripper", b"2", 0.4)[0] == "WAIT"
    verdict, _, late = shared.set("robot", "gripper", b"2", 0.6)
    assert verdict == "OK"
    assert [str(one) for one in late] == ["sensor did not read gripper of robot within 0.6 s"]


def test_disconnected_client_is_not_waited_for():
    shared = Lockstep(enabled=True)
    shared.register("sensor", ["robot"])
    shared.set("robot", "gripper", b"1", 0.0)
    shared.forget("sensor")
    assert shared.set("robot", "gripper", b"2", 0.0)[0] == "OK"
    shared.forget("robot")
    with pytest.raises(RckError, match="no shared value"):
        shared.get("sensor", "robot", "gripper")


def test_number_of_shared_values_is_limited():
    shared = Lockstep()
    with pytest.raises(RckError, match="too many shared values"):
        [shared.set("robot", str(number), b"1", 0.0) for number in range(2000)]


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["set", "get"])), max_size=60))
def test_every_dependent_reads_every_value_in_lock_step(doings):
    """With unlimited patience, each client reads every value of its owners in order."""
    shared = Lockstep(patience=1e9, enabled=True)
    for client in "abc":
        shared.register(client, set("abc") - {client})
    written = dict.fromkeys("abc", 0)
    seen = {(reader, owner): 0 for reader in "abc" for owner in "abc" if reader != owner}
    for client, what in doings:
        if what == "set":
            if shared.set(client, "v", b"%d" % (written[client] + 1), 0.0)[0] == "OK":
                written[client] += 1
        else:
            for owner in set("abc") - {client}:
                if written[owner]:
                    value = int(shared.get(client, owner, "v"))
                    assert value - seen[client, owner] in (0, 1)
                    seen[client, owner] = value
