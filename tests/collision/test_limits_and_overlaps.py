"""Free ranges of joints, overlaps of parts, and `rck collide`."""

import json
from math import pi
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from rck.cli.collide import collide
from rck.collision.overlaps import overlap_findings
from rck.collision.scene import HullScene, free_range
from rck.geometry.primitives import box
from rck.geometry.transforms import rotation_about, translation
from rck.hooks import discover
from rck.language.session import new_session
from rck.model import PairRule, RckError, build_item, build_joint, build_robot, subitem_of
from rck.model.item import place_item

ARM = Path(__file__).parent.parent.parent / "examples" / "desk-arm.rck"
FOLDED = ("--pose", "shoulder/axis=100", "--pose", "elbow/axis=120", "--pose", "wrist/axis=100")


def item(name, sides, place):
    return build_item(name, [subitem_of(box(*sides)).unwrap()], pose=translation(place)).unwrap()


def pendulum(limits=(-3.0, 3.0), kind="revolute"):
    """An arm of a metre along x that turns about z, with a post on the left of it and another on the right."""
    items = [
        build_item("base", []).unwrap(),
        item("arm", (1.0, 0.02, 0.02), (0.5, 0.0, 0.0)),
        item("left", (0.02, 0.02, 1.0), (0.0, 0.8, 0.0)),
        item("right", (0.02, 0.02, 1.0), (0.0, -0.8, 0.0)),
    ]
    turn = build_joint("turn", kind, "base", "arm", end=(0.0, 0.0, 1.0), limits=limits).unwrap()
    return build_robot("pendulum", items, [turn]).unwrap()


@pytest.mark.parametrize("kind", ["revolute", "continuous"])
def test_free_range_ends_at_first_contact_on_either_side(kind):
    robot = pendulum((-3.0, 3.0) if kind == "revolute" else None, kind)
    scene = HullScene(robot)
    found = free_range(scene, [0.0], robot.joints[0])
    assert found.upper == pytest.approx(-found.lower, abs=1e-6)
    assert pi / 2 - 0.05 < found.upper < pi / 2
    assert (found.lower_contact.items, found.upper_contact.items) == (("arm", "right"), ("arm", "left"))
    for end in (found.lower, found.upper):
        assert not scene.touches([end])
        assert scene.touches([end + np.sign(end) * 1e-5])


def test_free_range_without_contacts_is_that_of_limits():
    robot = pendulum((-1.0, 1.2))
    found = free_range(HullScene(robot), [0.5], robot.joints[0])
    assert (found.lower, found.upper) == (-1.0, 1.2)
    assert found.lower_contact is found.upper_contact is None


def test_joint_with_items_in_contact_has_no_free_range():
    robot = pendulum()
    assert free_range(HullScene(robot), [pi / 2], robot.joints[0]) is None


def mated(overlap):
    """Two plates, bolted onto a table, that reach into each other."""
    items = [
        item("table/top", (1.0, 1.0, 0.1), (0.0, 0.0, -0.05)),
        item("one/plate", (0.1, 0.1, 0.1), (-0.05, 0.0, 0.06)),
        item("two/plate", (0.1, 0.1, 0.1), (0.05 - overlap, 0.0, 0.06)),
    ]
    bolts = [build_joint(f"bolt-{n}", "fixed", "table/top", items[n].name).unwrap() for n in (1, 2)]
    return build_robot("mated", items, bolts).unwrap()


def test_overlaps_above_tolerance_are_found():
    (finding,) = overlap_findings(mated(0.003))
    assert finding.code == 311
    assert "one/plate and two/plate" in finding.where
    assert "3 mm" in finding.message
    assert overlap_findings(mated(0.0005)) == []
    assert overlap_findings(mated(0.003), tolerance=0.004) == []


def test_overlap_of_exactly_the_tolerance_is_ignored_in_every_pose():
    robot = mated(0.001)
    for angle in np.linspace(0.1, 6.0, 20):
        turned = [place_item(one, rotation_about((1, 2, 3), angle) @ one.pose) for one in robot.items]
        assert overlap_findings(build_robot("turned", turned).unwrap()) == []


def test_overlaps_of_neighbours_and_allowed_pairs_are_ignored():
    robot = mated(0.003)
    ruled = build_robot("ruled", robot.items, robot.joints, rules=[PairRule(("two/plate", "one/plate"), False)])
    assert overlap_findings(ruled.unwrap()) == []
    bolted = [*robot.joints[:1], build_joint("bolt", "fixed", "one/plate", "two/plate").unwrap()]
    assert overlap_findings(build_robot("bolted", robot.items, bolted).unwrap()) == []


def test_many_overlaps_are_counted_instead_of_listed():
    items = [item(f"part-{n}/cube", (1.0, 1.0, 1.0), (0.01 * n, 0.0, 0.0)) for n in range(8)]
    findings = overlap_findings(build_robot("heap", items).unwrap())
    assert len(findings) == 21
    assert findings[-1].message == "8 more pairs of items overlap"


def test_limits_command_narrows_limits_to_free_range(tmp_path):
    session = new_session(discover(), tmp_path, "bench")
    for line in (
        "create structure/round-base base",
        "create robotis/xm430-w350 servo --at base.top",
        "create structure/bar-link link length=200 --at servo.horn --by a",
        "create structure/square-tube post length=300",
        "move post 0,150,0",
    ):
        session.do(line)
    before = session.compile().unwrap().robot.joint("servo/axis").limits
    session.do("limit")
    robot = session.compile().unwrap().robot
    after = robot.joint("servo/axis").limits
    assert before.lower <= after.lower < after.upper <= before.upper
    assert after.upper - after.lower < before.upper - before.lower
    scene = HullScene(robot)
    for end, change in ((after.lower, -1e-4), (after.upper, 1e-4)):
        assert not scene.touches([end])
        assert scene.touches([end + change]) or end in (before.lower, before.upper)
    with pytest.raises(RckError, match="no movable joint servo/axi"):
        session.do("limit servo/axi")


def rck(*words):
    return CliRunner().invoke(collide, list(map(str, words)))


def test_collide_command_lists_contacts_with_depths():
    clear = rck(ARM)
    assert (clear.exit_code, clear.output) == (0, "no contacts\n")
    folded = rck(ARM, *FOLDED)
    assert folded.exit_code == 1
    assert "mm deep at" in folded.output
    found = json.loads(rck(ARM, *FOLDED, "--json").output)
    assert found == sorted(found, key=lambda one: -one["depth"])
    assert all(one["depth"] > 0 and len(one["point"]) == 3 for one in found)
    by_name = json.loads(rck(ARM, *FOLDED, "--backend", "pocoda", "--json").output)
    assert {tuple(one["items"]) for one in by_name} == {tuple(one["items"]) for one in found}


def test_collide_command_lists_clearances_limits_and_matrix():
    near = rck(ARM, "--min-distance", "3mm", "--json")
    assert near.exit_code == 1
    distances = [one["distance"] for one in json.loads(near.output)]
    assert distances == sorted(distances)
    assert all(0 < distance <= 0.003 for distance in distances)
    limits = {one["joint"]: one for one in json.loads(rck(ARM, "--limits", "--json").output)}
    assert list(limits["hand/grip"]["stopped"].values()) == [["hand/right", "hand/left"]]
    assert limits["waist/axis"]["upper"] == pytest.approx(pi)
    matrix = rck(ARM, "--matrix", "--samples", 200)
    assert matrix.exit_code == 0
    assert "153 pairs" in matrix.output.splitlines()[-1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--backend", "hulks"), "did you mean hulls"),
        (("--min-distance", "near"), "--min-distance"),
        (("--limits", "--matrix"), "use only one of"),
        (("--min-distance", "1mm", "--backend", "faces"), "cannot measure"),
    ],
)
def test_collide_command_refuses_bad_arguments(words, said):
    refused = rck(ARM, *words)
    assert refused.exit_code in (1, 2)
    assert said in f"{refused.output} {refused.exception}"
    assert isinstance(refused.exception, RckError | SystemExit)
