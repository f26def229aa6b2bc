"""Read boxes from a text file: after the line `boxes`, each line has a name and three edges in millimetres."""

from pathlib import Path

from rck.geometry.primitives import box
from rck.geometry.transforms import translation
from rck.hooks import Imported, Importer, Job, Option, Values, hookimpl
from rck.model import Finding, Item, PartDefinition, Severity, Subitem


@hookimpl
def rck_importers() -> list[Importer]:
    """Return the importer."""
    gap = Option("gap", "distance between the boxes", "length", "10mm")
    return [Importer("my-plugin", "boxes in a text file", (".boxes",), probe, read, (gap,))]


def probe(path: Path, head: bytes) -> bool:
    """Return True if the first line of the file is `boxes`."""
    return head.split(b"\n", 1)[0].strip() == b"boxes"


def read(path: Path, values: Values, job: Job) -> Imported:
    """Return a part without joints, or an error that names the line; RCK checks the part."""
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
            items.append(Item(name, (Subitem(box(a, b, c)),), translation((x + a / 2, 0.0, 0.0))))
        except ValueError:
            message = f"{line!r} is not a name and three edges in millimetres"
            return Imported(findings=(Finding(505, Severity.ERROR, f"{path.name}:{number}", message),))
        x += a + values["gap"]
    return Imported((PartDefinition(path.stem, tuple(items)),))
