"""Exporter of RIB, the scene files of RenderMan: one picture, or a file per frame of a motion.

After the RenderMan Interface Specification, version 3.2 (Pixar, 2000). RenderMan multiplies row vectors with matrices;
its camera looks along its z axis with x to the right and y up. Lengths are in metres.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import degrees, radians
from pathlib import PurePath

import numpy as np

from rck.exporting.file_text import tidy, tidy_colour
from rck.exporting.mesh_assets import ExportShape, shapes_of
from rck.geometry.arrays import Floats, Point
from rck.geometry.mesh import Faceted
from rck.geometry.transforms import apply
from rck.hooks import Exported, Exporter, Job, Option, Values, hookimpl
from rck.model import Feature, RckError, Robot, at_positions, with_positions
from rck.rendering.camera import Camera, angles, at_angles, camera_axes, fit, named_camera, orbit
from rck.support.names import legal_name, legal_names
from rck.support.units import digits, parse_quantity, position_unit, row

MOST_FRAMES = 9999
"""File names have four digits, so that they sort."""

_VIEWS = ("home", "iso", "front", "back", "left", "right", "top", "bottom")

_KEEPS = frozenset({
    Feature.SHAPES, Feature.VISUALS, Feature.COLOURS, Feature.OPACITY, Feature.NAMES,
})  # fmt: skip

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


@hookimpl
def rck_exporters() -> list[Exporter]:
    """Return the exporter of RIB files."""
    options = (
        Option("size", "image size in pixels", "text", "1280x800"),
        Option("view", "camera preset", "choice", "home", _VIEWS),
        Option("eye", "camera position: x,y,z in metres, or with units"),
        Option("target", "point that the camera looks at (default: the centre of the robot)"),
        Option("angle", "vertical field of view", "angle", radians(30.0)),
        Option("frames", "number of frames; each is a file", "number", 1.0),
        Option("to", "joint positions in the last frame, such as shoulder=45,lift=120; degrees and millimetres"),
        Option("turn", "angle that the camera orbits by the last frame", "angle", 0.0),
    )
    summary = "RenderMan scene: a snapshot or a sequence"
    return [Exporter("rib", summary, (".rib",), write, "robot", options, _KEEPS, "a RIB scene")]


@dataclass(frozen=True, eq=False)
class DrawnItem:
    """The text of an item, in its own frame."""

    text: str
    centre: Floats
    """Centre of a sphere around its visible shapes. Shape (3,)."""
    radius: float


@dataclass(frozen=True, eq=False)
class Drawing:
    """The parts of a scene that are the same in every frame."""

    name: str
    items: Mapping[int, DrawnItem]
    """The items that have visible shapes, by number."""


@dataclass(frozen=True, slots=True)
class Size:
    """Image size, in pixels."""

    width: int
    height: int


def write(robot: Robot, name: str, values: Values, job: Job) -> Exported:
    """Write one file, or for several frames a file each: `arm.0001.rib` and so on."""
    size = _parse_size(values.get("size") or "1280x800")
    count = _frame_count(values.get("frames", 1.0))
    robots = _poses(robot, values.get("to") or "", count)
    turn = float(values.get("turn") or 0.0)
    drawing = draw(robot)
    camera = replace(
        named_camera(values.get("view") or "home"), field_of_view=float(values.get("angle", radians(30.0)))
    )
    camera = _fit_camera(camera, drawing, robots, size, orbits=turn != 0.0)
    camera = _aim_camera(camera, _parse_point(values.get("eye")), _parse_point(values.get("target")))
    shares = np.linspace(0.0, 1.0, count) if count > 1 else [0.0]
    cameras = [orbit(camera, turn * share, 0.0) if turn else camera for share in shares]
    return Exported(sequence(drawing, robots, cameras, name, size, job))


def sequence(
    drawing: Drawing, robots: Sequence[Robot], cameras: Sequence[Camera], name: str, size: Size, job: Job
) -> dict[str, bytes]:
    """Return a file per frame, by name; each frame has a robot and a camera."""
    path = PurePath(name)
    files = {}
    for number, (robot, camera) in enumerate(zip(robots, cameras, strict=True), start=1):
        job.progress((number - 1) / len(robots), f"frame {number}")
        count = "" if len(robots) == 1 else f".{number:04d}"
        poses = [item.pose for item in robot.items]
        text = frame_text(drawing, poses, camera, size, f"{legal_name(path.stem)}{count}", number)
        files[f"{path.stem}{count}{path.suffix}"] = text.encode("ascii")
    return files


def _parse_size(text: str) -> Size:
    match = re.fullmatch(r"([1-9][0-9]{0,4})\s*[x×]\s*([1-9][0-9]{0,4})", text.strip())
    if match is None:
        raise RckError(f"size {text!r} is not a width and a height in pixels, such as 1280x800")
    return Size(int(match[1]), int(match[2]))


def _frame_count(number: float) -> int:
    if not (1 <= number <= MOST_FRAMES and float(number).is_integer()):
        raise RckError(f"a sequence has 1 to {MOST_FRAMES} frames, not {number:g}")
    return int(number)


def _poses(robot: Robot, goal: str, count: int) -> list[Robot]:
    """Return the robot in each frame: every joint moves to the goal in equal steps."""
    if not goal:
        return [robot] * count
    if count == 1:
        raise RckError(f"a motion to {goal} needs more than one frame; set `frames`")
    end = with_positions(robot, dict(_parse_positions(robot, goal)))
    return [
        at_positions(robot, robot.positions + share * (end.positions - robot.positions))
        for share in np.linspace(0.0, 1.0, count)
    ]


def _parse_positions(robot: Robot, goal: str) -> Iterator[tuple[str, float]]:
    for text in goal.split(","):
        name, equals, value = text.strip().partition("=")
        if not equals:
            raise RckError(f"{text.strip()!r} is not a joint and its position, such as shoulder=45")
        yield name, parse_quantity(value, *position_unit(robot.joint(name).kind.turns))


def _fit_camera(camera: Camera, drawing: Drawing, robots: Sequence[Robot], size: Size, *, orbits: bool) -> Camera:
    """Return the camera at a distance at which the robot is in view in every frame, also while the camera orbits."""
    spheres = np.concatenate([item_spheres(drawing, [item.pose for item in robot.items]) for robot in robots])
    if orbits and len(spheres):
        low, high = ((spheres[:, :3] + sign * spheres[:, 3:]) for sign in (-1.0, 1.0))
        middle = (low.min(axis=0) + high.max(axis=0)) / 2
        reach = np.linalg.norm(spheres[:, :3] - middle, axis=1) + spheres[:, 3]
        spheres = np.array([[*middle, reach.max()]])
    return fit(camera, spheres, size.width / size.height)


def _aim_camera(camera: Camera, eye: Point | None, target: Point | None) -> Camera:
    """Return the camera with the position and target that the user gave, if any."""
    if target is not None:
        x, y, z = (here + there - was for here, there, was in zip(camera.eye, target, camera.target, strict=True))
        camera = replace(camera, eye=(x, y, z), target=target)
    return camera if eye is None else replace(camera, eye=eye)


def _parse_point(text: str | None) -> Point | None:
    if not text:
        return None
    numbers = [parse_quantity(part, "length", "m") for part in text.split(",")]
    if len(numbers) != 3:
        raise RckError(f"{text!r} is not three lengths separated by commas, such as 0.9,-1.1,0.7")
    x, y, z = numbers
    return x, y, z


def draw(robot: Robot) -> Drawing:
    """Return the text of all visible items, to be placed in each frame."""
    (title, *names) = legal_names([robot.name, *(item.name for item in robot.items)])
    items = {}
    for number, (name, shapes) in enumerate(zip(names, shapes_of(robot).of_item, strict=True)):
        if seen := [shape for shape in shapes if shape.seen and len(shape.surface.face_vertices)]:
            items[number] = _draw_item(name, seen)
    return Drawing(title, items)


def _draw_item(name: str, shapes: Sequence[ExportShape]) -> DrawnItem:
    text = f'Attribute "identifier" "string name" ["{name}"]\n' + "".join(map(_shape_text, shapes))
    points = np.concatenate([shape.surface.vertices for shape in shapes])
    centre = (points.min(axis=0) + points.max(axis=0)) / 2
    return DrawnItem(text, centre, float(np.linalg.norm(points - centre, axis=1).max()))


def item_spheres(drawing: Drawing, poses: Sequence[Floats]) -> Floats:
    """Return the centre in the world and the radius of a sphere around each item. Shape (items, 4)."""
    rows = [[*apply(poses[number], one.centre), one.radius] for number, one in drawing.items.items()]
    return np.array(rows, dtype=float).reshape(-1, 4)


def frame_text(drawing: Drawing, poses: Sequence[Floats], camera: Camera, size: Size, picture: str, number: int) -> str:
    """Return the text of one file.

    `poses` are world from item; `picture` is the file name of the image that the renderer writes, without extension.
    """
    aspect = size.width / size.height
    azimuth, elevation = angles(camera)
    # Light from the upper left of the camera makes adjacent faces differ in brightness.
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
    """Return the matrix for column vectors. Shape (4, 4)."""
    matrix = np.eye(4)
    matrix[:3, :3] = camera_axes(camera)
    matrix[:3, 3] = -matrix[:3, :3] @ camera.eye
    return matrix


def _matrix(pose: Floats) -> str:
    """Return a matrix for row vectors, with the translation in the last row."""
    return row(tidy(pose).T.ravel())


def _shape_text(shape: ExportShape) -> str:
    *tint, opacity = tidy_colour(shape.colour).tolist()
    return f"Color [{row(tint)}]\nOpacity [{row([opacity] * 3)}]\n{_polygons(shape.surface)}"


def _polygons(surface: Faceted) -> str:
    counts = " ".join(map(str, np.diff(surface.face_offsets).tolist()))
    corners = " ".join(map(str, surface.face_vertices.tolist()))
    points = row(tidy(surface.vertices).ravel())
    return f'PointsPolygons [{counts}] [{corners}] "P" [{points}]\n'
