"""Which fixture of :mod:`rck.testing.fixtures` holds the contract of which kind, and how tests find contributions."""

from typing import Protocol, TypeVar

from rck.hooks import (
    Check,
    CliCommand,
    CollisionBackend,
    Command,
    EditorPanel,
    Exporter,
    Gripper,
    Importer,
    PartLibrary,
    Physics,
    ProgramLanguage,
    Sensor,
    Solver,
    Viewer,
)

FIXTURE_OF_KIND: dict[type, str] = {
    Check: "check_contract",
    CliCommand: "cli_command_contract",
    CollisionBackend: "collision_contract",
    Command: "command_contract",
    EditorPanel: "panel_contract",
    Exporter: "exporter_contract",
    Gripper: "gripper_contract",
    Importer: "importer_contract",
    PartLibrary: "library_contract",
    Physics: "physics_contract",
    ProgramLanguage: "language_contract",
    Sensor: "sensor_contract",
    Solver: "solver_contract",
    Viewer: "viewer_contract",
}
"""Which fixture holds the contract of which kind of contribution."""

T = TypeVar("T")


class Contribution(Protocol):
    """Finds what plugins contribute."""

    def __call__(self, kind: type[T], name: str) -> T:
        """The contribution of that kind and name; the test fails where there is none."""
        ...
