"""Elements of URDF that RCK does not interpret: kept with their link, joint or robot, and exported to URDF again."""

from collections.abc import Iterable
from xml.etree import ElementTree

from rck.importing.import_report import Report
from rck.importing.xml_file import Element
from rck.model.extensions import Extensions, extension

FORMAT = "urdf"
OF_JOINT = ("safety_controller", "calibration")
GAZEBO = "gazebo"


def kept_elements(elements: Iterable[Element], report: Report) -> Extensions:
    """Return the extension data of elements, by tag, with a note for each kind."""
    by_tag: dict[str, str] = {}
    for element in elements:
        message = f"<{element.tag}> is kept for exports to URDF, but RCK does not use it"
        report.note(503, element.where, message, kind=f"kept <{element.tag}>")
        key = f"<{element.tag}>"
        by_tag[key] = by_tag.get(key, "") + ElementTree.tostring(element.tree(), encoding="unicode")
    return extension(FORMAT, by_tag)
