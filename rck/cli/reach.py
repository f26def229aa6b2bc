"""`rck reach`: what an arm can reach, and where its base had better stand."""

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

from rck.cli.arms import TIP_HELP, Arm, numbers_of, pose_of, read_arm
from rck.cli.poses import number
from rck.cli.progress import shown_job
from rck.geometry.arrays import Floats
from rck.geometry.transforms import from_euler, translation
from rck.kinematics.workspace import Placement, Workspace, placements, sweep, workspace
from rck.kinematics.workspace_file import placements_csv, with_map, workspace_csv, workspace_ply
from rck.model import RckError
from rck.model.files import refuse_unwritable, write_atomically

_SHOWN = 5
"""The best places of a base that are printed."""


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--tip", metavar="NAME", help=TIP_HELP)
@click.option("--base", metavar="NAME", help="The item or frame that the arm stands on; without it, what carries all.")
@click.option("--cell", type=float, metavar="MM", help="The edge of a cell; without it, a tenth of the reach.")
@click.option("--samples", default=20_000, show_default=True, help="Joint vectors that are tried.")
@click.option("--turns", default=12, show_default=True, help="Orientations that are tried in each cell; 0 for none.")
@click.option("--collisions/--no-collisions", default=True, help="Whether to look at what touches.")
@click.option(
    "--goals",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Poses to reach: x,y,z[,r,p,y] a line.",
)
@click.option("--x", "x", default="0", metavar="A:B:STEP", help="Where to move the base, with --goals, in millimetres.")
@click.option("--y", "y", default="0", metavar="A:B:STEP", help="The same along y.")
@click.option("--z", "z", default="0", metavar="A:B:STEP", help="The same along z.")
@click.option("--turn", default="0", metavar="A:B:STEP", help="How to turn the base about z, in degrees.")
@click.option("--bits", default=16, show_default=True, help="Of the joints' encoders, for the error of the tip.")
@click.option("--solver", metavar="NAME", help="A solver by name; without it, the best one for the arm.")
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="An option of the importer.")
@click.option(
    "-o", "--out", "outs", multiple=True, type=click.Path(path_type=Path), help="A .csv, .ply or .png file; several."
)
@click.option("--show", is_flag=True, help="Draw the map into the terminal.")
@click.option("--json", "as_json", is_flag=True, help="Print data instead of text, in metres and radians.")
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
    settings: tuple[str, ...],
    outs: tuple[Path, ...],
    show: bool,
    as_json: bool,
) -> None:
    """Map what an arm can reach; with --goals, try places of its base and count the goals that it reaches.

    Exit status 1 if there are goals and no place reaches all of them.
    """
    endings = (".csv",) if goals else (".csv", ".ply", ".png")
    for out in outs:
        if out.suffix.lower() not in endings:
            raise click.UsageError(f"{out.name}: this is written as {', '.join(endings)}")
        refuse_unwritable(out)
    from rck.collision.scene import scene_as_built

    arm = read_arm(file, tip, base, solver, (), settings)
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
        return
    wanted = _read_goals(goals)
    bases = [
        translation((a / 1000, b / 1000, c / 1000)) @ arm.world_from_base @ from_euler((0.0, 0.0, radians(angle)))
        for a, b, c, angle in product(
            _numbers(x, "--x"), _numbers(y, "--y"), _numbers(z, "--z"), _numbers(turn, "--turn")
        )
    ]
    with shown_job("trying places of the base") as job:
        tried = placements(arm.chain, arm.solver, wanted, bases, bits=bits, touches=touches, job=job)
    for out in outs:
        write_atomically(out, placements_csv(tried, arm.world_from_base, len(wanted)))
    best = sorted(tried, key=lambda one: (-one.free, -one.reached, -one.manipulability))
    _print_places(best, arm.world_from_base, len(wanted), outs, as_json)
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
    with file.open(newline="", encoding="utf-8") as stream:
        for line, row in enumerate(csv.reader(stream), 1):
            words = [word.strip() for word in row if word.strip()]
            if not words or words[0].startswith(("#", "x")):
                continue
            try:
                poses.append(pose_of(numbers_of(",".join(words), f"{file.name} line {line}", (3, 6))))
            except click.UsageError as refusal:
                raise RckError(refusal.message) from None
    if not poses:
        raise RckError(f"{file.name} holds no goals: write x,y,z,r,p,y in millimetres and degrees, one pose a line")
    return np.array(poses)


def _map_file(arm: Arm, found: Workspace, out: Path) -> bytes:
    if out.suffix.lower() == ".csv":
        return workspace_csv(found)
    if out.suffix.lower() == ".ply":
        return workspace_ply(found)
    from rck.render.image_file import png_bytes

    return png_bytes(_picture(arm, found, 1280, 960))


def _picture(arm: Arm, found: Workspace, width: int, height: int) -> NDArray[np.uint8]:
    from rck.render.camera import fit, named_camera
    from rck.render.figure import figure_of
    from rck.render.picture import FINE, draw
    from rck.render.scene import Scene, points_of

    scene = Scene(figure_of(with_map(arm.chain.robot, found, arm.world_from_base)))
    camera = fit(named_camera("home"), points_of(scene.figure), width / height)
    return draw(scene, camera, width, height, finish=FINE).rgb


def _show(arm: Arm, found: Workspace) -> None:
    from rck.render.ansi import ansi_text, colour_depth
    from rck.render.cells import block_cells

    columns, lines = shutil.get_terminal_size((80, 24))
    # A cell of the terminal, twice as high as wide, shows two pixels.
    rgb = _picture(arm, found, columns, 2 * max(lines - 8, 8))
    click.echo(ansi_text(block_cells(rgb), colour_depth(os.environ, sys.stdout.isatty())), nl=False, color=True)


def _print_map(arm: Arm, found: Workspace, outs: tuple[Path, ...], as_json: bool) -> None:
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
    click.echo(f"{len(found.centres):,} cells of {1000 * found.cell:.4g} mm are reached: {found.volume:.4g} m3")
    click.echo(
        "  ".join(
            f"{name} {1000 * low:.0f} to {1000 * high:.0f} mm" for name, (low, high) in zip("xyz", spans, strict=True)
        )
    )
    if len(chain.joints) < 6:
        click.echo("with fewer than six joints the tool cannot choose its orientation")
    else:
        click.echo(f"{found.reachable.mean():.1%} of all orientations are reached in them")
    click.echo(f"{found.free.mean():.1%} of the ways to be there touch nothing")
    click.echo(f"manipulability {found.manipulability.mean():.3g} on average, {found.manipulability.max():.3g} at best")
    for out in outs:
        click.echo(f"wrote {out}")


def _print_places(
    best: list[Placement], world_from_base: Floats, goals: int, outs: tuple[Path, ...], as_json: bool
) -> None:
    if as_json:
        names = ("reached", "free", "manipulability", "room", "away", "turned")
        rows = [{"base": one.base.tolist(), **{name: getattr(one, name) for name in names}} for one in best]
        click.echo(json.dumps({"goals": goals, "places": rows}))
        return
    lines = placements_csv(best[:_SHOWN], world_from_base, goals).decode().splitlines()
    table = [line.split(",") for line in lines]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for line in table:
        click.echo("  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)))
    click.echo(f"{len(best):,} places of the base were tried; the best come first")
    for out in outs:
        click.echo(f"wrote {out}")
