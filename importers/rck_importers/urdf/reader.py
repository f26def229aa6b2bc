"""Reader for URDF, xacro and SRDF files."""

from dataclasses import replace
from pathlib import Path

from rck.hooks import Imported, Job, Values
from rck.importing.assets import Assets, Unavailable, read_within
from rck.importing.file_errors import NotOfFormat
from rck.importing.import_options import limits_of
from rck.importing.link_shapes import MeshCache
from rck.importing.linkage import Linkage
from rck.importing.robot_reader import Reading, read_robot
from rck.importing.xml_file import parse_xml
from rck_importers.urdf.description import linkage_of
from rck_importers.urdf.loops import with_loop_file
from rck_importers.urdf.srdf import find_urdf, with_semantics
from rck_importers.urdf.xacro_file import arguments_of, expand, is_xacro


def read(path: Path, values: Values, job: Job) -> Imported:
    """Read the robot of a URDF or xacro file, with the semantics of the SRDF file of the option `srdf`."""
    srdf = str(values.get("srdf") or "")
    return read_robot(path, values, job, lambda reading: _linkage(reading, Path(srdf) if srdf else None))


def read_with_srdf(path: Path, values: Values, job: Job) -> Imported:
    """Read the robot of an SRDF file, with its semantics."""

    def parse(reading: Reading) -> Linkage:
        root = reading.xml(path)
        named = str(values.get("urdf") or "")
        urdf = Path(named) if named else find_urdf(path, root.require("name"), reading.assets)
        found = Assets(urdf, limits_of(values))
        shelf = MeshCache(found, reading.shelf.convexity)
        return _linkage(replace(reading, path=urdf, assets=found, shelf=shelf), path)

    return read_robot(path, values, job, parse)


def _linkage(reading: Reading, srdf: Path | None) -> Linkage:
    data = reading.assets.read(reading.path)
    name = reading.path.name
    if is_xacro(reading.path, data):
        data, name = _expanded(reading, data)
    linkage = linkage_of(reading.parsed(data, name), reading)
    if srdf is not None:
        semantics = parse_xml(read_within(srdf, reading.assets.limits), srdf.name)
        linkage = with_semantics(linkage, semantics, str(reading.values.get("state") or ""), reading.report)
    return with_loop_file(linkage, reading.path, reading)


def _expanded(reading: Reading, data: bytes) -> tuple[bytes, str]:
    """Return the URDF of a xacro file and its name; a `.urdf` file with tags that do not expand is used as it is."""
    name = reading.path.name
    arguments = arguments_of(str(reading.values.get("xacro") or ""))
    try:
        expanded, said = expand(reading.path, arguments, reading.assets, reading.job.part(0.0, 0.1, "xacro"))
    except (NotOfFormat, Unavailable) as error:
        if reading.path.suffix.lower() != ".urdf" or reading.parsed(data, name).first("link") is None:
            raise
        reading.report.warn(503, name, f"its xacro tags were ignored: {error}", kind="xacro tags")
        return data, name
    if said:
        reading.report.note(504, name, f"xacro warning: {said.splitlines()[0]}")
    return expanded, f"{name} expanded"
