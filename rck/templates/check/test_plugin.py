from collections.abc import Callable

from rck.geometry.primitives import box
from rck.hooks import Check
from rck.model import Robot, build_item, build_robot, subitem_of
from rck.testing.contracts import Contribution

pytest_plugins = ["rck.testing.fixtures"]


def block(edge: float) -> Robot:
    item = build_item("block", [subitem_of(box(edge, edge, edge)).unwrap()]).unwrap()
    return build_robot("block", [item]).unwrap()


def test_it_keeps_the_contract_of_checks(check_contract: Callable[[str], None]) -> None:
    check_contract("my-plugin")


def test_only_a_heavy_robot_is_found(contribution: Contribution) -> None:
    check = contribution(Check, "my-plugin")
    assert list(check.run(block(0.05))) == []
    (finding,) = check.run(block(1.0))
    assert "more than the 25 kg" in finding.message
