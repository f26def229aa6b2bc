"""Every shipped plugin keeps the contract of its kind, tested with the public fixtures."""

import itertools
from dataclasses import dataclass
from pathlib import Path
from time import sleep

import click
import ezdxf
import numpy as np
import pytest

from rck.editor.settings import KEYMAPS
from rck.editor.start_templates import START_TEMPLATES
from rck.editor.themes import THEMES
from rck.exporting.export import export
from rck.geometry.transforms import translation
from rck.hooks import (
    HOOK_OF_KIND,
    ActionKind,
    Check,
    CliCommand,
    CollisionBackend,
    Command,
    EditorAction,
    EditorPanel,
    EditorScreen,
    Exported,
    Exporter,
    FindingCode,
    Gripper,
    Importer,
    Keymap,
    Option,
    Overlay,
    OverlayPoints,
    OverlayShapes,
    PartLibrary,
    Physics,
    Plugins,
    Program,
    ProgramLanguage,
    Sensor,
    Settings,
    Solver,
    StartTemplate,
    Theme,
    Viewer,
    discover,
)
from rck.hooks.actions import Action
from rck.hooks.entry_points import GROUP
from rck.hooks.project_plugins import FilePoint
from rck.model import EventList, Finding, Frame, JointEvent, RckError, Severity, build_item, build_joint, build_robot
from rck.simulation.action_types import ActionType
from rck.testing.contracts import (
    FIXTURE_OF_KIND,
    check_check,
    check_cli_command,
    check_command,
    check_finding_code,
    check_language,
    check_library,
    check_lifecycle,
    check_settings,
    check_simulation_action,
    check_viewer,
)
from rck.testing.editor import (
    check_action,
    check_keymap,
    check_overlay,
    check_panel,
    check_screen,
    check_template,
    check_theme,
)
from rck.testing.exporters import check_exporter
from rck.testing.robots import box_between, planar_arm, six_axis_arm

pytest_plugins = ["rck.testing.fixtures"]

PLUGINS = discover()
SHIPPED = {info.name for info in PLUGINS.infos() if info.package == GROUP}
BUILT_IN = [
    pytest.param(kind, one.name, id=f"{kind.__name__}-{one.name}")
    for kind in HOOK_OF_KIND
    for plugin, one in PLUGINS.named(kind)
    if plugin in SHIPPED
]
"""Every contribution of every plugin of the package, as the manager finds it: a new one is tried by itself."""
STEP = Path(__file__).parents[1] / "importers" / "data" / "plate-in-mm.step"
NEEDS = {
    (CollisionBackend, "coal"): "coal",
    (CollisionBackend, "mujoco"): "mujoco",
    (CollisionBackend, "open3d"): "open3d",
    (Exporter, "usd"): "pxr",
    (Importer, "dwg"): "ezdwg",
    (Importer, "open3d"): "open3d",
    (Importer, "step"): "cascadio",
    (Importer, "usd"): "pxr",
    (Physics, "mujoco"): "mujoco",
    (Solver, "pinocchio"): "pinocchio",
}
"""Libraries that not everybody has."""
WRITTEN_BY = {
    "event-file": "event-file",
    "mesh": "stl",
    "mjcf": "mjcf",
    "robosim": "robosim",
    "robot-file": "robot-file",
    "sdf": "sdf",
    "seffas": "seffas",
    "urdf": "urdf",
    "usd": "usd",
}
"""Importers, and the exporters that write a file for them."""
SLOW_IMPORTERS = {"usd": {"damages": 4}}
"""Importers that start a process for each file, and the number of damaged files to try."""


def file_for(importer, folder):
    """Return a file that the importer reads, and its options."""
    if importer in WRITTEN_BY:
        exporter = next(one for one in PLUGINS.all(Exporter) if one.name == WRITTEN_BY[importer])
        source = EventList((JointEvent(1, 0, 90, 0, 100),)) if exporter.takes == "events" else six_axis_arm("arm")
        good = folder / f"good{exporter.endings[0]}"
        export(source, good, PLUGINS, name=exporter.name)
        return good, SLOW_IMPORTERS.get(importer, {})
    if importer == "step":
        # Each damaged file starts a new OpenCASCADE process.
        return STEP, {"damages": 2, "given": {"convex": "hull"}}
    if importer == "srdf":
        urdf, _ = file_for("urdf", folder)
        srdf = folder / "arm.srdf"
        srdf.write_text('<robot name="arm"><end_effector name="hand" parent_link="link-6" group="all"/></robot>')
        return srdf, {"given": {"urdf": str(urdf), "allow-outside": "yes"}}
    if importer == "open3d":
        cloud = folder / "cloud.xyz"
        np.savetxt(cloud, np.random.default_rng(1).uniform(0, 1, (200, 3)))
        # Each file is read by a new process, which takes a second to load Open3D.
        return cloud, {"damages": 2}
    if importer == "dwg":
        import ezdwg

        drawing = ezdwg.new()
        drawing.modelspace().add_lwpolyline([(0, 0), (80, 0), (80, 40), (0, 40)], closed=True)
        drawing.save(str(folder / "plate.dwg"))
        # Each damaged file starts a new process.
        return folder / "plate.dwg", {"damages": 2, "given": {"thickness": "4mm"}}
    assert importer == "dxf", f"give the importer {importer} a file to read here"
    drawing = ezdxf.new(units=4)
    drawing.modelspace().add_lwpolyline([(0, 0), (80, 0), (80, 40), (0, 40)], close=True)
    drawing.modelspace().add_circle((40, 20), 5)
    drawing.saveas(folder / "plate.dxf")
    return folder / "plate.dxf", {"given": {"thickness": "4mm"}}


def gantry():
    """Return a robot with a tool on three prismatic joints."""
    items = [build_item(name, [box_between((0, 0, 0), (0.1, 0.1, 0.1))]).unwrap() for name in ("base", "x", "y", "z")]
    joints = [
        build_joint(f"slide-{n}", "prismatic", items[n].name, items[n + 1].name, end=end, limits=(-0.4, 0.6)).unwrap()
        for n, end in enumerate([(1, 0, 0), (0, 1, 0), (0.1, 0, -1)])
    ]
    return build_robot("gantry", items, joints, [Frame("tool", "z", translation((0.3, 0.05, 0.1)))]).unwrap()


ROBOTS = {"parallel-axes": planar_arm(3), "sliding": gantry()}
"""For solvers that do not serve every arm of six axes."""
TRIED = {
    (CollisionBackend, "faces"): {"pairs": 40, "most_vertices": 12, "configurations": 5},
    (ProgramLanguage, "arcs"): {"text": "p 300 0 300 0 0 0 2\ng\nu\nq\n", "robot": six_axis_arm("arm")},
    (ProgramLanguage, "commands"): {
        "text": "move_joints_absolute arm 0 10 20 0 0 5\nmessage done\nwait 1.5\n",
        "robot": six_axis_arm("arm"),
    },
    (Sensor, "force-stick"): {"given": {"to": "wall"}},
}
"""What a contract needs besides the name; `faces` takes its time, every face against every face."""


@pytest.mark.parametrize(("kind", "name"), BUILT_IN)
def test_shipped_plugins_keep_the_contract_of_their_kind(kind, name, request, tmp_path):
    if (kind, name) in NEEDS:
        pytest.importorskip(NEEDS[kind, name], exc_type=(ImportError, OSError))
    contract = request.getfixturevalue(FIXTURE_OF_KIND[kind])
    if kind is Importer:
        good, how = file_for(name, tmp_path)
        contract(name, good, **how)
    elif kind is Solver:
        contract(name, ROBOTS.get(name), goals=4)
    else:
        contract(name, **TRIED.get((kind, name), {}))


def test_every_kind_has_a_contract_and_every_shipped_plugin_is_tested():
    assert set(FIXTURE_OF_KIND) == set(HOOK_OF_KIND)
    contributing = {plugin for kind in HOOK_OF_KIND for plugin, _ in PLUGINS.named(kind)}
    assert PLUGINS.findings == ()
    assert contributing == SHIPPED


def test_missing_contribution_is_reported_with_the_existing_ones(contribution):
    with pytest.raises(AssertionError, match="no Gripper is called hook; known:"):
        contribution(Gripper, "hook")


COUNT = itertools.count()


@pytest.mark.parametrize(
    ("write", "said"),
    [
        (lambda robot, name, values, job: {name: b""}, "not Exported"),
        (lambda robot, name, values, job: Exported({"other": b""}), "requested file"),
        (lambda robot, name, values, job: Exported({name: b"", "../x": b""}), "leaves the folder"),
        (lambda robot, name, values, job: Exported({name: "text"}), "not bytes"),
        (lambda robot, name, values, job: Exported({name: str(next(COUNT)).encode()}), "other bytes"),
        (
            lambda robot, name, values, job: [job.progress(1), job.progress(0)] and Exported({name: b""}),
            "decreases",
        ),
    ],
)
def test_exporter_contract_failure_explains_the_violation(write, said):
    with pytest.raises(AssertionError, match=said):
        check_exporter(Exporter("bad", "bad", (".bad",), write))


def test_library_with_an_error_violates_the_contract(tmp_path):
    with pytest.raises(AssertionError, match="no manifests"):
        check_library(PartLibrary("mine", "mine", tmp_path))
    (tmp_path / "bad.yaml").write_text("name: nothing\n")
    with pytest.raises(AssertionError, match=r"bad\.yaml"):
        check_library(PartLibrary("mine", "mine", tmp_path))


def forgetful(document, arguments):
    document.append(1)
    return document, ""


@click.command()
def speechless():
    pass


def slow_panel(context):
    sleep(0.05)
    return []


BROKEN = {
    "a check that yields texts": (check_check, Check("bad", "bad", lambda robot: ["heavy"]), "not Finding"),
    "a check that changes its mind": (
        check_check,
        Check("bad", "bad", lambda robot: [Finding(104, Severity.WARNING, "robot", str(next(COUNT)))]),
        "something else",
    ),
    "a command that changes its document": (
        lambda one: check_command(one, [], []),
        Command("bad", "bad", run=forgetful),
        "changed its input",
    ),
    "a command that returns nothing": (
        lambda one: check_command(one, [], []),
        Command("bad", "bad", run=lambda document, arguments: None),
        "NoneType",
    ),
    "a command without a message": (
        lambda one: check_command(one, [], []),
        Command("bad", "bad", run=lambda document, arguments: (document, None)),
        "not str",
    ),
    "a subcommand that is none": (check_cli_command, CliCommand("bad", "bad", print), "not a click.Command"),
    "a subcommand without a word": (check_cli_command, CliCommand("bad", "bad", speechless), "docstring"),
    "a panel with an unknown element": (check_panel, EditorPanel("bad", "bad", lambda context: [7]), "content"),
    "a panel that is too slow": (check_panel, EditorPanel("bad", "bad", slow_panel, deadline=0.01), "longer than"),
    "a screen with a name of RCK": (check_screen, EditorScreen("build", "bad", lambda context: []), "RCK has"),
    "an action with a command that is no text": (
        check_action,
        EditorAction("bad", "bad", lambda context: context.do(7)),
        "commands",
    ),
    "an overlay that returns nothing": (check_overlay, Overlay("bad", "bad", lambda context: None), "shapes"),
    "a theme without a colour": (check_theme, Theme("bad", "bad", {}), "primary"),
    "a keymap without keys": (check_keymap, Keymap("bad", "bad"), "no keys"),
    "a template without parts": (
        lambda one: check_template(one, Plugins([])),
        StartTemplate("bad", "bad", "make box a size=1,1,1\nremove a"),
        "no parts",
    ),
    "a language that makes lists": (
        lambda one: check_language(one, "go", planar_arm(2)),
        ProgramLanguage("bad", "bad", (".bad",), lambda text, robot: []),
        "not Program",
    ),
    "a language that reads nothing": (
        lambda one: check_language(one, "go", planar_arm(2)),
        ProgramLanguage("bad", "bad", (".bad",), lambda text, robot: Program()),
        "no instructions",
    ),
    "a page that serves every file": (
        check_viewer,
        Viewer("bad", "bad", page=lambda path: ("text/html", b"all")),
        "it serves",
    ),
    "a page without a beginning": (check_viewer, Viewer("bad", "bad", page=lambda path: None), "nothing at /"),
}


@pytest.mark.parametrize("what", BROKEN)
def test_contract_violation_is_detected(what):
    check, contribution, said = BROKEN[what]
    with pytest.raises(AssertionError, match=said):
        check(contribution)


def test_panel_that_fails_for_a_robot_violates_the_contract():
    def show(context):
        return [context.robot.items[0].name]

    with pytest.raises((IndexError, AttributeError)):
        check_panel(EditorPanel("bad", "bad", show))


def test_lifecycle_contract_detects_hooks_that_change_their_mind(tmp_path):
    steady, fickle = tmp_path / "steady.py", tmp_path / "fickle.py"
    head = "from rck.hooks import hookimpl\nfrom rck.model import Finding, Severity\nCALLS = []\n\n@hookimpl\n"
    body = "def rck_on_compile(robot):\n    {}\n    return [Finding(610, Severity.NOTE, '', f'{{len(CALLS)}} calls')]\n"
    steady.write_text(head + body.format("pass"))
    fickle.write_text(head + body.format("CALLS.append(1)"))
    plugins = Plugins([FilePoint(steady), FilePoint(fickle)])
    check_lifecycle(Plugins([FilePoint(steady)]), "steady")
    with pytest.raises(AssertionError, match="other findings the second time"):
        check_lifecycle(plugins, "fickle")


def test_settings_contract_detects_an_option_without_help():
    check_settings(Settings("house", "rules", (Option("mode", "a mode", "choice", "a", ("a", "b")),)))
    with pytest.raises(AssertionError, match="option mode of house has no help"):
        check_settings(Settings("house", "rules", (Option("mode", "", "choice", "a", ("a", "b")),)))


def test_finding_code_contract_requires_a_remedy():
    check_finding_code(FindingCode("XYZ101", "a problem", "Repair it."))
    with pytest.raises(AssertionError, match="XYZ101 has no remedy"):
        check_finding_code(FindingCode("XYZ101", "a problem"))


def test_overlay_with_coordinates_that_are_no_numbers_violates_the_contract():
    def draw(context):
        return OverlayShapes(points=(OverlayPoints(np.full((1, 3), np.nan), (0, 0, 0)),))

    with pytest.raises(ValueError, match="not numbers"):
        check_overlay(Overlay("bad", "bad", draw))


def test_parts_of_rcks_editor_that_are_declared_as_those_of_plugins_keep_the_contracts():
    for theme in THEMES:
        check_theme(theme)
    for keymap in KEYMAPS:
        check_keymap(keymap)
    for template in START_TEMPLATES:
        check_template(template)


def test_contract_of_simulation_actions_detects_words_that_do_not_come_back():
    @dataclass(frozen=True)
    class Beep(Action):
        times: int

    class BeepType(ActionType[Beep]):
        def from_words(self, words, robot):
            if len(words) != 1 or not words[0].isdecimal():
                raise RckError("beep takes a number")
            return Beep(int(words[0]))

        def to_words(self, action):
            return (str(action.times),)

        def begin(self, simulation, event, action):
            simulation.complete(event)

    class Forgetful(BeepType):
        def to_words(self, action):
            return ("1",)

    check_simulation_action(ActionKind("beep", "sound", Beep, BeepType()), ["3"])
    with pytest.raises(AssertionError, match="make another action"):
        check_simulation_action(ActionKind("beep", "sound", Beep, Forgetful()), ["3"])
