"""Cameras of the saved views of an assembly."""

from rck.assembly.document import Assembly
from rck.geometry.arrays import as_point
from rck.model.quantities import Quantities
from rck.rendering.camera import Camera


def saved_cameras(assembly: Assembly) -> dict[str, Camera]:
    """Return the saved views of an assembly by name."""
    read = Quantities(assembly.units)
    return {
        name: Camera(as_point(read.point(view.eye)), as_point(read.point(view.target)), parallel=view.parallel)
        for name, view in assembly.views.items()
    }
