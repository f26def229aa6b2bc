"""Export of a robot of a thousand items to every format, including writing the files.

There is no peer to compare with, so targets are stated. Formats for serial chains get a chain of as many items
instead of rows of arms.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

from rck.exporting.export import robot_exporters, try_export, write_exported
from rck.hooks import Exporter, Plugins, discover
from rck.language.session import new_session
from rck.model import Robot, build_item, build_joint, build_robot
from rck.testing.robots import box_between
from rck_bench.assembly import rows_of_arms
from rck_bench.report import Report, Row
from rck_bench.timing import rates

ITEMS = 1_000
MOST_SECONDS = 5.0


def run(report: Report) -> None:
    """Add the rows of this area."""
    plugins = discover()
    with TemporaryDirectory() as folder:
        # An arm has ten parts, of which the four servos have two items each.
        built = new_session(plugins, Path(folder)).compile(rows_of_arms(10 * (ITEMS // 14 + 1)))
        arms, chain = built.unwrap().robot, snake(ITEMS)
        for exporter in robot_exporters(plugins):
            serial = try_export(arms, exporter, f"robot{exporter.endings[0]}").is_refused
            _measure(report, exporter, chain if serial else arms, plugins, Path(folder))


def snake(items: int) -> Robot:
    """Build a chain of boxes with revolute joints."""
    names = [f"ring-{number}" for number in range(items)]
    boxes = [
        build_item(name, [box_between((0.01 + 0.1 * n, -0.03, -0.03), (0.09 + 0.1 * n, 0.03, 0.03))]).unwrap()
        for n, name in enumerate(names)
    ]
    joints = [
        build_joint(
            f"turn-{n}",
            "revolute",
            names[n - 1],
            names[n],
            start=(0.1 * n, 0.0, 0.0),
            end=(0.1 * n, float(n % 2), float(1 - n % 2)),
            limits=(-1.0, 1.0),
        ).unwrap()
        for n in range(1, items)
    ]
    return build_robot("snake", boxes, joints).unwrap()


def _measure(report: Report, exporter: Exporter, robot: Robot, plugins: Plugins, folder: Path) -> None:
    main = f"robot{exporter.endings[0]}"

    def work() -> int:
        done = try_export(robot, exporter, main)
        if done.is_refused:
            raise RuntimeError(f"{exporter.name}: {done.exported.findings[0]}")
        return len(write_exported(done.exported, folder / exporter.name))

    items = len(robot.items)
    rate = rates({"ours": work}, items, repetitions=1)["ours"]
    what = f"{exporter.name}: items written, of a robot that has {items:,}"
    peer, least = f"no peer; {MOST_SECONDS:g} s for all", items / MOST_SECONDS
    report.rows.append(Row(what, rate, peer=peer, least_rate=least, one_pass=True))
