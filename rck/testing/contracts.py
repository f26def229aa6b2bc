"""Contracts of checks, commands, part libraries, program languages and viewers.

The contracts of the other kinds are in modules of their own: `collision`, `devices`, `editor`, `exporters`,
`importers`, `solvers`. Each raises :class:`AssertionError` at the first violation.
"""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol, TypeVar

import click
import numpy as np
from click.testing import CliRunner

from rck.grammar import parse_arguments, quote, split_words
from rck.hooks import (
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
    Job,
    Keymap,
    Overlay,
    Page,
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
    read_options,
    read_settings,
)
from rck.hooks.actions import ProgramLine
from rck.hooks.plugin_settings import write_settings
from rck.language.document import Document
from rck.language.typed_values import with_values
from rck.model.robot import Robot, build_robot
from rck.parts.library import manifest_paths, read_catalogue
from rck.parts.part_checks import check_files
from rck.support.finding import Finding, RckError
from rck.testing.assertions import allow_refusal, assert_type
from rck.testing.robots import planar_arm, six_axis_arm
from rck.testing.still_world import StillWorld

FIXTURE_OF_KIND: dict[type, str] = {
    ActionKind: "simulation_action_contract",
    Check: "check_contract",
    CliCommand: "cli_command_contract",
    CollisionBackend: "collision_contract",
    Command: "command_contract",
    EditorAction: "action_contract",
    EditorPanel: "panel_contract",
    EditorScreen: "screen_contract",
    Exporter: "exporter_contract",
    FindingCode: "finding_code_contract",
    Gripper: "gripper_contract",
    Importer: "importer_contract",
    Keymap: "keymap_contract",
    Overlay: "overlay_contract",
    PartLibrary: "library_contract",
    Physics: "physics_contract",
    ProgramLanguage: "language_contract",
    Sensor: "sensor_contract",
    Settings: "settings_contract",
    Solver: "solver_contract",
    StartTemplate: "template_contract",
    Theme: "theme_contract",
    Viewer: "viewer_contract",
}
"""The fixture of :mod:`rck.testing.fixtures` that runs the contract of each kind."""

_INVALID_WORDS: tuple[list[str], ...] = (
    [],
    [""],
    ["--no-such-option"],
    ["no", "such", "words", "here"],
    ["1e999"],
    ["=", "'", "\x00"],
)
_INVALID_PATHS = ("/no-such-file", "/../page.html", "/../../etc/passwd", "//etc/passwd", "/\x00", "")
_DAMAGES = ("", "nan", "1e999", "-1", "no-such-word", "\x00", "'", '"', "#", "\n")

T = TypeVar("T")


class Contribution(Protocol):
    """Function that finds a contribution of an installed plugin."""

    def __call__(self, kind: type[T], name: str) -> T:
        """Return the contribution of that kind and name; fail the test if it does not exist."""
        ...


def check_check(check: Check) -> None:
    """Require findings about any robot, including an empty one, and the same findings each time."""
    for robot in (six_axis_arm("left/arm-1"), planar_arm(3), _empty_robot()):
        findings = list(check.run(robot))
        assert_type(findings, list[Finding], robot.name)
        for finding in findings:
            assert finding.where, f"{finding.message}: the finding does not say where"
        assert list(check.run(robot)) == findings, f"{robot.name}: the second run found something else"


def check_command(command: Command[Any], document: Any, words: Sequence[str]) -> None:
    """Require a new document and an unchanged old one, deterministically; invalid words may be refused."""
    before = deepcopy(document)
    after = _run_command(command, document, words)
    assert document == before, "it changed its input document"
    assert _run_command(command, document, words) == after, "the same words gave another document the second time"
    for invalid in _INVALID_WORDS:
        with allow_refusal():
            _run_command(command, document, invalid)
        assert document == before, f"{invalid}: it changed its input document"


def _run_command(command: Command[Any], document: Any, words: Sequence[str]) -> Any:
    """Return the document that a command makes."""
    line = " ".join([command.name, *map(quote, words)])
    arguments = parse_arguments(command, split_words(line)[1:], line)
    if isinstance(document, Document):
        arguments = with_values(document, command, arguments)
    result = command.run(document, arguments)
    assert isinstance(result, tuple), f"it returned {type(result).__name__}, not a document and a message"
    assert len(result) == 2, f"it returned {len(result)} values, not a document and a message"
    made, message = result
    assert isinstance(made, type(document)), f"it returned {type(made).__name__}, not {type(document).__name__}"
    assert isinstance(message, str), f"the message is {type(message).__name__}, not str"
    return made


def check_cli_command(added: CliCommand) -> None:
    """Require a click command with a help text that refuses unknown options."""
    assert isinstance(added.command, click.Command), f"it is {type(added.command).__name__}, not a click.Command"
    helped = CliRunner().invoke(added.command, ["--help"])
    assert helped.exit_code == 0, helped.output
    assert added.command.help, "--help has no description: give the function a docstring"
    refused = CliRunner().invoke(added.command, ["--no-such-option"])
    assert refused.exit_code == 2, f"the exit status for an unknown option is {refused.exit_code}: {refused.output}"


def check_library(library: PartLibrary) -> None:
    """Require that every manifest can be read, and that its part is valid at both ends of every parameter."""
    paths = manifest_paths(library.folder)
    assert paths, f"{library.folder} has no manifests"
    catalogue = read_catalogue([library.folder])
    assert not catalogue.findings, str(catalogue.findings[0])
    assert len(catalogue.entries) == len(paths), "two manifests have the same id"
    for path, findings in check_files(paths, Job()):
        assert not findings, f"{path}: {findings[0]}"


def check_language(language: ProgramLanguage, text: str, robot: Robot, *, damages: int = 40, seed: int = 1) -> None:
    """Require instructions with line numbers, deterministically; a damaged program is compiled or refused."""
    program = language.compile(text, robot)
    assert_type(program, Program, "program")
    assert program.lines, "the program has no instructions"
    numbers = [line.number for line in program.lines]
    assert numbers == sorted(numbers), f"the lines are not in order: {numbers}"
    assert 1 <= numbers[0] <= numbers[-1] <= len(text.splitlines()), f"lines that do not exist: {numbers}"
    again = language.compile(text, robot)
    assert list(map(_line_key, again.lines)) == list(map(_line_key, program.lines)), "the second result is different"
    random = np.random.default_rng(seed)
    for number in range(damages):
        at = int(random.integers(len(text)))
        inserted = _DAMAGES[number % len(_DAMAGES)]
        damaged = text[:at] if number % 3 == 0 else text[:at] + inserted + text[at + int(random.integers(4)) :]
        with allow_refusal():
            assert isinstance(language.compile(damaged, robot), Program)


def _line_key(line: ProgramLine) -> tuple[int, str, str]:
    return line.number, line.text, repr(line.instruction)


def check_viewer(viewer: Viewer, *, given: Mapping[str, str] | None = None) -> None:
    """Require a page at `/` and nowhere else, or a function that shows robots, including an empty one, and returns.

    If the viewer waits for its user, pass the options with which it does not.
    """
    values = read_options(viewer.options, given or {})
    if viewer.page is not None:
        check_page(viewer.page)
        return
    for robot in (planar_arm(2), _empty_robot()):
        viewer.show(robot, values)


def check_page(page: Page) -> None:
    """Require an HTML page at `/`, the same each time, and nothing at paths that leave the page."""
    found = page("/")
    assert found is not None, "there is nothing at /"
    kind, content = found
    assert kind.startswith("text/html"), f"/ is {kind}, not text/html"
    assert isinstance(content, bytes), f"/ is {type(content).__name__}, not bytes"
    assert content, "the page is empty"
    assert page("/") == found, "the second page is different"
    for path in _INVALID_PATHS:
        assert page(path) is None, f"it serves {path!r}"


def check_finding_code(code: FindingCode) -> None:
    """Require a description of the problem and advice for the user."""
    assert code.summary.strip(), f"{code.name} has no summary"
    assert code.remedy.strip(), f"{code.name} has no remedy"


def check_simulation_action(kind: ActionKind, words: Sequence[str] = ()) -> None:
    """Require that the words make an action and come back from it, and that wrong words are refused with a reason."""
    robot, behaviour = planar_arm(2), kind.behaviour
    action = behaviour.from_words(list(words), robot)
    assert isinstance(action, kind.action), f"{kind.name} made {type(action).__name__}, not {kind.action.__name__}"
    again = behaviour.from_words(list(behaviour.to_words(action)), robot)
    assert again == action, f"{kind.name}: its words {behaviour.to_words(action)} make another action"
    assert isinstance(behaviour.describe(action), str), f"{kind.name} has no description"
    assert behaviour.can_be_event, f"{kind.name} implements neither begin nor holds_back"
    for wrong in _INVALID_WORDS:
        with allow_refusal():
            behaviour.from_words(wrong, robot)


def check_settings(settings: Settings) -> None:
    """Require a help text for every option, and defaults that can be read from a file and written to one."""
    defaults = read_options(settings.options, {})
    for option in settings.options:
        assert option.help.strip(), f"option {option.name} of {settings.name} has no help"
    with TemporaryDirectory() as folder:
        assert read_settings(settings, Path(folder)) == defaults
        for option in settings.options:
            for text in (*option.choices, *(("yes", "no") if option.type == "flag" else ())):
                write_settings(Path(folder), settings, {option.name: text})
                expected = read_options(settings.options, {option.name: text})
                assert read_settings(settings, Path(folder)) == expected
                write_settings(Path(folder), settings, {option.name: ""})
        assert read_settings(settings, Path(folder)) == defaults


def check_lifecycle(plugins: Plugins, plugin: str) -> None:
    """Require that the hooks of a plugin about robots and simulations work on any robot, and repeat their findings."""
    called = plugins.hooks_of(plugin)
    assert called, f"{plugin} implements no lifecycle hook"
    for robot in (planar_arm(2), six_axis_arm(), _empty_robot()):
        of_hook: dict[str, dict[str, Any]] = {
            "rck_on_compile": {"assembly": None, "robot": robot},
            "rck_on_export": {
                "exporter": "urdf",
                "path": Path("robot.urdf"),
                "robot": robot,
                "exported": Exported({"robot.urdf": b"x"}),
            },
            "rck_on_simulation_step": {"world": StillWorld(robot)},
            "rck_on_simulation_end": {"world": StillWorld(robot)},
        }
        for hook in called:
            if hook in of_hook:
                first, second = (_inspection(plugins, hook, of_hook[hook]) for _ in range(2))
                assert first == second, f"{hook} returned other findings the second time"
    plugins.check_codes(plugin, ())
    failures = [str(finding) for finding in plugins.findings if finding.where == f"plugin {plugin}"]
    assert not failures, failures[0]


def _inspection(plugins: Plugins, hook: str, arguments: Mapping[str, Any]) -> tuple[Finding, ...] | str:
    """Return the findings of a hook, or its reason to refuse."""
    try:
        return plugins.inspect(hook, **arguments)
    except RckError as refusal:
        return str(refusal)


def _empty_robot() -> Robot:
    return build_robot("nothing", []).unwrap()
