"""The text of RIB files, after the RenderMan Interface Specification, version 3.2 (Pixar, 2000).

RenderMan has matrices for row vectors, and a camera that looks along its own z with x to the right and y up. Numbers
that have a length are in metres.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import degrees, radians

import numpy as np

from rck.exporting import Shape, legal_names, shapes_of
from rck.exporting.xml_text import tidy, tidy_colour
from rck.geometry.arrays import Floats
from rck.geometry.mesh import Faceted
from rck.geometry.transforms import apply
from rck.hooks.numbers import digits, row
from rck.model import Robot
from rck.render.camera import Camera, angles, at_angles, camera_axes

_HEAD = """\
##RenderMan RIB-Structure 1.1
##Scene {scene}
##Creator RCK
##Frames 1
version 3.04
# Lengths are in metres, z of the world is up.
Display "{picture}.tif" "file" "rgba"
Format {width} {height} 1
PixelSamples 3 3
FrameBegin {number}
Projection "perspective" "fov" [{angle}]
ScreenWindow {window}
Transform [{camera_from_world}]
WorldBegin
LightSource "ambientlight" 1 "intensity" [0.35]
LightSource "distantlight" 2 "intensity" [0.75] "from" [{light}] "to" [0 0 0]
Surface "plastic" "Ks" [0.2]
"""

_FOOT = """\
WorldEnd
FrameEnd
"""


@dataclass(frozen=True, eq=False)
class DrawnItem:
    """An item in its own frame."""

    text: str
    centre: Floats
    """Of a ball round all that is seen of it. Shape (3,)."""
    radius: float


@dataclass(frozen=True, eq=False)
class Drawing:
    """What of a robot stays the same from frame to frame."""

    name: str
    items: Mapping[int, DrawnItem]
    """By number, those of which there is something to see."""


@dataclass(frozen=True, slots=True)
class Size:
    """Of a picture, in pixels."""

    width: int
    height: int


def drawing_of(robot: Robot) -> Drawing:
    """The robot made ready to be written many times."""
    (title, *names) = legal_names([robot.name, *(item.name for item in robot.items)])
    items = {}
    for number, (name, shapes) in enumerate(zip(names, shapes_of(robot).of_item, strict=True)):
        if seen := [shape for shape in shapes if shape.seen and len(shape.surface.face_vertices)]:
            items[number] = _drawn(name, seen)
    return Drawing(title, items)


def _drawn(name: str, shapes: Sequence[Shape]) -> DrawnItem:
    text = f'Attribute "identifier" "string name" ["{name}"]\n' + "".join(map(_shape_text, shapes))
    points = np.concatenate([shape.surface.vertices for shape in shapes])
    centre = (points.min(axis=0) + points.max(axis=0)) / 2
    return DrawnItem(text, centre, float(np.linalg.norm(points - centre, axis=1).max()))


def balls(drawing: Drawing, poses: Sequence[Floats]) -> Floats:
    """Centre in the world and radius of a ball round each item. Shape (items, 4)."""
    rows = [[*apply(poses[number], one.centre), one.radius] for number, one in drawing.items.items()]
    return np.array(rows, dtype=float).reshape(-1, 4)


def frame_text(drawing: Drawing, poses: Sequence[Floats], camera: Camera, size: Size, picture: str, number: int) -> str:
    """One file, with the items at their poses, world from item; `picture` is what a renderer shall call its image."""
    aspect = size.width / size.height
    azimuth, elevation = angles(camera)
    # From the left of the camera and above, so that faces which meet at an edge differ in brightness.
    light = at_angles(Camera((1.0, 0.0, 0.0)), azimuth - radians(35.0), min(elevation + radians(30.0), radians(85.0)))
    head = _HEAD.format(
        scene=drawing.name,
        picture=picture,
        width=size.width,
        height=size.height,
        number=number,
        angle=digits(degrees(camera.field_of_view)),
        window=row((-aspect, aspect, -1.0, 1.0)),
        camera_from_world=_matrix(_camera_from_world(camera)),
        light=row(tidy(light.eye)),
    )
    bodies = [
        f"AttributeBegin\nConcatTransform [{_matrix(poses[number])}]\n{item.text}AttributeEnd\n"
        for number, item in drawing.items.items()
    ]
    return "".join([head, *bodies, _FOOT])


def _camera_from_world(camera: Camera) -> Floats:
    """For column vectors. Shape (4, 4)."""
    matrix = np.eye(4)
    matrix[:3, :3] = camera_axes(camera)
    matrix[:3, 3] = -matrix[:3, :3] @ camera.eye
    return matrix


def _matrix(pose: Floats) -> str:
    """A matrix as RenderMan has it: for row vectors, with the translation last."""
    return row(tidy(pose).T.ravel())


def _shape_text(shape: Shape) -> str:
    *tint, opacity = tidy_colour(shape.colour).tolist()
    return f"Color [{row(tint)}]\nOpacity [{row([opacity] * 3)}]\n{_polygons(shape.surface)}"


def _polygons(surface: Faceted) -> str:
    counts = " ".join(map(str, np.diff(surface.face_offsets).tolist()))
    corners = " ".join(map(str, surface.face_vertices.tolist()))
    points = row(tidy(surface.vertices).ravel())
    return f'PointsPolygons [{counts}] [{corners}] "P" [{points}]\n'
