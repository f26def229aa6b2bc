"""A world as other programs know robots: its URDF, and the mesh files that this refers to."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote

from rck.hooks import Exporter, Job, Plugins
from rck.hooks.choosing import choose
from rck.hooks.options import read_options
from rck.model.robot import Robot

_FILE_NAME = re.compile(r'(?<=filename=")[^"]*(?=")')


@dataclass(frozen=True, eq=False, slots=True)
class Description:
    """The URDF as the exporter writes it, and its meshes by the names that stand in it."""

    urdf: str
    meshes: Mapping[str, bytes]

    def at(self, address: str) -> str:
        """The URDF for a client that can fetch the meshes below an address."""

        def found(name: re.Match[str]) -> str:
            return f"{address}{quote(name[0])}" if name[0] in self.meshes else name[0]

        return _FILE_NAME.sub(found, self.urdf) if address else self.urdf


def describe(robot: Robot, plugins: Plugins) -> Description:
    """The description of a robot, from the exporter."""
    exporter = choose("urdf", plugins.all(Exporter), "exporter", plugins)
    with plugins.guard(exporter):
        exported = exporter.write(robot, f"{robot.name}.urdf", read_options(exporter.options, {}), Job())
    text = next(content for name, content in exported.files.items() if name.endswith(".urdf"))
    meshes = {name: content for name, content in exported.files.items() if name.endswith(".stl")}
    return Description(text.decode("utf-8"), meshes)
