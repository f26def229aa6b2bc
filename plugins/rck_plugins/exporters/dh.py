"""Exporter of Denavit-Hartenberg tables: CSV in radians and metres, Markdown and LaTeX in degrees and millimetres."""

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import degrees
from pathlib import PurePath

from rck.exporting.file_text import tidy
from rck.exporting.losses import list_names, loss
from rck.geometry.arrays import Floats
from rck.geometry.transforms import to_euler
from rck.hooks import Exported, Exporter, Job, Option, Values, hookimpl
from rck.kinematics.denavit_hartenberg import DHChain, DHRow, dh_of_robot, modified
from rck.kinematics.tip import arm_tips, root_of
from rck.model import Feature, Finding, Joint, Robot, Severity

_COLUMNS = (
    "chain", "row", "joint", "kind", "theta_rad", "d_m", "a_m", "alpha_rad", "lower", "upper", "x_m", "y_m", "z_m",
    "roll_rad", "pitch_rad", "yaw_rad",
)  # fmt: skip

_CONVENTIONS = {
    "standard": "Each row is Rz(theta) Tz(d) Tx(a) Rx(alpha), the standard convention",
    "modified": "Each row is Rx(alpha) Tx(a) Rz(theta) Tz(d), the modified convention of Craig",
}
_LATEX = str.maketrans({"_": r"\_", "%": r"\%", "#": r"\#", "$": r"\$", "{": r"\{", "}": r"\}"})


@hookimpl
def rck_exporters() -> list[Exporter]:
    """Return the exporter of Denavit-Hartenberg tables."""
    options = (
        Option("convention", "standard, or modified (Craig)", "choice", "standard", tuple(_CONVENTIONS)),
        Option("tip", "export only the chain to this item or frame"),
    )
    summary = "Denavit-Hartenberg table: LaTeX, Markdown or CSV"
    keeps = frozenset({Feature.NAMES, Feature.JOINTS, Feature.JOINT_LIMITS})
    return [Exporter("dh", summary, (".tex", ".md", ".csv"), write, "robot", options, keeps, "a DH table")]


@dataclass(frozen=True, eq=False)
class ArmChain:
    """A kinematic chain with its table."""

    base: str
    """The item that the chain starts at."""
    tip: str
    """The item or frame that the chain ends at."""
    table: DHChain
    joints: tuple[Joint, ...]
    """The joint of each row of the table."""


def write(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    """Write the tables in the format of the file name extension."""
    convention = values.get("convention", "standard")
    chains = find_chains(robot, tip=values.get("tip") or "", craig=convention == "modified")
    if not chains:
        message = "there is no chain to tabulate: no joint can move"
        return Exported(findings=(Finding(507, Severity.ERROR, name, message),))
    format_table = _FORMATS[PurePath(name).suffix.lower()]
    in_chains = {joint.name for chain in chains for joint in chain.joints}
    others = [joint.name for joint in robot.joints if joint.kind.moves and joint.name not in in_chains]
    losses = (loss(name, f"joints outside the chains are not exported: {list_names(others)}"),) if others else ()
    return Exported({name: format_table(robot, chains, convention).encode()}, losses)


def find_chains(robot: Robot, *, tip: str = "", craig: bool = False) -> list[ArmChain]:
    """Return the chains that have moving joints: the one to a tip, or those to the tips of all arms."""
    chains = []
    for end in [tip] if tip else arm_tips(robot):
        base = root_of(robot, end)
        table = dh_of_robot(robot, base, end)
        joints = tuple(robot.joint(name) for name in table.joints)
        if joints:
            chains.append(ArmChain(base, end, modified(table) if craig else table, joints))
    return chains


def _csv(robot: Robot, chains: Sequence[ArmChain], convention: str) -> str:
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(_COLUMNS)
    for chain in chains:
        label = f"{chain.base} to {chain.tip}, {convention}"
        blank = [""] * 8
        writer.writerow([label, "base", "", *blank[1:], *_pose_numbers(chain.table.base)])
        for number, (row, joint) in enumerate(zip(chain.table.rows, chain.joints, strict=True), start=1):
            ends = ("", "") if joint.limits is None else (_digits(joint.limits.lower), _digits(joint.limits.upper))
            shape = map(_digits, tidy([row.theta, row.d, row.a, row.alpha]).tolist())
            writer.writerow([label, number, joint.name, joint.kind.value, *shape, *ends, *[""] * 6])
        writer.writerow([label, "tool", "", *blank[1:], *_pose_numbers(chain.table.tool)])
    return out.getvalue()


def _markdown(robot: Robot, chains: Sequence[ArmChain], convention: str) -> str:
    lines = [f"# Denavit-Hartenberg parameters of {robot.name}", ""]
    lines.append(f"{_CONVENTIONS[convention]}. Degrees and millimetres; q is the position of the joint.")
    for chain in chains:
        lines += ["", f"## {chain.base} to {chain.tip}", ""]
        lines += ["| | joint | theta | d | a | alpha | limits |", "|--:|---|--:|--:|--:|--:|---|"]
        lines += [f"| {' | '.join(cells)} |" for cells in _rows(chain, "q{}")]
        lines += ["", f"Base: {_pose_text(chain.table.base)}.", "", f"Tool: {_pose_text(chain.table.tool)}."]
    return "\n".join(lines) + "\n"


def _latex(robot: Robot, chains: Sequence[ArmChain], convention: str) -> str:
    lines = [f"% Denavit-Hartenberg parameters of {robot.name}. Written by RCK."]
    for chain in chains:
        title = f"{chain.base} to {chain.tip}".translate(_LATEX)
        lines += [r"\begin{table}", r"  \centering", r"  \begin{tabular}{rlrrrrl}", r"    \hline"]
        lines.append(r"    $i$ & joint & $\theta_i$ & $d_i$ & $a_i$ & $\alpha_i$ & limits \\")
        lines.append(r"    \hline")
        for number, joint, *rest in _rows(chain, "$q_{{{}}}$"):
            cells = [number, joint.translate(_LATEX), *(cell.replace("-", "$-$") for cell in rest)]
            lines.append("    " + " & ".join(cells) + r" \\")
        lines += [r"    \hline", r"  \end{tabular}"]
        base, tool = (_pose_text(pose).replace("-", "$-$") for pose in (chain.table.base, chain.table.tool))
        lines.append(
            rf"  \caption{{{title}. {_CONVENTIONS[convention]}; degrees and millimetres. Base: {base}. Tool: {tool}.}}"
        )
        lines += [r"\end{table}", ""]
    return "\n".join(lines)


_FORMATS: dict[str, Callable[[Robot, Sequence[ArmChain], str], str]] = {".csv": _csv, ".md": _markdown, ".tex": _latex}


def _rows(chain: ArmChain, variable: str) -> Iterator[tuple[str, ...]]:
    """Yield the cells of each row, in degrees and millimetres; `variable` is the template of a joint variable."""
    for number, (row, joint) in enumerate(zip(chain.table.rows, chain.joints, strict=True), start=1):
        position = variable.format(number)
        theta, d, a, alpha = _cells(row)
        if row.kind.turns:
            theta = _sum(position, theta)
        else:
            d = _sum(position, d)
        limits = "none"
        if joint.limits is not None:
            scale = degrees(1.0) if row.kind.turns else 1000.0
            limits = f"{_short(scale * joint.limits.lower)} to {_short(scale * joint.limits.upper)}"
        yield str(number), joint.name, theta, d, a, alpha, limits


def _cells(row: DHRow) -> tuple[str, str, str, str]:
    return _short(degrees(row.theta)), _short(1000 * row.d), _short(1000 * row.a), _short(degrees(row.alpha))


def _sum(position: str, offset: str) -> str:
    if offset == "0":
        return position
    return f"{position} - {offset[1:]}" if offset.startswith("-") else f"{position} + {offset}"


def _pose_text(pose: Floats) -> str:
    """Return a pose as text, in millimetres and degrees."""
    position = ", ".join(_short(1000 * float(part)) for part in pose[:3, 3])
    angles = ", ".join(_short(degrees(float(angle))) for angle in to_euler(pose, "xyz"))
    return f"at {position}; roll, pitch, yaw {angles}"


def _pose_numbers(pose: Floats) -> list[str]:
    return [_digits(number) for number in tidy([*pose[:3, 3], *to_euler(pose, "xyz")]).tolist()]


def _short(number: float) -> str:
    return f"{round(number, 6) + 0.0:.9g}"


def _digits(number: float) -> str:
    return f"{number + 0.0:.12g}"
