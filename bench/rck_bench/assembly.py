"""Assemblies of a thousand parts: recompilation after one change, and search of the catalogue.

There is no peer to compare with, so targets are stated. Compilation from scratch, with empty caches, is measured
too, and both must give the same robot.
"""

from functools import partial
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

import msgspec
import numpy as np

from rck.assembly.document import Assembly, Instance, Mate
from rck.assembly.native_file import write_assembly
from rck.hooks import discover
from rck.language.session import Session, new_session, open_session
from rck.model import Robot
from rck.model.quantities import PoseSpec
from rck.parts.index import CatalogueEntry
from rck.parts.search import parse_query, search
from rck_bench.report import Report, Row
from rck_bench.timing import rates

PARTS = 1_000
MOST_COMPILING = 0.05
"""Seconds."""
MOST_SEARCH = 0.05
SCRIPTED = (1_000, 3_000)
ONE_BY_ONE = 100
LEAST_SCRIPTED = 1_000
"""Parts per second."""
CHANGES = {
    "a parameter of a link": ("set link-50-1 length=130", "set link-50-1 length=140"),
    "the position of a joint": ("set joint servo-50-1/axis position=10", "set joint servo-50-1/axis position=20"),
    "the place of a base": ("move base-50 10,0,0", "move base-50 -10,0,0"),
    "the turn of a mate": ("set mate servo-50-0 turn=90", "set mate servo-50-0 turn=0"),
}
"""Pairs of commands, run alternately."""
SEARCHES = ("servo", "servo torque>=2Nm mass<200g", "payload>=3kg reach>800mm dof=6", "vendor=robotis horn", "a")


def run(report: Report) -> None:
    """Add the rows of this area."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "rows-of-arms.rck"
        write_assembly(file, rows_of_arms(PARTS))
        session = open_session(discover(), file)
        for what, lines in CHANGES.items():
            _compare(report, what, session, lines)
        _search(report, session)
        _scripts(report, session)


def rows_of_arms(parts: int) -> Assembly:
    """Build arms of ten parts and four joints each, in rows of ten."""
    instances: dict[str, Instance] = {}
    mates = []
    for arm in range(parts // 10):
        place = PoseSpec(at=(400.0 * (arm % 10), 400.0 * (arm // 10), 0.0))
        instances[f"base-{arm}"] = Instance("structure/round-base", place=place)
        end = f"base-{arm}.top"
        for joint in range(4):
            servo, link = f"servo-{arm}-{joint}", f"link-{arm}-{joint}"
            instances[servo] = Instance("robotis/xm430-w350")
            instances[link] = Instance("structure/bar-link")
            mates += [Mate(at=end, put=f"{servo}.back"), Mate(at=f"{servo}.horn", put=f"{link}.a")]
            end = f"{link}.b"
        instances[f"palm-{arm}"] = Instance("structure/plate")
        mates.append(Mate(at=end, put=f"palm-{arm}.bottom"))
    return Assembly(name="rows-of-arms", parts=instances, mates=mates)


def _compare(report: Report, what: str, session: Session, lines: tuple[str, str]) -> None:
    turns = cycle(lines)

    def again() -> Robot:
        session.do(next(turns))
        return session.compile().unwrap().robot

    def from_scratch() -> Robot:
        return new_session(session.plugins, session.folder).compile(session.assembly).unwrap().robot

    difference = _difference(again(), from_scratch())
    again_rate = rates({"again": again}, 1)["again"]
    fresh_rate = rates({"from_scratch": from_scratch}, 1, repetitions=2)["from_scratch"]
    report.rows.append(
        Row(
            f"{PARTS:,} parts, a command that changes {what}, and compiling ({1000 / again_rate:.1f} ms)",
            again_rate,
            "RCK, compiling from scratch",
            fresh_rate,
            difference,
            least_rate=1 / MOST_COMPILING,
        )
    )


def _difference(robot: Robot, other: Robot) -> float:
    """Return the largest difference of the poses of items by name; infinite if the names differ."""
    if [item.name for item in robot.items] != [item.name for item in other.items]:
        return float("inf")
    pairs = zip(robot.items, other.items, strict=True)
    return max(float(np.abs(one.pose - two.pose).max()) for one, two in pairs)


def _scripts(report: Report, session: Session) -> None:
    """Run scripts that create and move parts, next to the same commands one by one."""
    few = _script(ONE_BY_ONE)
    whole, apart = (new_session(session.plugins, session.folder) for _ in range(2))
    whole.run_script("\n".join(few), "few")
    for line in few:
        apart.do(line)
    difference = _difference(whole.compile().unwrap().robot, apart.compile().unwrap().robot)
    for parts in SCRIPTED:
        script = "\n".join(_script(parts))
        start = process_time()
        new_session(session.plugins, session.folder).run_script(script, "script")
        rate = parts / (process_time() - start)
        what = f"script that creates and moves {parts:,} parts ({parts / rate:.2f} s of processor time): parts"
        report.rows.append(Row(what, rate, "none", difference=difference, least_rate=LEAST_SCRIPTED, one_pass=True))


def _script(parts: int) -> list[str]:
    return [line for n in range(parts) for line in (f"create structure/plate p{n}", f"move p{n} {10 * n},0,0")]


def _found(entries: list[CatalogueEntry], text: str) -> list[CatalogueEntry]:
    return search(entries, parse_query(text.split()))


def _search(report: Report, session: Session) -> None:
    shipped = list(session.catalogue.entries.values())
    entries = [
        msgspec.structs.replace(shipped[index % len(shipped)], id=f"{shipped[index % len(shipped)].id}-{index}")
        for index in range(PARTS)
    ]
    for text in SEARCHES:
        found = len(_found(entries, text))
        rate = rates({"ours": partial(_found, entries, text)}, 1)["ours"]
        report.rows.append(
            Row(
                f"search of {PARTS:,} parts: {text} ({found} found, {1000 / rate:.1f} ms)",
                rate,
                "none",
                least_rate=1 / MOST_SEARCH,
            )
        )
