"""The allowed-collision matrix: what samples find out, what the user decides, where it is kept and written to."""

from dataclasses import replace
from xml.etree import ElementTree

import pytest
from rck_export_urdf.srdf import srdf_bytes

from rck.assembly.native import format_assembly, parse_assembly
from rck.collision import pairs_to_test
from rck.collision.matrix import matrix_of, sample_matrix
from rck.collision.scene import Scene
from rck.exporting import link_tree, untested_pairs
from rck.geometry.primitives import box
from rck.geometry.transforms import translation
from rck.hooks import discover
from rck.language.session import new_session
from rck.model import (
    PairRule,
    RckError,
    Reason,
    World,
    at_positions,
    build_item,
    build_joint,
    build_robot,
    flatten,
    subitem_of,
)


def item(name, sides, place, **options):
    return build_item(name, [subitem_of(box(*sides)).unwrap()], pose=translation(place), **options).unwrap()


@pytest.fixture(scope="module")
def turntable():
    """An arm that turns about z past a post, over a drum that it always overlaps and far from a wall."""
    items = [
        item("base", (0.1, 0.1, 0.2), (0.0, 0.0, 0.0)),
        item("arm", (1.0, 0.02, 0.02), (0.5, 0.0, 0.1)),
        item("drum", (0.2, 0.2, 0.1), (0.0, 0.0, 0.12)),
        item("post", (0.02, 0.02, 1.0), (0.0, 0.6, 0.0)),
        item("rest", (0.1, 0.1, 0.1), (0.9, 0.0, 0.1)),
        item("wall", (0.1, 5.0, 5.0), (3.0, 0.0, 0.0)),
        item("cube", (0.1, 0.1, 0.1), (2.0, 0.0, 0.0), mobile=True),
    ]
    turn = build_joint("turn", "revolute", "base", "arm", end=(0.0, 0.0, 1.0), limits=(-3.0, 3.0)).unwrap()
    return build_robot("turntable", items, [turn]).unwrap()


def reasons(matrix):
    return {frozenset(entry.rule.items): entry.rule.reason for entry in matrix.entries}


def test_what_is_let_be_though_it_is_deep_in_one_another_is_named(turntable):
    told = sample_matrix(turntable, samples=50).summary
    assert told.endswith("not tested because they are in one another as drawn: arm and rest (60.0 mm)")


def test_every_pair_has_the_reason_that_samples_give_it(turntable):
    found = reasons(sample_matrix(turntable, samples=2000))
    assert len(found) == 21
    assert found[frozenset(("base", "arm"))] is Reason.ADJACENT
    assert found[frozenset(("arm", "drum"))] is Reason.ALWAYS
    assert found[frozenset(("arm", "post"))] is Reason.SOMETIMES
    assert found[frozenset(("arm", "rest"))] is Reason.DEFAULT
    assert found[frozenset(("arm", "wall"))] is Reason.NEVER


def test_a_loose_object_is_tested_wherever_it_lies_now(turntable):
    found = reasons(sample_matrix(turntable, samples=200))
    assert found[frozenset(("arm", "cube"))] is Reason.SOMETIMES


def test_the_share_of_samples_that_touch_is_that_of_the_angles_that_do(turntable):
    matrix = sample_matrix(turntable, samples=20_000)
    (share,) = [entry.share for entry in matrix.entries if entry.rule.items == ("arm", "post")]
    # Half the width of both, seen from the axis, either way; one sample in eight is at a limit instead.
    assert share == pytest.approx(2 * 0.033 / 6.0 * 7 / 8, rel=0.2)


def test_what_the_user_decided_stays_when_the_matrix_is_found_anew(turntable):
    decided = replace(
        turntable, rules=(PairRule(("wall", "arm"), tested=True), PairRule(("arm", "post"), tested=False))
    )
    matrix = sample_matrix(decided, samples=500)
    found = {entry.rule.items: (entry.rule.tested, entry.rule.reason) for entry in matrix.entries}
    assert found["arm", "wall"] == (True, Reason.USER)
    assert found["arm", "post"] == (False, Reason.USER)


def test_the_rules_of_a_robot_decide_what_is_tested(turntable):
    matrix = sample_matrix(turntable, samples=500)
    ruled = replace(turntable, rules=matrix.rules)
    tested = {(ruled.items[a].name, ruled.items[b].name) for a, b in pairs_to_test(ruled).listed.tolist()}
    assert tested == {entry.rule.items for entry in matrix.entries if entry.rule.tested}
    assert reasons(matrix_of(ruled)) == reasons(matrix)
    neighbours = replace(turntable, rules=(PairRule(("base", "arm"), tested=True),))
    assert ("base", "arm") in Scene(neighbours).touching([0.0])


def test_rules_move_with_the_robot_and_into_a_world(turntable):
    rule = PairRule(("arm", "post"), tested=False)
    ruled = replace(turntable, rules=(rule,))
    assert at_positions(ruled, [0.3]).rules == (rule,)
    (scoped,) = flatten(World("cell", (ruled,))).rules
    assert scoped.items == ("turntable/arm", "turntable/post")


def test_a_robot_without_joints_has_a_matrix_too(loose):
    robot = loose([box(1.0, 1.0, 1.0)] * 2, [translation((0.0, 0.0, 0.0)), translation((5.0, 0.0, 0.0))])
    assert reasons(sample_matrix(robot, samples=10)) == {frozenset(("item-0", "item-1")): Reason.NEVER}


@pytest.fixture
def session(tmp_path):
    session = new_session(discover(), tmp_path, "bench")
    for line in (
        "create structure/round-base base",
        "create robotis/xm430-w350 servo --at base.top",
        "create structure/bar-link link --at servo.horn --by a",
        "create structure/plate shelf",
        "move shelf 500,0,0",
    ):
        session.do(line)
    return session


def rules_of(session):
    return {frozenset(rule.items): rule for rule in session.compile().unwrap().robot.rules}


def test_instances_and_groups_stand_for_their_items(session):
    session.do("group moving servo/horn link")
    session.do("allow moving shelf")
    found = rules_of(session)
    assert {frozenset(("servo/horn", "shelf/plate")), frozenset(("link/link", "shelf/plate"))} == set(found)
    assert not any(rule.tested for rule in found.values())
    session.do("disallow link/link shelf")
    assert rules_of(session)[frozenset(("link/link", "shelf/plate"))].tested


def test_sampling_keeps_what_was_decided_and_comes_back_from_the_file(session):
    session.do("disallow base shelf")
    said = session.do("matrix --samples 300").message
    assert said.startswith("10 pairs")
    found = rules_of(session)
    assert found[frozenset(("base/base", "shelf/plate"))].reason is Reason.USER
    assert found[frozenset(("link/link", "shelf/plate"))].reason is Reason.NEVER
    text = format_assembly(session.assembly)
    assert "- {between: [base, shelf], test: true}\n" in text
    assert parse_assembly(text) == session.assembly
    before = session.assembly
    session.do("undo")
    session.do("matrix --samples 300")
    assert session.assembly == before


def test_what_runs_into_something_only_where_it_was_driven_to_is_still_tested(session):
    session.do("move shelf -500,150,76")
    session.do("drive servo/axis 90")
    robot = session.compile().unwrap().robot
    assert ("shelf/plate", "link/link") in Scene(robot).touching(robot.positions)
    session.do("matrix --samples 300")
    assert frozenset(("shelf/plate", "link/link")) not in rules_of(session)


def test_rules_follow_a_piece_that_is_renamed_or_removed(session):
    session.do("group far shelf")
    session.do("allow far link")
    session.do("rename shelf board")
    assert frozenset(("board/plate", "link/link")) in rules_of(session)
    session.do("remove board")
    assert session.assembly.contacts == []
    assert session.assembly.groups == {}


def test_what_was_decided_can_be_taken_back(session):
    session.do("allow base shelf")
    session.do("forget shelf base")
    assert session.assembly.contacts == []
    with pytest.raises(RckError, match="nothing was decided"):
        session.do("forget shelf base")


def test_names_of_nothing_are_refused_and_found(session):
    with pytest.raises(RckError, match="there is no item, instance or group shelv"):
        session.do("allow shelv base")
    lost = parse_assembly(format_assembly(session.assembly) + "contacts:\n- {between: [base, gone], test: false}\n")
    (finding,) = session.compile(lost).findings
    assert finding.code == 811


def test_a_saved_assembly_brings_its_rules_along(session, tmp_path):
    session.do("allow servo/horn shelf")
    session.save(tmp_path / "bench.rck")
    cell = new_session(discover(), tmp_path, "cell")
    cell.do("create ./bench.rck left")
    assert set(rules_of(cell)) == {frozenset(("left/servo/horn", "left/shelf/plate"))}


def test_srdf_and_mjcf_get_the_pairs_with_their_reasons(session):
    session.do("matrix --samples 300")
    tree = link_tree(session.compile().unwrap().robot)
    named = {tuple(sorted(tree.links[n].name for n in pair)): why for pair, why in untested_pairs(tree).items()}
    assert named["link_link", "shelf_plate"] is Reason.NEVER
    assert named["servo_body", "servo_horn"] is Reason.ADJACENT
    srdf = ElementTree.fromstring(srdf_bytes(tree, "base_base"))
    written = {
        tuple(sorted((one.get("link1"), one.get("link2")))): one.get("reason")
        for one in srdf.iter("disable_collisions")
    }
    assert written["link_link", "shelf_plate"] == "Never"
    assert written["servo_body", "servo_horn"] == "Adjacent"


def test_pairs_come_back_from_srdf_with_their_reasons(session, tmp_path):
    session.do("matrix --samples 300")
    session.do("allow servo/horn shelf")
    robot = session.compile().unwrap().robot
    session.do(f"export {tmp_path / 'bench.urdf'}")
    again = new_session(discover(), tmp_path, "again")
    again.do(f"import {tmp_path / 'bench.srdf'} bench")
    reread = again.compile().unwrap().robot
    assert all(rule.why in ("user", "never", "always", "default") for rule in again.assembly.contacts)
    assert rules_of(again)[frozenset(("bench/link_link", "bench/shelf_plate"))].reason is Reason.NEVER
    assert rules_of(again)[frozenset(("bench/servo_horn", "bench/shelf_plate"))].reason is Reason.USER
    solid = {number for number, item in enumerate(reread.items) if item.subitems}
    assert len(pairs_to_test(robot).listed) == 0
    assert not [pair for pair in pairs_to_test(reread).listed.tolist() if solid.issuperset(pair)]
