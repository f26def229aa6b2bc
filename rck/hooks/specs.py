"""Hook specifications: implement any of these in a plugin and mark them with `hookimpl`.

A hook takes no arguments and returns a list of contributions of one kind. It is called once, when that kind
is first needed, so import large libraries inside the functions that use them.
"""

from typing import Any, get_args, get_origin

import pluggy

from rck.hooks import editor_kinds, kinds

hookspec = pluggy.HookspecMarker("rck")
hookimpl = pluggy.HookimplMarker("rck")


class HookSpecs:
    """One method per hook; the return annotation is the kind of its contributions."""

    @hookspec
    def rck_part_libraries(self) -> list[kinds.PartLibrary]:  # type: ignore[empty-body]
        """Return folders of part manifests for the catalogue."""

    @hookspec
    def rck_importers(self) -> list[kinds.Importer]:  # type: ignore[empty-body]
        """Return importers of file formats."""

    @hookspec
    def rck_exporters(self) -> list[kinds.Exporter]:  # type: ignore[empty-body]
        """Return exporters of file formats."""

    @hookspec
    def rck_solvers(self) -> list[kinds.Solver]:  # type: ignore[empty-body]
        """Return inverse kinematics solvers."""

    @hookspec
    def rck_collision_backends(self) -> list[kinds.CollisionBackend]:  # type: ignore[empty-body]
        """Return collision backends."""

    @hookspec
    def rck_grippers(self) -> list[kinds.Gripper]:  # type: ignore[empty-body]
        """Return kinds of grippers."""

    @hookspec
    def rck_sensors(self) -> list[kinds.Sensor]:  # type: ignore[empty-body]
        """Return kinds of sensors."""

    @hookspec
    def rck_physics(self) -> list[kinds.Physics]:  # type: ignore[empty-body]
        """Return physics engines."""

    @hookspec
    def rck_program_languages(self) -> list[kinds.ProgramLanguage]:  # type: ignore[empty-body]
        """Return languages for robot programs."""

    @hookspec
    def rck_viewers(self) -> list[kinds.Viewer]:  # type: ignore[empty-body]
        """Return viewers for robots."""

    @hookspec
    def rck_commands(self) -> list[kinds.Command[Any]]:  # type: ignore[empty-body]
        """Return commands of the command language."""

    @hookspec
    def rck_cli_commands(self) -> list[kinds.CliCommand]:  # type: ignore[empty-body]
        """Return subcommands of `rck`."""

    @hookspec
    def rck_editor_panels(self) -> list[editor_kinds.EditorPanel]:  # type: ignore[empty-body]
        """Return panels of the editor."""

    @hookspec
    def rck_editor_screens(self) -> list[editor_kinds.EditorScreen]:  # type: ignore[empty-body]
        """Return screens of the editor."""

    @hookspec
    def rck_editor_actions(self) -> list[editor_kinds.EditorAction]:  # type: ignore[empty-body]
        """Return actions of the editor: entries of the command palette, with or without a key."""

    @hookspec
    def rck_overlays(self) -> list[editor_kinds.Overlay]:  # type: ignore[empty-body]
        """Return overlays of the 3D views."""

    @hookspec
    def rck_themes(self) -> list[editor_kinds.Theme]:  # type: ignore[empty-body]
        """Return themes of the editor."""

    @hookspec
    def rck_keymaps(self) -> list[editor_kinds.Keymap]:  # type: ignore[empty-body]
        """Return keymaps of the editor."""

    @hookspec
    def rck_start_templates(self) -> list[editor_kinds.StartTemplate]:  # type: ignore[empty-body]
        """Return assemblies to start from."""

    @hookspec
    def rck_checks(self) -> list[kinds.Check]:  # type: ignore[empty-body]
        """Return checks that `rck check` runs on every robot."""

    @hookspec
    def rck_finding_codes(self) -> list[kinds.FindingCode]:  # type: ignore[empty-body]
        """Return the codes of the findings that the plugin reports."""

    @hookspec
    def rck_settings(self) -> list[kinds.Settings]:  # type: ignore[empty-body]
        """Return settings that users keep for the plugin."""

    @hookspec
    def rck_actions(self) -> list[kinds.ActionKind]:  # type: ignore[empty-body]
        """Return types of actions for events, programs, the server and the editor."""


HOOK_OF_KIND: dict[type, str] = {
    get_origin(kind) or kind: name
    for name, spec in vars(HookSpecs).items()
    if name.startswith("rck_")
    for kind in get_args(spec.__annotations__["return"])
}
"""Name of the hook of each kind of contribution."""
