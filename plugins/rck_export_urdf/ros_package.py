"""The files that make a folder a ROS 2 package: `colcon build` installs it, `ros2 launch` shows the robot."""

from collections.abc import Iterable
from pathlib import PurePosixPath

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


def package_files(package: str, robot: str, contents: Iterable[str], urdf: str) -> dict[str, bytes]:
    """What is needed beside the contents, which are paths inside the package, as all paths are here."""
    inside = [PurePosixPath(path).relative_to(package) for path in (*contents, f"{package}/launch/display.launch.py")]
    folders = sorted({path.parts[0] for path in inside})
    texts = {
        "package.xml": _MANIFEST.format(package=package, robot=robot),
        "CMakeLists.txt": _BUILD.format(package=package, folders=" ".join(folders)),
        "launch/display.launch.py": _LAUNCH.format(package=package, urdf=PurePosixPath(urdf).relative_to(package)),
    }
    return {f"{package}/{path}": text.encode() for path, text in texts.items()}
