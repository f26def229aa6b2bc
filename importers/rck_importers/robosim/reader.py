"""Reader of a robot from its link files."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from rck.geometry.arrays import Floats, frozen
from rck.geometry.transforms import invert
from rck.hooks import Imported, Job, Values
from rck.hooks.options import units_per_metre
from rck.importing.file_errors import NotOfFormat, load, refused
from rck.importing.import_options import density_of
from rck.importing.legal_names import name_of
from rck.importing.tokens import Tokens
from rck.model import (
    Finding,
    Frame,
    Item,
    Joint,
    JointKind,
    PartDefinition,
    Severity,
    build_item,
    build_joint,
    compile_part,
)
from rck.support.finding import errors_of
from rck_importers.robosim import BASE_ENDING
from rck_importers.robosim.link_file import LinkFile, RobosimJoint, mass_properties, parse
from rck_importers.robosim.outline_solids import solids_of

_INERTIA_AT, _FLAGS_AT = 8, 4
"""Index of the first token of the inertia matrix, and of the flags."""

_KIND_OF_TYPE = {
    RobosimJoint.REVOLUTE: JointKind.CONTINUOUS,  # the files have no limits
    RobosimJoint.PRISMATIC: JointKind.PRISMATIC,
    RobosimJoint.FIXED: JointKind.FIXED,
}


@dataclass(frozen=True, slots=True)
class RobosimLink:
    """A link and the tokens of its file."""

    file: LinkFile
    tokens: Tokens


def read(path: Path, values: Values, job: Job) -> Imported:
    """Return the robot that the link file belongs to, or one error that names the file and line."""
    try:
        density = density_of(values)
        links = []
        for number, file in enumerate(sibling_links(path)):
            tokens = Tokens(file.name, load(file))
            links.append(RobosimLink(parse(tokens, is_base=number == 0), tokens))
        part, findings = _part(links, name_of(path), units_per_metre(values, "mm"), density, job)
    except NotOfFormat as refusal:
        return Imported(findings=(refusal.finding,))
    message = (
        f"lengths were taken as {values.get('length-unit', 'mm')}, angles as degrees, masses as kilograms, "
        "and the base's joint frame I as the world"
    )
    assumed = Finding(504, Severity.NOTE, path.name, message, "set another unit with the option length-unit")
    return Imported((part,), findings=(assumed, *findings))


def sibling_links(path: Path) -> list[Path]:
    """Return the link files of the same robot, base first: files with the same stem in the same folder."""
    try:
        siblings = [file for file in path.parent.iterdir() if file.stem == path.stem and file.is_file()]
    except OSError as error:
        raise refused(path.name, f"cannot be read: {error.strerror}") from error
    by_ending = {file.suffix.lower(): file for file in siblings}
    if path.suffix.lower() not in by_ending:
        raise refused(path.name, "cannot be read: no such file")
    if BASE_ENDING not in by_ending:
        raise refused(path.name, f"the base link {path.stem}{BASE_ENDING} is not in the same folder")
    numbers = [int(ending[1:]) for ending in by_ending if ending[1:].isdecimal() and str(int(ending[1:])) == ending[1:]]
    last = max(numbers, default=0)
    for number in range(1, last + 1):
        if f".{number}" not in by_ending:
            raise refused(path.name, f"{path.stem}.{number} is missing, but {path.stem}.{last} exists")
    return [by_ending[BASE_ENDING], *(by_ending[f".{number}"] for number in range(1, last + 1))]


def _part(
    links: Sequence[RobosimLink], name: str, per_metre: float, density: float, job: Job
) -> tuple[PartDefinition, list[Finding]]:
    items: list[Item] = []
    joints: list[Joint] = []
    findings: list[Finding] = []
    world_from_joint = np.eye(4)
    for number, link in enumerate(links):
        job.progress(number / len(links), "links")
        if number:
            joint, noticed = _joint(number, links[number - 1], link, world_from_joint)
            joints.append(joint)
            findings += noticed
        world_from_link = world_from_joint @ invert(_in_metres(link.file.frame_before, per_metre))
        item, noticed = _item(number, link, world_from_link, per_metre, density)
        items.append(item)
        findings += noticed
        world_from_joint = world_from_link @ _in_metres(link.file.frame_after, per_metre)
    if unweighed := [link.tokens.name for link in links if not link.file.pseudo_inertia.any()]:
        message = f"the density {density:g} kg/m3 was assumed: no inertia in {', '.join(unweighed)}"
        findings.append(Finding(408, Severity.NOTE, name, message, "set the option density"))
    first, last = links[0].file, links[-1].file
    if first.joint_before not in (RobosimJoint.NONE, RobosimJoint.FIXED):
        message = "the joint between the base and the world is movable; imported as fixed"
        findings.append(Finding(504, Severity.WARNING, links[0].tokens.where(_FLAGS_AT), message))
    frames = []
    if last.joint_after is not RobosimJoint.NONE:
        frames.append(Frame("tool", items[-1].name, frozen(_in_metres(last.frame_after, per_metre))))
    part = PartDefinition(name, tuple(items), tuple(joints), frames=tuple(frames))
    if errors := errors_of(compile_part(part).findings):
        first_error = errors[0]
        tokens = links[int(first_error.where.removeprefix("item link"))].tokens
        raise NotOfFormat(replace(first_error, where=f"{tokens.where(_INERTIA_AT)}: {first_error.where}"))
    return part, findings


def _in_metres(matrix: Floats, per_metre: float) -> Floats:
    scaled = matrix.copy()
    scaled[:3, 3] /= per_metre
    return scaled


def _item(
    number: int, link: RobosimLink, world_from_link: Floats, per_metre: float, density: float
) -> tuple[Item, list[Finding]]:
    """Return the link as an item; if the file has a mass, the density is computed from it."""
    file, tokens = link.file, link.tokens
    vectors = file.vectors / (per_metre, per_metre, per_metre, 1.0)
    body = mass_properties(file.pseudo_inertia, per_metre)
    subitems, findings = solids_of(vectors, density, tokens.name)
    volume = sum(subitem.shape.volume for subitem in subitems)
    if body is not None:
        subitems = [replace(subitem, density=body.mass / volume) for subitem in subitems]
    built = build_item(f"link{number}", subitems, pose=world_from_link, mass=body)
    item, noticed = tokens.accept(built, _INERTIA_AT)
    return item, findings + noticed


def _joint(
    number: int, before: RobosimLink, after: RobosimLink, world_from_joint: Floats
) -> tuple[Joint, list[Finding]]:
    """Return the joint between two links; at least one of the two files gives its type."""
    types = {before.file.joint_after, after.file.joint_before} - {RobosimJoint.NONE}
    place = after.tokens.where(_FLAGS_AT)
    if len(types) > 1:
        message = f"joint I is {after.file.joint_before.name.lower()}, but {before.tokens.name} disagrees"
        raise refused(place, message, code=506)
    if not types:
        raise refused(place, f"neither it nor {before.tokens.name} defines the joint between them", code=506)
    start = world_from_joint[:3, 3]
    built = build_joint(
        f"joint{number}",
        _KIND_OF_TYPE[types.pop()],
        f"link{number - 1}",
        f"link{number}",
        start=start.tolist(),
        end=(start + world_from_joint[:3, 2]).tolist(),
    )
    return after.tokens.accept(built, _FLAGS_AT)
