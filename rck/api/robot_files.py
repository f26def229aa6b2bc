"""Functions that load, export, draw and simulate robots."""

from pathlib import Path

import numpy as np

from rck.api.robot_model import FilePath, Positions, RobotModel, TimedActions
from rck.assembly.cameras import saved_cameras
from rck.exporting.export import export as export_file
from rck.hooks import discover, file_exchange
from rck.language.session import open_session
from rck.model import at_positions
from rck.model.joint_positions import at_home_pose
from rck.rendering.camera import fit, named_camera
from rck.rendering.drawn_surfaces import Geometry
from rck.rendering.image_file import png_bytes
from rck.rendering.picture import FINE, draw
from rck.rendering.posed_robot import pose_robot
from rck.rendering.scene import Scene, floor_for, points_of
from rck.simulation.recording import Recording, record, save_recording
from rck.support.files import write_atomically


def load(path: FilePath, **options: str) -> RobotModel:
    """Load a robot from a `.rck` assembly or from any file that an importer reads, with options of that importer.

    Raises :class:`RckError` if the file holds no valid robot.
    """
    file = Path(path)
    plugins = discover(file=file)
    if file.suffix == ".rck" and not options:
        session = open_session(plugins, file)
        built = session.compile()
        return RobotModel(built.unwrap().robot, plugins, built.findings, saved_cameras(session.assembly))
    imported = file_exchange.read_file(file, plugins, options)
    robot = file_exchange.require_robot(imported, file)
    return RobotModel(robot, plugins, imported.findings, shown=at_home_pose(robot))


def export(robot: RobotModel, path: FilePath, format: str | None = None, **options: str) -> list[Path]:  # noqa: A002
    """Export a robot; the file name extension selects the format unless `format` names it. Return the files written."""
    written, _ = export_file(robot.robot, Path(path), robot.plugins, options, format)
    return written


def render(
    robot: RobotModel,
    path: FilePath,
    q: Positions | None = None,
    view: str = "home",
    size: tuple[int, int] = (1280, 800),
) -> Path:
    """Draw a robot to a PNG file and return the path; `view` is a camera preset such as home, front or top.

    By default, the robot of an imported file is drawn in its pose `home`, if it has one.
    """
    drawn = robot.shown if q is None else at_positions(robot.robot, robot.positions(q))
    figure = pose_robot(drawn, geometry=Geometry.VISUAL)
    width, height = size
    camera = fit(named_camera(view), points_of(figure), width / height)
    picture = draw(Scene(figure, floor=floor_for(figure), axes=True), camera, width, height, finish=FINE)
    write_atomically(Path(path), png_bytes(picture.rgb))
    return Path(path)


def simulate(
    robot: RobotModel,
    events: FilePath | TimedActions,
    *,
    until: float = np.inf,
    step: float = 0.01,
    collisions: bool = True,
    physics: str | None = None,
    out: FilePath | None = None,
) -> Recording:
    """Run events and return the recording, which is also written to `out` (.csv or .npz) if it is given.

    `events` is an event file, or pairs of a start time and an action from `rck.actions`.
    """
    recording = record(robot.simulation(events, collisions=collisions, physics=physics), until, step)
    if out is not None:
        save_recording(recording, Path(out))
    return recording
