from collections.abc import Callable

from rck.hooks import Gripper
from rck.testing.contracts import Contribution
from rck.testing.still_world import arm_before_a_wall

pytest_plugins = ["rck.testing.fixtures"]


def test_it_keeps_the_contract_of_grippers(gripper_contract: Callable[..., None]) -> None:
    gripper_contract("my-gripper")


def test_it_holds_what_it_touches_unless_that_is_too_heavy(contribution: Contribution) -> None:
    gripper = contribution(Gripper, "my-gripper")
    world, mount = arm_before_a_wall()
    assert gripper.holds(world, mount, {"gap": 0.002, "payload": 0.5}, "near") == ""
    assert "away" in gripper.holds(world, mount, {"gap": 0.0001, "payload": 0.5}, "near")
    assert "weighs" in gripper.holds(world, mount, {"gap": 0.002, "payload": 0.001}, "near")
