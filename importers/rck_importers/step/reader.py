"""Reader of STEP files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from rck.geometry.arrays import Floats, frozen
from rck.geometry.transforms import identity
from rck.hooks import Imported, Job, Values
from rck.importing.assets import Assets
from rck.importing.file_errors import refused
from rck.importing.import_options import convexity_of, limits_of
from rck.importing.import_report import Report, reported
from rck.importing.legal_names import name_of
from rck.importing.link_shapes import PlacedShape
from rck.importing.solids import SolidGroup, metres_and_up, part_of_groups, read_solid_options
from rck.model import PartDefinition
from rck.support.units import counted
from rck_importers.step.conversion import read_in_child
from rck_importers.step.joints import coaxial_joints, coaxial_pairs
from rck_importers.step.ports import MOST_PORTS, round_ports
from rck_importers.step.solids import RoundPlace, SolidMaker, StepSolid, moved_solid

_END = b"END-ISO-10303-21"
_NEAR_THE_END = 4096
"""Number of bytes to search for the end marker; comments may follow it."""


def read(path: Path, values: Values, job: Job) -> Imported:
    """Read the components in the file as items of one part, or return the error."""

    def make(report: Report) -> PartDefinition:
        return _part(path, values, report, job)

    return reported(path, make)


def _part(path: Path, values: Values, report: Report, job: Job) -> PartDefinition:
    chosen = read_solid_options(values, "objects", convexity_of(values, "cut"))
    assets = Assets(path, limits_of(values))
    job.progress(0.0, f"reading {path.name}")
    deviation = _positive(values, "deviation", 1e-4)
    data = assets.read(path)
    if _END not in data[-_NEAR_THE_END:]:
        where = f"{path.name}:{data.count(10) + 1}"
        raise refused(where, "the file is truncated", fix="download or export it again")
    found = read_in_child(data, path.name, deviation, assets.limits, job.part(0.05, 0.5, "solids"))
    for note in found["notes"]:
        report.note(504, path.name, note)
    # Lengths are in metres, and the axes are those of the STEP file.
    frame = metres_and_up(values, 1.0, "z", "m", path.name, report)
    maker = SolidMaker(path, chosen.convexity, deviation, assets, report, job.part(0.5, 0.95, "convex pieces"))
    solids = {key: maker.make(key, one) for key, one in found["solids"].items()}
    groups = _groups(found, solids, frame, chosen.items, name_of(path))
    if not groups:
        gravest = next((finding for finding in report.findings if finding.code == 503), None)
        message = gravest.message if gravest else "the file contains no solid"
        raise refused(
            path.name, message, code=304, fix=gravest.fix if gravest else "export solids, not curves or points"
        )
    part = part_of_groups(name_of(path), [one.group for one in groups], chosen, path.name, report)
    named = {item.source_name: item.name for item in part.items}
    features = {named[one.group.item]: one.features for one in groups if one.group.item in named}
    if bool(values.get("hole-ports", True)):
        ports = round_ports(features)
        if len(ports) > MOST_PORTS:
            message = f"{len(ports):,} ports at holes and shafts were left out"
            report.note(504, path.name, message, "import single components to have them")
        else:
            part = replace(part, ports=(*part.ports, *ports))
    pairs = coaxial_pairs(features)
    if pairs and values.get("joints", "none") == "coaxial":
        return replace(part, joints=coaxial_joints(part.items, pairs))
    if pairs:
        shown = ", ".join(f"{pair.inner} in {pair.holder}" for pair in pairs[:5])
        more = f" and {len(pairs) - 5} more" if len(pairs) > 5 else ""
        message = f"{counted(len(pairs), 'shaft')} could turn: {shown}{more}"
        report.note(504, path.name, message, "make joints of them with the option joints=coaxial")
    return part


@dataclass(frozen=True, eq=False)
class _PlacedGroup:
    """The shapes of one item, and its round features in the frame of the part."""

    group: SolidGroup
    features: tuple[RoundPlace, ...]


def _groups(
    found: Mapping[str, Any], solids: Mapping[str, StepSolid | None], frame: Floats, items: str, name: str
) -> list[_PlacedGroup]:
    """Return the items: one for each component, for each solid, or one for everything."""
    groups = []
    for component in found["components"]:
        path = "/".join(component["path"])
        shapes, features = [], []
        pose, scale = _rigid(frame @ np.asarray(component["matrix"]))
        for number, one in enumerate(component["solids"], 1):
            solid = solids[str(one["number"])]
            if solid is None:
                continue
            matrix = scale @ np.asarray(one["matrix"])
            placed = _placed(solid, matrix, one["colour"], path)
            moved = [feature.moved(pose @ placed.pose) for feature in placed.solid.features]
            if items == "bodies" and len(component["solids"]) > 1:
                named = f"{path}-{number}"
                groups.append(_PlacedGroup(SolidGroup(named, pose, (placed.shape,)), tuple(moved)))
                continue
            shapes.append(placed.shape)
            features += moved
        if shapes:
            groups.append(_PlacedGroup(SolidGroup(path, pose, tuple(shapes)), tuple(features)))
    if items != "one" or not groups:
        return groups
    everything = [
        replace(shape, pose=frozen(one.group.pose @ shape.pose)) for one in groups for shape in one.group.shapes
    ]
    whole = SolidGroup(name, identity(), tuple(everything))
    return [_PlacedGroup(whole, tuple(feature for one in groups for feature in one.features))]


@dataclass(frozen=True, eq=False)
class _PlacedSolid:
    solid: StepSolid
    shape: PlacedShape
    pose: Floats


def _placed(solid: StepSolid, matrix: Floats, colour: Sequence[float] | None, path: str) -> _PlacedSolid:
    pose, rest = _rigid(matrix)
    if np.abs(rest - np.eye(4)).max() > 1e-9:
        solid = moved_solid(solid, rest)
    surface = solid.shape.surfaces[0]
    chosen = None if colour is None else (colour[0], colour[1], colour[2], colour[3])
    is_plain = len(solid.shape.surfaces) == 1
    own = chosen or (surface.colour if is_plain else None)
    return _PlacedSolid(solid, PlacedShape(solid.shape, frozen(pose), own, surface.name or path), pose)


def _rigid(matrix: Floats) -> tuple[Floats, Floats]:
    """Return the rigid motion and the rest of an affine map: the scale or reflection that comes first."""
    left, sizes, right = np.linalg.svd(matrix[:3, :3])
    turn = left @ right
    if np.linalg.det(turn) < 0:
        turn = turn @ np.diag([-1.0, 1.0, 1.0])
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = turn, matrix[:3, 3]
    rest = np.eye(4)
    rest[:3, :3] = turn.T @ matrix[:3, :3]
    if np.abs(sizes - 1.0).max() <= 1e-9 and np.linalg.det(matrix[:3, :3]) > 0:
        # Keep exact numbers: this is a rigid motion.
        return matrix, np.eye(4)
    return pose, rest


def _positive(values: Values, name: str, default: float) -> float:
    number = float(values.get(name) or default)
    if not 0 < number < 1e3:
        raise refused(f"option {name}", f"must be positive and below 1000, not {number:g}", code=104)
    return number
