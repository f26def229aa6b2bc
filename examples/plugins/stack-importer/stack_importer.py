"""Importer of towers: after the line `stack`, each line has a name, a diameter and a height in millimetres."""

from pathlib import Path

from rck.geometry.primitives import cylinder
from rck.geometry.transforms import translation
from rck.hooks import Imported, Importer, Job, Option, Values, hookimpl
from rck.model import Finding, Item, Joint, JointKind, JointLimits, PartDefinition, Port, Severity, Subitem

TURN = Option("turn", "range of each floor, to both sides", "angle", "90 deg")


@hookimpl
def rck_importers() -> list[Importer]:
    """Return the importer."""
    return [Importer("stack", "floors that turn on each other", (".stack",), probe, read, (TURN,))]


def probe(path: Path, head: bytes) -> bool:
    """Return True if the first line is `stack`."""
    return head.split(b"\n", 1)[0].strip() == b"stack"


def read(path: Path, values: Values, job: Job) -> Imported:
    """Return a part with a joint between neighbouring floors, or an error that names the line."""
    items: list[Item] = []
    joints: list[Joint] = []
    z = 0.0
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    for number, line in enumerate(lines[1:], start=2):
        job.progress(number / (len(lines) + 1), line)
        if not line.split():
            continue
        try:
            name, *sizes = line.split()
            diameter, height = (float(size) / 1000 for size in sizes)
            subitem = Subitem(cylinder(diameter / 2, height))
        except ValueError:
            message = f"{line!r} is not NAME DIAMETER HEIGHT in millimetres"
            return Imported(findings=(Finding(505, Severity.ERROR, f"{path.name}:{number}", message),))
        if items:
            limits = JointLimits(-values["turn"], values["turn"])
            ends = (0.0, 0.0, z), (0.0, 0.0, z + 1)
            joints.append(Joint(f"{name}-turn", JointKind.REVOLUTE, items[-1].name, (name,), *ends, limits))
        items.append(Item(name, (subitem,), translation((0, 0, z + height / 2))))
        z += height
    ports = (Port("top", items[-1].name, translation((0, 0, z))),) if items else ()
    return Imported((PartDefinition(path.stem, tuple(items), tuple(joints), ports),))
