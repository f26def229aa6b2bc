"""Tags and attributes of xacro that are left in a URDF file."""

from rck.importing.import_report import Report
from rck.importing.xml_file import Element

_PREFIX = "xacro:"


def remove_xacro(root: Element, report: Report) -> None:
    """Remove the xacro tags below an element, with a warning for each kind of tag and attribute."""
    waiting = [root]
    while waiting:
        element = waiting.pop()
        for name in element.attributes:
            if name.startswith(_PREFIX):
                message = f"the attribute {name} is not expanded and was ignored"
                report.warn(503, element.where, message, kind=f"attribute {name}")
        for child in element:
            if child.tag.startswith(_PREFIX):
                report.warn(503, child.where, f"<{child.tag}> is not expanded and was ignored", kind=f"<{child.tag}>")
        element.children = [child for child in element if not child.tag.startswith(_PREFIX)]
        waiting += element.children
