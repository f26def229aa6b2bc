"""`rck render`: draw a robot to a file or to the terminal."""

import os
import re
import shutil
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click
import numpy as np

from rck.cli.animation import Frames, figures_of_run, write_rib
from rck.cli.inputs import as_shown, print_findings, read_assembled, read_robot
from rck.cli.options import FILE, IMPORTER_SET
from rck.cli.pose_options import POSE, posed
from rck.cli.progress import shown_job
from rck.geometry.arrays import Point
from rck.hooks import Plugins, discover
from rck.model import Finding, RckError, Robot, at_positions
from rck.rendering.ansi_text import ColourDepth, ansi_text, colour_depth
from rck.rendering.camera import VIEWS, Camera, fit, named_camera
from rck.rendering.drawn_surfaces import Geometry
from rck.rendering.image_file import gif_bytes, png_bytes
from rck.rendering.palette import PALETTES, Palette, sixteen_colours
from rck.rendering.picture import FINE, Picture, draw
from rck.rendering.posed_robot import pose_robot
from rck.rendering.scene import PortMark, Scene, floor_for, points_of
from rck.rendering.terminal_cells import BLOCKS, HALF, Cells, block_cells, sign_cells, with_labels
from rck.rendering.terminal_pixels import Protocol, detect, kitty_text, sixel_text
from rck.rendering.wireframe import Hidden, wire_cells, wire_picture
from rck.support.files import refuse_unwritable, write_atomically
from rck.support.names import did_you_mean
from rck.support.units import parse_quantity

_TURNTABLE_SECONDS = 6.0
_CELL_PIXELS = (10, 20)
"""Size of a terminal cell in pixels if the terminal does not report it."""
_MAX_PIXELS = 64_000_000


@dataclass(frozen=True)
class _Style:
    """The drawing style."""

    palette: Palette
    wire: bool
    hidden: Hidden


@click.command()
@FILE
@click.option(
    "-o", "--out", type=click.Path(dir_okay=False, path_type=Path), help="Output file: OUT.png, OUT.gif or OUT.rib."
)
@click.option("--size", metavar="WxH", help="Image size in pixels (default: 1280x800; 640x400 for animations).")
@click.option("--view", default="home", show_default=True, type=click.Choice(list(VIEWS)), help="Camera preset.")
@click.option("--eye", metavar="X,Y,Z", help="Camera position, in metres or with a unit.")
@click.option("--target", metavar="X,Y,Z", help="Point that the camera looks at.")
@click.option("--angle", default="30 deg", show_default=True, metavar="ANGLE", help="Field of view.")
@click.option("--parallel", is_flag=True, help="Use a parallel projection.")
@click.option("--near", metavar="LENGTH", help="Near clipping distance.")
@click.option("--wire", is_flag=True, help="Draw edges only (wireframe).")
@click.option(
    "--geometry",
    type=click.Choice([one.value for one in Geometry]),
    default="visual",
    show_default=True,
    help="Geometry to draw; items without visuals show their collision geometry.",
)
@click.option(
    "--hidden",
    type=click.Choice([style.value for style in Hidden]),
    default="removed",
    help="Style of hidden edges with --wire.",
)
@click.option("--joints", is_flag=True, help="Show joint axes.")
@click.option("--frames", is_flag=True, help="Show tool frames.")
@click.option("--ports", is_flag=True, help="Show the free ports of an assembly.")
@click.option(
    "--select", "selected", multiple=True, metavar="NAME", help="Highlight an item, or all items of an instance."
)
@click.option(
    "--pose", multiple=True, metavar=POSE, help="Joint positions in degrees or millimetres, or a named pose of FILE."
)
@click.option("--bare", is_flag=True, help="Omit the floor and the axes.")
@click.option("--theme", type=click.Choice(list(PALETTES)), default="dark", show_default=True, help="Colour theme.")
@click.option(
    "--turntable",
    type=click.IntRange(min=2),
    metavar="N",
    help="Render N frames of one turn around the robot, to GIF or RIB.",
)
@click.option(
    "--run",
    "run",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="RECORDING",
    help="Render a recording of `rck simulate --out`, to GIF or RIB.",
)
@click.option("--rate", default=25.0, show_default=True, metavar="HZ", help="Frame rate for --run.")
@click.option(
    "--blocks",
    type=click.Choice(list(BLOCKS)),
    default="half",
    show_default=True,
    help="Block characters for the terminal.",
)
@click.option("--pixels", is_flag=True, help="Show pixels in the terminal (Kitty or Sixel) if it supports them.")
@IMPORTER_SET
def render(
    file: Path,
    out: Path | None,
    size: str | None,
    view: str,
    eye: str | None,
    target: str | None,
    angle: str,
    parallel: bool,
    near: str | None,
    wire: bool,
    geometry: str,
    hidden: str,
    joints: bool,
    frames: bool,
    ports: bool,
    selected: tuple[str, ...],
    pose: tuple[str, ...],
    bare: bool,
    theme: str,
    turntable: int | None,
    run: Path | None,
    rate: float,
    blocks: str,
    pixels: bool,
    settings: tuple[str, ...],
) -> None:
    """Draw a robot to a PNG, GIF or RIB file; without -o, to the terminal."""
    width, height = _parse_size(size or ("640x400" if turntable or run else "1280x800"))
    ending = "" if out is None else out.suffix.lower()
    if ending not in ("", ".png", ".gif", ".rib"):
        raise click.UsageError(f"{out}: image files are .png, .gif or .rib; use `rck export` for other formats")
    if (turntable or run) and ending not in (".gif", ".rib"):
        raise click.UsageError("an animation needs a GIF or RIB file: add -o OUT.gif")
    if turntable and run:
        raise click.UsageError("--turntable and --run cannot be combined")
    if ending == ".rib" and (wire or parallel or near):
        raise click.UsageError("RIB files do not support --wire, --parallel and --near")
    if not 0.1 <= rate <= 100:
        raise click.UsageError(f"--rate must be from 0.1 to 100 frames per second, not {rate:g}")
    if out is not None:
        refuse_unwritable(out)
    plugins = discover(file=file)
    robot, marks, findings = _read(file, plugins, settings, ports)
    robot = as_shown(robot, file)
    robot = at_positions(robot, posed(robot, pose, file)) if pose else robot
    figure = pose_robot(robot, geometry=Geometry(geometry))
    scene = Scene(
        figure,
        floor=None if bare else floor_for(figure),
        axes=not bare,
        selected=frozenset(_checked_names(robot, selected)),
        joints=frozenset(joint.name for joint in robot.joints if joint.kind.moves) if joints else frozenset(),
        frames=frozenset(frame.name for frame in robot.frames) if frames else frozenset(),
        ports=marks,
    )
    camera = replace(
        named_camera(view),
        parallel=parallel,
        field_of_view=parse_quantity(angle, "angle", "deg"),
        near=None if near is None else parse_quantity(near, "length", "m"),
    )
    aim = _Aim(camera, _parse_point(eye), _parse_point(target), bool(turntable))
    style = _Style(PALETTES[theme], wire, Hidden(hidden))
    if out is None:
        _print(scene, aim, style, blocks, pixels)
    else:
        figures = [figure] if run is None else figures_of_run(figure, run, rate)
        scenes = [replace(scene, figure=posed_figure) for posed_figure in figures]
        sequence = Frames(scenes, aim.camera_for(scenes, width / height), turntable or 1, width, height)
        if ending == ".rib":
            write_rib(sequence, out, plugins)
        else:
            _write(sequence, style, out, _TURNTABLE_SECONDS / (turntable or 1) if run is None else 1.0 / rate)
    print_findings(findings)


@dataclass(frozen=True)
class _Aim:
    """The requested camera, which is placed when the aspect ratio of the picture is known."""

    camera: Camera
    eye: Point | None
    target: Point | None
    all_round: bool

    def camera_for(self, scenes: Sequence[Scene], aspect: float) -> Camera:
        """Return the camera, moved back until all scenes fit, unless the user has set its eye."""
        points = [points_of(scene.figure, all_round=self.all_round) for scene in scenes]
        fitted = fit(self.camera, np.concatenate(points), aspect)
        target = self.target or fitted.target
        if self.eye is not None:
            return replace(self.camera, eye=self.eye, target=target)
        x, y, z = (eye + new - old for eye, new, old in zip(fitted.eye, target, fitted.target, strict=True))
        return replace(fitted, eye=(x, y, z), target=target)


def _read(
    file: Path, plugins: Plugins, settings: Iterable[str], ports: bool
) -> tuple[Robot, tuple[PortMark, ...], tuple[Finding, ...]]:
    """Read the robot, and the marks of its free ports if `ports` is set."""
    if not ports:
        robot, findings = read_robot(file, plugins, settings)
        return robot, (), findings
    _, compiled, findings = read_assembled(file, plugins)
    free = (port for port in compiled.ports.values() if port.mate is None)
    return compiled.robot, tuple(PortMark(port.item, port.pose) for port in free), findings


def _picture(scene: Scene, camera: Camera, style: _Style, width: int, height: int) -> Picture:
    if style.wire:
        return wire_picture(scene, camera, width, height, palette=style.palette, hidden=style.hidden, samples=3)
    return draw(scene, camera, width, height, palette=style.palette, finish=FINE)


def _write(frames: Frames, style: _Style, out: Path, seconds: float) -> None:
    """Write all frames to a GIF file, each shown for `seconds`, or a single frame to a PNG file."""
    width, height = frames.width, frames.height
    pictures = []
    with shown_job(f"rendering {out.name}") as job:
        for number, (scene, camera) in enumerate(frames):
            job.progress(number / len(frames), f"frame {number + 1} of {len(frames)}")
            pictures.append(_picture(scene, camera, style, width, height).rgb)
        job.progress(1.0, "writing")
        content = gif_bytes(pictures, seconds) if out.suffix.lower() == ".gif" else png_bytes(pictures[0])
    write_atomically(out, content)
    click.echo(f"wrote {out}: {width} x {height} pixels{f', {len(frames)} frames' if len(frames) > 1 else ''}")


def _print(scene: Scene, aim: _Aim, style: _Style, blocks: str, pixels: bool) -> None:
    """Draw in the terminal, with its number of colours, and a caption below."""
    columns, lines = shutil.get_terminal_size((80, 24))
    rows = max(lines - 2, 4)
    depth = colour_depth(os.environ, sys.stdout.isatty())
    protocol = detect(os.environ) if pixels and sys.stdout.isatty() else Protocol.NONE
    if pixels and protocol is Protocol.NONE:
        raise RckError("this terminal does not report support for pixels; omit --pixels")
    camera = aim.camera_for([scene], columns * 0.5 / rows)
    if protocol is not Protocol.NONE:
        across, down = _CELL_PIXELS
        rgb = _picture(scene, camera, style, columns * across, rows * down).rgb
        picture = kitty_text(rgb, columns=columns, rows=rows) if protocol is Protocol.KITTY else sixel_text(rgb)
        click.echo(picture + "\n" * (rows if protocol is Protocol.KITTY else 1), nl=False, color=True)
    else:
        click.echo(ansi_text(_cells(scene, camera, style, columns, rows, blocks, depth), depth), nl=False, color=True)
    click.echo(_caption(scene, camera))


def _cells(
    scene: Scene, camera: Camera, style: _Style, columns: int, rows: int, blocks: str, depth: ColourDepth
) -> Cells:
    palette = sixteen_colours(style.palette) if depth is ColourDepth.SIXTEEN else style.palette
    if style.wire:
        return wire_cells(scene, camera, columns, rows, palette=palette, hidden=style.hidden)
    if depth is ColourDepth.NONE:
        # Without colours, the grid would only clutter the image.
        return sign_cells(draw(replace(scene, floor=None), camera, columns, 2 * rows))
    kind = BLOCKS[blocks] if depth > ColourDepth.SIXTEEN else HALF
    picture = draw(
        scene, camera, columns * kind.across, rows * kind.down, palette=palette, pixel_aspect=kind.pixel_aspect()
    )
    return with_labels(block_cells(picture.rgb, kind), picture.labels, palette.label, kind.across, kind.down)


def _caption(scene: Scene, camera: Camera) -> str:
    robot = scene.figure.robot
    eye, target = (",".join(f"{x:.3g}" for x in point) for point in (camera.eye, camera.target))
    parts = [robot.name, f"--eye {eye} --target {target}"]
    if scene.floor is not None:
        parts.append(scene.floor.label)
    return "   ".join(parts)


def _parse_size(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"([0-9]{1,9})\s*[x×,]\s*([0-9]{1,9})", text.strip())
    pixels = 0 if match is None else int(match[1]) * int(match[2])
    if match is None or not pixels:
        raise click.UsageError(f"--size {text} is not a size in pixels, such as 1280x800")
    if pixels > _MAX_PIXELS:
        raise click.UsageError(f"--size {text} is too large; the maximum is {_MAX_PIXELS:,} pixels, such as 8000x8000")
    return int(match[1]), int(match[2])


def _parse_point(text: str | None) -> Point | None:
    if text is None:
        return None
    numbers = [parse_quantity(part, "length", "m") for part in text.split(",")]
    if len(numbers) != 3:
        raise click.UsageError(f"{text} is not a point; give three lengths such as 0.9,-1.1,0.7")
    x, y, z = numbers
    return x, y, z


def _checked_names(robot: Robot, names: Iterable[str]) -> Iterable[str]:
    known = {"/".join(item.name.split("/")[:count]) for item in robot.items for count in range(1, 9)}
    for name in names:
        if name not in known:
            raise RckError(f"{robot.name} has no item or instance {name!r}{did_you_mean(name, known)}")
        yield name
