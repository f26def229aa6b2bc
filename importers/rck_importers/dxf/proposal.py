"""Proposal for a drawing: entities, items, joints and ports, with the findings about them."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from rck.geometry.arrays import Floats
from rck.hooks import CurveUse, Job, ProposedJoint
from rck.importing.legal_names import name_of
from rck.model import Finding, JointKind, Port, Severity
from rck.model.surface_subitems import Material
from rck_importers.dxf.axes import DrawingAxis, axes_of_outlines, axis_of_curve, major_axis
from rck_importers.dxf.blocks import content_of
from rck_importers.dxf.content import ArrowHead, Content, FaceHeap, Look, LumpShape, PlacedEntity, Refusal, TextLabel
from rck_importers.dxf.curves import DrawingCurve
from rck_importers.dxf.dimension_lines import dimension_lines
from rck_importers.dxf.document import Opened, metres_per_unit, millimetres_if_large
from rck_importers.dxf.flat_drawing import FlatDrawing, FlatSettings, flat_drawing
from rck_importers.dxf.hole_notes import hole_notes
from rck_importers.dxf.joints import Mark, proposed_joints
from rck_importers.dxf.lump_bodies import lump_bodies, lump_heaps
from rck_importers.dxf.names import UniqueNames, is_joint, is_port, joint_name, tidy
from rck_importers.dxf.options import DxfOptions
from rck_importers.dxf.outlines import Outlines, outlines_of
from rck_importers.dxf.planes import curves_by_plane, drawn_paths
from rck_importers.dxf.plates import NoPlateError, plate_of
from rck_importers.dxf.ports import port_frames
from rck_importers.dxf.regions import GROUP, PART, Region
from rck_importers.dxf.solids import RejectedSolid, SolidBody, place_of, solid_bodies
from rck_importers.dxf.thread_symbols import thread_symbols

_LARGEST_GAP = 1e-4
"""Default gap of large drawings in metres."""
_TEXTS = frozenset({"MTEXT", "TEXT"})
"""Types of text that fill title blocks; dimensions and leaders do not."""
_ONE_CURVE = "1 closed curve without thickness was"


@dataclass(frozen=True, eq=False)
class GroupedBody:
    """A named body and its item; the item is empty if the body belongs to none."""

    name: str
    body: SolidBody
    item: str
    region: str = ""
    """Region that outlines a plate; empty for other bodies."""


@dataclass(frozen=True, eq=False)
class RejectedEntity:
    """A rejected entity, with the name that the option skip accepts."""

    name: str
    refused: RejectedSolid


@dataclass(frozen=True, eq=False)
class Proposal:
    """Entities of a drawing, and the proposed items, joints and ports."""

    name: str
    entities: tuple[GroupedBody, ...]
    refused: tuple[RejectedEntity, ...]
    joints: tuple[ProposedJoint, ...]
    ports: tuple[Port, ...]
    findings: tuple[Finding, ...]
    drawing: FlatDrawing
    others: tuple[tuple[PlacedEntity, CurveUse], ...]
    """Curves that are not part of the flat drawing, with their use."""
    texts: tuple[PlacedEntity, ...]
    unit: float
    """Drawing unit in metres."""

    @property
    def items(self) -> dict[str, list[SolidBody]]:
        """Bodies of each item."""
        return _items(self.entities)


def _items(entities: Iterable[GroupedBody]) -> dict[str, list[SolidBody]]:
    items: dict[str, list[SolidBody]] = {}
    for entity in entities:
        if entity.item:
            items.setdefault(entity.item, []).append(entity.body)
    return items


Opener = Callable[[Path, float, bool, Job], Opened]
"""Function that opens a file: path, maximum size, whether a truncated file is read, and job."""


def _solid_items(entities: Iterable[GroupedBody]) -> dict[str, list[SolidBody]]:
    """Return the bodies of each item that have pieces."""
    return _items(entity for entity in entities if entity.body.shapes)


@dataclass(eq=False)
class OpenDrawing:
    """A drawing that has been opened; its content is read once for each unit."""

    path: Path
    opened: Opened
    _contents: dict[tuple[float, int], Content] = field(default_factory=dict)

    def content(self, unit: float, most_entities: int, job: Job) -> Content:
        """Return the content in metres; a drawing unit is `unit` metres."""
        key = unit, most_entities
        if key not in self._contents:
            opened = self.opened
            self._contents[key] = content_of(opened.document, opened.bulk, unit, most_entities, self.path.name, job)
        return self._contents[key]


def open_with(opener: Opener, path: Path, settings: DxfOptions, job: Job) -> OpenDrawing:
    """Open the drawing in a file with these settings."""
    return OpenDrawing(path, opener(path, settings.most_bytes, settings.skips_refused, job))


def propose(drawing: OpenDrawing, settings: DxfOptions, job: Job, *, is_draft: bool = False) -> Proposal:
    """Return the proposal for a drawing with these settings; a draft does not divide solids into convex pieces."""
    file = drawing.path.name
    unit, assumed = metres_per_unit(drawing.opened, settings.unit, file)
    content = drawing.content(unit, settings.most_entities, job)
    better, assumed = millimetres_if_large(_size_of(content.placed), unit, assumed, file)
    if better != unit:
        unit, content = better, drawing.content(better, settings.most_entities, job)
    findings = [*drawing.opened.findings, *([assumed] if assumed is not None else [])]
    if content.is_paper_space:
        message = "the model space is empty; the paper space was imported"
        findings.append(Finding(503, Severity.NOTE, file, message, "its scale may differ from that of the part"))
    proposal = _ProposalBuilder(file, name_of(drawing.path), unit, settings, job, findings, is_draft).propose(content)
    job.progress(1.0, "done")
    return proposal


@dataclass(eq=False)
class _SortedContent:
    """Entities of a drawing by purpose."""

    heaps: list[PlacedEntity] = field(default_factory=list)
    lumps: list[PlacedEntity] = field(default_factory=list)
    curves: list[PlacedEntity] = field(default_factory=list)
    annotations: list[PlacedEntity] = field(default_factory=list)
    texts: list[PlacedEntity] = field(default_factory=list)
    joints: list[PlacedEntity] = field(default_factory=list)
    ports: list[PlacedEntity] = field(default_factory=list)
    hatches: list[PlacedEntity] = field(default_factory=list)
    """Boundaries of filled areas."""
    heads: list[ArrowHead] = field(default_factory=list)
    excluded: list[PlacedEntity] = field(default_factory=list)
    """Excluded by options."""
    refused: list[RejectedSolid] = field(default_factory=list)


@dataclass(eq=False)
class _ProposalBuilder:
    """Builder of a proposal from the content of a drawing."""

    file: str
    name: str
    unit: float
    settings: DxfOptions
    job: Job
    findings: list[Finding]
    is_draft: bool

    def propose(self, content: Content) -> Proposal:
        """Build the proposal."""
        ignored = Counter(content.ignored)
        parts = self._sort(content.placed, ignored)
        gap = self._gap(content.placed)
        # Joints and ports are placed by the pieces that they touch.
        is_draft = self.is_draft and not parts.joints and not parts.ports
        material = Material(
            self.settings.density, hull=self.settings.hull, is_draft=is_draft, tolerance=self.settings.tolerance
        )
        lumps = lump_bodies(parts.lumps, material, self.settings.deviation, gap, self.job)
        solids, refused, repairs = solid_bodies(
            [*parts.heaps, *lumps.heaps], material, gap, self.job, self.settings.open_shells
        )
        solids, refused = [*lumps.bodies, *solids], [*lumps.refused, *refused]
        drawing = self._flat_drawing(parts, gap, bool(solids), ignored)
        plates, more, notes = self._plates(drawing)
        self.findings += [*repairs, *notes, *(finding for body in solids for finding in body.findings)]
        refused = [*parts.refused, *refused, *drawing.refused, *more]
        names = UniqueNames()
        bodies = [(self._unique_name(body, names), body) for body in (*solids, *(plate for _, plate in plates))]
        region_of = {id(body): region.name for region, body in plates}
        marks, bodies = self._marks(parts.joints, bodies, gap, material, names, refused)
        wanted = [(name, body) for name, body in bodies if not self.settings.skips(name)]
        entities = self._group(wanted, region_of)
        axes = {mark.entity for mark in marks if mark.entity}
        entities = [replace(one, item="") if one.name in axes else one for one in entities]
        joints = proposed_joints(marks, _solid_items(entities), gap, self.settings.recipe)
        if self.settings.keep_axes:
            base_of = {joint.entity: joint.base for joint in joints}
            entities = [replace(one, item=base_of.get(one.name, one.item)) for one in entities]
        ports, lost = port_frames(_solid_items(entities), parts.ports, self.settings.hole_ports, self.settings.recipe)
        self.findings += [self._warning(f"port {name} is on no item, or has no direction", "") for name in lost]
        self._report_ignored(ignored)
        refused_entities = tuple(RejectedEntity(names.take(_wanted_name(one.look, one.entity)), one) for one in refused)
        return Proposal(
            self.name,
            tuple(entities),
            refused_entities,
            tuple(joints),
            tuple(ports),
            tuple(self.findings),
            drawing,
            _other_curves(parts, drawing),
            tuple(parts.texts),
            self.unit,
        )

    def _warning(self, message: str, fix: str, code: int = 504) -> Finding:
        return Finding(code, Severity.WARNING, self.file, message, fix)

    def _sort(self, placed: Iterable[PlacedEntity], ignored: Counter[str]) -> _SortedContent:
        parts = _SortedContent()
        for one in placed:
            look = one.look
            if isinstance(one.shape, ArrowHead):
                ignored[f"{one.entity} without thickness"] += 1
                parts.heads.append(one.shape)
            elif not self.settings.wants_layer(look.layer) or self.settings.skips(look.block):
                ignored[f"{one.entity} on layer {look.layer}, excluded by options"] += 1
                parts.excluded.append(one)
            elif isinstance(one.shape, Refusal):
                parts.refused.append(RejectedSolid(look, one.entity, one.handle, one.shape.why, one.shape.fix))
            elif is_port(look.block) or is_port(look.layer):
                parts.ports.append(one)
            elif is_joint(look.block) or is_joint(look.layer):
                parts.joints += lump_heaps([one], self.settings.deviation)
            elif isinstance(one.shape, FaceHeap):
                parts.heaps.append(one)
            elif isinstance(one.shape, LumpShape):
                parts.lumps.append(one)
            elif isinstance(one.shape, TextLabel):
                ignored[one.entity] += 1
                parts.texts.append(one)
            elif not isinstance(one.shape, DrawingCurve):
                ignored[one.entity] += 1
            elif one.entity == "HATCH":
                parts.hatches.append(one)
            elif self.settings.is_annotation(look.layer, look.linetype):
                ignored[f"{one.entity} used as annotation"] += 1
                parts.annotations.append(one)
            else:
                parts.curves.append(one)
        self._use_hatches(parts, ignored)
        self._use_as_annotations(thread_symbols(parts.curves), "thread symbol", parts, ignored)
        self._use_as_annotations(dimension_lines(parts.curves, parts.heads), "dimension line", parts, ignored)
        return parts

    def _use_as_annotations(
        self, found: Sequence[PlacedEntity], purpose: str, parts: _SortedContent, ignored: Counter[str]
    ) -> None:
        for one in found:
            ignored[f"{one.entity} used as {purpose}"] += 1
        numbers = {id(one) for one in found}
        parts.annotations += found
        parts.curves = [one for one in parts.curves if id(one) not in numbers]

    def _use_hatches(self, parts: _SortedContent, ignored: Counter[str]) -> None:
        """Use the boundaries of hatches as outlines if the drawing has nothing else."""
        if parts.hatches and not (parts.curves or parts.heaps or parts.lumps or parts.joints):
            parts.curves = parts.hatches
            message = "the drawing has no outlines; the boundaries of its hatches are used"
            self.findings.append(Finding(503, Severity.NOTE, self.file, message))
        elif parts.hatches:
            ignored["HATCH"] += len({one.handle for one in parts.hatches})

    def _gap(self, placed: Sequence[PlacedEntity]) -> float:
        """Return the distance in metres within which ends and corners are joined."""
        if self.settings.gap is not None:
            return self.settings.gap
        size = _size_of(placed)
        return min(_LARGEST_GAP, 1e-4 * size + 1e-9) if size else _LARGEST_GAP

    def _flat_drawing(self, parts: _SortedContent, gap: float, has_solids: bool, ignored: Counter[str]) -> FlatDrawing:
        """Return the flat drawing; a drawing of solids ignores closed curves without thickness."""
        settings = FlatSettings(
            self.settings.deviation,
            gap,
            self.settings.gap is not None,
            self.settings.recognise,
            self.settings.thicknesses,
            self.settings.recipe.regions,
            self.file,
        )
        labels = np.array(
            [one.shape.point for one in parts.texts if isinstance(one.shape, TextLabel) and one.entity in _TEXTS]
        ).reshape(-1, 3)
        dimensions = sum(count for what, count in ignored.items() if "DIMENSION" in what)
        has_annotations = bool(parts.annotations) or dimensions > 0
        curves: Sequence[PlacedEntity] = parts.curves
        thick = self.settings.thicknesses
        if has_solids and thick.everywhere is None and not thick.of_layer:
            swept = [one for one in curves if isinstance(one.shape, DrawingCurve) and one.shape.sweep.any()]
            flat = [one for one in curves if one not in swept]
            drawn = flat_drawing(flat, labels, settings, has_annotations=has_annotations).regions()
            found = [(outlines, region) for outlines, region in drawn if region.role != GROUP]
            if found:
                many = f"{len(found)} closed curves without thickness were" if len(found) > 1 else _ONE_CURVE
                message = f"{many} ignored: {_layers(region for _, region in found)}"
                note = Finding(503, Severity.NOTE, self.file, message, "set thickness=4mm to import them as plates")
                self.findings.append(note)
            curves = swept
        notes = hole_notes(parts.texts, parts.annotations, self.unit) if self.settings.recognise else None
        drawing = flat_drawing(curves, labels, settings, has_annotations=has_annotations, notes=notes)
        self.findings += drawing.findings
        return drawing

    def _plates(
        self, drawing: FlatDrawing
    ) -> tuple[list[tuple[Region, SolidBody]], list[RejectedSolid], list[Finding]]:
        """Return the plates of a flat drawing with their regions, in drawing order."""
        wanted = [(outlines, region) for outlines, region in drawing.regions() if region.role == PART]
        plates: list[tuple[Region, SolidBody]] = []
        refused: list[RejectedSolid] = []
        findings: list[Finding] = []
        for outlines, region in sorted(wanted, key=lambda pair: pair[1].sources[0].order):
            try:
                body, noticed = plate_of(outlines, region, self.settings.thicknesses, self.settings.deviation, self.job)
            except NoPlateError as error:
                refused.append(error.refusal(outlines, region))
            else:
                plates.append((region, body))
                findings += noticed
        return plates, refused, findings

    def _unique_name(self, body: SolidBody, names: UniqueNames) -> str:
        return names.take(_wanted_name(body.look, body.content))

    def _marks(
        self,
        placed: Sequence[PlacedEntity],
        bodies: list[tuple[str, SolidBody]],
        gap: float,
        material: Material,
        names: UniqueNames,
        refused: list[RejectedSolid],
    ) -> tuple[list[Mark], list[tuple[str, SolidBody]]]:
        """Return the joint marks from layers, blocks and the recipe, and the bodies including those of joints."""
        marks: list[Mark] = []
        joint_names = UniqueNames()
        for name, group in _by_joint(placed).items():
            stated = joint_name(name)
            solids, broken, _ = solid_bodies(
                [one for one in group if isinstance(one.shape, FaceHeap)], material, gap, self.job
            )
            refused += broken
            found: list[tuple[DrawingAxis | None, SolidBody | None]] = [(major_axis(body), body) for body in solids]
            found = found or [(axis, None) for axis in self._drawn_axes(group, gap)]
            if not found and not broken:
                self.findings.append(
                    self._warning(f"{name} has no line, circle or solid to define an axis", "draw a line")
                )
            for axis, body in found:
                entity = names.take(tidy(name, "joint")) if body is not None else ""
                shapes = body.shapes if body is not None else ()
                marks.append(Mark(joint_names.take(stated.name or "joint1"), stated.kind, axis, entity, shapes))
                if body is not None:
                    bodies = [*bodies, (entity, body)]
        for name, answer in self.settings.recipe.joints.items():
            declared = next((body for entity, body in bodies if entity == answer.entity), None)
            if declared is not None and not any(mark.entity == answer.entity for mark in marks):
                kind = JointKind(answer.kind) if answer.kind else JointKind.REVOLUTE
                marks.append(Mark(joint_names.take(name), kind, major_axis(declared), answer.entity, declared.shapes))
        return marks, bodies

    def _drawn_axes(self, group: Sequence[PlacedEntity], gap: float) -> list[DrawingAxis]:
        """Return the axes from lines, or without lines from circles and rings, merged if collinear."""
        curves = [one for one in group if isinstance(one.shape, DrawingCurve)]
        lines = [one for one in curves if isinstance(one.shape, DrawingCurve) and not one.shape.closed]
        straight = [axis for one in lines if isinstance(one.shape, DrawingCurve) and (axis := axis_of_curve(one.shape))]
        if straight:
            return straight
        return _merge_collinear([axis for one in self._outlines(curves, gap) for axis in axes_of_outlines(one)], gap)

    def _outlines(self, curves: Sequence[PlacedEntity], gap: float) -> list[Outlines]:
        planes = curves_by_plane(drawn_paths(curves, self.settings.deviation), 2 * gap).planes
        return [outlines_of(plane, gap, self.settings.deviation, chosen_gap=True) for plane in planes]

    def _group(self, bodies: Sequence[tuple[str, SolidBody]], region_of: Mapping[int, str]) -> list[GroupedBody]:
        """Assign the bodies to items by recipe, else by layer, block, colour or body.

        `region_of` has the region of each plate, by the id of its body.
        """
        group = self.settings.group
        solids = [body for _, body in bodies if body.content == "solid"]
        if group == "auto":
            layers = {body.look.layer for body in solids}
            blocks = {body.look.block for body in solids}
            group = "block" if len(layers) == 1 and len(blocks) > 1 else "layer"
        entities = []
        for name, body in bodies:
            item = self.settings.recipe.item_of(name, region_of.get(id(body), ""))
            if item is None:
                alone = group == "body" or (self.settings.group == "auto" and body.content == "plate")
                item = name if alone else _group_name(group, body)
            region = region_of.get(id(body), "")
            entities.append(GroupedBody(name, body, tidy(item, "item") if item else "", region))
        wanted = {entity.item for entity in entities if entity.item}
        plain = {"plate", "solid"}
        if len(wanted) == 1 and wanted <= plain and not self.settings.recipe.items:
            entities = [replace(entity, item=self.name if entity.item else "") for entity in entities]
        return entities

    def _report_ignored(self, ignored: Counter[str]) -> None:
        if ignored:
            listed = ", ".join(f"{count} {what}" for what, count in sorted(ignored.items(), key=lambda pair: -pair[1]))
            self.findings.append(Finding(503, Severity.NOTE, self.file, f"ignored: {listed}"))


def _other_curves(parts: _SortedContent, drawing: FlatDrawing) -> tuple[tuple[PlacedEntity, CurveUse], ...]:
    """Return the curves that the flat drawing does not use."""
    used = {id(one) for one in drawing.curves}
    uses: tuple[tuple[CurveUse, Sequence[PlacedEntity]], ...] = (
        ("stray", [one for one in parts.curves if id(one) not in used]),
        ("annotation", parts.annotations),
        ("joint", parts.joints),
        ("port", parts.ports),
        ("excluded", parts.excluded),
    )
    return tuple((one, use) for use, some in uses for one in some if isinstance(one.shape, DrawingCurve))


def _wanted_name(look: Look, content: str) -> str:
    """Return the wanted name of an entity: its block, else its layer, else its type."""
    name = look.block or (look.layer if look.layer != "0" else content)
    return tidy(name, "piece")


def _group_name(group: str, body: SolidBody) -> str:
    look = body.look
    if group == "colour":
        return "colour-" + "".join(f"{round(255 * channel):02x}" for channel in look.colour[:3])
    if group == "block" and look.block:
        return look.block
    return look.layer if look.layer != "0" else body.content


def _by_joint(placed: Iterable[PlacedEntity]) -> dict[str, list[PlacedEntity]]:
    groups: dict[str, list[PlacedEntity]] = {}
    for one in placed:
        groups.setdefault(one.look.block if is_joint(one.look.block) else one.look.layer, []).append(one)
    return groups


def _merge_collinear(axes: Sequence[DrawingAxis], gap: float) -> list[DrawingAxis]:
    """Merge collinear axes into one that spans them."""
    merged: list[list[DrawingAxis]] = []
    for axis in axes:
        for group in merged:
            first = group[0]
            direction = (first.end - first.start) / first.length
            offsets = np.array([axis.start, axis.end]) - first.start
            away = offsets - (offsets @ direction)[:, None] * direction
            if np.abs(away).max() <= 10 * gap:
                group.append(axis)
                break
        else:
            merged.append([axis])
    joined = []
    for group in merged:
        first = group[0]
        direction = (first.end - first.start) / first.length
        heights = [float((point - first.start) @ direction) for axis in group for point in (axis.start, axis.end)]
        joined.append(DrawingAxis(first.start + direction * min(heights), first.start + direction * max(heights)))
    return joined


def _extremes(placed: PlacedEntity) -> list[Floats]:
    shape = placed.shape
    if isinstance(shape, FaceHeap):
        return [shape.mesh.vertices.min(axis=0), shape.mesh.vertices.max(axis=0)]
    if isinstance(shape, LumpShape):
        return [*shape.corners]
    if isinstance(shape, DrawingCurve):
        points, _ = shape.divided(np.inf)
        return [points.min(axis=0), points.max(axis=0)]
    return []


def _size_of(placed: Sequence[PlacedEntity]) -> float:
    """Return the longest side of the bounding box of the shapes in metres; 0 without shapes."""
    corners = [corner for one in placed for corner in _extremes(one)]
    return float(np.ptp(np.array(corners), axis=0).max()) if corners else 0.0


def _layers(regions: Iterable[Region]) -> str:
    return ", ".join(sorted({place_of(region.sources[0].look) for region in regions}))
