"""Where the files of an export go, and how they name each other."""

import re
from dataclasses import dataclass
from pathlib import PurePath

from rck.exporting import legal_name
from rck.model import RckError


@dataclass(frozen=True, slots=True)
class Layout:
    """Paths relative to the chosen folder, with / between."""

    urdf: str
    srdf: str
    folder: str
    """That of the mesh files, as seen from where `mesh_prefix` begins."""
    mesh_prefix: str
    """What the URDF puts before the path of a mesh file."""
    file_prefix: str
    """What the path of a mesh file begins with in the chosen folder."""
    mujoco: dict[str, str]
    """Settings with which MuJoCo finds the meshes: left to itself it forgets their folder."""


def layout_of(name: str, package: str) -> Layout:
    """The layout of an export whose main file has that name, inside a ROS 2 package if that has a name."""
    stem = PurePath(name).stem
    if not package:
        return Layout(name, f"{stem}.srdf", f"{legal_name(stem)}_meshes", "", "", {"strippath": "false"})
    # REP 144 on the names of packages.
    if not re.fullmatch(r"[a-z][a-z0-9_]+", package):
        raise RckError(f"{package!r} is no name of a ROS package; use small letters, digits and _, a letter first")
    return Layout(
        f"{package}/urdf/{name}",
        f"{package}/config/{stem}.srdf",
        "meshes",
        f"package://{package}/",
        f"{package}/",
        {"meshdir": "../meshes", "strippath": "true"},
    )
