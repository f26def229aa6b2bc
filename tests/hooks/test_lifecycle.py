"""Lifecycle hooks: order, findings, refusals, wrappers and failures."""

import asyncio
from pathlib import Path

import pytest

from rck.assembly.journal import journal_path, recoverable
from rck.control.hub import Hub
from rck.control.served_world import ServedWorld
from rck.control.services import Caller
from rck.editor.simulation_player import SimulationPlayer
from rck.hooks import Plugins
from rck.hooks.actions import MoveJoint
from rck.hooks.project_plugins import FilePoint
from rck.language.session import Session, open_session
from rck.model import Finding, RckError, Severity
from rck.simulation.events import Event
from rck.simulation.simulation import Simulation
from rck.testing.robots import planar_arm

HEAD = """
from rck.hooks import hookimpl
from rck.model import Finding, RckError, Severity

def note(text, code="TST101"):
    return Finding(code, Severity.NOTE, "", text)
"""


@pytest.fixture
def use(tmp_path, monkeypatch):
    """Return a function that makes plugins of files: their names and sources."""
    monkeypatch.setenv("RCK_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("RCK_DATA", str(tmp_path / "data"))

    def make(**sources: str) -> Plugins:
        points = []
        for name, source in sources.items():
            file = tmp_path / f"{name}.py"
            file.write_text(HEAD + source, encoding="utf-8")
            points.append(FilePoint(file))
        return Plugins(points)

    return make


def session_of(plugins: Plugins, folder: Path) -> Session:
    from rck.parts.library import open_catalogue

    return Session(plugins, open_catalogue(plugins, folder), folder)


BEFORE = "@hookimpl{}\ndef rck_before_command(line):\n    return [note('{}')]\n"


def test_hooks_run_in_order_of_names_unless_they_ask_to_be_first_or_last(use, tmp_path):
    plugins = use(
        alpha=BEFORE.format("(trylast=True)", "alpha"),
        bravo=BEFORE.format("", "bravo"),
        charlie=BEFORE.format("", "charlie"),
        delta=BEFORE.format("(tryfirst=True)", "delta"),
    )
    found = plugins.inspect("rck_before_command", document=None, line="x")
    assert [one.message for one in found] == ["delta", "bravo", "charlie", "alpha"]
    assert [one.plugin for one in found] == ["delta", "bravo", "charlie", "alpha"]


def test_refusal_before_a_command_changes_nothing_and_names_the_plugin(use, tmp_path):
    source = """
@hookimpl
def rck_before_command(document, line):
    if line.startswith("make") and document.assembly.parts:
        raise RckError("one box is enough")
"""
    session = session_of(use(frugal=source), tmp_path)
    session.do("make box first size=10,10,10")
    before = session.assembly
    with pytest.raises(RckError, match="plugin frugal: one box is enough"):
        session.do("make box second size=10,10,10")
    assert session.assembly is before


def test_refusal_after_a_command_discards_the_edit(use, tmp_path):
    source = """
@hookimpl
def rck_after_command(before, after):
    if len(after.assembly.parts) > len(before.assembly.parts) == 1:
        raise RckError("one box is enough")
    return [note(f"{len(after.assembly.parts)} parts")]
"""
    session = session_of(use(frugal=source), tmp_path)
    assert "TST101 note: 1 parts" in session.do("make box first size=10,10,10").message
    with pytest.raises(RckError, match="one box is enough"):
        session.do("make box second size=10,10,10")
    assert list(session.assembly.parts) == ["first"]
    assert len(session.history.past) == 1


def test_refused_save_leaves_the_file_and_refused_open_the_session(use, tmp_path):
    source = """
@hookimpl
def rck_before_save(path, document):
    if "secret" in document.assembly.parts:
        raise RckError(f"{path.name} has a secret")

@hookimpl
def rck_after_save(path):
    return [note(f"saved {path.name}")]

@hookimpl
def rck_on_open(path, document):
    if path.stem == "closed":
        raise RckError("stays closed")
    return [note(f"opened {document.assembly.name}")]
"""
    plugins = use(guard=source)
    session = session_of(plugins, tmp_path)
    session.do("make box plain size=10,10,10")
    assert "saved arm.rck" in session.do("save arm.rck").message
    content = (tmp_path / "arm.rck").read_bytes()
    session.do("make box secret size=10,10,10")
    with pytest.raises(RckError, match="has a secret"):
        session.do("save")
    assert (tmp_path / "arm.rck").read_bytes() == content
    (tmp_path / "closed.rck").write_bytes(content)
    with pytest.raises(RckError, match="stays closed"):
        session.do("load closed.rck --discard")
    assert session.path == tmp_path / "arm.rck"
    assert list(session.assembly.parts) == ["plain", "secret"]
    assert [one.message for one in open_session(plugins, tmp_path / "arm.rck").take_findings()] == ["opened untitled"]


def test_error_on_compile_refuses_edits_and_notes_are_findings(use, tmp_path):
    source = """
@hookimpl
def rck_on_compile(robot):
    if len(robot.items) > 1:
        raise RckError("too many items")
    return [note(f"{len(robot.items)} items")]
"""
    session = session_of(use(lonely=source), tmp_path)
    session.do("make box first size=10,10,10")
    assert [(one.label, one.plugin) for one in session.compile().findings] == [("TST101", "lonely")]
    with pytest.raises(RckError, match="plugin lonely: too many items"):
        session.do("make box second size=10,10,10")
    assert list(session.assembly.parts) == ["first"]


def test_wrapper_sees_and_changes_the_findings_of_others(use):
    inner = "@hookimpl\ndef rck_on_compile(robot):\n    return [note('inner')]\n"
    outer = """
@hookimpl(wrapper=True)
def rck_on_compile(robot):
    results = yield
    return [[note(f"{sum(map(len, results))} inside {robot.name}")], *results]
"""
    found = use(a_outer=outer, inner=inner).inspect("rck_on_compile", assembly=None, robot=planar_arm(2))
    assert [(one.message, one.plugin) for one in found] == [("1 inside planar-2", "a-outer"), ("inner", "inner")]


@pytest.mark.parametrize(
    "body",
    [
        "@hookimpl\ndef rck_on_compile(robot):\n    return 1 / 0\n",
        "@hookimpl\ndef rck_on_compile(robot):\n    return ['text']\n",
        "@hookimpl\ndef rck_on_compile(robot):\n    raise SystemExit(3)\n",
        "@hookimpl(wrapper=True)\ndef rck_on_compile(robot):\n    1 / 0\n    yield\n",
        "@hookimpl(wrapper=True)\ndef rck_on_compile(robot):\n    result = yield\n    1 / 0\n    return result\n",
        "@hookimpl(wrapper=True)\ndef rck_on_compile(robot):\n    yield\n    yield\n",
    ],
)
def test_hook_that_fails_is_reported_once_and_the_others_run(use, body):
    plugins = use(broken=body, sound="@hookimpl\ndef rck_on_compile(robot):\n    return [note('sound')]\n")
    for _ in range(2):
        found = plugins.inspect("rck_on_compile", assembly=None, robot=planar_arm(2))
        assert [one.message for one in found] == ["sound"]
    (problem,) = plugins.findings
    assert (problem.code, problem.where) == (602, "plugin broken")
    assert "rck_on_compile" in problem.message
    assert "broken.py, line" in problem.message


def test_wrapper_that_fails_does_not_hide_a_refusal(use):
    outer = "@hookimpl(wrapper=True)\ndef rck_on_compile(robot):\n    return (yield)\n"
    inner = "@hookimpl\ndef rck_on_compile(robot):\n    raise RckError('no')\n"
    plugins = use(a_outer=outer, inner=inner)
    with pytest.raises(RckError, match=r"^plugin inner: no$"):
        plugins.inspect("rck_on_compile", assembly=None, robot=planar_arm(2))
    assert plugins.findings == ()


def test_unknown_argument_of_a_hook_is_reported_with_the_known_ones(use):
    plugins = use(wrong="@hookimpl\ndef rck_on_compile(robots):\n    return None\n")
    assert plugins.inspect("rck_on_compile", assembly=None, robot=planar_arm(2)) == ()
    assert "robots" in plugins.findings[0].message


def test_simulation_hooks_see_each_step_and_the_end_once(use):
    source = """
TIMES = []

@hookimpl
def rck_on_simulation_step(world):
    TIMES.append(world.time)
    return [note("late")] if world.time > 0.025 else None

@hookimpl
def rck_on_simulation_end(world):
    return [note(f"{len(TIMES)} steps, end {world.time:g}")]
"""
    simulation = Simulation(planar_arm(2), plugins=use(watch=source))
    for _ in range(4):
        simulation.step(0.01)
    simulation.end()
    simulation.end()
    assert [one.message for one in simulation.findings] == ["late", "4 steps, end 0.04"]
    assert [notice.text for notice in simulation.notices] == ["late", "4 steps, end 0.04"]


def test_refusal_in_a_step_ends_the_run_with_the_reason(use):
    source = "@hookimpl\ndef rck_on_simulation_step(world):\n    raise RckError('stop here')\n"
    with pytest.raises(RckError, match="plugin stopper: stop here"):
        Simulation(planar_arm(2), plugins=use(stopper=source)).step(0.01)


def test_codes_of_plugins_are_namespaced_and_declared(use):
    with pytest.raises(ValueError, match="must be like XYZ101"):
        Finding("RCK101", Severity.NOTE, "", "x")
    with pytest.raises(ValueError, match="must be like XYZ101"):
        Finding("broken", Severity.NOTE, "", "x")
    source = """
from rck.hooks import FindingCode

@hookimpl
def rck_finding_codes():
    return [FindingCode("TST101", "a test", "Nothing.")]
"""
    plugins = use(coder=source)
    assert [one.plugin for one in plugins.check_codes("coder", [Finding("TST101", Severity.NOTE, "", "x")])] == [
        "coder"
    ]
    assert plugins.findings == ()
    plugins.check_codes("coder", [Finding("TST999", Severity.NOTE, "", "x")])
    assert "TST999 is not declared in rck_finding_codes" in plugins.findings[0].message


REFUSES = """
@hookimpl
def rck_after_command(line):
    if line.split()[0] in {words}:
        raise RckError("not today")
"""


def test_refused_undo_load_and_save_leave_the_state_and_the_files_as_before(use, tmp_path):
    session = session_of(use(stern=REFUSES.format(words={"undo", "redo", "load", "save", "new"})), tmp_path)
    other = session_of(use(), tmp_path)
    other.do("make box other size=10,10,10")
    other.save(tmp_path / "other.rck")
    session.do("make box first size=10,10,10")
    session.save(tmp_path / "arm.rck")
    session.begin_journal()
    session.do("make box second size=10,10,10")
    before, content = session.state, (tmp_path / "arm.rck").read_bytes()
    journal = journal_path(tmp_path / "arm.rck").read_bytes()
    for line in ("undo", "load other.rck --discard", "new fresh --discard", "save", "save copy.rck"):
        with pytest.raises(RckError, match="plugin stern: not today"):
            session.do(line)
        assert session.state == before, line
        assert journal_path(tmp_path / "arm.rck").read_bytes() == journal, line
    assert (tmp_path / "arm.rck").read_bytes() == content
    assert not (tmp_path / "copy.rck").exists()
    assert not journal_path(tmp_path / "other.rck").exists()


def test_refused_load_keeps_the_commands_that_can_be_recovered(use, tmp_path):
    crashed = session_of(use(), tmp_path)
    crashed.do("make box first size=10,10,10")
    crashed.save(tmp_path / "arm.rck")
    crashed.begin_journal()
    crashed.do("make box second size=10,10,10")
    session = session_of(use(stern=REFUSES.format(words={"load"})), tmp_path)
    session.begin_journal()
    for choice in ("--recover", "--discard"):
        with pytest.raises(RckError, match="not today"):
            session.do(f"load arm.rck {choice}")
        assert [entry.command for entry in recoverable(tmp_path / "arm.rck").entries] == [
            "make box second size=10,10,10"
        ]


def test_hook_of_an_export_gets_the_name_of_the_exporter(use, tmp_path):
    source = """
from rck.hooks import Exported, Exporter

@hookimpl
def rck_exporters():
    return [Exporter("mine", "a test", (".mine",), lambda robot, name, values, job: Exported({name: b"x"}))]

@hookimpl
def rck_on_export(exporter, path):
    return [note(f"{exporter} writes {path.name}")]
"""
    session = session_of(use(watch=source), tmp_path)
    session.do("make box first size=10,10,10")
    assert "mine writes arm.mine" in session.do("export arm.mine").message


END = """
@hookimpl
def rck_on_simulation_end(world):
    if world.time > 0.5:
        raise RckError("too long")
    return [note(f"over at {world.time:.1f}")]
"""


def test_player_of_the_editor_calls_the_hook_at_each_end_of_a_run(use):
    player = SimulationPlayer(planar_arm(2), use(watch=END))
    (joint, _) = (joint.name for joint in player.robot.free_joints)
    player.add(Event(0.0, MoveJoint(joint, 0.001, 0.05)))
    for _ in range(2):
        player.step(0.1)
        assert [point.notice.text for point in player.moments][-1:] == ["over at 0.1"]
        assert player.stop() == (), "a run ends once"
    player.step(0.6)
    assert "plugin watch: too long" in [point.notice.text for point in player.moments]
    assert player.simulation.time == pytest.approx(0.6)


def test_user_who_resets_a_run_in_the_editor_ends_it(use):
    player = SimulationPlayer(planar_arm(2), use(watch=END))
    player.add(Event(5.0, MoveJoint(player.robot.free_joints[0].name, 0.1, 0.05)))
    assert player.stop() == (), "nothing has run"
    player.step(0.2)
    assert player.stop() == ("over at 0.2",)
    player.step(0.7)
    assert player.stop() == ("plugin watch: too long",)
    assert player.simulation.time == 0.0


def test_server_calls_the_hook_at_a_reset(use):
    hub = Hub(ServedWorld.of(planar_arm(2), use(watch=END)))
    hub.world.warm_up()
    hub.world.step(0.3)
    reply = asyncio.run(hub.call(Caller("one"), "/reset", b"{}"))
    assert reply["message"] == "over at 0.3"
    assert hub.world.time == 0.0
    assert asyncio.run(hub.call(Caller("one"), "/reset", b"{}"))["message"] == ""
