"""The flat content of a drawing for its survey: curves, texts and regions as drawn."""

import re
from collections import Counter
from collections.abc import Iterator

import numpy as np

from rck.geometry.arrays import Floats, as_point, frozen
from rck.hooks import REGION_ROLES, CurveUse, Drawing, DrawnCurve, DrawnRegion, DrawnText
from rck.hooks.drawing import Stroke
from rck_importers.dxf.content import Look, PlacedEntity, TextLabel
from rck_importers.dxf.curves import DrawingCurve
from rck_importers.dxf.outlines import Outlines
from rck_importers.dxf.proposal import Proposal
from rck_importers.dxf.regions import Region

_STROKES: tuple[tuple[Stroke, str], ...] = (
    ("centre", r"CENTER|CENTRE|MITTE|AXES?|ACHS|DASH_?DOT|DASHD|PHANTOM|DIVIDE|BORDER|ISO(04|05|08|09|1\d)"),
    ("dotted", r"DOT"),
    ("dashed", r"HIDDEN|DASH|STRICH|TRAIT|VERDECKT|ISO"),
)
"""Patterns of line types by words in their names."""
_SHAPES = {"hole": "round", "slot": "slot"}


def drawing_of(proposal: Proposal, deviation: float) -> Drawing | None:
    """Return the flat content of a drawing; None without any."""
    curves = tuple(_curves(proposal, deviation))
    if not curves:
        return None
    flat = proposal.drawing.planes
    matrices = {id(outlines.plane.world_from_plane): outlines.plane.world_from_plane for outlines, _ in flat}
    # The plane with most regions is shown first.
    counts = Counter(id(outlines.plane.world_from_plane) for outlines, roots in flat for _ in roots)
    order = sorted(matrices, key=lambda key: -counts[key])
    regions = tuple(
        region
        for outlines, roots in flat
        for root in sorted(roots, key=_drawing_order)
        for region in _regions(outlines, root, "", order.index(id(outlines.plane.world_from_plane)))
    )
    texts = tuple(_text(one, one.shape) for one in proposal.texts if isinstance(one.shape, TextLabel))
    planes = tuple(frozen(matrices[key].copy()) for key in order) or (frozen(np.eye(4)),)
    return Drawing(curves, regions, texts, planes, REGION_ROLES)


def _drawing_order(region: Region) -> int:
    return min((path.order for path in region.sources), default=0)


def _curves(proposal: Proposal, deviation: float) -> Iterator[DrawnCurve]:
    drawing = proposal.drawing
    unused = set(range(len(drawing.curves)))
    for outlines, _ in drawing.planes:
        strays = {number for outline in outlines.unclosed for number in outline.sources} | set(outlines.stray)
        for number, path in enumerate(outlines.plane.paths):
            use: CurveUse = "outline"
            if number in strays:
                use = "stray"
            elif number in outlines.dividing:
                use = "annotation"
            unused.discard(path.order)
            yield _curve(path.points, path.look, use)
    for number in sorted(unused):
        yield from _divided(drawing.curves[number], "stray", deviation)
    for entity, use in proposal.others:
        yield from _divided(entity, use, deviation)


def _divided(entity: PlacedEntity, use: CurveUse, deviation: float) -> Iterator[DrawnCurve]:
    curve = entity.shape
    assert isinstance(curve, DrawingCurve)
    points, _ = curve.divided(deviation)
    if curve.closed:
        points = np.concatenate([points, points[:1]])
    yield _curve(points, entity.look, use)


def _curve(points: Floats, look: Look, use: CurveUse) -> DrawnCurve:
    return DrawnCurve(frozen(points), look.layer, look.colour, stroke_of(look.linetype), use)


def stroke_of(linetype: str) -> Stroke:
    """Return the pattern of a line type, by its name."""
    return next((stroke for stroke, words in _STROKES if re.search(words, linetype)), "solid")


def _text(entity: PlacedEntity, label: TextLabel) -> DrawnText:
    return DrawnText(label.text, as_point(label.point), label.height, entity.look.layer, entity.look.colour)


def _regions(outlines: Outlines, region: Region, parent: str, plane: int) -> Iterator[DrawnRegion]:
    opening = region.opening
    width, height = region.size.tolist()
    size = (opening.length or opening.width, opening.width) if opening.width else (width, height)
    layer = region.sources[0].look.layer if region.sources else ""
    points = frozen(outlines.in_space(region.points))
    shape = _SHAPES.get(opening.shape, "")
    yield DrawnRegion(region.name, region.role, points, region.why, parent, shape, size, layer, plane)
    for child in sorted(region.children, key=_drawing_order):
        yield from _regions(outlines, child, region.name, plane)
