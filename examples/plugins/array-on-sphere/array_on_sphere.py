"""Command `array-on-sphere INSTANCE COUNT --radius LENGTH --about X,Y,Z`: copies of an instance on a sphere."""

from math import pi, sqrt

import msgspec
import numpy as np

from rck.geometry import Floats
from rck.hooks import Argument, Arguments, Command, CommandOption, ValueKind, hookimpl
from rck.language.document import Document
from rck.model import RckError
from rck.model.quantities import PoseSpec


@hookimpl
def rck_commands() -> list[Command[Document]]:
    """Return the command; parsing, ranges, completion and help follow from its declaration."""
    return [
        Command(
            name="array-on-sphere",
            summary="copy an instance to points on a sphere",
            arguments=(
                Argument("instance", ValueKind.INSTANCE),
                Argument("count", ValueKind.COUNT, minimum=2, maximum=500),
            ),
            options=(
                CommandOption("radius", "radius of the sphere", ValueKind.LENGTH, minimum=0.001, default="100mm"),
                CommandOption("about", "centre of the sphere, x,y,z", ValueKind.VECTOR, default="0,0,0"),
            ),
            details="The points are spread evenly (Fibonacci lattice), and z of each copy points outward.",
            examples=("array-on-sphere spike 24", "array-on-sphere spike 24 --radius 80mm --about 0,0,150"),
            run=run,
        )
    ]


def run(document: Document, arguments: Arguments) -> tuple[Document, str]:
    """Return the document with COUNT instances on the sphere: the given one, and copies of it."""
    name, count = arguments.text("instance"), arguments.count("count")
    if any(mate.put.partition(".")[0] == name for mate in document.assembly.mates):
        raise RckError(f"{name} is mated; unmate it first, so that it can be moved")
    centre, radius = np.array(arguments.vector("about")), arguments.number("radius")
    parts = dict(document.assembly.parts)
    original = parts[name]
    free = (f"{name}-{number}" for number in range(2, 10**6) if f"{name}-{number}" not in parts)
    names = [name, *(next(free) for _ in range(count - 1))]
    for number, (new, outward) in enumerate(zip(names, directions(count), strict=True)):
        document.job.progress(number / count, new)
        x, y, z = (centre + radius * outward).tolist()
        at = (f"{x * 1000:.6f} mm", f"{y * 1000:.6f} mm", f"{z * 1000:.6f} mm")
        toward = (float(outward[0]), float(outward[1]), float(outward[2]))
        parts[new] = msgspec.structs.replace(original, place=PoseSpec(at, z=toward))
    return document.with_changes(parts=parts), f"{count} instances of {name} on a sphere"


def directions(count: int) -> Floats:
    """Return unit vectors that are spread evenly. Shape (count, 3)."""
    numbers = np.arange(count) + 0.5
    z = 1 - 2 * numbers / count
    turn = pi * (1 + sqrt(5)) * numbers
    across = np.sqrt(1 - z * z)
    return np.stack([across * np.cos(turn), across * np.sin(turn), z], axis=1)
