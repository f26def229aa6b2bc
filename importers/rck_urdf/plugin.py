"""What this package adds to RCK."""

from pathlib import Path

from rck.hooks import Imported, Importer, Job, Option, Values, hookimpl
from rck.importing.xml_file import opening_tags

_SRDF_TAGS = {"group", "group_state", "end_effector", "virtual_joint", "disable_collisions", "passive_joint"}


def looks_like_urdf(path: Path, head: bytes) -> bool:
    """A root element `robot` that does not hold what only SRDF has."""
    tags = opening_tags(head)
    return tags[:1] == ["robot"] and not looks_like_srdf(path, head)


def looks_like_srdf(path: Path, head: bytes) -> bool:
    """A root element `robot` with groups, end effectors or pairs that may touch, and no links of its own."""
    tags = opening_tags(head)
    if tags[:1] != ["robot"]:
        return False
    # Groups list links and joints, too: what stands directly under the root decides.
    return (bool(_SRDF_TAGS & set(tags[1:])) and tags[1] in _SRDF_TAGS) or path.suffix.lower() == ".srdf"


def _read_urdf(path: Path, values: Values, job: Job) -> Imported:
    from rck_urdf.reader import read

    return read(path, values, job)


def _read_srdf(path: Path, values: Values, job: Job) -> Imported:
    from rck_urdf.reader import read_with_srdf

    return read_with_srdf(path, values, job)


@hookimpl
def rck_importers() -> list[Importer]:
    """The readers of URDF and of SRDF."""
    from rck.importing.robots import ROBOT_OPTIONS

    urdf = (
        Option("srdf", "the SRDF file that belongs to it"),
        Option("state", "the group state of the SRDF file to stand in"),
        Option("xacro", "arguments of a xacro file, such as `prefix:=left_ gripper:=true`"),
        *ROBOT_OPTIONS,
    )
    srdf = (
        Option("urdf", "the URDF file that it belongs to; looked for beside it unless said"),
        *(option for option in urdf if option.name != "srdf"),
    )
    return [
        Importer("urdf", "robots of ROS: URDF, xacro", (".urdf", ".xacro"), looks_like_urdf, _read_urdf, urdf),
        Importer("srdf", "semantics of ROS robots: SRDF", (".srdf",), looks_like_srdf, _read_srdf, srdf),
    ]
