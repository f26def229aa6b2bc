"""Shared values: who waits for whom before a value changes, and for how long."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rck.control.dependence import Dependence
from rck.model.finding import RckError


def test_a_value_waits_until_all_who_depend_on_it_have_read_the_old_one():
    shared = Dependence(patience=10.0, lockstep=True)
    shared.register("sensor", ["robot"])
    shared.register("screen", ["robot"])
    assert shared.set("robot", "gripper", b"1", 0.0)[0] == "OK"
    assert shared.set("robot", "gripper", b"2", 1.0) == ("WAIT", ["screen", "sensor"], [])
    assert shared.get("sensor", "robot", "gripper") == b"1"
    assert shared.set("robot", "gripper", b"2", 2.0)[:2] == ("WAIT", ["screen"])
    assert shared.get("screen", "robot", "gripper") == b"1"
    assert shared.set("robot", "gripper", b"2", 3.0)[0] == "OK"
    assert shared.get("sensor", "robot", "gripper") == b"2"


def test_who_does_not_depend_on_a_value_is_not_waited_for():
    shared = Dependence(lockstep=True)
    shared.register("sensor", ["other"])
    for number in range(3):
        assert shared.set("robot", "gripper", b"%d" % number, 0.0)[0] == "OK"


def test_running_freely_nobody_waits():
    shared = Dependence(lockstep=False)
    shared.register("sensor", ["robot"])
    for number in range(3):
        assert shared.set("robot", "gripper", b"%d" % number, 0.0)[0] == "OK"


def test_a_client_that_takes_too_long_is_named_and_waited_for_no_longer():
    shared = Dependence(patience=0.5, lockstep=True)
    shared.register("sensor", ["robot"])
    shared.set("robot", "gripper", b"1", 0.0)
    assert shared.set("robot", "gripper", b"2", 0.4)[0] == "WAIT"
    verdict, _, late = shared.set("robot", "gripper", b"2", 0.6)
    assert verdict == "OK"
    assert [str(one) for one in late] == ["sensor did not read gripper of robot within 0.6 s"]


def test_nobody_waits_for_a_client_that_has_gone():
    shared = Dependence(lockstep=True)
    shared.register("sensor", ["robot"])
    shared.set("robot", "gripper", b"1", 0.0)
    shared.forget("sensor")
    assert shared.set("robot", "gripper", b"2", 0.0)[0] == "OK"
    shared.forget("robot")
    with pytest.raises(RckError, match="no value"):
        shared.get("sensor", "robot", "gripper")


def test_shared_values_have_an_end():
    shared = Dependence()
    with pytest.raises(RckError, match="more than"):
        [shared.set("robot", str(number), b"1", 0.0) for number in range(2000)]


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["set", "get"])), max_size=60))
def test_in_lock_step_every_dependent_sees_every_value(doings):
    """With endless patience, what each client reads is every value that its owners set, one after the other."""
    shared = Dependence(patience=1e9, lockstep=True)
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
