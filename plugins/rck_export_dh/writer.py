"""The tables as text. CSV is in radians and metres, for programs; the others are in degrees and millimetres."""

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from math import degrees
from pathlib import PurePath

from rck.exporting import lost, some
from rck.exporting.xml_text import tidy
from rck.geometry.arrays import Floats
from rck.geometry.transforms import to_euler
from rck.hooks import Exported, Job, Values
from rck.kinematics.denavit_hartenberg import DHRow
from rck.model import Finding, Robot, Severity
from rck_export_dh.chains import Chain, chains_of

_COLUMNS = (
    "chain", "row", "joint", "kind", "theta_rad", "d_m", "a_m", "alpha_rad", "lower", "upper", "x_m", "y_m", "z_m",
    "roll_rad", "pitch_rad", "yaw_rad",
)  # fmt: skip

_RULES = {
    "standard": "Each row is Rz(theta) Tz(d) Tx(a) Rx(alpha), the standard convention",
    "modified": "Each row is Rx(alpha) Tx(a) Rz(theta) Tz(d), the modified convention of Craig",
}
_LATEX = str.maketrans({"_": r"\_", "%": r"\%", "#": r"\#", "$": r"\$", "{": r"\{", "}": r"\}"})


def write(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    """The tables in the form that the ending asks for."""
    convention = values.get("convention", "standard")
    chains = chains_of(robot, tip=values.get("tip") or "", craig=convention == "modified")
    if not chains:
        message = "nothing moves, so that there is no chain to write a table of"
        return Exported(findings=(Finding(507, Severity.ERROR, name, message),))
    form = _FORMS[PurePath(name).suffix.lower()]
    return Exported({name: form(robot, chains, convention).encode()}, tuple(_losses(robot, chains, name)))


def _csv(robot: Robot, chains: Sequence[Chain], convention: str) -> str:
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(_COLUMNS)
    for chain in chains:
        label = f"{chain.base} to {chain.tip}, {convention}"
        blank = [""] * 8
        writer.writerow([label, "base", "", *blank[1:], *_pose(chain.table.base)])
        for number, (row, joint) in enumerate(zip(chain.table.rows, chain.joints, strict=True), start=1):
            ends = ("", "") if joint.limits is None else (_digits(joint.limits.lower), _digits(joint.limits.upper))
            shape = map(_digits, tidy([row.theta, row.d, row.a, row.alpha]).tolist())
            writer.writerow([label, number, joint.name, joint.kind.value, *shape, *ends, *[""] * 6])
        writer.writerow([label, "tool", "", *blank[1:], *_pose(chain.table.tool)])
    return out.getvalue()


def _markdown(robot: Robot, chains: Sequence[Chain], convention: str) -> str:
    lines = [f"# Denavit-Hartenberg parameters of {robot.name}", ""]
    lines.append(f"{_RULES[convention]}. Degrees and millimetres; q is the position of the joint.")
    for chain in chains:
        lines += ["", f"## {chain.base} to {chain.tip}", ""]
        lines += ["| | joint | theta | d | a | alpha | limits |", "|--:|---|--:|--:|--:|--:|---|"]
        lines += [f"| {' | '.join(cells)} |" for cells in _rows(chain, "q{}")]
        lines += ["", f"Base: {_place(chain.table.base)}.", "", f"Tool: {_place(chain.table.tool)}."]
    return "\n".join(lines) + "\n"


def _latex(robot: Robot, chains: Sequence[Chain], convention: str) -> str:
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
        base, tool = (_place(pose).replace("-", "$-$") for pose in (chain.table.base, chain.table.tool))
        lines.append(
            rf"  \caption{{{title}. {_RULES[convention]}; degrees and millimetres. Base: {base}. Tool: {tool}.}}"
        )
        lines += [r"\end{table}", ""]
    return "\n".join(lines)


_FORMS: dict[str, Callable[[Robot, Sequence[Chain], str], str]] = {".csv": _csv, ".md": _markdown, ".tex": _latex}


def _rows(chain: Chain, variable: str) -> Iterator[tuple[str, ...]]:
    """The cells of each row for people to read; `variable` is how the position of joint {} is written."""
    for number, (row, joint) in enumerate(zip(chain.table.rows, chain.joints, strict=True), start=1):
        position = variable.format(number)
        theta, d, a, alpha = _shown(row)
        if row.kind.turns:
            theta = _sum(position, theta)
        else:
            d = _sum(position, d)
        limits = "none"
        if joint.limits is not None:
            scale = degrees(1.0) if row.kind.turns else 1000.0
            limits = f"{_short(scale * joint.limits.lower)} to {_short(scale * joint.limits.upper)}"
        yield str(number), joint.name, theta, d, a, alpha, limits


def _shown(row: DHRow) -> tuple[str, str, str, str]:
    return _short(degrees(row.theta)), _short(1000 * row.d), _short(1000 * row.a), _short(degrees(row.alpha))


def _sum(position: str, offset: str) -> str:
    if offset == "0":
        return position
    return f"{position} - {offset[1:]}" if offset.startswith("-") else f"{position} + {offset}"


def _place(pose: Floats) -> str:
    """A pose for people to read, in millimetres and degrees."""
    place = ", ".join(_short(1000 * float(part)) for part in pose[:3, 3])
    turn = ", ".join(_short(degrees(float(angle))) for angle in to_euler(pose, "xyz"))
    return f"at {place}; roll, pitch, yaw {turn}"


def _pose(pose: Floats) -> list[str]:
    return [_digits(number) for number in tidy([*pose[:3, 3], *to_euler(pose, "xyz")]).tolist()]


def _short(number: float) -> str:
    return f"{round(number, 6) + 0.0:.9g}"


def _digits(number: float) -> str:
    return f"{number + 0.0:.12g}"


def _losses(robot: Robot, chains: Sequence[Chain], where: str) -> Iterator[Finding]:
    """What a table has no place for."""
    yield lost(where, "a table tells how joints stand to each other, and has neither shapes nor masses")
    told = {joint.name for chain in chains for joint in chain.joints}
    if beside := [joint.name for joint in robot.joints if joint.kind.moves and joint.name not in told]:
        yield lost(where, f"joints beside the chains are left out: {some(beside)}")
    if followers := [joint.name for joint in robot.joints if joint.mimic is not None and joint.name in told]:
        yield lost(where, f"joints that follow others have rows as if they were free: {some(followers)}", matters=True)
