"""Steps round holes: counterbores and countersinks, distinguished by layers, notes and hidden circles."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import pi

import numpy as np

from rck.geometry.arrays import Floats, lengths
from rck_importers.dxf.content import PlacedEntity, TextLabel
from rck_importers.dxf.curves import CircularRun, DrawingCurve
from rck_importers.dxf.outlines import Outlines
from rck_importers.dxf.regions import COUNTERBORE, HOLE, Region

_COUNTERSINK = re.compile(
    r"\bcsk|\bc'?sink|\bc-sink|countersink|countersunk|\bsenk|kegelsenk|fraisur|avellan|⌵"
    r"|[x×]\s*(60|75|82|90|100|120)\s*(°|%%d|deg)",
    re.IGNORECASE,
)
_COUNTERBORE = re.compile(r"\bc'?bore|\bc-bore|counterbor|spot ?face|flachsenk|lamage|⌴", re.IGNORECASE)
_SINK_LAYER = re.compile(r"CSK|C-?SINK|COUNTERS|SENK(?!.*FLACH)", re.IGNORECASE)
_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
_SAME = 0.02
"""Maximum difference between a diameter and the number of a note, relative to the diameter."""
_NEAR = 6.0
"""Maximum distance from a hole of a note without a diameter, in diameters of the step."""
_LARGEST_STEP = 4.0
"""Maximum diameter of a hidden circle that is a step, relative to its hole."""


@dataclass(frozen=True, eq=False)
class HoleNotes:
    """Notes and hidden circles of a drawing that describe its holes."""

    texts: tuple[TextLabel, ...]
    hidden: tuple[tuple[Floats, float], ...]
    """Centre, shape (3,), and diameter of each circle of hidden lines, in metres."""
    unit: float
    """Drawing unit in metres: that of the numbers in notes."""


def hole_notes(texts: Iterable[PlacedEntity], hidden: Iterable[PlacedEntity], unit: float) -> HoleNotes:
    """Return the notes among the texts, and the circles among the hidden curves."""
    labels = [one.shape for one in texts if isinstance(one.shape, TextLabel)]
    notes = [one for one in labels if _COUNTERSINK.search(one.text) or _COUNTERBORE.search(one.text)]
    circles = [circle for one in hidden if (circle := _whole_circle(one)) is not None]
    return HoleNotes(tuple(notes), tuple(circles), unit)


def _whole_circle(one: PlacedEntity) -> tuple[Floats, float] | None:
    curve = one.shape
    if not (isinstance(curve, DrawingCurve) and len(curve.runs) == 1 and isinstance(curve.runs[0], CircularRun)):
        return None
    run = curve.runs[0]
    radius, other = lengths(np.array([run.x, run.y])).tolist()
    whole = abs(abs(run.end - run.start) - 2 * pi) < 1e-6 and abs(radius - other) < 1e-6 * radius
    return (run.centre, 2 * radius) if whole else None


def classify_steps(outlines: Outlines, roots: Sequence[Region], notes: HoleNotes) -> None:
    """Mark the countersinks among the steps, and the holes with a step of hidden lines on the other side."""
    regions = [region for root in roots for region in root.descendants()]
    steps = [region for region in regions if region.role == COUNTERBORE]
    for region in regions:
        if region.role == HOLE and region.opening.shape == "hole" and notes.hidden:
            region.hidden_step = _hidden_step(outlines, region, notes)
    stepped = [(region, region.opening.width, _bore(region)) for region in steps]
    stepped += [(region, region.hidden_step, region.opening.width) for region in regions if region.hidden_step]
    kinds = {(round(width, 6), round(bore, 6)) for _, width, bore in stepped}
    for region, width, bore in stepped:
        if any(_SINK_LAYER.search(path.look.layer) for path in region.sources):
            region.is_countersink, region.why = True, "its layer names a countersink"
            continue
        note = _note_for(outlines, region, (width, bore), notes, alone=len(kinds) == 1)
        if note is not None:
            region.is_countersink = _COUNTERSINK.search(note.text) is not None
            region.why = f"a note says `{' '.join(note.text.split())[:40]}`"


def _bore(step: Region) -> float:
    """Return the diameter of the innermost hole of a step."""
    inner = [region.opening.width for region in step.descendants() if region.role == HOLE]
    return min(inner, default=0.0)


def _hidden_step(outlines: Outlines, hole: Region, notes: HoleNotes) -> float:
    """Return the diameter of the hidden circle round a hole; 0 without one."""
    width = hole.opening.width
    centre = outlines.in_space(((hole.points.min(axis=0) + hole.points.max(axis=0)) / 2)[None])[0]
    found = [
        diameter
        for middle, diameter in notes.hidden
        if 1.05 * width < diameter <= _LARGEST_STEP * width and lengths((middle - centre)[None])[0] <= _SAME * width
    ]
    return max(found, default=0.0)


def _note_for(
    outlines: Outlines, region: Region, diameters: tuple[float, float], notes: HoleNotes, *, alone: bool
) -> TextLabel | None:
    """Return the note about a step: one that states its diameter, else the only one or the nearest without any."""
    centre = outlines.in_space(region.points.mean(axis=0)[None])[0]
    found = []
    for note in notes.texts:
        numbers = [float(word.replace(",", ".")) * notes.unit for word in _NUMBER.findall(note.text)]
        states = any(abs(number - one) <= _SAME * one for one in diameters if one for number in numbers)
        away = float(lengths((note.point - centre)[None])[0])
        if states or alone or away <= _NEAR * max(diameters):
            found.append((not states, away, note))
    return min(found, key=lambda one: one[:2])[2] if found else None
