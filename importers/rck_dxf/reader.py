"""Reading a drawing: the proposal shown as a survey, or built as a robot."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from rck.geometry.arrays import Floats, frozen
from rck.geometry.mass import MassProperties, combine, mass_properties
from rck.hooks import FoundPiece, Imported, Job, Plate, Survey, Values
from rck.importing.refusals import NotOfFormat
from rck.model import Finding, Joint, Robot, Severity, Subitem, build_item, build_joint, build_robot
from rck.model.finding import errors_of
from rck.model.units import counted
from rck_dxf.bodies import Body, place_of
from rck_dxf.proposal import Proposal, RefusedPiece, propose
from rck_dxf.settings import Settings, settings_of


def read(path: Path, values: Values, job: Job) -> Imported:
    """The robot that the drawing means, or the errors that keep it from being one."""
    try:
        settings = settings_of(values)
        proposal = propose(path, settings, job)
    except NotOfFormat as refusal:
        return Imported(findings=(refusal.finding,))
    findings = [*_refusals(proposal, settings, path.name), *proposal.findings]
    findings += [_doubt(joint.name, joint.doubt, path.name) for joint in proposal.joints if joint.doubt]
    items = proposal.items
    if not items and not errors_of(findings):
        message = "there is nothing solid in it"
        findings.append(Finding(511, Severity.ERROR, path.name, message, "draw closed outlines, or solids as meshes"))
    if errors_of(findings):
        return Imported(findings=tuple(findings))
    robot, noticed = _robot(proposal, settings)
    findings += noticed
    if robot is None:
        return Imported(findings=tuple(findings))
    findings += _assumptions(proposal, settings, path.name)
    summary = summary_of(proposal, settings)
    return Imported(
        robot,
        findings=tuple(findings),
        ports=proposal.ports,
        summary=summary,
        plates=tuple(_plates(items)),
        apart=not robot.joints,
    )


def _plates(items: Mapping[str, Sequence[Body]]) -> Iterator[Plate]:
    for name, bodies in items.items():
        first = 0
        for body in bodies:
            covered = range(first, first + len(body.shapes))
            first = covered.stop
            if body.contour is not None and body.plane is not None:
                yield Plate(name, covered, body.contour, body.plane, body.thickness)


def survey(path: Path, values: Values, job: Job) -> Survey:
    """What the drawing holds, with a proposal for each piece."""
    try:
        settings = settings_of(values)
        proposal = propose(path, settings, job)
    except NotOfFormat as refusal:
        return Survey(findings=(refusal.finding,))
    pieces = [
        FoundPiece(
            piece.name,
            piece.body.content,
            piece.body.look.layer,
            piece.body.look.block,
            piece.body.look.colour,
            piece.body.shapes,
            piece.body.volume,
            frozen(piece.body.low),
            frozen(piece.body.high),
            piece.item,
        )
        for piece in proposal.pieces
    ]
    pieces += [_found_refusal(one) for one in proposal.refused]
    return Survey(tuple(pieces), proposal.joints, proposal.ports, proposal.findings, summary_of(proposal, settings))


def _found_refusal(piece: RefusedPiece) -> FoundPiece:
    refused = piece.refused
    found = FoundPiece(
        piece.name, refused.entity, refused.look.layer, refused.look.block, refused.look.colour, refused=refused.why
    )
    if not len(refused.points):
        return found
    return replace(found, low=frozen(refused.points.min(axis=0)), high=frozen(refused.points.max(axis=0)))


def _refusals(proposal: Proposal, settings: Settings, file: str) -> list[Finding]:
    """What cannot be used: errors, or warnings once the user has said to leave it out."""
    findings = []
    for piece in proposal.refused:
        refused = piece.refused
        unwanted = settings.recipe.item_of(piece.name) == "" or settings.skips(piece.name) or settings.skips_refused
        handle = f" {refused.handle}" if refused.handle and refused.handle != "None" else ""
        where = f"{file}: {refused.entity}{handle} on {place_of(refused.look)}"
        fix = f"{refused.fix}; or leave it out: skip={piece.name}"
        severity = Severity.WARNING if unwanted else Severity.ERROR
        findings.append(Finding(511, severity, where, refused.why, "" if unwanted else fix))
    return findings


def _doubt(joint: str, doubt: str, file: str) -> Finding:
    fix = f"write in {file}.recipe.yaml: joints: {{{joint}: {{base: ITEM, moves: ITEM}}}}"
    return Finding(511, Severity.ERROR, f"{file}: joint {joint}", doubt, fix)


def _assumptions(proposal: Proposal, settings: Settings, file: str) -> list[Finding]:
    findings = []
    weighed = [name for name in proposal.items if name in settings.recipe.masses]
    if len(weighed) < len(proposal.items):
        what = settings.material or "the material"
        message = f"{what}, {settings.density:g} kg/m3, was taken for everything{' else' if weighed else ''}"
        findings.append(Finding(408, Severity.NOTE, file, message, "say another with the option material or density"))
    unlimited = [one.name for one in proposal.joints if settings.recipe.joints.get(one.name) is None and one.limits]
    if unlimited:
        message = (
            f"the limits of {', '.join(unlimited)} were assumed: half a turn either way, or the length of the axis"
        )
        findings.append(Finding(504, Severity.NOTE, file, message, f"write them in {file}.recipe.yaml"))
    return findings


def _robot(proposal: Proposal, settings: Settings) -> tuple[Robot | None, list[Finding]]:
    density_of = {name: _density(name, bodies, settings) for name, bodies in proposal.items.items()}
    built_items = [
        build_item(name, _subitems(bodies, density_of[name]), mass=_true_mass(bodies, density_of[name]))
        for name, bodies in proposal.items.items()
    ]
    joints: list[Joint] = []
    findings = [finding for built in built_items for finding in built.findings]
    for one in proposal.joints:
        limits = None if one.limits is None else (one.limits.lower, one.limits.upper)
        answer = settings.recipe.joints.get(one.name)
        position = 0.0 if answer is None else answer.position_in_si(one.kind.turns)
        built = build_joint(
            one.name, one.kind, one.base, one.moves, start=one.start, end=one.end, limits=limits, position=position
        )
        findings += built.findings
        if built.value is not None:
            joints.append(built.value)
    if errors_of(findings):
        return None, findings
    robot = build_robot(proposal.name, [built.unwrap() for built in built_items], joints)
    return robot.value, [*findings, *robot.findings]


def _density(name: str, bodies: Sequence[Body], settings: Settings) -> float:
    """That of the material or, where the recipe says what the item weighs, the one that makes it weigh so."""
    mass = settings.recipe.mass_of(name)
    return settings.density if mass is None else mass / sum(body.volume for body in bodies)


def _subitems(bodies: Sequence[Body], density: float) -> list[Subitem]:
    return [Subitem(shape, body.look.colour, density) for body in bodies for shape in body.shapes]


def _true_mass(bodies: Sequence[Body], density: float) -> MassProperties | None:
    """The mass of the true solids, where the pieces only come near them; None where they are the same."""
    if all(body.true_moments is None for body in bodies):
        return None
    return combine(mass_properties(body.moments, density) for body in bodies)


def summary_of(proposal: Proposal, settings: Settings) -> str:
    """`1 plate, 6 holes, 182 x 64 x 4 mm, 21 convex pieces, 0.094 kg aluminium`."""
    bodies = [piece.body for piece in proposal.pieces if piece.item]
    if not bodies:
        return "nothing solid"
    plates = sum(body.content == "plate" for body in bodies)
    counts = [(plates, "plate"), (len(bodies) - plates, "solid"), (sum(body.openings for body in bodies), "hole")]
    if len(proposal.items) > 1 or len(bodies) - plates:
        counts.append((len(proposal.items), "item"))
    counts.append((len(proposal.joints), "joint"))
    said = [counted(count, word) for count, word in counts if count]
    said.append(" x ".join(_figure(length * 1000, 4) for length in _size(bodies).tolist()) + " mm")
    said.append(counted(sum(len(body.shapes) for body in bodies), "convex piece"))
    mass = settings.density * sum(body.volume for body in bodies)
    said.append(f"{_figure(mass, 3)} kg {settings.material}".strip())
    return ", ".join(said)


def _figure(value: float, digits: int) -> str:
    """To so many digits, without powers of ten for large ones."""
    return f"{value:.{digits}g}" if value < 10**digits - 0.5 else f"{value:.0f}"


def _size(bodies: Sequence[Body]) -> Floats:
    """Of a single plate along its own axes, thickness last; of all together along those of the world."""
    if len(bodies) == 1 and bodies[0].plane is not None:
        corners = np.concatenate([shape.vertices for shape in bodies[0].shapes]) @ bodies[0].plane[:3, :3]
        return np.asarray(np.ptp(corners, axis=0))
    low = np.min([body.low for body in bodies], axis=0)
    return np.asarray(np.max([body.high for body in bodies], axis=0) - low)
