"""From a drawing to a proposal: pieces, items, joints and ports, with everything that there is to say about them."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from rck.geometry.arrays import Floats
from rck.hooks import Job, PortFrame, ProposedJoint
from rck.importing.names import name_of
from rck.model import Finding, JointKind, Severity
from rck.model.surface import Material
from rck_dxf.axes import Axis, axis_of_curve, axis_of_ring, major_axis
from rck_dxf.blocks import content_of
from rck_dxf.bodies import Body, Refused, place_of, solid_bodies
from rck_dxf.chains import OpenChain, Ring, rings_of
from rck_dxf.content import Content, FaceHeap, Look, Placed, Refusal
from rck_dxf.curves import Curve
from rck_dxf.document import metres_per_unit, open_drawing
from rck_dxf.joints import Mark, proposed_joints
from rck_dxf.names import UniqueNames, is_joint, is_port, joint_name, tidy
from rck_dxf.plates import plates_of
from rck_dxf.ports import port_frames
from rck_dxf.settings import Settings

_LARGEST_GAP = 1e-4
"""Metres; the default gap of large drawings."""
_ONE_CURVE = "1 closed curve without thickness was"
_ALMOST_CLOSED = 0.05
"""A chain whose gap is less than this share of its length was meant to close."""


@dataclass(frozen=True, eq=False)
class Piece:
    """A body with its name, and the item that it goes into; an empty item for none."""

    name: str
    body: Body
    item: str


@dataclass(frozen=True, eq=False)
class RefusedPiece:
    """What cannot be used, with a name to leave it out by."""

    name: str
    refused: Refused


@dataclass(frozen=True, eq=False)
class Proposal:
    """What a drawing holds, and what would become of it."""

    name: str
    pieces: tuple[Piece, ...]
    refused: tuple[RefusedPiece, ...]
    joints: tuple[ProposedJoint, ...]
    ports: tuple[PortFrame, ...]
    findings: tuple[Finding, ...]

    @property
    def items(self) -> dict[str, list[Body]]:
        """The bodies of each item."""
        return _items(self.pieces)


def _items(pieces: Iterable[Piece]) -> dict[str, list[Body]]:
    items: dict[str, list[Body]] = {}
    for piece in pieces:
        if piece.item:
            items.setdefault(piece.item, []).append(piece.body)
    return items


def propose(path: Path, settings: Settings, job: Job) -> Proposal:
    """What the drawing in a file would become with these settings."""
    opened = open_drawing(path, settings.most_bytes, settings.skips_refused, job)
    unit, assumed = metres_per_unit(opened.document, settings.unit, path.name)
    content = content_of(opened.document, opened.bulk, unit, settings.most_entities, path.name, job)
    work = _Work(path.name, name_of(path), settings, job, list(opened.findings))
    if assumed is not None:
        work.findings.append(assumed)
    proposal = work.propose(content)
    job.progress(1.0, "done")
    return proposal


@dataclass(eq=False)
class _Sorted:
    """The content of a drawing by what it is for."""

    heaps: list[Placed] = field(default_factory=list)
    curves: list[Placed] = field(default_factory=list)
    joints: list[Placed] = field(default_factory=list)
    ports: list[Placed] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)


@dataclass(eq=False)
class _Work:
    """The way from content to a proposal."""

    file: str
    name: str
    settings: Settings
    job: Job
    findings: list[Finding]

    def propose(self, content: Content) -> Proposal:
        """Everything, in order."""
        left_out = Counter(content.left_out)
        parts = self._sorted(content.placed, left_out)
        gap = self._gap(content.placed)
        material = Material(self.settings.density, hull=self.settings.hull, tolerance=self.settings.tolerance)
        solids, refused, repairs = solid_bodies(parts.heaps, material, gap, self.job)
        plates, more, noticed = self._plates(parts.curves, gap, bool(solids))
        self.findings += [*repairs, *noticed, *(finding for body in solids for finding in body.findings)]
        refused = [*parts.refused, *refused, *more]
        names = UniqueNames()
        bodies = [(self._piece_name(body, names), body) for body in (*solids, *plates)]
        marks, bodies = self._marks(parts.joints, bodies, gap, material, names, refused)
        pieces = self._grouped([(name, body) for name, body in bodies if not self.settings.skips(name)])
        axes = {mark.piece for mark in marks if mark.piece}
        pieces = [Piece(one.name, one.body, "" if one.name in axes else one.item) for one in pieces]
        joints = proposed_joints(marks, _items(pieces), gap, self.settings.recipe)
        if self.settings.keep_axes:
            base_of = {joint.piece: joint.base for joint in joints}
            pieces = [Piece(one.name, one.body, base_of.get(one.name, one.item)) for one in pieces]
        ports, lost = port_frames(_items(pieces), parts.ports, self.settings.hole_ports, self.settings.recipe)
        self.findings += [self._warning(f"port {name} is on no item, or has no direction", "") for name in lost]
        self._tell_left_out(left_out)
        refused_pieces = tuple(RefusedPiece(names.take(_wish(one.look, one.entity)), one) for one in refused)
        return Proposal(self.name, tuple(pieces), refused_pieces, tuple(joints), tuple(ports), tuple(self.findings))

    def _warning(self, message: str, fix: str, code: int = 504) -> Finding:
        return Finding(code, Severity.WARNING, self.file, message, fix)

    def _sorted(self, placed: Iterable[Placed], left_out: Counter[str]) -> _Sorted:
        parts = _Sorted()
        for one in placed:
            look = one.look
            if not self.settings.wants_layer(look.layer) or self.settings.skips(look.block):
                left_out[f"{one.entity} on layer {look.layer}, as you said"] += 1
            elif isinstance(one.shape, Refusal):
                parts.refused.append(Refused(look, one.entity, one.handle, one.shape.why, one.shape.fix))
            elif is_port(look.block) or is_port(look.layer):
                parts.ports.append(one)
            elif is_joint(look.block) or is_joint(look.layer):
                parts.joints.append(one)
            elif isinstance(one.shape, FaceHeap):
                parts.heaps.append(one)
            elif not isinstance(one.shape, Curve):
                left_out[one.entity] += 1
            elif self.settings.is_aid(look.layer, look.linetype):
                left_out[f"{one.entity} that only helps to read the drawing"] += 1
            else:
                parts.curves.append(one)
        return parts

    def _gap(self, placed: Sequence[Placed]) -> float:
        """How near ends and corners must be to meet."""
        if self.settings.gap is not None:
            return self.settings.gap
        corners = [corner for one in placed for corner in _extremes(one)]
        if not corners:
            return _LARGEST_GAP
        return min(_LARGEST_GAP, 1e-4 * float(np.ptp(np.array(corners), axis=0).max()) + 1e-9)

    def _plates(
        self, curves: Sequence[Placed], gap: float, has_solids: bool
    ) -> tuple[list[Body], list[Refused], list[Finding]]:
        """The plates that curves outline; in a drawing of solids, curves without a thickness are only lines."""
        rings, loose = rings_of(curves, self.settings.deviation, gap)
        thick = self.settings.thicknesses
        if has_solids and thick.everywhere is None and not thick.of_layer:
            flat = [ring for ring in rings if not ring.sweep.any()]
            rings = [ring for ring in rings if ring.sweep.any()]
            if flat:
                many = f"{len(flat)} closed curves without thickness were" if len(flat) > 1 else _ONE_CURVE
                message = f"{many} left out: {_layers(flat)}"
                note = Finding(503, Severity.NOTE, self.file, message, "give thickness=4mm to make plates of them")
                self.findings.append(note)
            if not rings:
                return [], [], []
        refused = self._open_chains(loose, rings, gap)
        bodies, more, noticed = plates_of(rings, thick, gap, self.job)
        return bodies, [*refused, *more], noticed

    def _open_chains(self, loose: Sequence[OpenChain], rings: Sequence[Ring], gap: float) -> list[Refused]:
        """Chains that were meant to close are refused; other loose curves are told."""
        refused = []
        stray: list[OpenChain] = []
        for chain in loose:
            low, high = chain.points.min(axis=0) - gap, chain.points.max(axis=0) + gap
            goes_round = any((ring.points >= low).all() and (ring.points <= high).all() for ring in rings)
            meant = chain.gap < _ALMOST_CLOSED * chain.length
            if len(chain.ends) and (meant or (goes_round and len(chain.paths) > 2)):
                refused.append(_unclosed(chain))
            else:
                stray.append(chain)
        if stray:
            count = sum(len(chain.paths) for chain in stray)
            place = "({:.6g}, {:.6g}, {:.6g}) mm".format(*stray[0].points[0] * 1000)
            many = f"{count} curves that close nothing were left out; the first is"
            message = f"{many if count > 1 else '1 curve that closes nothing was left out; it is'} at {place}"
            self.findings.append(self._warning(message, "look whether an outline has a gap", 503))
        return refused

    def _piece_name(self, body: Body, names: UniqueNames) -> str:
        return names.take(_wish(body.look, body.content))

    def _marks(
        self,
        placed: Sequence[Placed],
        bodies: list[tuple[str, Body]],
        gap: float,
        material: Material,
        names: UniqueNames,
        refused: list[Refused],
    ) -> tuple[list[Mark], list[tuple[str, Body]]]:
        """What means a joint: what lies on such layers or in such blocks, and pieces that the recipe declares ones."""
        marks: list[Mark] = []
        joint_names = UniqueNames()
        for name, group in _by_joint(placed).items():
            said = joint_name(name)
            solids, broken, _ = solid_bodies(
                [one for one in group if isinstance(one.shape, FaceHeap)], material, gap, self.job
            )
            refused += broken
            found: list[tuple[Axis | None, Body | None]] = [(major_axis(body), body) for body in solids]
            found = found or [(axis, None) for axis in self._drawn_axes(group, gap)]
            if not found and not broken:
                self.findings.append(
                    self._warning(f"{name} holds no line, circle or solid to be an axis", "draw a line")
                )
            for axis, body in found:
                piece = names.take(tidy(name, "joint")) if body is not None else ""
                shapes = body.shapes if body is not None else ()
                marks.append(Mark(joint_names.take(said.name or "joint1"), said.kind, axis, piece, shapes))
                if body is not None:
                    bodies = [*bodies, (piece, body)]
        for name, answer in self.settings.recipe.joints.items():
            declared = next((body for piece, body in bodies if piece == answer.piece), None)
            if declared is not None and not any(mark.piece == answer.piece for mark in marks):
                kind = JointKind(answer.kind) if answer.kind else JointKind.REVOLUTE
                marks.append(Mark(joint_names.take(name), kind, major_axis(declared), answer.piece, declared.shapes))
        return marks, bodies

    def _drawn_axes(self, group: Sequence[Placed], gap: float) -> list[Axis]:
        """The axes that lines give; without lines, those of circles and rings, one for each line that they share."""
        curves = [one for one in group if isinstance(one.shape, Curve)]
        lines = [one for one in curves if isinstance(one.shape, Curve) and not one.shape.closed]
        straight = [axis for one in lines if isinstance(one.shape, Curve) and (axis := axis_of_curve(one.shape))]
        if straight:
            return straight
        rings, _ = rings_of(curves, self.settings.deviation, gap)
        return _shared([axis_of_ring(ring) for ring in rings], gap)

    def _grouped(self, bodies: Sequence[tuple[str, Body]]) -> list[Piece]:
        """The pieces with their items: what the recipe says, else by layer, block, colour or body."""
        group = self.settings.group
        solids = [body for _, body in bodies if body.content == "solid"]
        if group == "auto":
            layers = {body.look.layer for body in solids}
            blocks = {body.look.block for body in solids}
            group = "block" if len(layers) == 1 and len(blocks) > 1 else "layer"
        pieces = []
        for name, body in bodies:
            item = self.settings.recipe.item_of(name)
            if item is None:
                alone = group == "body" or (self.settings.group == "auto" and body.content == "plate")
                item = name if alone else _group_name(group, body)
            pieces.append(Piece(name, body, tidy(item, "item") if item else ""))
        wanted = {piece.item for piece in pieces if piece.item}
        plain = {"plate", "solid"}
        if len(wanted) == 1 and wanted <= plain and not self.settings.recipe.items:
            pieces = [Piece(piece.name, piece.body, self.name if piece.item else "") for piece in pieces]
        return pieces

    def _tell_left_out(self, left_out: Counter[str]) -> None:
        if left_out:
            told = ", ".join(f"{count} {what}" for what, count in sorted(left_out.items(), key=lambda pair: -pair[1]))
            self.findings.append(Finding(503, Severity.NOTE, self.file, f"not solid, left out: {told}"))


def _wish(look: Look, content: str) -> str:
    """What a piece is called: after its block, else its layer, else what it is."""
    name = look.block or (look.layer if look.layer != "0" else content)
    return tidy(name, "piece")


def _group_name(group: str, body: Body) -> str:
    look = body.look
    if group == "colour":
        return "colour-" + "".join(f"{round(255 * channel):02x}" for channel in look.colour[:3])
    if group == "block" and look.block:
        return look.block
    return look.layer if look.layer != "0" else body.content


def _by_joint(placed: Iterable[Placed]) -> dict[str, list[Placed]]:
    groups: dict[str, list[Placed]] = {}
    for one in placed:
        groups.setdefault(one.look.block if is_joint(one.look.block) else one.look.layer, []).append(one)
    return groups


def _shared(axes: Sequence[Axis], gap: float) -> list[Axis]:
    """Axes on one line become one, from end to end."""
    merged: list[list[Axis]] = []
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
        joined.append(Axis(first.start + direction * min(heights), first.start + direction * max(heights)))
    return joined


def _extremes(placed: Placed) -> list[Floats]:
    shape = placed.shape
    if isinstance(shape, FaceHeap):
        return [shape.mesh.vertices.min(axis=0), shape.mesh.vertices.max(axis=0)]
    if isinstance(shape, Curve):
        points, _ = shape.divided(np.inf)
        return [points.min(axis=0), points.max(axis=0)]
    return []


def _layers(rings: Sequence[Ring]) -> str:
    return ", ".join(sorted({place_of(ring.look) for ring in rings}))


def _unclosed(chain: OpenChain) -> Refused:
    (ax, ay, az), (bx, by, bz) = chain.ends * 1000
    first = chain.paths[0]
    where = f"({ax:.6g}, {ay:.6g}, {az:.6g}) and ({bx:.6g}, {by:.6g}, {bz:.6g}) mm"
    why = f"an outline of {len(chain.paths)} curves has a gap of {chain.gap * 1000:.4g} mm between {where}"
    fix = f"close it in the drawing, or give gap={chain.gap * 1010:.3g}mm"
    return Refused(first.look, first.entity, "", why, fix, points=chain.points)
