"""Edits are pure functions: each gives another value and leaves the old one alone."""

import pytest

from rck.assembly import edit
from rck.assembly.document import Assembly, Instance, JointSetting, Mate, MateJoint, Piece, Tool
from rck.assembly.history import History
from rck.catalogue.manifest import Device, Follow, PartItem, PartJoint, PartPort, Place
from rck.model import RckError

ARM = Assembly(
    "arm",
    parts={"base": Instance("b"), "upper": Instance("u"), "hand": Instance("h"), "table": Instance("t")},
    mates=[
        Mate("upper.b", "hand.mount", joint=MateJoint(continuous="z", name="wrist")),
        Mate("base.top", "upper.a", joint=MateJoint(continuous="z")),
    ],
    joints={"wrist": JointSetting(position=1.0), "upper/mate": JointSetting(position=2.0)},
    poses={"folded": {"wrist": 1.0, "upper/mate": 2.0}, "up": {"upper/mate": 0.0}},
    tools={"grip": Tool("hand.tip"), "eye": Tool("base.top")},
    ports={"mount": "base.under"},
    pieces={"b": Piece({"body": PartItem()})},
)


@pytest.mark.parametrize(
    ("wish", "used", "name"),
    [
        ("leg", [], "leg"),
        ("leg", ["leg"], "leg-2"),
        ("leg", ["leg", "leg-2", "leg-3"], "leg-4"),
        ("leg-2", ["leg", "leg-2"], "leg-3"),
        ("2f-85", ["2f-85"], "2f-85-2"),
        ("xm540-w270", ["xm540-w270"], "xm540-w270-2"),
        ("-2", ["-2"], "-2-2"),
    ],
)
def test_a_new_name_is_the_wish_with_the_first_number_that_is_free(wish: str, used: list[str], name: str):
    assembly = Assembly("a", parts={one: Instance("x") for one in used})
    assert edit.new_name(assembly, wish) == name
    assert edit.new_name(Assembly("a"), wish, used) == name


@pytest.mark.parametrize("name", ["", "a b", "a/b", "a.b", "a'b", "é\n", "x" * 201, "base"])
def test_a_name_that_is_none_or_taken_is_refused(name: str):
    with pytest.raises(RckError):
        edit.add_instance(ARM, name, Instance("x"))


def test_a_branch_is_the_instance_and_all_that_stands_on_it():
    assert edit.branch(ARM, "base") == ["base", "upper", "hand"]
    assert edit.branch(ARM, "hand") == ["hand"]


def test_referrers_are_mates_tools_ports_and_poses():
    assert edit.referrers(ARM, ["upper"]) == ["hand (mated at upper.b)", "pose folded", "pose up"]
    assert edit.referrers(ARM, ["base"]) == [
        "upper (mated at base.top)",
        "tool eye",
        "port mount",
        "pose folded",
        "pose up",
    ]
    assert edit.referrers(ARM, ["table"]) == []


def test_removing_takes_along_whatever_refers_to_it():
    left = edit.remove(ARM, ["upper", "hand"])
    assert set(left.parts) == {"base", "table"}
    assert (left.mates, left.joints, left.poses) == ([], {}, {})
    assert set(left.tools) == {"eye"}
    assert set(ARM.parts) == {"base", "upper", "hand", "table"}


def test_detaching_loses_the_joint_of_the_mate_and_keeps_the_rest():
    apart = edit.detach(ARM, "hand", Place(at=(1.0, 2.0, 3.0)))
    assert apart.parts["hand"].place == Place(at=(1.0, 2.0, 3.0))
    assert apart.joints == {"upper/mate": JointSetting(position=2.0)}
    assert apart.poses == {"folded": {"upper/mate": 2.0}, "up": {"upper/mate": 0.0}}
    with pytest.raises(RckError, match="stands free"):
        edit.detach(apart, "hand", None)


def test_a_new_name_reaches_every_reference():
    renamed = edit.rename(ARM, "upper", "lower")
    assert [(mate.at, mate.put) for mate in renamed.mates] == [("lower.b", "hand.mount"), ("base.top", "lower.a")]
    assert set(renamed.joints) == {"wrist", "lower/mate"}
    assert renamed.poses["up"] == {"lower/mate": 0.0}
    assert edit.rename(ARM, "hand", "paw").tools["grip"].on == "paw.tip"
    assert edit.rename(ARM, "base", "foot").ports == {"mount": "foot.under"}
    assert edit.rename(edit.rename(ARM, "upper", "x"), "x", "upper") == ARM


def test_the_joint_of_a_mate_can_be_named():
    named = edit.rename_joint(ARM, "upper/mate", "shoulder")
    assert named.mates[1].joint.name == "shoulder"
    assert set(named.joints) == {"wrist", "shoulder"}
    assert named.poses["up"] == {"shoulder": 0.0}
    with pytest.raises(RckError, match="not the joint of a mate"):
        edit.rename_joint(ARM, "upper/axis", "x")


def test_pieces_cannot_stand_on_each_other():
    with pytest.raises(RckError, match="cannot stand on each other"):
        edit.add_mate(ARM, Mate("hand.tip", "base.under"))
    with pytest.raises(RckError, match="detach hand first"):
        edit.add_mate(ARM, Mate("base.top", "hand.mount"))
    with pytest.raises(RckError, match="did you mean base"):
        edit.add_mate(ARM, Mate("bsae.top", "table.top"))


def test_renaming_a_piece_definition_follows_its_instances():
    renamed = edit.renamed_entry(ARM, "pieces", "b", "block")
    assert renamed.parts["base"].part == "block"
    with pytest.raises(RckError, match="already"):
        edit.copied_entry(ARM, "tools", "grip", "eye")
    assert edit.copied_entry(ARM, "tools", "grip", "tip").tools["tip"] == ARM.tools["grip"]


def test_a_piece_definition_is_not_overwritten_unasked():
    with pytest.raises(RckError, match="there is a piece b already"):
        edit.add_piece(ARM, "b", Piece({"body": PartItem(mass=1.0)}))


def test_an_item_goes_with_its_joints_and_ports():
    piece = Piece(
        {"a": PartItem(), "b": PartItem(), "c": PartItem()},
        joints={"ab": PartJoint("a", "b", fixed="z"), "ac": PartJoint("a", ["b", "c"], fixed="z")},
        ports={"p": PartPort(on="b"), "q": PartPort(on="a")},
    )
    assert edit.item_referrers(piece, "b") == ["joint ab", "joint ac", "port p"]
    left = edit.without_item(piece, "b")
    assert (list(left.items), left.joints, list(left.ports)) == (
        ["a", "c"],
        {"ac": PartJoint("a", ["c"], fixed="z")},
        ["q"],
    )
    with pytest.raises(RckError, match="nothing is left without a"):
        edit.without_item(Piece({"a": PartItem()}), "a")


def test_what_joints_carry_goes_with_an_item():
    piece = Piece(
        {"arm": PartItem(), "hand": PartItem(), "left": PartItem(), "right": PartItem()},
        joints={
            "wrist": PartJoint("arm", "hand", fixed="z"),
            "open": PartJoint("hand", "left", prismatic="x"),
            "mirror": PartJoint("hand", "right", prismatic="-x", follows=Follow("open")),
        },
        ports={"flange": PartPort(on="arm"), "grip": PartPort(on="hand")},
        devices={"jaws": Device(gripper="parallel", port="grip", joints=["open"])},
    )
    left = edit.without_item(piece, "hand")
    assert (list(left.items), left.joints, list(left.ports), left.devices) == (["arm"], {}, ["flange"], {})
    without_leader = edit.without_item(piece, "left")
    assert without_leader.joints["mirror"].follows is None
    assert without_leader.devices == {}


def test_a_setting_that_says_nothing_is_dropped():
    assert "wrist" not in edit.set_joint_setting(ARM, "wrist", position=None).joints


def test_history_goes_back_and_forth_and_forgets_what_was_undone():
    one, two, three = (Assembly(name) for name in ("one", "two", "three"))
    history = History(one).then("a", two).then("b", three)
    back = history.undone()
    assert back is not None
    assert back.present is two
    assert back.redone() == history
    assert back.then("c", one).redone() is None
    first = back.undone()
    assert first is not None
    assert (first.present, first.undone()) == (one, None)
