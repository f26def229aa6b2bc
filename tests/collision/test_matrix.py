"""The allowed-collision matrix: sampling, rules of the user, storage and export."""

from dataclasses import replace
from xml.etree import ElementTree

import pytest
from rck_plugins.exporters.urdf.srdf import srdf_bytes

from rck.assembly.native_file import format_assembly, parse_assembly
from rck.collision import pairs_to_test
from rck.collision.allowed_matrix import matrix_of, sample_matrix
from rck.collision.scene import HullScene
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


def test_untested_pairs_that_overlap_deeply_are_named(turntable):
    told = sample_matrix(turntable, samples=50).summary
    assert told.endswith("not tested because they overlap at the current joint positions: arm and rest (60.0 mm)")


def test_every_pair_gets_the_reason_found_by_sampling(turntable):
    found = reasons(sample_matrix(turntable, samples=2000))
    assert len(found) == 21
    assert found[frozenset(("base", "arm"))] is Reason.ADJACENT
    assert found[frozenset(("arm", "drum"))] is Reason.ALWAYS
    assert found[frozenset(("arm", "post"))] is Reason.SOMETIMES
    assert found[frozenset(("arm", "rest"))] is Reason.DEFAULT
    assert found[frozenset(("arm", "wall"))] is Reason.NEVER


def test_loose_object_is_always_tested(turntable):
    found = reasons(sample_matrix(turntable, samples=200))
    assert found[frozenset(("arm", "cube"))] is Reason.SOMETIMES


def test_share_of_samples_in_contact_matches_share_of_angles(turntable):
    matrix = sample_matrix(turntable, samples=20_000)
    (share,) = [entry.share for entry in matrix.entries if entry.rule.items == ("arm", "post")]
    # Half the width of both, seen from the axis, either way; one sample in eight is at a limit instead.
    assert share == pytest.approx(2 * 0.033 / 6.0 * 7 / 8, rel=0.2)


def test_rules_of_user_are_kept_by_new_sampling(turntable):
    decided = replace(
        turntable, rules=(PairRule(("wall", "arm"), tested=True), PairRule(("arm", "post"), tested=False))
    )
    matrix = sample_matrix(decided, samples=500)
    found = {entry.rule.items: (entry.rule.tested, entry.rule.reason) for entry in matrix.entries}
    assert found["arm", "wall"] == (True, Reason.USER)
    assert found["arm", "post"] == (False, Reason.USER)


def test_rules_of_robot_decide_which_pairs_are_tested(turntable):
    matrix = sample_matrix(turntable, samples=500)
    ruled = replace(turntable, rules=matrix.rules)
    tested = {(ruled.items[a].name, ruled.items[b].name) for a, b in pairs_to_test(ruled).listed.tolist()}
    assert tested == {entry.rule.items for entry in matrix.entries if entry.rule.tested}
    assert reasons(matrix_of(ruled)) == reasons(matrix)
    neighbours = replace(turntable, rules=(PairRule(("base", "arm"), tested=True),))
    assert ("base", "arm") in HullScene(neighbours).touching([0.0])


def test_rules_move_with_the_robot_and_into_a_world(turntable):
    rule = PairRule(("arm", "post"), tested=False)
    ruled = replace(turntable, rules=(rule,))
    assert at_positions(ruled, [0.3]).rules == (rule,)
    (scoped,) = flatten(World("cell", (ruled,))).rules
    assert scoped.items == ("turntable/arm", "turntable/post")


def test_robot_without_joints_has_a_matrix(loose):
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


def test_sampled_rules_keep_those_of_user_and_are_saved(session):
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


def test_pair_in_contact_only_at_current_positions_is_still_tested(session):
    session.do("move shelf -500,150,76")
    session.do("drive servo/axis 90")
    robot = session.compile().unwrap().robot
    assert ("shelf/plate", "link/link") in HullScene(robot).touching(robot.positions)
    session.do("matrix --samples 300")
    assert frozenset(("shelf/plate", "link/link")) not in rules_of(session)


def test_rules_follow_renamed_and_removed_instances(session):
    session.do("group far shelf")
    session.do("allow far link")
    session.do("rename shelf board")
    assert frozenset(("board/plate", "link/link")) in rules_of(session)
    session.do("remove board")
    assert session.assembly.contacts == []
    assert session.assembly.groups == {}


def test_rules_can_be_removed(session):
    session.do("allow base shelf")
    session.do("forget shelf base")
    assert session.assembly.contacts == []
    with pytest.raises(RckError, match="there is no collision rule"):
        session.do("forget shelf base")


def test_unknown_names_are_refused_with_suggestion(session):
    with pytest.raises(RckError, match="there is no item, instance or group shelv"):
        session.do("allow shelv base")
    lost = parse_assembly(format_assembly(session.assembly) + "contacts:\n- {between: [base, gone], test: false}\n")
    (finding,) = session.compile(lost).findings
    assert finding.code == 811


def test_saved_assembly_keeps_its_rules(session, tmp_path):
    session.do("allow servo/horn shelf")
    session.save(tmp_path / "bench.rck")
    cell = new_session(discover(), tmp_path, "cell")
    cell.do("create ./bench.rck left")
    assert set(rules_of(cell)) == {frozenset(("left/servo/horn", "left/shelf/plate"))}


def test_pairs_are_exported_to_srdf_and_mjcf_with_reasons(session):
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


def test_pairs_are_imported_from_srdf_with_reasons(session, tmp_path):
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
