"""Reads boxes from a text file: after the line `boxes`, each line has a name and three edges in millimetres."""

from pathlib import Path

from rck.geometry.primitives import box
from rck.geometry.transforms import translation
from rck.hooks import Imported, Importer, Job, Option, Values, hookimpl
from rck.model import Finding, Item, Severity, build_item, build_robot, subitem_of


@hookimpl
def rck_importers() -> list[Importer]:
    """What this plugin adds."""
    gap = Option("gap", "room between the boxes", "length", "10mm")
    return [Importer("my-plugin", "boxes in a text file", (".boxes",), probe, read, (gap,))]


def probe(path: Path, head: bytes) -> bool:
    """Whether the file is one of ours, judged by how it begins."""
    return head.split(b"\n", 1)[0].strip() == b"boxes"


def read(path: Path, values: Values, job: Job) -> Imported:
    """A robot without joints; what is wrong with a line is an error that names it."""
    items: list[Item] = []
    x = 0.0
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()[1:]
    for number, line in enumerate(lines, start=2):
        job.progress(number / (len(lines) + 2), line)
        words = line.split()
        if not words:
            continue
        try:
            name, *edges = words
            a, b, c = (float(edge) / 1000 for edge in edges)
            built = build_item(name, [subitem_of(box(a, b, c)).unwrap()], pose=translation((x + a / 2, 0.0, 0.0)))
        except ValueError:
            message = f"{line!r} is not a name and three edges in millimetres"
            return Imported(findings=(Finding(505, Severity.ERROR, f"{path.name}:{number}", message),))
        if built.value is None:
            return Imported(findings=built.findings)
        items.append(built.value)
        x += a + values["gap"]
    robot = build_robot(path.stem, items)
    return Imported(robot.value, findings=robot.findings)
