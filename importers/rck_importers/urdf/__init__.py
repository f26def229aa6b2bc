"""Importers for URDF, the robot description format of ROS, with SRDF and, if installed, xacro."""

from pathlib import Path

from rck.hooks import Imported, Importer, Job, Option, Values, hookimpl
from rck.importing.xml_file import opening_tags

_SRDF_TAGS = {"group", "group_state", "end_effector", "virtual_joint", "disable_collisions", "passive_joint"}


def looks_like_urdf(path: Path, head: bytes) -> bool:
    """Return True if the root element is `robot` and the file is not SRDF."""
    tags = opening_tags(head)
    return tags[:1] == ["robot"] and not looks_like_srdf(path, head)


def looks_like_srdf(path: Path, head: bytes) -> bool:
    """Return True if the root element is `robot` and its first child, or the file extension, is of SRDF."""
    tags = opening_tags(head)
    if tags[:1] != ["robot"]:
        return False
    # Groups also contain links and joints, so check the first child of the root.
    return (bool(_SRDF_TAGS & set(tags[1:])) and tags[1] in _SRDF_TAGS) or path.suffix.lower() == ".srdf"


def _read_urdf(path: Path, values: Values, job: Job) -> Imported:
    from rck_importers.urdf.reader import read

    return read(path, values, job)


def _read_srdf(path: Path, values: Values, job: Job) -> Imported:
    from rck_importers.urdf.reader import read_with_srdf

    return read_with_srdf(path, values, job)


@hookimpl
def rck_importers() -> list[Importer]:
    """Return the importers for URDF and SRDF."""
    from rck.importing.robot_reader import ROBOT_OPTIONS

    urdf = (
        Option("srdf", "SRDF file of the robot"),
        Option("state", "group state of the SRDF file that sets the joint positions"),
        Option("xacro", "arguments of a xacro file, such as `prefix:=left_ gripper:=true`"),
        *ROBOT_OPTIONS,
    )
    srdf = (
        Option("urdf", "URDF file of the robot (default: search the folder and package of the SRDF file)"),
        *(option for option in urdf if option.name != "srdf"),
    )
    return [
        Importer("urdf", "ROS robot descriptions: URDF, xacro", (".urdf", ".xacro"), looks_like_urdf, _read_urdf, urdf),
        Importer("srdf", "ROS semantic robot descriptions: SRDF", (".srdf",), looks_like_srdf, _read_srdf, srdf),
    ]
