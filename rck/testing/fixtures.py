"""The contracts as pytest fixtures: put `pytest_plugins = ["rck.testing.fixtures"]` into a test module.

Each fixture is a function that takes the name of an installed contribution and the other inputs of its contract.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from rck.hooks import (
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
    Gripper,
    Importer,
    Keymap,
    Overlay,
    PartLibrary,
    Physics,
    Plugins,
    ProgramLanguage,
    Sensor,
    Settings,
    Solver,
    StartTemplate,
    Theme,
    Viewer,
    discover,
)
from rck.language.document import Document
from rck.language.session import Session, new_session
from rck.model import Robot
from rck.testing.collision import check_backend
from rck.testing.contracts import (
    Contribution,
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
from rck.testing.devices import check_gripper, check_physics, check_sensor
from rck.testing.editor import (
    check_action,
    check_keymap,
    check_overlay,
    check_panel,
    check_screen,
    check_template,
    check_theme,
)
from rck.testing.editor_driver import EditorDriver, run_editor
from rck.testing.exporters import check_exporter
from rck.testing.importers import check_importer
from rck.testing.robots import six_axis_arm
from rck.testing.solvers import check_solver


@pytest.fixture(scope="session")
def installed_plugins() -> Plugins:
    """Return all installed and enabled plugins."""
    return discover()


@pytest.fixture(scope="session")
def contribution(installed_plugins: Plugins) -> Contribution:
    """Return a function that finds a contribution by kind and name."""

    def find(kind: type[Any], name: str) -> Any:
        known = {found.name: found for found in installed_plugins.all(kind)}
        problems = "; ".join(str(finding) for finding in installed_plugins.findings)
        assert name in known, f"no {kind.__name__} is called {name}; known: {', '.join(known) or 'none'}. {problems}"
        return known[name]

    return find


@pytest.fixture
def session(installed_plugins: Plugins, tmp_path: Path) -> Session:
    """Return a session with an empty assembly and all installed plugins, in a temporary folder."""
    return new_session(installed_plugins, tmp_path)


@pytest.fixture
def document(session: Session) -> Document:
    """Return an empty document, for functions that work on documents."""
    return session.document


@pytest.fixture
def editor(session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[EditorDriver]:
    """Run the editor without a terminal, with an empty assembly and settings of its own."""
    monkeypatch.setenv("RCK_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("RCK_DATA", str(tmp_path / "data"))
    with run_editor(session) as driver:
        yield driver


@pytest.fixture(scope="session")
def simulation_action_contract(contribution: Contribution) -> Callable[..., None]:
    """`simulation_action_contract(name, words)`: its words make an action and come back from it."""
    return lambda name, words=(): check_simulation_action(contribution(ActionKind, name), words)


@pytest.fixture(scope="session")
def check_contract(contribution: Contribution) -> Callable[[str], None]:
    """`check_contract(name)`: it returns the same findings each time, for any robot."""
    return lambda name: check_check(contribution(Check, name))


@pytest.fixture(scope="session")
def cli_command_contract(contribution: Contribution) -> Callable[[str], None]:
    """`cli_command_contract(name)`: it has a help text and refuses unknown options."""
    return lambda name: check_cli_command(contribution(CliCommand, name))


@pytest.fixture(scope="session")
def collision_contract(contribution: Contribution) -> Callable[..., None]:
    """`collision_contract(name)`: it finds all contacts; :func:`check_backend` lists the options."""
    return lambda name, **how_much: check_backend(contribution(CollisionBackend, name), **how_much)


@pytest.fixture(scope="session")
def command_contract(contribution: Contribution) -> Callable[[str, Any, Sequence[str]], None]:
    """`command_contract(name, document, words)`: it returns a new document and leaves the old one unchanged."""
    return lambda name, document, words: check_command(contribution(Command, name), document, words)


@pytest.fixture(scope="session")
def exporter_contract(contribution: Contribution) -> Callable[..., None]:
    """`exporter_contract(name, sources)`: it returns the same bytes each time and can be cancelled."""
    return lambda name, sources=(), given=None: check_exporter(contribution(Exporter, name), sources, given=given)


@pytest.fixture(scope="session")
def finding_code_contract(contribution: Contribution) -> Callable[[str], None]:
    """`finding_code_contract(code)`: it is documented."""
    return lambda name: check_finding_code(contribution(FindingCode, name))


@pytest.fixture(scope="session")
def gripper_contract(contribution: Contribution) -> Callable[..., None]:
    """`gripper_contract(name)`: it says whether it can hold an item, or why not."""
    return lambda name, given=None: check_gripper(contribution(Gripper, name), given=given)


@pytest.fixture
def importer_contract(contribution: Contribution, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., None]:
    """`importer_contract(name, good_file)`: it reads its own files, refuses others, and survives damaged ones."""

    def check(name: str, good: Path, **how: Any) -> None:
        check_importer(contribution(Importer, name), good, tmp_path_factory.mktemp("others"), **how)

    return check


@pytest.fixture(scope="session")
def language_contract(contribution: Contribution) -> Callable[[str, str, Robot], None]:
    """`language_contract(name, text, robot)`: it compiles a program, and compiles or refuses damaged ones."""
    return lambda name, text, robot: check_language(contribution(ProgramLanguage, name), text, robot)


@pytest.fixture(scope="session")
def library_contract(contribution: Contribution) -> Callable[[str], None]:
    """`library_contract(name)`: every part is valid at both ends of every parameter."""
    return lambda name: check_library(contribution(PartLibrary, name))


@pytest.fixture(scope="session")
def panel_contract(contribution: Contribution) -> Callable[[str], None]:
    """`panel_contract(name)`: it returns content for any robot and for None, in time."""
    return lambda name: check_panel(contribution(EditorPanel, name))


@pytest.fixture(scope="session")
def screen_contract(contribution: Contribution) -> Callable[[str], None]:
    """`screen_contract(name)`: it returns content for any robot and for None, in time."""
    return lambda name: check_screen(contribution(EditorScreen, name))


@pytest.fixture(scope="session")
def action_contract(contribution: Contribution) -> Callable[[str], None]:
    """`action_contract(name)`: it handles any robot and None, in time."""
    return lambda name: check_action(contribution(EditorAction, name))


@pytest.fixture(scope="session")
def overlay_contract(contribution: Contribution) -> Callable[[str], None]:
    """`overlay_contract(name)`: it returns valid shapes for any robot and for None, in time."""
    return lambda name: check_overlay(contribution(Overlay, name))


@pytest.fixture(scope="session")
def theme_contract(contribution: Contribution) -> Callable[[str], None]:
    """`theme_contract(name)`: its colours can be read."""
    return lambda name: check_theme(contribution(Theme, name))


@pytest.fixture(scope="session")
def keymap_contract(contribution: Contribution) -> Callable[[str], None]:
    """`keymap_contract(name)`: it has keys by binding id."""
    return lambda name: check_keymap(contribution(Keymap, name))


@pytest.fixture(scope="session")
def template_contract(contribution: Contribution, installed_plugins: Plugins) -> Callable[[str], None]:
    """`template_contract(name)`: its commands run on an empty assembly."""
    return lambda name: check_template(contribution(StartTemplate, name), installed_plugins)


@pytest.fixture(scope="session")
def physics_contract(contribution: Contribution) -> Callable[..., None]:
    """`physics_contract(name)`: it steps, steers, saves and restores, deterministically."""
    return lambda name, given=None: check_physics(contribution(Physics, name), given=given)


@pytest.fixture(scope="session")
def sensor_contract(contribution: Contribution) -> Callable[..., None]:
    """`sensor_contract(name)`: it reads the same channels each time."""
    return lambda name, given=None: check_sensor(contribution(Sensor, name), given=given)


@pytest.fixture(scope="session")
def settings_contract(contribution: Contribution) -> Callable[[str], None]:
    """`settings_contract(name)`: its options are documented, and can be stored and restored."""
    return lambda name: check_settings(contribution(Settings, name))


@pytest.fixture(scope="session")
def lifecycle_contract(installed_plugins: Plugins) -> Callable[[str], None]:
    """`lifecycle_contract(plugin)`: its lifecycle hooks work on any robot and repeat their findings."""
    return lambda plugin: check_lifecycle(installed_plugins, plugin)


@pytest.fixture(scope="session")
def solver_contract(contribution: Contribution) -> Callable[..., None]:
    """`solver_contract(name, robot, base, tip)`: its solutions reach their goals; default: a six-axis arm."""

    def check(name: str, robot: Robot | None = None, base: str = "base", tip: str = "tool", goals: int = 10) -> None:
        check_solver(contribution(Solver, name), robot or six_axis_arm(), base, tip, goals=goals)

    return check


@pytest.fixture(scope="session")
def viewer_contract(contribution: Contribution) -> Callable[..., None]:
    """`viewer_contract(name)`: it shows robots and returns, or serves a page and nothing else."""
    return lambda name, given=None: check_viewer(contribution(Viewer, name), given=given)
