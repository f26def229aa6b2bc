"""Convert the output of `rck bench ik --json` on standard input to the tables of docs/benchmarks.md."""

import json
import re
import sys
from typing import Any

NAMES = {
    "unimation/puma-560": "Puma 560",
    "universal-robots/ur5e": "UR5e",
    "abb/irb-120": "IRB 120",
    "franka/panda": "Panda",
    "kuka/iiwa-7": "iiwa 7",
}
SCORE = re.compile(r"^(.*?): ([\d.]+ %), ([\d.]+) a goal, 99th percentile ([\d,]+) us$")
ONE = "| arm | solver | reached | solves/s | 99th percentile, µs | RCK over it |\n|---|---|---|---|---|---|"
OTHERS = "| arm | RCK reached | solves/s | 99th percentile, µs | toolbox reached | solves/s | RCK over it |"
ALL = "| arm | solver | reached | solutions a goal | goals/s | 99th percentile, µs | RCK over it |"
RULE = "|---|---|---|---|---|---|---|"

Row = dict[str, Any]


def tables(report: dict[str, Any]) -> list[str]:
    """Return the lines of all tables, then the other rows and the machine."""
    rows: list[Row] = report["rows"]
    searched = [row for row in rows if " numeric: " in row["what"]]
    named = [row for row in searched if row["what"].split(" numeric")[0] in NAMES]
    closed = [row for row in rows if " closed form: " in row["what"]]
    lines = [ONE, *_side_by_side(named, " numeric", each=False), "", OTHERS, RULE]
    lines += [_beside_toolbox(row) for row in searched if row not in named]
    for calibrated in (False, True):
        some = [row for row in closed if ("calibrated" in row["what"]) == calibrated]
        lines += ["", ALL, RULE, *_side_by_side(some, " closed form", each=True)]
    rest = [row for row in rows if row not in searched and row not in closed]
    lines += ["", *(f"- {row['what']} ({row['ours']:,.0f}/s)" for row in rest)]
    return [*lines, "", ", ".join(f"{name} {value}" for name, value in report["machine"].items())]


def _score(text: str) -> tuple[str, str, str, str] | None:
    """Return the name, the fraction reached, solutions per goal and 99th percentile; None without a score."""
    found = SCORE.match(text)
    return None if found is None else (found[1], found[2], found[3], found[4])


def _beside_toolbox(row: Row) -> str:
    who, reached, _, slow = _score(row["what"]) or ("", "", "", "")
    name = who.removesuffix(" numeric")
    cells = [f"`{name}`" if "/" in name else name, reached, f"{row['ours']:,.0f}", slow]
    theirs = _score(row["peer"])
    cells += [row["peer"], "", ""] if theirs is None else [theirs[1], f"{row['theirs']:,.0f}", f"{row['ratio']:.2f}"]
    return f"| {' | '.join(cells)} |"


def _side_by_side(rows: list[Row], kind: str, *, each: bool) -> list[str]:
    """Return a line for RCK on each arm, followed by one per peer."""
    lines, before = [], ""
    for row in rows:
        ours, theirs = _score(row["what"]), _score(row["peer"])
        if ours is not None and ours[0] != before:
            before = ours[0]
            name, comma, rest = before.removesuffix(kind).partition(",")
            lines.append(_line(NAMES[name] + comma + rest, "**RCK**", ours, row["ours"], "", each=each))
        if theirs is None:
            lines.append(f"| | {row['peer']} |{' |' * (5 if each else 4)}")
        else:
            lines.append(_line("", theirs[0], theirs, row["theirs"], f"{row['ratio']:,.2f}", each=each))
    return lines


def _line(arm: str, who: str, score: tuple[str, str, str, str], rate: float, ratio: str, *, each: bool) -> str:
    cells = [arm, who, score[1], *([score[2]] if each else []), f"{rate:,.0f}", score[3], ratio]
    return "| " + " | ".join(cells) + " |"


if __name__ == "__main__":
    sys.stdout.write("\n".join(tables(json.load(sys.stdin))) + "\n")
