"""`rck reach`: the workspace of an arm, and comparison of base placements."""

import csv
import json
import os
import shutil
import sys
from itertools import product
from math import radians
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray

from rck.cli.arm_options import ArmSelection, numbers_of, pose_of, print_failures, read_arm
from rck.cli.options import FILE, IMPORTER_SET, JSON_SI, SOLVER, SOLVER_SET, TIP
from rck.cli.pose_options import number
from rck.cli.progress import shown_job
from rck.collision.scene import scene_as_built
from rck.geometry.arrays import Floats
from rck.geometry.transforms import from_euler, translation
from rck.kinematics.workspace import BasePlacement, Workspace, placements, sweep, workspace
from rck.kinematics.workspace_file import placements_csv, with_map, workspace_csv, workspace_ply
from rck.model import RckError
from rck.rendering.ansi_text import ansi_text, colour_depth
from rck.rendering.camera import fit, named_camera
from rck.rendering.image_file import png_bytes
from rck.rendering.picture import FINE, draw
from rck.rendering.posed_robot import pose_robot
from rck.rendering.scene import Scene, points_of
from rck.rendering.terminal_cells import block_cells
from rck.support.files import refuse_unwritable, write_atomically
from rck.support.typed_yaml import read_text

_SHOWN = 5
"""Number of base placements that are printed."""


@click.command()
@FILE
@TIP
@click.option("--base", metavar="NAME", help="Base item or frame of the arm (default: the root item).")
@click.option("--cell", type=float, metavar="MM", help="Cell size (default: a tenth of the reach).")
@click.option("--samples", default=20_000, show_default=True, help="Number of sampled joint vectors.")
@click.option("--turns", default=12, show_default=True, help="Orientations tried in each cell; 0 for none.")
@click.option("--collisions/--no-collisions", default=True, help="Reject joint positions in collision.")
@click.option(
    "--goals",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="File of goal poses, one x,y,z[,r,p,y] per line.",
)
@click.option(
    "--x",
    "x",
    default="0",
    metavar="A:B:STEP",
    help="Offsets of the base along x to try with --goals, in mm.",
)
@click.option("--y", "y", default="0", metavar="A:B:STEP", help="Offsets of the base along y to try.")
@click.option("--z", "z", default="0", metavar="A:B:STEP", help="Offsets of the base along z to try.")
@click.option("--turn", default="0", metavar="A:B:STEP", help="Rotations of the base about z to try, in degrees.")
@click.option(
    "--bits", default=16, show_default=True, help="Encoder resolution in bits, for the position error of the tip."
)
@SOLVER
@SOLVER_SET
@IMPORTER_SET
@click.option(
    "-o",
    "--out",
    "outs",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Output .csv, .ply or .png file; repeat for several.",
)
@click.option("--show", is_flag=True, help="Draw the map in the terminal.")
@JSON_SI
def reach(
    file: Path,
    tip: str | None,
    base: str | None,
    cell: float | None,
    samples: int,
    turns: int,
    collisions: bool,
    goals: Path | None,
    x: str,
    y: str,
    z: str,
    turn: str,
    bits: int,
    solver: str | None,
    solver_settings: tuple[str, ...],
    settings: tuple[str, ...],
    outs: tuple[Path, ...],
    show: bool,
    as_json: bool,
) -> None:
    """Map the workspace of an arm. With --goals, try base placements and count the goals reached.

    The exit status is 1 if no placement reaches all goals.
    """
    endings = (".csv",) if goals else (".csv", ".ply", ".png")
    for out in outs:
        if out.suffix.lower() not in endings:
            raise click.UsageError(f"{out.name}: this is written as {', '.join(endings)}")
        refuse_unwritable(out)
    arm = read_arm(file, tip, base, solver, (), settings, solver_settings)
    touches = scene_as_built(arm.chain.robot).touches_batch if collisions else None
    if goals is None:
        with shown_job("mapping") as job:
            found = workspace(
                arm.chain,
                arm.solver,
                cell=None if cell is None else cell / 1000,
                samples=samples,
                turns=turns,
                touches=touches,
                job=job,
            )
        for out in outs:
            write_atomically(out, _map_file(arm, found, out))
        if show:
            _show(arm, found)
        _print_map(arm, found, outs, as_json)
        print_failures(arm)
        return
    wanted = _read_goals(goals)
    bases = [
        translation((a / 1000, b / 1000, c / 1000)) @ arm.world_from_base @ from_euler((0.0, 0.0, radians(angle)))
        for a, b, c, angle in product(
            _numbers(x, "--x"), _numbers(y, "--y"), _numbers(z, "--z"), _numbers(turn, "--turn")
        )
    ]
    with shown_job("trying base placements") as job:
        tried = placements(arm.chain, arm.solver, wanted, bases, bits=bits, touches=touches, job=job)
    for out in outs:
        write_atomically(out, placements_csv(tried, len(wanted)))
    best = sorted(tried, key=lambda one: (-one.free, -one.reached, -one.manipulability))
    _print_places(best, len(wanted), outs, as_json)
    print_failures(arm)
    sys.exit(0 if best[0].free == len(wanted) else 1)


def _numbers(text: str, option: str) -> list[float]:
    words = text.split(":")
    if len(words) == 1:
        return [number(text, option)]
    if len(words) != 3:
        raise click.UsageError(f"{option} takes a number or START:END:STEP, not {text!r}")
    return list(sweep(*(number(word, option) for word in words)))


def _read_goals(file: Path) -> Floats:
    poses = []
    for line, row in enumerate(csv.reader(read_text(file).splitlines()), 1):
        words = [word.strip() for word in row if word.strip()]
        if not words or words[0].startswith(("#", "x")):
            continue
        try:
            poses.append(pose_of(numbers_of(",".join(words), f"{file.name} line {line}", (3, 6))))
        except click.UsageError as refusal:
            raise RckError(refusal.message) from None
    if not poses:
        raise RckError(
            f"{file.name} contains no goals; write one pose x,y,z,r,p,y per line, in millimetres and degrees"
        )
    return np.array(poses)


def _map_file(arm: ArmSelection, found: Workspace, out: Path) -> bytes:
    if out.suffix.lower() == ".csv":
        return workspace_csv(found)
    if out.suffix.lower() == ".ply":
        return workspace_ply(found)
    return png_bytes(_picture(arm, found, 1280, 960))


def _picture(arm: ArmSelection, found: Workspace, width: int, height: int) -> NDArray[np.uint8]:
    scene = Scene(pose_robot(with_map(arm.chain.robot, found, arm.world_from_base)))
    camera = fit(named_camera("home"), points_of(scene.figure), width / height)
    return draw(scene, camera, width, height, finish=FINE).rgb


def _show(arm: ArmSelection, found: Workspace) -> None:
    columns, lines = shutil.get_terminal_size((80, 24))
    # A cell of the terminal, twice as high as wide, shows two pixels.
    rgb = _picture(arm, found, columns, 2 * max(lines - 8, 8))
    click.echo(ansi_text(block_cells(rgb), colour_depth(os.environ, sys.stdout.isatty())), nl=False, color=True)


def _print_map(arm: ArmSelection, found: Workspace, outs: tuple[Path, ...], as_json: bool) -> None:
    chain = arm.chain
    facts = {
        "base": chain.base,
        "tip": chain.tip,
        "reach": found.reach,
        "cells": len(found.centres),
        "cell": found.cell,
        "volume": found.volume,
        "reachable": float(found.reachable.mean()),
        "manipulability": float(found.manipulability.mean()),
        "collision_free": float(found.free.mean()),
        "low": found.centres.min(axis=0).tolist(),
        "high": found.centres.max(axis=0).tolist(),
    }
    if as_json:
        click.echo(json.dumps(facts))
        return
    spans = zip(found.centres.min(axis=0), found.centres.max(axis=0), strict=True)
    click.echo(f"reach {1000 * found.reach:.0f} mm: the largest distance of {chain.tip} from the first axis of the arm")
    click.echo(f"{len(found.centres):,} cells of {1000 * found.cell:.4g} mm are reachable: {found.volume:.4g} m3")
    click.echo(
        "  ".join(
            f"{name} {1000 * low:.0f} to {1000 * high:.0f} mm" for name, (low, high) in zip("xyz", spans, strict=True)
        )
    )
    if len(chain.joints) < 6:
        click.echo("with fewer than six joints the tool cannot choose its orientation")
    else:
        click.echo(f"{found.reachable.mean():.1%} of the orientations are reachable in them")
    click.echo(f"{found.free.mean():.1%} of the joint positions there are free of collisions")
    click.echo(f"manipulability {found.manipulability.mean():.3g} on average, {found.manipulability.max():.3g} at best")
    for out in outs:
        click.echo(f"wrote {out}")


def _print_places(best: list[BasePlacement], goals: int, outs: tuple[Path, ...], as_json: bool) -> None:
    if as_json:
        names = ("reached", "free", "manipulability", "room", "away", "turned")
        rows = [{"base": one.base.tolist(), **{name: getattr(one, name) for name in names}} for one in best]
        click.echo(json.dumps({"goals": goals, "places": rows}))
        return
    lines = placements_csv(best[:_SHOWN], goals).decode().splitlines()
    table = [line.split(",") for line in lines]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for line in table:
        click.echo("  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)))
    click.echo(f"{len(best):,} base placements were tried; the best are listed first")
    for out in outs:
        click.echo(f"wrote {out}")
