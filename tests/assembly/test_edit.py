"""Edits are pure functions: each returns a new assembly and leaves the old one unchanged."""

import pytest

from rck.assembly import edits
from rck.assembly.document import Assembly, Instance, JointSetting, LocalPart, Mate, MateJoint, Tool
from rck.assembly.history import History
from rck.model import RckError
from rck.model.quantities import PoseSpec
from rck.parts.manifest import DeviceSpec, Follow, PartItem, PartJoint, PartPort

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
    local_parts={"b": LocalPart({"body": PartItem()})},
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
def test_new_name_gets_the_first_free_number(wish: str, used: list[str], name: str):
    assembly = Assembly("a", parts={one: Instance("x") for one in used})
    assert edits.new_name(assembly, wish) == name
    assert edits.new_name(Assembly("a"), wish, used) == name


@pytest.mark.parametrize("name", ["", "a b", "a/b", "a.b", "a'b", "é\n", "x" * 201, "base"])
def test_invalid_or_used_name_is_refused(name: str):
    with pytest.raises(RckError):
        edits.add_instance(ARM, name, Instance("x"))


def test_branch_contains_the_instance_and_its_descendants():
    assert edits.branch(ARM, "base") == ["base", "upper", "hand"]
    assert edits.branch(ARM, "hand") == ["hand"]


def test_referrers_are_mates_tools_ports_and_poses():
    assert edits.referrers(ARM, ["upper"]) == ["hand (mated at upper.b)", "pose folded", "pose up"]
    assert edits.referrers(ARM, ["base"]) == [
        "upper (mated at base.top)",
        "tool eye",
        "port mount",
        "pose folded",
        "pose up",
    ]
    assert edits.referrers(ARM, ["table"]) == []


def test_removing_an_instance_removes_its_referrers():
    left = edits.remove(ARM, ["upper", "hand"])
    assert set(left.parts) == {"base", "table"}
    assert (left.mates, left.joints, left.poses) == ([], {}, {})
    assert set(left.tools) == {"eye"}
    assert set(ARM.parts) == {"base", "upper", "hand", "table"}


def test_detaching_removes_the_mate_joint_and_keeps_the_rest():
    apart = edits.detach(ARM, "hand", PoseSpec(at=(1.0, 2.0, 3.0)))
    assert apart.parts["hand"].place == PoseSpec(at=(1.0, 2.0, 3.0))
    assert apart.joints == {"upper/mate": JointSetting(position=2.0)}
    assert apart.poses == {"folded": {"upper/mate": 2.0}, "up": {"upper/mate": 0.0}}
    with pytest.raises(RckError, match="is not mated"):
        edits.detach(apart, "hand", None)


def test_renaming_updates_every_reference():
    renamed = edits.rename(ARM, "upper", "lower")
    assert [(mate.at, mate.put) for mate in renamed.mates] == [("lower.b", "hand.mount"), ("base.top", "lower.a")]
    assert set(renamed.joints) == {"wrist", "lower/mate"}
    assert renamed.poses["up"] == {"lower/mate": 0.0}
    assert edits.rename(ARM, "hand", "paw").tools["grip"].on == "paw.tip"
    assert edits.rename(ARM, "base", "foot").ports == {"mount": "foot.under"}
    assert edits.rename(edits.rename(ARM, "upper", "x"), "x", "upper") == ARM


def test_the_joint_of_a_mate_can_be_named():
    named = edits.rename_joint(ARM, "upper/mate", "shoulder")
    assert named.mates[1].joint.name == "shoulder"
    assert set(named.joints) == {"wrist", "shoulder"}
    assert named.poses["up"] == {"shoulder": 0.0}
    with pytest.raises(RckError, match="not the joint of a mate"):
        edits.rename_joint(ARM, "upper/axis", "x")


def test_cyclic_or_second_mate_is_refused():
    with pytest.raises(RckError, match="cannot be attached to each other"):
        edits.add_mate(ARM, Mate("hand.tip", "base.under"))
    with pytest.raises(RckError, match="detach hand first"):
        edits.add_mate(ARM, Mate("base.top", "hand.mount"))
    with pytest.raises(RckError, match="did you mean base"):
        edits.add_mate(ARM, Mate("bsae.top", "table.top"))


def test_renaming_a_local_part_updates_its_instances():
    renamed = edits.renamed_entry(ARM, "local_parts", "b", "block")
    assert renamed.parts["base"].part == "block"
    with pytest.raises(RckError, match="already"):
        edits.copied_entry(ARM, "tools", "grip", "eye")
    assert edits.copied_entry(ARM, "tools", "grip", "tip").tools["tip"] == ARM.tools["grip"]


def test_local_part_is_not_overwritten_by_default():
    with pytest.raises(RckError, match="there is already a local part b"):
        edits.add_local_part(ARM, "b", LocalPart({"body": PartItem(mass=1.0)}))


def test_removing_an_item_removes_its_joints_and_ports():
    piece = LocalPart(
        {"a": PartItem(), "b": PartItem(), "c": PartItem()},
        joints={
            "ab": PartJoint(base="a", moves="b", fixed="z"),
            "ac": PartJoint(base="a", moves=["b", "c"], fixed="z"),
        },
        ports={"p": PartPort(on="b"), "q": PartPort(on="a")},
    )
    assert edits.item_referrers(piece, "b") == ["joint ab", "joint ac", "port p"]
    left = edits.without_item(piece, "b")
    assert (list(left.items), left.joints, list(left.ports)) == (
        ["a", "c"],
        {"ac": PartJoint(base="a", moves=["c"], fixed="z")},
        ["q"],
    )
    with pytest.raises(RckError, match="nothing is left without a"):
        edits.without_item(LocalPart({"a": PartItem()}), "a")


def test_removing_an_item_removes_items_joints_and_devices_beyond_it():
    piece = LocalPart(
        {"arm": PartItem(), "hand": PartItem(), "left": PartItem(), "right": PartItem()},
        joints={
            "wrist": PartJoint(base="arm", moves="hand", fixed="z"),
            "open": PartJoint(base="hand", moves="left", prismatic="x"),
            "mirror": PartJoint(base="hand", moves="right", prismatic="-x", follows=Follow("open")),
        },
        ports={"flange": PartPort(on="arm"), "grip": PartPort(on="hand")},
        devices={"jaws": DeviceSpec(gripper="parallel", port="grip", joints=["open"])},
    )
    left = edits.without_item(piece, "hand")
    assert (list(left.items), left.joints, list(left.ports), left.devices) == (["arm"], {}, ["flange"], {})
    without_leader = edits.without_item(piece, "left")
    assert without_leader.joints["mirror"].follows is None
    assert without_leader.devices == {}


def test_empty_joint_setting_is_removed():
    assert "wrist" not in edits.set_joint_setting(ARM, "wrist", position=None).joints


def test_history_discards_undone_steps_after_an_edit():
    one, two, three = (Assembly(name) for name in ("one", "two", "three"))
    history = History(one).then("a", two).then("b", three)
    back = history.undone()
    assert back.present is two
    assert back.redone() == history
    edited = back.then("c", one)
    assert edited.redone() is edited
    first = back.undone()
    assert first.present is one
    assert first.undone() is first
