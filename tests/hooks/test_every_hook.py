"""Every hook is documented, listed in the tables, and called for a plugin that implements it."""

import ast
import inspect
import re
from math import pi
from pathlib import Path
from typing import get_args, get_origin, get_type_hints

import numpy as np
import pytest
from click.testing import CliRunner

import rck.hooks
from rck.geometry.mass_properties import MassProperties
from rck.geometry.transforms import rotation_about
from rck.grammar import Arguments
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
    Exporter,
    FindingCode,
    Goal,
    Gripper,
    Importer,
    Job,
    Keymap,
    Mount,
    Overlay,
    PartLibrary,
    Physics,
    ProgramLanguage,
    Sensor,
    Settings,
    Solver,
    StartTemplate,
    Theme,
    Viewer,
    discover,
    read_settings,
)
from rck.hooks.actions import MoveJoints
from rck.hooks.options import read_options
from rck.hooks.specs import HookSpecs
from rck.model import Frame, build_item, build_joint, build_robot
from rck.simulation.action_types import ACTION_TYPES
from rck.simulation.events import Event
from rck.simulation.plugin_actions import parse_action
from rck.simulation.simulation import Simulation
from rck.testing.editor import editor_context

HERE = Path(__file__).resolve().parent
PAGE = HERE.parents[1] / "docs" / "plugins" / "README.md"
HOOKS = sorted(name for name in vars(HookSpecs) if name.startswith("rck_"))
KIND_OF_HOOK = {hook: kind for kind, hook in HOOK_OF_KIND.items()}


def section(hook: str) -> str:
    found = re.search(rf"^### `{hook}`$(.*?)(?=^#|\Z)", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return found[1] if found else ""


@pytest.mark.parametrize("hook", HOOKS)
def test_a_hook_has_a_docstring_of_one_line(hook):
    said = getattr(HookSpecs, hook).__doc__
    assert said
    assert "\n" not in said
    assert said.endswith(".")


@pytest.mark.parametrize("hook", HOOKS)
def test_hook_is_in_the_table_with_the_kind_it_returns(hook):
    returned = get_type_hints(getattr(HookSpecs, hook))["return"]
    (kind,) = get_args(returned)
    assert (get_origin(kind) or kind) is KIND_OF_HOOK[hook]


@pytest.mark.parametrize("hook", HOOKS)
def test_hook_takes_no_arguments(hook):
    assert list(inspect.signature(getattr(HookSpecs, hook)).parameters) == ["self"]


def test_table_has_no_unspecified_hook():
    assert sorted(HOOK_OF_KIND.values()) == HOOKS


@pytest.mark.parametrize("hook", HOOKS)
def test_documentation_of_a_hook_names_every_field_it_returns(hook):
    said = section(hook)
    kind = KIND_OF_HOOK[hook]
    assert HookSpecs.__dict__[hook].__doc__ in said
    assert f"`{kind.__name__}`" in said
    for field in kind.__dataclass_fields__:
        assert re.search(rf"`{field}\b", said), f"{kind.__name__}.{field} is not described"


def test_documentation_has_no_section_for_an_unknown_hook():
    assert sorted(re.findall(r"^### `(rck_\w+)`$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)) == HOOKS


def test_every_kind_starts_with_name_and_summary_and_is_exported():
    for kind in HOOK_OF_KIND:
        assert list(kind.__dataclass_fields__)[:2] == ["name", "summary"]
        assert getattr(rck.hooks, kind.__name__) is kind
        assert kind.__dataclass_params__.frozen


def test_toy_plugin_implements_every_hook_and_each_is_tested():
    tree = ast.parse((HERE / "toy_plugin.py").read_text(encoding="utf-8"))
    implemented = {
        node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("rck_")
    }
    assert sorted(implemented) == HOOKS
    asked_for = set(re.findall(r"^    \w+ = only\(plugins, (\w+)", Path(__file__).read_text("utf-8"), re.MULTILINE))
    assert asked_for == {kind.__name__ for kind in HOOK_OF_KIND}


@pytest.fixture
def plugins(install, site):
    (site / "parts").mkdir()
    install("toy", (HERE / "toy_plugin.py").read_text(encoding="utf-8"))
    found = discover((), {"RCK_PLUGINS": "toy"})
    yield found
    assert found.findings == ()
    assert [info.state for info in found.infos() if info.name == "toy"] == ["loaded"]


@pytest.fixture
def crane():
    body = MassProperties(1.0, np.zeros(3), np.eye(3))
    items = [build_item(name, [], mass=body, mobile=name == "jib").unwrap() for name in ("base", "jib")]
    joint = build_joint("turn", "continuous", "base", "jib").unwrap()
    return build_robot("crane", items, [joint], [Frame("hook", "jib")]).unwrap()


def only(plugins, kind, name=None):
    """Return the only contribution of a kind, or the one with the given name."""
    (found,) = [(plugin, one) for plugin, one in plugins.named(kind) if name in (None, one.name)]
    assert found[0] == "toy"
    assert found[1] in plugins.all(kind)
    assert found[1].summary
    return found[1]


def test_part_library_has_a_folder(plugins):
    library = only(plugins, PartLibrary)
    assert library.folder.name == "parts"


def test_importer_recognises_and_reads_its_files(plugins, tmp_path):
    importer = only(plugins, Importer)
    path = tmp_path / "bear.toy"
    path.write_text("toy bear")
    shown = []
    assert importer.probe(path, path.read_bytes())
    assert not importer.probe(path, b"tool")
    values = read_options(importer.options, {})
    assert values == {"size": 0.01}
    imported = importer.read(path, values, Job(lambda share, what: shown.append((share, what))))
    assert [part.name for part in imported.parts] == ["bear"]
    assert shown == [(0.5, "reading")]


def test_exporter_returns_bytes_and_writes_no_file(plugins, crane):
    exporter = only(plugins, Exporter, "toy")
    exported = exporter.write(crane, "crane.toy", {}, Job())
    assert exported.files == {"crane.toy": b"toy crane"}
    assert exporter.takes == "robot"


def test_solver_factory_makes_a_solver_for_supported_chains(plugins, crane):
    solver = only(plugins, Solver)
    goal = Goal(rotation_about((0, 0, 1), 0.7))
    np.testing.assert_allclose(solver.make(crane, "base", "hook").solve(goal, crane.positions).solutions, [[0.7]])
    assert solver.make(build_robot("still", crane.items).unwrap(), "base", "jib") is None


def test_collision_backend_makes_a_scene_that_lists_pairs(plugins, crane):
    backend = only(plugins, CollisionBackend)
    assert backend.make(crane, ()).touching(np.array([0.3])) == [("base", "jib")]
    assert backend.make(crane, [("base", "jib")]).touching(np.array([0.3])) == []


def test_gripper_gives_the_reason_it_cannot_hold_an_item(plugins, crane):
    gripper = only(plugins, Gripper)
    world = Simulation(crane).view
    assert gripper.holds(world, Mount("hook", "jib"), {}, "jib") == ""
    assert gripper.holds(world, Mount("hook", "jib"), {}, "base") == "fixed"


def test_a_sensor_reads_channels(plugins, crane):
    sensor = only(plugins, Sensor)
    simulation = Simulation(crane)
    simulation.step(1.5)
    reading = sensor.make(crane, Mount("hook", "jib"), {}).read(simulation.view)
    assert {channel: values.tolist() for channel, values in reading.items()} == {"height": [0.0], "time": [1.5]}


def test_physics_steps_a_world(plugins, crane):
    physics = only(plugins, Physics)
    world = physics.make(crane, {})
    world.step(np.array([1.0]), 0.5)
    assert world.step(np.array([1.0]), 0.5).tolist() == [0.5]
    assert world.steer(np.array([0.2]), 0.5).tolist() == [0.2]


def test_a_program_language_compiles_to_commands(plugins, crane):
    language = only(plugins, ProgramLanguage)
    (line,) = language.compile("turn 90", crane).lines
    assert line.instruction == MoveJoints("crane", (pi / 2,), relative=True)


def test_viewer_receives_the_robot(plugins, crane):
    viewer = only(plugins, Viewer)
    import toy

    viewer.show(crane, {})
    assert toy.SEEN == ["crane"]


def test_a_command_returns_the_new_document(plugins):
    command = only(plugins, Command)
    assert command.run("ab", Arguments("double", {}, {})) == ("abab", "")


def test_a_cli_command_can_be_run(plugins):
    added = only(plugins, CliCommand)
    assert CliRunner().invoke(added.command).output == "hello from a plugin\n"


def test_editor_panel_shows_content(plugins):
    panel = only(plugins, EditorPanel)
    assert panel.show(editor_context(screen="move")) == ["move"]


def test_editor_screen_shows_content(plugins):
    screen = only(plugins, EditorScreen)
    assert screen.show(editor_context()) == ["page"]


def test_editor_action_asks_for_commands(plugins):
    action = only(plugins, EditorAction)
    context = editor_context()
    action.run(context)
    assert context.commands == ["go home"]


def test_overlay_returns_shapes(plugins):
    overlay = only(plugins, Overlay)
    assert overlay.draw(editor_context()).points == ()


def test_theme_has_colours(plugins):
    theme = only(plugins, Theme)
    assert theme.colours == {"primary": "#aa0000"}


def test_keymap_has_keys(plugins):
    keymap = only(plugins, Keymap)
    assert keymap.keys == {"undo": "u"}


def test_start_template_has_a_script(plugins):
    template = only(plugins, StartTemplate)
    assert template.script == "make box block size=1,1,1"


def test_a_check_yields_findings(plugins, crane):
    check = only(plugins, Check)
    assert [finding.code for finding in check.run(crane)] == [610]


def test_a_finding_code_is_documented(plugins):
    code = only(plugins, FindingCode)
    assert (code.name, code.summary, code.remedy) == ("TOY101", "a toy is broken", "Repair it.")


def test_settings_have_defaults(plugins, tmp_path):
    settings = only(plugins, Settings)
    assert read_settings(settings, tmp_path) == {"volume": 3.0}


def test_an_action_is_carried_out(plugins, crane):
    kind = only(plugins, ActionKind)
    simulation = Simulation(crane, plugins=plugins)
    simulation.add(Event(0.0, parse_action("squeak", crane)))
    simulation.run(until=0.1)
    assert [outcome.done for outcome in simulation.outcomes] == [True]
    del ACTION_TYPES[kind.action]
