"""`rck collide`: contacts, distances, free ranges of joints, and the allowed-collision matrix."""

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from math import degrees
from pathlib import Path
from typing import Any

import click

from rck.cli.inputs import parse_settings, print_findings, read_as_drawn, read_robot
from rck.cli.options import FILE, IMPORTER_SET, JSON_SI
from rck.cli.pose_options import POSE, posed
from rck.cli.progress import shown_job
from rck.collision.allowed_matrix import sample_matrix
from rck.collision.backend import DEFAULT, Clearance, Contact, MeasuringScene, backend_named
from rck.collision.scene import HullScene, free_range
from rck.exporting.losses import list_names
from rck.geometry.arrays import Floats
from rck.hooks import discover
from rck.hooks.kinds import CollisionScene
from rck.hooks.options import make_scene
from rck.model import Joint, RckError, Robot
from rck.support.units import parse_quantity


@click.command()
@FILE
@click.option(
    "--pose",
    "poses",
    multiple=True,
    metavar=POSE,
    help="Joint positions in degrees or millimetres, or a named pose of FILE.",
)
@click.option("--min-distance", metavar="LENGTH", help="Also list items closer than this, such as 5mm.")
@click.option("--limits", is_flag=True, help="Print how far each joint can move before a collision.")
@click.option("--matrix", is_flag=True, help="Print the allowed-collision matrix, sampled at random joint positions.")
@click.option(
    "--samples",
    type=click.IntRange(1, 10_000_000),
    default=10_000,
    show_default=True,
    help="Number of samples for --matrix.",
)
@click.option("--backend", default=DEFAULT, show_default=True, metavar="NAME", help="Collision backend.")
@click.option(
    "--backend-set", "backend_settings", multiple=True, metavar="NAME=VALUE", help="Set an option of the backend."
)
@IMPORTER_SET
@JSON_SI
def collide(
    file: Path,
    poses: tuple[str, ...],
    min_distance: str | None,
    limits: bool,
    matrix: bool,
    samples: int,
    backend: str,
    backend_settings: tuple[str, ...],
    settings: tuple[str, ...],
    as_json: bool,
) -> None:
    """List contacts with their position and depth. The exit status is 1 if there are any.

    Joints without a value in --pose keep their positions. Two items that a joint connects are not checked, nor are
    pairs that a collision rule of the assembly allows.
    """
    if limits + matrix + (min_distance is not None) > 1:
        raise click.UsageError("use only one of --min-distance, --limits and --matrix")
    plugins = discover(file=file)
    chosen = backend_named(plugins, backend)
    robot, findings = read_robot(file, plugins, settings)
    vector = posed(robot, poses, file)
    scene = partial(make_scene, chosen, robot, (), parse_settings(backend_settings))
    if matrix:
        data, lines, bad = _matrix(read_as_drawn(file, plugins) if file.suffix == ".rck" else robot, samples)
    elif limits:
        data, lines, bad = _limits(robot, vector)
    elif min_distance is not None:
        data, lines, bad = _clearances(scene(), backend, vector, _length(min_distance))
    else:
        data, lines, bad = _touching(scene(), vector)
    if as_json:
        click.echo(json.dumps(data))
    else:
        for line in lines:
            click.echo(line)
        print_findings(findings)
    sys.exit(int(bad))


Answer = tuple[Any, list[str], bool]
"""Data for JSON, lines of text, and whether the exit status is 1."""


def _touching(scene: CollisionScene, vector: Floats) -> Answer:
    if not isinstance(scene, MeasuringScene):
        pairs = scene.touching(vector)
        lines = _touch_lines([" and ".join(pair) for pair in pairs])
        return [{"items": list(pair)} for pair in pairs], lines, bool(pairs)
    contacts = sorted(scene.contacts(vector), key=lambda contact: -contact.depth)
    return [asdict(contact) for contact in contacts], _touch_lines(_described(contacts)), bool(contacts)


def _touch_lines(touching: list[str]) -> list[str]:
    return touching or ["no contacts"]


def _described(contacts: Sequence[Contact]) -> list[str]:
    lines = []
    for contact in contacts:
        x, y, z = (1000 * value for value in contact.point)
        one, other = contact.items
        lines.append(f"{one} and {other}: {1000 * contact.depth:.3f} mm deep at {x:.1f} {y:.1f} {z:.1f} mm")
    return lines


def _clearances(scene: CollisionScene, backend: str, vector: Floats, limit: float) -> Answer:
    if not isinstance(scene, MeasuringScene):
        raise RckError(f"collision backend {backend} cannot measure distances; omit --backend or choose one that can")
    found: list[Clearance] = sorted(scene.clearances(vector, limit), key=lambda clearance: clearance.distance)
    lines = [f"{' and '.join(one.items)}: {_apart(one.distance)}" for one in found]
    return [asdict(one) for one in found], lines or [f"no items are closer than {1000 * limit:g} mm"], bool(found)


def _apart(distance: float) -> str:
    return f"{1000 * distance:.3f} mm apart" if distance > 0 else f"{-1000 * distance:.3f} mm deep"


def _limits(robot: Robot, vector: Floats) -> Answer:
    scene = HullScene(robot)
    data, lines, stuck = [], [], False
    for joint in robot.free_joints:
        found = free_range(scene, vector, joint)
        untested = _untested(scene, joint)
        if found is None:
            stuck = True
            data.append({"joint": joint.name, "touches": True, "untested": untested})
            lines.append(f"{joint.name}: already in contact")
            continue
        scale, unit = (degrees(1.0), "°") if joint.kind.turns else (1000.0, " mm")
        contacts = {"down": found.lower_contact, "up": found.upper_contact}
        stopped = {way: list(contact.items) for way, contact in contacts.items() if contact is not None}
        data.append(
            {"joint": joint.name, "lower": found.lower, "upper": found.upper, "stopped": stopped, "untested": untested}
        )
        why = (
            "; ".join(f"{way}: {' meets '.join(items)}" for way, items in stopped.items())
            or "no contact between tested pairs"
        )
        lines.append(f"{joint.name}: {scale * found.lower:.2f}{unit} to {scale * found.upper:.2f}{unit} ({why})")
        if untested:
            lines.append(f"  not tested: {list_names(' and '.join(pair) for pair in untested)}")
    if any(one["untested"] for one in data):
        lines.append("neighbours on a joint, and pairs allowed to collide by rules, are not tested")
    return data, lines, stuck


def _untested(scene: HullScene, joint: Joint) -> list[list[str]]:
    """Return the untested pairs that the joint moves relative to each other."""
    robot = scene.robot
    moved = set(robot.moved_by(joint.name))
    pairs = [[robot.items[number].name for number in pair] for pair in sorted(scene.pairs.exempt)]
    return [[one, other] for one, other in pairs if (one in moved) != (other in moved)]


def _matrix(robot: Robot, samples: int) -> Answer:
    with shown_job("looking for contacts") as job:
        found = sample_matrix(robot, samples=samples, job=job)
    data = [
        {
            "items": list(entry.rule.items),
            "tested": entry.rule.tested,
            "reason": entry.rule.reason.value,
            "share": entry.share,
        }
        for entry in found.entries
    ]
    width = max((len(" and ".join(entry.rule.items)) for entry in found.entries), default=0)
    lines = [
        f"{' and '.join(entry.rule.items):{width}}  {'tested' if entry.rule.tested else 'not tested':10}  "
        f"{entry.rule.reason.value:9}  {entry.share:7.2%}"
        for entry in found.entries
    ]
    return data, [*lines, found.summary], False


def _length(text: str) -> float:
    try:
        length = parse_quantity(text, "length", "mm")
    except (ValueError, RckError) as error:
        raise click.UsageError(f"--min-distance: {error}") from None
    if not 0 <= length < float("inf"):
        raise click.UsageError(f"--min-distance: {text!r} is not a distance")
    return length
