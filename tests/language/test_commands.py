"""Effect of each command; undo restores the exact value and the exact file text."""

from collections.abc import Callable

import pytest

from rck.assembly.document import JointSetting, Mate, MateJoint, SavedView, Tool
from rck.assembly.native_file import format_assembly
from rck.grammar import LanguageError
from rck.language.commands.show_commands import ALL, ONE
from rck.language.session import Session
from rck.model import RckError
from rck.model.quantities import PoseSpec

EDITS: list[tuple[str, Callable[[Session], bool]]] = [
    ("create structure/plate", lambda s: s.assembly.parts["plate-2"].part == "structure/plate"),
    ("create robotis/xm430-w350 extra", lambda s: "extra" in s.assembly.parts),
    (
        "create structure/bar-link extra length=30cm --at table.top --by a --turn 90 --offset 5 --flip",
        lambda s: _mate(s, "extra") == Mate("table.top", "extra.a", turn=90.0, offset=5.0, flip=True),
    ),
    ("create plate", lambda s: s.assembly.parts["plate-2"].part == "plate"),
    ("make cylinder post diameter=40 length=30cm", lambda s: _mass(s, "post") == pytest.approx(1.01788, rel=1e-5)),
    ("make sphere ball diameter=10 mass=2kg colour=#ff0000", lambda s: _mass(s, "ball") == pytest.approx(2)),
    ("make tube diameter=20 inner=10 length=50 density=1000 segments=8", lambda s: "tube" in s.assembly.local_parts),
    ("create piece torus ring diameter=50 section=10", lambda s: "ring" in s.assembly.parts),
    ("copy upper", lambda s: s.assembly.parts["upper-2"].with_ == {"length": 200.0}),
    ("copy upper lower --by 0,500,0", lambda s: s.assembly.parts["lower"].place is not None),
    ("copy upper lower --at table.top", lambda s: _mate(s, "lower") == Mate("table.top", "lower.a")),
    ("copy shoulder left --branch --mirror y", lambda s: s.assembly.parts["upper-2"].mirror == "x"),
    ("copy tool grip tip", lambda s: s.assembly.tools["tip"] == s.assembly.tools["grip"]),
    ("copy pose folded other", lambda s: s.assembly.poses["other"] == s.assembly.poses["folded"]),
    ("copy piece plate slab", lambda s: s.assembly.local_parts["slab"] == s.assembly.local_parts["plate"]),
    ("pattern table line 3 --by 0,500,0", lambda s: _at(s, "table-3") == (0.0, 1000.0, 0.0)),
    ("pattern table circle 4 --about 500,0,0", lambda s: _at(s, "table-3") == (1000.0, 0.0, 0.0)),
    ("tool tip plate.back --rpy 0,90,0", lambda s: s.assembly.tools["tip"] == Tool("plate.back", rpy=(0.0, 90.0, 0.0))),
    ("create port side plate.left", lambda s: s.assembly.ports["side"] == "plate.left"),
    (
        "view back --eye 0,900,0 --parallel",
        lambda s: s.assembly.views["back"] == SavedView((0.0, 900.0, 0.0), parallel=True),
    ),
    ("mate plate.top table.bottom --joint continuous", lambda s: _mate(s, "table").joint == MateJoint(continuous="z")),
    ("attach plate table", lambda s: _mate(s, "table") == Mate("plate", "table")),
    ("mate plate.top table", lambda s: _mate(s, "table").put == "table.right"),
    ("mate plate.body#0.5 table.body#0.4 --offset 3", lambda s: _mate(s, "table").offset == 3.0),
    ("mate plate table --offset 0,0,200 --rpy 0,90,0", lambda s: _mate(s, "table").rpy == (0.0, 90.0, 0.0)),
    ("detach elbow", lambda s: s.assembly.parts["elbow"].place is not None),
    ("replace upper structure/bar-link length=150", lambda s: s.assembly.parts["upper"].with_ == {"length": 150.0}),
    ("replace elbow robotis/xm540-w270", lambda s: _mate(s, "elbow").put == "elbow.back"),
    ("move table 100,0,5", lambda s: _at(s, "table") == (100.0, 0.0, 5.0)),
    ("move elbow 0,0,30", lambda s: _mate(s, "elbow").offset != 0.0),
    ("translate table 1in,0,0 --to", lambda s: _at(s, "table") == (25.4, 0.0, 0.0)),
    ("rotate table --angle 90", lambda s: s.assembly.parts["table"].place == PoseSpec(rpy=(0.0, 0.0, 90.0))),
    ("rotate upper --euler 10,20,30 --order ZYX", lambda s: _mate(s, "upper").rpy is not None),
    (
        "rotate table --from '0,0,0; 1,0,0; 0,1,0' --to '5,0,0; 5,1,0; 4,0,0'",
        lambda s: s.assembly.parts["table"].place == PoseSpec(at=(5.0, 0.0, 0.0), rpy=(0.0, 0.0, 90.0)),
    ),
    ("scale table 2", lambda s: s.assembly.parts["table"].scale == 2.0),
    ("scale table 1,1,0.5", lambda s: s.assembly.parts["table"].scale == (1.0, 1.0, 0.5)),
    ("mirror table x", lambda s: s.assembly.parts["table"].mirror == "x"),
    ("set upper length=250", lambda s: s.assembly.parts["upper"].with_ == {"length": 250.0}),
    ("set upper length=default", lambda s: s.assembly.parts["upper"].with_ == {}),
    ("set part table colour=#112233 loose=yes notes='two words' scale=2", lambda s: s.assembly.parts["table"].loose),
    ("set mate upper turn=45 offset=1,2,3", lambda s: _mate(s, "upper").turn == 45.0),
    (
        "set joint shoulder/axis limits=-90..90 position=30",
        lambda s: _position(s, "shoulder/axis") == pytest.approx(0.5236, abs=1e-4),
    ),
    ("set tool grip on=plate.back offset=default", lambda s: s.assembly.tools["grip"] == Tool("plate.back")),
    ("set port mount on=plate.left", lambda s: s.assembly.ports["mount"] == "plate.left"),
    ("set item plate/body mass=3 colour=#445566", lambda s: _mass(s, "plate") == pytest.approx(3)),
    ("set piece plate summary='a slab'", lambda s: s.assembly.local_parts["plate"].summary == "a slab"),
    ("set view front target=0,0,100 parallel=yes", lambda s: s.assembly.views["front"].parallel),
    ("set assembly name=robot notes=mine", lambda s: (s.assembly.name, s.assembly.notes) == ("robot", "mine")),
    ("set units angle=rad angular-speed=rad/s", lambda s: s.assembly.units.angular_speed == "rad/s"),
    ("rename upper lower", lambda s: _mate(s, "elbow").at == "lower.b"),
    ("rename tool grip tip", lambda s: list(s.assembly.tools) == ["tip"]),
    ("rename joint wrist hand", lambda s: _mate(s, "plate").joint.name == "hand"),
    ("rename piece plate slab", lambda s: s.assembly.parts["plate"].part == "slab"),
    ("drive shoulder/axis 45", lambda s: _position(s, "shoulder/axis") == pytest.approx(0.7854, abs=1e-4)),
    ("drive wrist 0.5rad", lambda s: _position(s, "wrist") == pytest.approx(0.5)),
    ("pose stretched", lambda s: len(s.assembly.poses["stretched"]) == 3),
    ("create pose bent wrist=20", lambda s: s.assembly.poses["bent"] == {"wrist": 20.0}),
    ("go folded", lambda s: _position(s, "elbow/axis") == pytest.approx(-1.0472, abs=1e-4)),
    ("remove table", lambda s: "table" not in s.assembly.parts),
    ("remove part table", lambda s: "table" not in s.assembly.parts),
    ("remove plate table --with-dependents", lambda s: not {"plate", "table"} & set(s.assembly.parts)),
    ("remove upper --keep", lambda s: "elbow" in s.assembly.parts and _mate(s, "elbow") is None),
    ("remove shoulder --with-dependents", lambda s: set(s.assembly.parts) == {"base", "table"}),
    ("remove tool grip", lambda s: s.assembly.tools == {}),
    ("remove port mount", lambda s: s.assembly.ports == {}),
    ("remove pose folded", lambda s: s.assembly.poses == {}),
    ("remove view front", lambda s: s.assembly.views == {}),
    ("remove mate plate", lambda s: _mate(s, "plate") is None),
    ("remove joint wrist", lambda s: _mate(s, "plate").joint is None),
    ("remove piece table --with-dependents", lambda s: "table" not in s.assembly.parts),
]


def _mate(session: Session, name: str):
    return next((mate for mate in session.assembly.mates if mate.put.partition(".")[0] == name), None)


def _at(session: Session, name: str):
    place = session.assembly.parts[name].place
    return (0.0, 0.0, 0.0) if place is None else place.at


def _mass(session: Session, name: str) -> float:
    robot = session.compile().unwrap().robot
    return sum(item.mass for item in robot.items if item.name.startswith(f"{name}/"))


def _position(session: Session, joint: str) -> float:
    return session.compile().unwrap().robot.joint(joint).position


@pytest.mark.parametrize(("line", "true_afterwards"), EDITS, ids=[line for line, _ in EDITS])
def test_edit_has_its_effect_and_undo_restores_the_exact_text(arm: Session, line: str, true_afterwards):
    before, text = arm.assembly, format_assembly(arm.assembly)
    preview = arm.preview(line)
    assert arm.assembly is before
    outcome = arm.do(line)
    assert outcome.changed
    assert outcome.message
    assert true_afterwards(arm)
    after = arm.assembly
    assert preview == after
    assert arm.compile().value is not None
    arm.do("undo")
    assert arm.assembly is before
    assert format_assembly(arm.assembly) == text
    arm.do("redo")
    assert arm.assembly is after


REFUSALS = [
    ("create structure/round-bsae", "structure/round-bsae", "did you mean structure/round-base"),
    ("create nothing", "nothing", "there is no part"),
    ("create structure/plate base", "base", "there is already an instance base"),
    ("create structure/plate a/b", "a/b", "is not a valid name"),
    ("create structure/bar-link x lenght=3", "lenght=3", "did you mean length"),
    ("create structure/bar-link x length=9000", "length=9000", "not within"),
    ("create structure/bar-link x length=3kg", "length=3kg", "unit of mass"),
    ("create structure/bar-link x length=nan", "length=nan", "finite"),
    ("create plate x length=3", "length=3", "has no parameters"),
    ("create structure/plate x --by bottom", "bottom", "--by needs --at"),
    ("create structure/plate x --at nowhere.top", "nowhere.top", "there is no instance"),
    ("create structure/plate x --at base.tpo", "base.tpo", "did you mean top"),
    ("create structure/plate x --at table.top --by bottm", "bottm", "did you mean bottom"),
    ("create robotis/xm430-w350 x --at shoulder.left", "shoulder.left", "no port of x fits"),
    ("create robotis/xm430-w350 x --at shoulder.left --by horn", "", "does not fit"),
    ("make box x", "", "needs sizes"),
    ("make box x size=1,2", "size=1,2", "three numbers"),
    ("make box x size=1,2,3 radius=4", "radius=4", "a box has no radius"),
    ("make box x colour=#ffffff", "box", "needs size="),
    ("make box x size=1,2,3 mass=1 material=steel", "material=steel", "give only one of"),
    ("make box x size=1,2,3 material=cheese", "material=cheese", "there is no material"),
    ("make box x size=1,2,3 colour=red", "colour=red", "not a colour"),
    ("make sphere x diameter=3 segments=1e9", "segments=1e9", "whole number"),
    ("make sphere x diameter=3 segments=100000", "segments=100000", "3 to 500"),
    ("make prism x sides=5.5 diameter=3 height=2", "sides=5.5", "whole number"),
    ("make box plate size=1,2,3", "plate", "already"),
    ("copy uper", "uper", "did you mean upper"),
    ("copy upper base", "base", "there is already an instance base"),
    ("copy upper x --at table.top --by 1,2,3", "1,2,3", "cannot be combined with --at"),
    ("copy tool grip grip", "grip", "already"),
    ("copy upper a b c", "upper", "give an instance and a new name"),
    ("pattern table line 3", "line", "needs --by"),
    ("pattern table line 1 --by 1,0,0", "1", "2 to 1000"),
    ("pattern table line 2.5 --by 1,0,0", "2.5", "whole number"),
    ("pattern table circle 3 --by 1,0,0", "1,0,0", "does not apply to a circle"),
    ("pattern table circle 3 --axis 0,0,0", "0,0,0", "no direction"),
    ("tool grip plate.tpo", "plate.tpo", "did you mean top"),
    ("tool 'a b' plate.top", "'a b'", "is not a valid name"),
    ("port x plate.body#0.1", "plate.body#0.1", "there is no port"),
    ("mate base.top table.bottom", "", "used twice"),
    ("mate plate.top shoulder.back", "shoulder.back", "detach shoulder first"),
    ("mate plate.top base.floor", "base.floor", "cannot be attached to each other"),
    ("mate plate.top table.bottom --turn 5mm", "5mm", "unit of length"),
    ("mate plate.top table.bottom --joint revolute", "revolute", "needs --limits"),
    ("mate plate.top table.bottom --axis x", "x", "needs a joint"),
    ("mate plate.top table.bottom --joint revolute --limits 5", "5", "not a range"),
    ("mate plate.top table.bottom --joint revolute --limits 90..-90", "", "reversed"),
    ("mate plate.top table.bottom --joint continuous --limits 0..90", "0..90", "has no limits"),
    ("mate plate.top table.bottom --joint continuous --name shoulder/axis", "", "used twice"),
    ("detach table", "table", "is not mated"),
    ("replace upper structure/plat", "structure/plat", "did you mean"),
    ("replace elbow structure/round-base", "structure/round-base", "has no port like"),
    ("move base 1,2", "1,2", "three numbers"),
    ("move base 1e300,0,0", "1e300,0,0", "more than"),
    ("move bsae 1,2,3", "bsae", "did you mean base"),
    ("rotate base", "base", "give one of: --angle"),
    ("rotate base --angle 3 --euler 1,2,3", "1,2,3", "give one of: --angle"),
    ("rotate base --angle 3 --order xyz", "xyz", "cannot be combined with"),
    ("rotate base --euler 1,2,3 --order xyw", "xyw", "Euler order"),
    ("rotate base --from '0,0,0;1,0,0;2,0,0' --to '0,0,0;1,0,0;0,1,0'", "'0,0,0;1,0,0;2,0,0'", "are collinear"),
    ("rotate base --from '0,0,0;1,0,0;0,1,0'", "", "three points"),
    ("scale table 0", "0", "must be between"),
    ("scale table -1", "-1", "must be between"),
    ("scale table nan", "nan", "finite"),
    ("scale table 1,2", "1,2", "three numbers"),
    ("mirror plate w", "w", "is not one of"),
    ("set uper length=3", "uper", "did you mean upper"),
    ("set table lenght=3", "lenght=3", "did you mean length"),
    ("set table length=long", "length=long", "long"),
    ("set upper lenght=3", "lenght=3", "did you mean length"),
    ("set upper loose=maybe", "loose=maybe", "neither yes nor no"),
    ("set mate table turn=3", "table", "is not mated"),
    ("set mate upper trun=3", "trun=3", "did you mean turn"),
    ("set joint shoulder/axsi position=3", "shoulder/axsi", "did you mean shoulder/axis"),
    ("set joint shoulder/axis position=300", "", "outside its limits"),
    ("set joint shoulder/axis speed=-3", "speed=-3", "speed must be positive"),
    ("set joint shoulder/axis speed=0", "speed=0", "speed must be positive"),
    ("set tool gripp on=plate.top", "gripp", "did you mean grip"),
    ("set tool grip on=default", "grip", "on has no default"),
    ("set port mount on=nowhere", "on=nowhere", "there is no port"),
    ("set item base/base mass=3", "base/base", "only items of local parts can be changed"),
    ("set item plate/lid mass=3", "plate/lid", "no item"),
    ("set units length=smoot", "length=smoot", "is not a unit of length"),
    ("set assembly name='a b'", "name='a b'", "is not a valid name"),
    ("set a b c x=1", "a", "give an instance, or one of"),
    ("rename upper base", "base", "there is already an instance base"),
    ("rename uper x", "uper", "did you mean upper"),
    ("rename joint shoulder/axis x", "x", "not the joint of a mate"),
    ("rename upper", "upper", "give OLD and NEW"),
    ("drive shoulder/axsi 3", "shoulder/axsi", "did you mean shoulder/axis"),
    ("drive shoulder/axis 3kg", "3kg", "unit of mass"),
    ("drive shoulder/axis 300", "", "outside its limits"),
    ("drive shoulder/mate 3", "shoulder/mate", "no movable joint"),
    ("pose p shoulder/axsi=3", "shoulder/axsi=3", "did you mean shoulder/axis"),
    ("go foldde", "foldde", "did you mean folded"),
    ("remove uper", "uper", "did you mean upper"),
    ("remove tool gripp", "gripp", "did you mean grip"),
    ("remove upper", "upper", "referred to by elbow (mated at upper.b)"),
    ("remove plate", "plate", "referred to by tool grip"),
    ("remove base --keep", "base", "referred to by port mount"),
    ("remove elbow --keep", "elbow", "pose folded"),
    ("remove piece plate", "plate", "referred to by plate"),
    ("remove item plate/body", "plate/body", "nothing is left without body"),
    ("undo 0", "0", "whole number"),
    ("undo x", "x", "whole number"),
    ("show shouldr", "shouldr", "did you mean shoulder"),
    ("show joint x", "x", "there is no joint"),
    ("show thing x", "thing", "is not one of"),
    ("help frob", "frob", "unknown command"),
    ("search paylod>3", "paylod>3", "did you mean payload"),
    ("import missing.robot", "", "No such file"),
    ("export x.nothing", "", "no exporter"),
    ("load missing.rck --discard", "missing.rck", "No such file"),
    ("run missing.rcks", "", "No such file"),
    ("save x.txt", "", "ends in .rck"),
    ("save ~nobody-of-that-name/x.rck", "~nobody-of-that-name/x.rck", ""),
    ("load desk.rck", "", "unsaved changes"),
    ("new", "", "unsaved changes"),
]


@pytest.mark.parametrize(("line", "word", "said"), REFUSALS, ids=[line for line, *_ in REFUSALS])
def test_refusal_gives_the_reason_and_the_word_and_changes_nothing(arm: Session, line: str, word: str, said: str):
    before = arm.history
    with pytest.raises(RckError) as caught:
        arm.do(line)
    assert arm.history is before
    assert said in str(caught.value)
    if word:
        assert isinstance(caught.value, LanguageError)
        assert caught.value.word is not None
        assert line[caught.value.word.start : caught.value.word.end] == word


TELLING = [
    ("show", "• base  structure/round-base"),
    ("show tree", "at upper.b"),
    ("show parts", "upper  structure/bar-link  length=200"),
    ("show items", "plate/body"),
    ("show joints", "wrist  revolute  at 0 deg  -90 deg .. 90 deg"),
    ("show ports", "base.top  any  mated with shoulder.back"),
    ("show mates", "elbow.horn ← plate.bottom  revolute"),
    ("show tools", "grip  on plate.top  offset 0,0,20"),
    ("show poses", "folded  shoulder/axis=30 elbow/axis=-60"),
    ("show views", "front  eye 0,-900,300"),
    ("show pieces", "plate  a box"),
    ("show groups", "hand  plate elbow"),
    ("show suppressions", "there are no suppressions"),
    ("show contacts", "base and hand  allowed"),
    ("show figures", "3 free"),
    ("show shoulder", "shoulder/axis  revolute"),
    ("show part shoulder", "base.top ← shoulder.back"),
    ("show item plate/body", "#0  8 vertices, 6 faces, 68 cm2, 24 cm3, 0.1884 kg"),
    ("show item plate/body", "inertia about it xx 2.669e-05 yy 5.809e-05 zz 8.164e-05 xy 0 xz 0 yz 0 kg m2"),
    ("show item plate/body", "references: joint wrist"),
    ("show item plate/body --vertices", "30 20 5 mm"),
    ("show shoulder", "upper (mated at shoulder.horn), pose folded"),
    ("loads --payload 300g", "with a payload of 300 g at grip"),
    ("show joint shoulder/axis", "shoulder/body → shoulder/horn"),
    ("show port plate.top", "free"),
    ("show mate plate", "elbow.horn ← plate.bottom"),
    ("show tool grip", "on plate.top"),
    ("show pose folded", "elbow/axis=-60"),
    ("show view front", "0,-900,300"),
    ("show piece plate", "a box"),
    ("show group hand", "plate elbow"),
    ("check", "RCK311 warning: items base/base and table/body: overlap by 10 mm"),
    ("search servo stall-torque>=10", "robotis/xm540-w270"),
    ("search nothing-like-this", "no part matches"),
    ("help", "`help COMMAND` explains a command"),
]


def test_every_show_command_is_tested():
    tried = {" ".join(line.split()[:2]) for line, _ in TELLING}
    assert {f"show {what}" for what in (*ALL, *ONE)} <= tried


@pytest.mark.parametrize(("line", "said"), TELLING, ids=[line for line, _ in TELLING])
def test_query_commands_print_their_answer_and_change_nothing(arm: Session, line: str, said: str):
    before = arm.history
    outcome = arm.do(line)
    assert said in outcome.message
    assert not outcome.changed
    assert arm.history is before
    assert arm.preview(line) is None


def test_empty_lists_are_reported_as_empty(session: Session):
    for what in (
        "parts",
        "items",
        "joints",
        "ports",
        "mates",
        "tools",
        "poses",
        "views",
        "pieces",
        "groups",
        "contacts",
    ):
        assert session.do(f"show {what}").message == f"there are no {what}"


def test_edit_without_effect_adds_no_undo_step(arm: Session):
    before = arm.history
    for line in ("move table 0,0,0", "set upper length=200", "scale table 1", "go home", "set mate upper turn=0"):
        assert arm.do(line).message == "nothing changed"
    assert arm.history is before


def test_undo_and_redo_take_a_number_of_steps(arm: Session):
    values = [arm.assembly]
    for number in range(5):
        arm.do(f"move table {number + 1},0,0")
        values.append(arm.assembly)
    arm.do("undo 3")
    assert arm.assembly is values[2]
    arm.do("redo 2")
    assert arm.assembly is values[4]
    assert "move table 5,0,0" in arm.do("redo 100").message
    with pytest.raises(RckError, match="nothing to redo"):
        arm.do("redo")
    arm.do("undo 999999999")
    assert arm.assembly is arm.history.first
    with pytest.raises(RckError, match="nothing to undo"):
        arm.do("undo")


def test_next_edit_discards_undone_steps(arm: Session):
    arm.do("move table 1,0,0")
    arm.do("undo")
    arm.do("move table 2,0,0")
    with pytest.raises(RckError, match="nothing to redo"):
        arm.do("redo")


def test_removing_a_joint_used_by_a_pose_is_refused(arm: Session):
    arm.do("pose bent wrist=10")
    for line in ("remove joint wrist", "remove mate plate"):
        with pytest.raises(RckError, match="pose bent"):
            arm.do(line)
    arm.do("remove joint wrist --with-dependents")
    assert "bent" not in arm.assembly.poses


def test_removing_a_joint_inside_a_part_removes_its_settings(arm: Session):
    arm.do("set joint shoulder/axis limits=-10..10")
    arm.do("remove joint shoulder/axis")
    assert "shoulder/axis" not in arm.assembly.joints


def test_remove_with_keep_and_with_dependents_keeps_only_the_children(arm: Session):
    arm.do("remove elbow --keep --with-dependents")
    assert "plate" in arm.assembly.parts
    assert arm.assembly.poses == {"folded": {"shoulder/axis": 30.0}}


def test_go_home_resets_positions_and_a_pose_named_home_takes_precedence(arm: Session):
    arm.do("go folded")
    arm.do("set joint shoulder/axis limits=-90..90")
    arm.do("go home")
    assert arm.assembly.joints == {"shoulder/axis": JointSetting(limits=(-90.0, 90.0))}
    arm.do("pose home shoulder/axis=5")
    arm.do("go home")
    assert arm.assembly.joints["shoulder/axis"].position == 5.0


def test_replace_keeps_mates_by_port_name_or_type_and_settings_of_remaining_joints(arm: Session):
    arm.do("set joint elbow/axis speed=5")
    arm.do("replace elbow robotis/xm540-w270")
    assert _mate(arm, "elbow") == Mate("upper.b", "elbow.back")
    assert "elbow/axis" in arm.assembly.joints
    arm.do("replace elbow structure/plate --port back=bottom,horn=top")
    assert _mate(arm, "elbow").put == "elbow.bottom"
    assert _mate(arm, "plate").at == "elbow.top"
    assert "elbow/axis" not in arm.assembly.joints
    assert arm.assembly.poses["folded"] == {"shoulder/axis": 30.0}


def test_resizing_keeps_attached_instances(arm: Session):
    def at(end: str):
        built = arm.compile().unwrap()
        return built.ports[end].world_pose(built.robot)[:3, 3]

    before = at("upper.b") - at("upper.a")
    arm.do("set upper length=350")
    longer = at("upper.b") - at("upper.a") - before
    assert float(longer @ longer) ** 0.5 == pytest.approx(0.150)
    assert at("elbow.back") == pytest.approx(at("upper.b"), abs=1e-9)


def test_broken_assembly_can_be_repaired_step_by_step(arm: Session, tmp_path):
    text = format_assembly(arm.assembly).replace("robotis/xm540-w270", "robotis/lost").replace("upper.b", "upper.zz")
    (tmp_path / "broken.rck").write_text(text)
    arm.do("load broken.rck --discard")
    assert arm.compile().value is None
    assert "remaining error" in arm.do("replace shoulder robotis/xm540-w270").message
    assert "remaining error" in arm.do("move table 1,2,3").message
    arm.do("remove elbow --with-dependents")
    assert arm.compile().value is not None
    with pytest.raises(RckError):
        arm.do("set joint shoulder/axis position=999")


def test_failed_save_leaves_the_session_unchanged(arm: Session, tmp_path):
    before = arm.folder, arm.path
    (tmp_path / "other" / "taken.rck").mkdir(parents=True)
    with pytest.raises(RckError, match="nothing was saved"):
        arm.do(f"save {tmp_path / 'other' / 'taken.rck'}")
    assert (arm.folder, arm.path) == before
    assert arm.unsaved
