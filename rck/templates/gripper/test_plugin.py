from rck.hooks import Gripper, discover
from rck.testing.devices import check_gripper
from rck.testing.surroundings import arm_before_a_wall


def found() -> Gripper:
    return next(one for one in discover().all(Gripper) if one.name == "my-plugin")


def test_it_keeps_the_contract_of_grippers() -> None:
    check_gripper(found())


def test_it_holds_what_it_touches_unless_that_is_too_heavy() -> None:
    world, mount = arm_before_a_wall()
    assert found().holds(world, mount, {"gap": 0.002, "payload": 0.5}, "near") == ""
    assert "away" in found().holds(world, mount, {"gap": 0.0001, "payload": 0.5}, "near")
    assert "weighs" in found().holds(world, mount, {"gap": 0.002, "payload": 0.001}, "near")
