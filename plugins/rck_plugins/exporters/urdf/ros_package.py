"""The layout of the exported files, and the files of a ROS 2 package for `colcon build` and `ros2 launch`."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePath, PurePosixPath

from rck.model import RckError
from rck.support.names import legal_name

_MANIFEST = """\
<?xml version="1.0"?>
<package format="3">
  <name>{package}</name>
  <version>0.0.0</version>
  <description>The robot {robot}: its description, meshes and planning groups.</description>
  <maintainer email="unknown@example.org">unknown</maintainer>
  <license>unknown</license>
  <buildtool_depend>ament_cmake</buildtool_depend>
  <exec_depend>joint_state_publisher_gui</exec_depend>
  <exec_depend>robot_state_publisher</exec_depend>
  <exec_depend>rviz2</exec_depend>
  <export>
    <build_type>ament_cmake</build_type>
  </export>
</package>
"""

_BUILD = """\
cmake_minimum_required(VERSION 3.8)
project({package})
find_package(ament_cmake REQUIRED)
install(DIRECTORY {folders} DESTINATION share/${{PROJECT_NAME}})
ament_package()
"""

_LAUNCH = '''\
"""Show the robot in RViz, with a slider for each joint."""

from pathlib import Path

from ament_index_python.packages import get_package_share_directory
from launch import LaunchDescription
from launch_ros.actions import Node


def generate_launch_description():
    share = Path(get_package_share_directory("{package}"))
    description = (share / "{urdf}").read_text(encoding="utf-8")
    return LaunchDescription(
        [
            Node(package="robot_state_publisher", executable="robot_state_publisher",
                 parameters=[{{"robot_description": description}}]),
            Node(package="joint_state_publisher_gui", executable="joint_state_publisher_gui"),
            Node(package="rviz2", executable="rviz2"),
        ]
    )
'''


@dataclass(frozen=True, slots=True)
class Layout:
    """The paths of the files of an export, relative to the chosen folder, with / as separator."""

    urdf: str
    srdf: str
    folder: str
    """The folder of the mesh files, relative to `mesh_prefix`."""
    mesh_prefix: str
    """Prefix of mesh files in the URDF."""
    file_prefix: str
    """Prefix of mesh files in the chosen folder."""
    mujoco: dict[str, str]
    """Compiler settings with which MuJoCo finds the meshes; by default it ignores their folder."""


def layout_of(name: str, package: str) -> Layout:
    """Return the layout for a main file of that name, inside a ROS 2 package if one is named."""
    stem = PurePath(name).stem
    if not package:
        return Layout(name, f"{stem}.srdf", f"{legal_name(stem)}_meshes", "", "", {"strippath": "false"})
    # Package names follow REP 144.
    if not re.fullmatch(r"[a-z][a-z0-9_]+", package):
        raise RckError(f"{package!r} is not a ROS package name: use lower-case letters, digits and _, a letter first")
    return Layout(
        f"{package}/urdf/{name}",
        f"{package}/config/{stem}.srdf",
        "meshes",
        f"package://{package}/",
        f"{package}/",
        {"meshdir": "../meshes", "strippath": "true"},
    )


def package_files(package: str, robot: str, contents: Iterable[str], urdf: str) -> dict[str, bytes]:
    """Return the files that make the contents a package. All paths start with the name of the package."""
    inside = [PurePosixPath(path).relative_to(package) for path in (*contents, f"{package}/launch/display.launch.py")]
    folders = sorted({path.parts[0] for path in inside})
    texts = {
        "package.xml": _MANIFEST.format(package=package, robot=robot),
        "CMakeLists.txt": _BUILD.format(package=package, folders=" ".join(folders)),
        "launch/display.launch.py": _LAUNCH.format(package=package, urdf=PurePosixPath(urdf).relative_to(package)),
    }
    return {f"{package}/{path}": text.encode() for path, text in texts.items()}
