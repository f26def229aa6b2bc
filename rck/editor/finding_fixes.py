"""Fixes for findings: the commands, or starts of commands, that fix a finding, and the object it is about."""

from rck.assembly.edits import branch, mate_putting
from rck.editor.workbench import Selected, Workbench
from rck.model import Finding, RckError

_TEMPLATES = {
    404: "set joint {name} limits=",
    405: "set joint {name} position=",
    406: "set joint {name} limits=",
    801: "replace {name} ",
    806: "replace {name} ",
    808: "tool {name} ",
    809: "port {name} ",
}
"""Start of the command by finding code; `{name}` is the last word of the finding's location."""
_PLUGINS = range(600, 700)


def fix_lines(finding: Finding, workbench: Workbench) -> list[str]:
    """Return commands, or starts of commands, the most thorough remedy first; empty if the fix is not a command."""
    words = finding.where.replace(",", " ").split()
    if finding.commands:
        return list(finding.commands)
    if finding.code in (802, 803, 804, 805) and words[:1] == ["mate"] and len(words) == 3:
        return [f"remove mate {words[2].partition('.')[0]}"]
    if finding.code == 311 and words[:1] == ["items"] and len(words) == 4:
        return [*_separations(words[1], words[3], workbench), f"allow {words[1]} {words[3]}"]
    if isinstance(finding.code, int) and finding.code in _TEMPLATES and words:
        return [_TEMPLATES[finding.code].format(name=words[-1])]
    try:
        is_command = bool(finding.fix) and workbench.session.preview(finding.fix) is not None
    except (RckError, OSError):
        return []
    return [finding.fix] if is_command else []


def _separations(one: str, other: str, workbench: Workbench) -> list[str]:
    """Return starts of commands that separate two items: move, detach or replace the instance that is mounted later."""
    compiled = workbench.built.value
    if compiled is None:
        return []
    first, second = (compiled.instance_of_item.get(item, "") for item in (one, other))
    if not first or not second or first == second:
        return []
    carried = first in branch(workbench.assembly, second)
    name = first if carried else second
    if mate_putting(workbench.assembly, name) is None:
        return [f"move {name} ", f"replace {name} "]
    return [f"set mate {name} offset=", f"detach {name}", f"replace {name} "]


def is_about_plugins(finding: Finding) -> bool:
    """Return True if the finding is to be fixed on the Plugins screen."""
    return finding.code in _PLUGINS


def subject_of(finding: Finding, workbench: Workbench) -> Selected | None:
    """Return the object of the assembly that a finding is about."""
    words = finding.where.replace(",", " ").split()
    compiled = workbench.built.value
    for word in words:
        if compiled is not None and word in compiled.robot.joint_index:
            return Selected("joint", word)
        if compiled is not None and word in compiled.robot.item_index:
            return Selected("item", word)
    if words[:1] == ["tool"] and words[-1] in workbench.assembly.tools:
        return Selected("tool", words[-1])
    if words[:1] == ["mate"] and words[-1].partition(".")[0] in workbench.assembly.parts:
        return Selected("mate", words[-1].partition(".")[0])
    for word in words:
        instance = word.partition(".")[0].partition("/")[0]
        if instance in workbench.assembly.parts:
            return Selected("instance", instance)
    return None
