"""Effects, refusals and undo of the commands that build an assembly."""

import msgspec
import numpy as np
import pytest

from rck.assembly.compiler import Compiler
from rck.assembly.document import Instance
from rck.assembly.native_file import format_assembly
from rck.grammar import LanguageError
from rck.hooks import discover
from rck.language.completion import complete
from rck.language.session import Session, new_session
from rck.model import RckError

ARM = """
create structure/round-base base diameter=160
create robotis/xm540-w270 shoulder --at base.top
create structure/tube-link upper length=220 --at shoulder.horn
create robotis/xm430-w350 elbow --at upper.b
"""


@pytest.fixture(scope="module")
def scripted(plugins, shipped_catalogue, tmp_path_factory):
    folder = tmp_path_factory.mktemp("scripted")
    session = Session(plugins, shipped_catalogue, folder, "arm")
    session.run_script(ARM, "arm.rcks")
    return session


EDITS = [
    "create objects/cube",
    "make box foot size=100,80,10 material=steel",
    "set upper length=150",
    "set mate shoulder turn=90",
    "set joint shoulder/axis limits=-45..45 position=20",
    "set base colour=#cc3333 notes='the base'",
    "rename upper link",
    "move base 100,0,0",
    "rotate base --angle 30",
    "rotate base --euler 0,0,90",
    "rotate base --from '0,0,0; 1,0,0; 0,1,0' --to '0,0,0; 0,1,0; -1,0,0'",
    "scale upper 1,1,2",
    "mirror elbow x",
    "copy upper fore --at elbow.horn",
    "copy base other --branch --by 400,0,0",
    "copy base other --branch --mirror y",
    "pattern base line 3 --by 300,0,0",
    "pattern base circle 4 --about 500,0,0",
    "detach elbow",
    "replace elbow robotis/xm430-w210",
    "tool tip elbow.horn --offset 0,0,50",
    "port mount base.floor",
    "pose bent shoulder/axis=30 elbow/axis=-40",
    "drive elbow/axis 25",
    "view front --eye 0,-900,200",
    "remove elbow",
    "remove shoulder --with-dependents",
    "remove base --keep",
    "set units length=in",
    "set assembly name=desk",
]


@pytest.mark.parametrize("line", EDITS)
def test_every_edit_changes_the_assembly_and_undoes_to_the_exact_file(arm, line):
    before = format_assembly(arm.assembly)
    assert arm.do(line).changed
    after = format_assembly(arm.assembly)
    assert after != before
    assert arm.compile().value is not None
    arm.do("undo")
    assert format_assembly(arm.assembly) == before
    arm.do("redo")
    assert format_assembly(arm.assembly) == after


def test_undoing_everything_returns_the_empty_assembly(arm):
    arm.do(f"undo {len(arm.history.past)}")
    assert arm.assembly.parts == {}
    with pytest.raises(RckError, match="nothing to undo"):
        arm.do("undo")


def test_created_part_is_placed_on_the_given_port(arm):
    compiled = arm.compile().unwrap()
    top = compiled.ports["base.top"].world_pose(compiled.robot)
    back = compiled.ports["shoulder.back"].world_pose(compiled.robot)
    assert np.allclose(top[:3, 3], back[:3, 3], atol=1e-12)
    assert np.allclose(top[:3, 2], -back[:3, 2], atol=1e-12)


def test_resizing_keeps_attachments(arm):
    arm.do("set upper length=100")
    compiled = arm.compile().unwrap()
    end, servo = (compiled.ports[end].world_pose(compiled.robot) for end in ("upper.b", "elbow.back"))
    assert np.allclose(end[:3, 3], servo[:3, 3], atol=1e-12)


def test_removing_a_parent_is_refused_and_names_its_children(arm):
    before = arm.assembly
    with pytest.raises(LanguageError, match="elbow") as refused:
        arm.do("remove upper")
    assert "--with-dependents" in str(refused.value)
    assert arm.assembly is before


def test_children_keep_their_pose_when_a_parent_is_removed(arm):
    item = "elbow/body"
    before = arm.compile().unwrap().robot.item(item).pose
    arm.do("remove upper --keep")
    assert np.allclose(arm.compile().unwrap().robot.item(item).pose, before, atol=1e-9)


def test_detached_instance_and_its_children_keep_their_poses(arm):
    before = {item.name: item.pose for item in arm.compile().unwrap().robot.items}
    arm.do("detach upper")
    for item in arm.compile().unwrap().robot.items:
        assert np.allclose(item.pose, before[item.name], atol=1e-9)


def test_incompatible_ports_are_refused_and_can_be_forced(arm):
    with pytest.raises(RckError, match="does not fit"):
        arm.do("create stepperonline/17hs19-2004s1 motor --at elbow.horn --by face")
    assert "motor" not in arm.assembly.parts
    arm.do("create stepperonline/17hs19-2004s1 motor --at elbow.horn --by face --force")
    assert "motor" in arm.assembly.parts


def test_occupied_port_is_refused(arm):
    with pytest.raises(RckError, match="used twice"):
        arm.do("create structure/tube-link again --at base.top --by a")


def test_second_part_on_a_port_is_refused_or_forced_under_any_name(session):
    session.do("create structure/round-base base")
    session.do("create robotis/xm540-w270 waist --at base.top")
    with pytest.raises(RckError, match=r"base\.top is used twice: mate base\.top cube\.\w+ and mate base\.top waist\."):
        session.do("create objects/cube cube --at base.top")
    session.do("create objects/cube cube --at base.top --force")
    assert session.compile().value is not None


def test_move_to_a_position_works_for_mated_instances(arm):
    arm.do("move elbow 10,20,30")
    arm.do("rotate elbow --angle 40 --axis 0,1,1")
    assert arm.compile().value is not None
    assert arm.assembly.mates[-1].put or arm.assembly.mates
    before = arm.compile().unwrap().robot.item("elbow/body").pose
    arm.do("move elbow 0,0,15")
    after = arm.compile().unwrap().robot.item("elbow/body").pose
    assert np.allclose(after[:3, 3] - before[:3, 3], (0, 0, 0.015), atol=1e-9)
    assert np.allclose(after[:3, :3], before[:3, :3], atol=1e-9)


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("crate structure/round-base", "crate"),
        ("mate base.top shoulder.back --trun 90", "--trun"),
        ("pattern base spiral 3", "spiral"),
        ("drive nowhere 10", "nowhere"),
        ("make box sizes=1,2,3", "sizes=1,2,3"),
    ],
)
def test_errors_point_at_the_wrong_word(arm, line, word):
    with pytest.raises(LanguageError) as refused:
        arm.do(line)
    pointed = refused.value.word
    assert pointed is not None
    assert line[pointed.start : pointed.end] == word


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("cre", "create"),
        ("create robotis/xm540-w2", "robotis/xm540-w270"),
        ("create structure/tube-link x le", "length="),
        ("mate upp", "upper.b"),
        ("mate base.top elbow.horn --tu", "--turn"),
        ("drive el", "elbow/axis"),
        ("set joint sh", "shoulder/axis"),
        ("replace el", "elbow"),
        ("help pat", "pattern"),
        ("make cyl", "cylinder"),
    ],
)
def test_words_complete_from_the_live_assembly_and_catalogue(arm, line, offered):
    start, words = complete(arm, line)
    assert offered in words
    assert offered.startswith(line[start:])


def test_failing_script_changes_nothing_and_names_the_line(arm):
    before = arm.assembly
    script = "create objects/ball\n\n# a comment\ncreate no/such-part\n"
    with pytest.raises(RckError, match=r"build\.rcks:4"):
        arm.run_script(script, "build.rcks")
    assert arm.assembly == before


def test_script_gives_the_assembly_of_its_commands_one_by_one(arm, tmp_path):
    script = ["create objects/cube one", "move one 300,0,0", "create objects/cube two", "rotate two --angle 30"]
    script += ["move upper 10,0,0", "create structure/plate lid --at one.top --by bottom", "move one 0,50,0"]
    by_line = Session(arm.plugins, arm.catalogue, tmp_path, "arm")
    for line in [*ARM.splitlines(), *script]:
        by_line.do(line)
    arm.run_script("\n".join(script), "build.rcks")
    assert format_assembly(arm.assembly) == format_assembly(by_line.assembly)
    poses = {item.name: item.pose for item in by_line.compile().unwrap().robot.items}
    for item in arm.compile().unwrap().robot.items:
        np.testing.assert_allclose(item.pose, poses[item.name], atol=1e-12)


def test_script_is_compiled_once(arm, monkeypatch):
    sizes = []
    compile_assembly = Compiler.compile

    def counted(self, assembly, opening=()):
        sizes.append(len(assembly.parts))
        return compile_assembly(self, assembly, opening)

    monkeypatch.setattr(Compiler, "compile", counted)
    arm.run_script("".join(f"create objects/cube c{n}\nmove c{n} {n},0,0\n" for n in range(30)), "cubes.rcks")
    # Each line used to compile the whole assembly.
    assert sum(size > 5 for size in sizes) == 1


@pytest.mark.parametrize(
    "later",
    ["create objects/cube", "show", "set joint shoulder/axis position=5", "create no/such-part", "detach upper"],
)
def test_script_names_the_line_that_makes_the_assembly_wrong(arm, later):
    before = arm.assembly
    script = f"create objects/cube\nset joint shoulder/axis position=400\n{later}\ncreate objects/ball\n"
    with pytest.raises(RckError, match=r"build\.rcks:2: .*; nothing was changed"):
        arm.run_script(script, "build.rcks")
    assert arm.assembly == before


def test_script_may_repair_an_assembly_step_by_step(arm):
    arm.apply("break", msgspec.structs.replace(arm.assembly, parts={**arm.assembly.parts, "x": Instance("no/part")}))
    outcomes = arm.run_script("create objects/cube\nremove x\n", "repair.rcks")
    assert "remaining error" in outcomes[0].message
    assert "cube" in arm.assembly.parts


def test_help_examples_of_every_command_parse(arm):
    from rck.grammar import parse_line

    for command in arm.grammar.commands.values():
        assert command.examples or command.name == "check"
        for example in command.examples:
            read = parse_line(arm.grammar, example)
            assert read is not None
            assert read[0] is command


def test_every_command_has_help(arm):
    overview = arm.do("help").message
    for name, command in arm.grammar.commands.items():
        assert name in overview
        assert command.usage.split()[0] in arm.do(f"help {name}").message


def test_saving_and_loading_gives_the_same_assembly(arm, tmp_path):
    arm.do("save arm.rck")
    fresh = new_session(discover(), tmp_path)
    fresh.do("load arm.rck")
    assert fresh.assembly == arm.assembly
    assert not fresh.unsaved


def test_saved_assembly_can_be_an_instance_in_another(arm, tmp_path):
    arm.do("port foot base.floor")
    arm.do("port hand elbow.horn")
    arm.do("save arm.rck")
    cell = new_session(discover(), tmp_path, "cell")
    cell.do("create ./arm.rck left")
    cell.do("create ./arm.rck right")
    cell.do("move right 600,0,0")
    robot = cell.compile().unwrap().robot
    assert {"left/shoulder/axis", "right/shoulder/axis"} <= {joint.name for joint in robot.joints}
    assert set(cell.compile().unwrap().bodies["left"].ports) == {"foot", "hand"}


def test_file_that_contains_itself_is_refused_by_name(arm, tmp_path):
    arm.do("save arm.rck")
    cell = new_session(discover(), tmp_path, "cell")
    cell.do("create ./arm.rck")
    cell.do("save cell.rck")
    (tmp_path / "arm.rck").write_text((tmp_path / "cell.rck").read_text().replace("./arm.rck", "./cell.rck"))
    again = new_session(discover(), tmp_path)
    again.do("load cell.rck")
    with pytest.raises(RckError, match=r"cell\.rck"):
        again.compile().unwrap()
