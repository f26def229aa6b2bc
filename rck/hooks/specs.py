"""The hooks: implement any of these in a plugin, marked with `hookimpl`.

A hook takes nothing and returns a list of one kind of contribution. It is called once, when that kind
is first needed, so keep imports of large libraries inside the functions that use them.
"""

from typing import get_args

import pluggy

from rck.hooks import kinds

hookspec = pluggy.HookspecMarker("rck")
hookimpl = pluggy.HookimplMarker("rck")


class HookSpecs:
    """One method per hook; its return annotation says what a plugin gives."""

    @hookspec
    def rck_part_libraries(self) -> list[kinds.PartLibrary]:  # type: ignore[empty-body]
        """Folders of part manifests to add to the catalogue."""

    @hookspec
    def rck_importers(self) -> list[kinds.Importer]:  # type: ignore[empty-body]
        """File formats that can be read."""

    @hookspec
    def rck_exporters(self) -> list[kinds.Exporter]:  # type: ignore[empty-body]
        """File formats that can be written."""

    @hookspec
    def rck_solvers(self) -> list[kinds.Solver]:  # type: ignore[empty-body]
        """Ways to solve inverse kinematics."""

    @hookspec
    def rck_collision_backends(self) -> list[kinds.CollisionBackend]:  # type: ignore[empty-body]
        """Ways to find out what touches what."""

    @hookspec
    def rck_grippers(self) -> list[kinds.Gripper]:  # type: ignore[empty-body]
        """Ways of holding on to things."""

    @hookspec
    def rck_sensors(self) -> list[kinds.Sensor]:  # type: ignore[empty-body]
        """Kinds of sensors."""

    @hookspec
    def rck_physics(self) -> list[kinds.Physics]:  # type: ignore[empty-body]
        """Engines for gravity, contact forces and motors."""

    @hookspec
    def rck_program_languages(self) -> list[kinds.ProgramLanguage]:  # type: ignore[empty-body]
        """Languages that robot programs are written in."""

    @hookspec
    def rck_viewers(self) -> list[kinds.Viewer]:  # type: ignore[empty-body]
        """Other ways to look at a robot."""

    @hookspec
    def rck_commands(self) -> list[kinds.Command]:  # type: ignore[empty-body]
        """Words of the command language."""

    @hookspec
    def rck_cli_commands(self) -> list[kinds.CliCommand]:  # type: ignore[empty-body]
        """Subcommands of `rck`."""

    @hookspec
    def rck_editor_panels(self) -> list[kinds.EditorPanel]:  # type: ignore[empty-body]
        """Panels of the editor."""

    @hookspec
    def rck_checks(self) -> list[kinds.Check]:  # type: ignore[empty-body]
        """Checks that `rck check` runs on every robot."""


HOOK_OF_KIND: dict[type, str] = {
    get_args(spec.__annotations__["return"])[0]: name
    for name, spec in vars(HookSpecs).items()
    if name.startswith("rck_")
}
"""Which hook returns which kind of contribution."""
