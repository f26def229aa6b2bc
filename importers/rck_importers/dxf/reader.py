"""Import of a drawing as part definitions, or as a survey of the proposal."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from rck.geometry.arrays import Floats, frozen
from rck.geometry.mass_properties import MassProperties, combine, mass_properties
from rck.geometry.mesh import Mesh
from rck.hooks import Imported, Job, Survey, SurveyPart, SurveyQuestion, Values
from rck.importing.file_errors import NotOfFormat
from rck.model import Extrusion, Finding, Item, PartDefinition, Severity, Subitem, Visual
from rck.support.finding import errors_of
from rck.support.units import counted, format_quantity, si_from
from rck_importers.dxf.document import open_drawing, unit_name
from rck_importers.dxf.open_shells import ANSWERS
from rck_importers.dxf.openings import Opening, describe_openings
from rck_importers.dxf.options import DxfOptions, settings_of
from rck_importers.dxf.proposal import OpenDrawing, Opener, Proposal, RejectedEntity, open_with, propose
from rck_importers.dxf.solids import SolidBody, place_of
from rck_importers.dxf.survey_drawing import drawing_of

_LARGE, _HEAVY = 10.0, 1000.0
"""Size in metres and mass in kilograms above which the unit of the drawing is doubtful."""
_UNITS = ("mm", "cm", "m", "in")
"""Units that a question offers."""


def read(path: Path, values: Values, job: Job, opener: Opener = open_drawing) -> Imported:
    """Return the parts in the drawing, or the errors that prevent reading it."""
    try:
        settings = settings_of(values)
        proposal = propose(open_with(opener, path, settings, job), settings, job)
    except NotOfFormat as refusal:
        return Imported(findings=(refusal.finding,))
    findings = [*_refusals(proposal, settings, path.name), *proposal.findings]
    findings += [_doubt(joint.name, joint.doubt, path.name) for joint in proposal.joints if joint.doubt]
    items = proposal.items
    if not items and not errors_of(findings):
        message = "the drawing contains no solids"
        findings.append(Finding(511, Severity.ERROR, path.name, message, "draw closed outlines or meshes"))
    if errors_of(findings):
        return Imported(findings=tuple(findings))
    findings += _assumptions(proposal, settings, path.name)
    return Imported(_parts(proposal, settings), findings=tuple(findings), summary=summary_of(proposal, settings))


def survey(path: Path, values: Values, job: Job, opener: Opener = open_drawing) -> Survey:
    """Return the contents of the drawing, with a proposal for each entity."""
    try:
        settings = settings_of(values)
        drawing = open_with(opener, path, settings, job)
        return _survey_of(drawing, settings, job, opener)
    except NotOfFormat as refusal:
        return Survey(findings=(refusal.finding,))


def _survey_of(drawing: OpenDrawing, settings: DxfOptions, job: Job, opener: Opener) -> Survey:
    proposal = propose(drawing, settings, job, is_draft=True)
    entities = [
        SurveyPart(
            entity.name,
            entity.body.content,
            entity.body.look.layer,
            entity.body.look.block,
            entity.body.look.colour,
            entity.body.shapes,
            _visuals([entity.body]),
            entity.body.volume,
            frozen(entity.body.low),
            frozen(entity.body.high),
            entity.item,
            region=entity.region,
        )
        for entity in proposal.entities
    ]
    entities += [_rejected_part(entity, _is_unwanted(entity, settings)) for entity in proposal.refused]

    def revise(values: Values, job: Job) -> Survey:
        changed = settings_of(values)
        if (changed.most_bytes, changed.skips_refused) != (settings.most_bytes, settings.skips_refused):
            return survey(drawing.path, values, job, opener)
        return _survey_of(drawing, changed, job, opener)

    return Survey(
        tuple(entities),
        proposal.joints,
        proposal.ports,
        proposal.findings,
        summary_of(proposal, settings),
        drawing_of(proposal, settings.deviation),
        unit_name(proposal.unit),
        _question(proposal, settings, drawing.path.name),
        revise,
    )


def _rejected_part(entity: RejectedEntity, is_unwanted: bool) -> SurveyPart:
    refused = entity.refused
    found = SurveyPart(
        entity.name,
        refused.entity,
        refused.look.layer,
        refused.look.block,
        refused.look.colour,
        refused="" if is_unwanted else refused.why,
        fix=refused.fix,
        option=refused.option,
        answers=ANSWERS if refused.option == "open" else {},
        region=refused.region,
    )
    if not len(refused.points):
        return found
    return replace(found, low=frozen(refused.points.min(axis=0)), high=frozen(refused.points.max(axis=0)))


def _is_unwanted(entity: RejectedEntity, settings: DxfOptions) -> bool:
    """Return True if the user left out an entity that cannot be used."""
    left_out = settings.recipe.item_of(entity.name, entity.refused.region) == ""
    return left_out or settings.skips(entity.name) or settings.skips_refused


def _refusals(proposal: Proposal, settings: DxfOptions, file: str) -> list[Finding]:
    """Return errors for the rejected entities, or warnings for those that the user excluded."""
    findings = []
    for entity in proposal.refused:
        refused = entity.refused
        unwanted = _is_unwanted(entity, settings)
        handle = f" {refused.handle}" if refused.handle and refused.handle != "None" else ""
        where = f"{file}: {refused.entity}{handle} on {place_of(refused.look)}"
        fix = f"{refused.fix}; or exclude it: skip={entity.name}"
        severity = Severity.WARNING if unwanted else Severity.ERROR
        findings.append(Finding(511, severity, where, refused.why, "" if unwanted else fix))
    return findings


def _doubt(joint: str, doubt: str, file: str) -> Finding:
    fix = f"write in {file}.recipe.yaml: joints: {{{joint}: {{base: ITEM, moves: ITEM}}}}"
    return Finding(511, Severity.ERROR, f"{file}: joint {joint}", doubt, fix)


def _assumptions(proposal: Proposal, settings: DxfOptions, file: str) -> list[Finding]:
    findings = []
    with_mass = [name for name in proposal.items if name in settings.recipe.masses]
    if len(with_mass) < len(proposal.items):
        what = settings.material or "the material"
        message = f"{what}, {settings.density:g} kg/m3, was assumed for everything{' else' if with_mass else ''}"
        findings.append(Finding(408, Severity.NOTE, file, message, "set another with the option material or density"))
    too_large = _too_large(proposal, settings)
    if too_large:
        message = f"it {too_large}: its unit may be wrong"
        findings.append(Finding(504, Severity.WARNING, file, message, "set the unit with the option length-unit"))
    unlimited = [
        joint.name for joint in proposal.joints if settings.recipe.joints.get(joint.name) is None and joint.limits
    ]
    if unlimited:
        limits = "180 degrees in both directions, or the length of the axis"
        message = f"the limits of {', '.join(unlimited)} were assumed: {limits}"
        findings.append(Finding(504, Severity.NOTE, file, message, f"set them in {file}.recipe.yaml"))
    return findings


def _too_large(proposal: Proposal, settings: DxfOptions) -> str:
    """Return size and mass, as the rest of a sentence, if the unit of the drawing is doubtful; otherwise empty."""
    bodies = [body for of_item in proposal.items.values() for body in of_item]
    if not bodies:
        return ""
    size, mass = float(_size(bodies).max()), _mass(bodies, settings)
    if size <= _LARGE and mass <= _HEAVY:
        return ""
    return f"is {_figure(size, 4)} m large and weighs {_figure(mass, 3)} kg"


def _question(proposal: Proposal, settings: DxfOptions, file: str) -> SurveyQuestion | None:
    """Return the question about the unit of a large drawing, unless the user has stated the unit."""
    too_large = _too_large(proposal, settings) if settings.unit == "auto" else ""
    if not too_large:
        return None
    bodies = [body for of_item in proposal.items.values() for body in of_item]
    size = float(_size(bodies).max()) / proposal.unit
    answers = {
        f"{name}: {format_quantity(si_from(size, 'length', name), 'length', 'm', 4)}": {"length-unit": name}
        for name in _UNITS
    }
    return SurveyQuestion(f"{file} {too_large}. What is its unit?", answers)


def _parts(proposal: Proposal, settings: DxfOptions) -> tuple[PartDefinition, ...]:
    """Return one part, or without joints a part for each item: the plates of one sheet, for instance."""
    items = [_item(name, bodies, _density(name, bodies, settings)) for name, bodies in proposal.items.items()]
    if proposal.joints or len(items) == 1:
        return (PartDefinition(proposal.name, tuple(items), proposal.joints, proposal.ports),)
    return tuple(
        PartDefinition(
            item.name,
            (item,),
            ports=tuple(
                replace(port, name=port.name.removeprefix(f"{item.name}-"))
                for port in proposal.ports
                if port.item == item.name
            ),
        )
        for item in items
    )


def _item(name: str, bodies: Sequence[SolidBody], density: float) -> Item:
    subitems = []
    for body in bodies:
        extrusion = None
        if body.contour is not None and body.plane is not None:
            extrusion = Extrusion(body.contour, body.plane, body.thickness)
        subitems += [Subitem(shape, body.look.colour, density, extrusion=extrusion) for shape in body.shapes]
    return Item(name, tuple(subitems), given_mass=_true_mass(bodies, density), visuals=_visuals(bodies))


def _visuals(bodies: Sequence[SolidBody]) -> tuple[Visual, ...]:
    """Return the surfaces of all bodies if one of them has one of its own; otherwise none, to display the subitems."""
    if all(body.visual is None for body in bodies):
        return ()
    shown = [
        (body.look, Mesh(shape.vertices, shape.face_offsets, shape.face_vertices))
        for body in bodies
        for shape in body.shapes
        if body.visual is None
    ]
    shown += [(body.look, body.visual) for body in bodies if body.visual is not None]
    return tuple(Visual(surface, look.colour) for look, surface in shown)


def _density(name: str, bodies: Sequence[SolidBody], settings: DxfOptions) -> float:
    """Return the density of an item: from the mass in the recipe, else that of the material."""
    mass = settings.recipe.mass_of(name)
    volume = sum(body.volume for body in bodies)
    return settings.density if mass is None or volume == 0 else mass / volume


def _true_mass(bodies: Sequence[SolidBody], density: float) -> MassProperties | None:
    """Return the mass of the exact solids; None if the convex pieces represent them exactly."""
    if all(body.true_moments is None for body in bodies):
        return None
    return combine(mass_properties(body.moments, density) for body in bodies)


def summary_of(proposal: Proposal, settings: DxfOptions) -> str:
    """Return a summary such as `1 plate 182 x 64 x 4 mm, 6 holes (4 x 3.2, 2 x 8), 1 slot, 0.094 kg aluminium`."""
    bodies = [entity.body for entity in proposal.entities if entity.item]
    if not bodies:
        return "nothing solid"
    plates = sum(body.content == "plate" for body in bodies)
    surfaces = sum(body.content == "surface" for body in bodies)
    counts = [(plates, "plate"), (len(bodies) - plates - surfaces, "solid"), (surfaces, "surface")]
    subject = " and ".join(counted(count, word) for count, word in counts if count)
    size = " x ".join(_figure(length * 1000, 4) for length in _size(bodies).tolist()) + " mm"
    phrases = [f"{subject} {size}" if len(bodies) == 1 else f"{subject} within {size}"]
    phrases += describe_openings(opening for body in bodies for opening in _openings(body))
    if len(proposal.items) not in (1, len(bodies)):
        phrases.append(counted(len(proposal.items), "item"))
    if proposal.joints:
        phrases.append(counted(len(proposal.joints), "joint"))
    phrases.append(f"{_figure(_mass(bodies, settings), 3)} kg {settings.material}".strip())
    return ", ".join(phrases)


def _openings(body: SolidBody) -> Sequence[Opening]:
    return body.openings or [Opening("hole", hole.diameter) for hole in body.holes]


def _mass(bodies: Sequence[SolidBody], settings: DxfOptions) -> float:
    return settings.density * sum(body.volume for body in bodies)


def _figure(value: float, digits: int) -> str:
    """Format a number to this many digits, without an exponent for large numbers."""
    return f"{value:.{digits}g}" if value < 10**digits - 0.5 else f"{value:.0f}"


def _size(bodies: Sequence[SolidBody]) -> Floats:
    """Return the size of a single plate along its axes, thickness last; of several bodies along the world axes."""
    if len(bodies) == 1 and bodies[0].plane is not None:
        corners = np.concatenate([shape.vertices for shape in bodies[0].shapes]) @ bodies[0].plane[:3, :3]
        return np.asarray(np.ptp(corners, axis=0))
    low = np.min([body.low for body in bodies], axis=0)
    return np.asarray(np.max([body.high for body in bodies], axis=0) - low)
