"""Conversion of the collision and visual geometry of a link to an item."""

from collections.abc import Sequence

from rck.geometry.mesh import transformed
from rck.geometry.polyhedron import move_polyhedron
from rck.importing.import_report import Report
from rck.importing.link_shapes import PlacedShape
from rck.model import GREY, Item, Subitem, Visual
from rck.support.units import counted


def item_of(
    collision: Sequence[PlacedShape],
    visual: Sequence[PlacedShape],
    shapes: str,
    visuals: bool,
    where: str,
    report: Report,
) -> Item:
    """Return an item without name and mass: subitems for collision, and visuals if they differ from the subitems.

    `shapes` selects the collision geometry: `collision`, `visual`, or `either`: the visual geometry if there is no
    collision geometry.
    """
    touches, looks = list(collision), list(visual)
    if shapes == "visual" or (shapes == "either" and not touches and looks):
        if shapes == "either":
            message = "a link has no collision geometry; its visual geometry was used"
            report.note(504, where, message, "choose with the option shapes", kind="no collision geometry")
        touches = looks
    looks = looks or touches
    colour_of = {placed.key: placed.colour for placed in looks if placed.colour is not None}
    fallback = next(iter(colour_of.values()), GREY)
    subitems: list[Subitem] = []
    for placed in touches:
        _report_pieces(placed, where, report)
        colour = colour_of.get(placed.key) or placed.colour or _own_colour(placed) or fallback
        subitems += [
            Subitem(
                move_polyhedron(piece, placed.pose),
                colour,
                name=placed.name,
                primitive=placed.primitive,
                friction=placed.friction,
                contact_groups=placed.groups,
                extensions=placed.extensions,
            )
            for piece in placed.shape.pieces.shapes
        ]
    if not visuals or _have_equal_shapes(touches, looks):
        return Item("", tuple(subitems))
    return Item("", tuple(subitems), visuals=tuple(one for placed in looks for one in _visuals(placed)))


def _have_equal_shapes(touches: Sequence[PlacedShape], looks: Sequence[PlacedShape]) -> bool:
    """Return True if the subitems show everything that the visuals would, and no data of a visual would be lost."""
    known = [placed.extensions for placed in touches]
    if any(placed.extensions not in known for placed in looks):
        return False
    exact = all(placed.shape.pieces.exact for placed in touches)
    plain = all(placed.texture_of(surface) is None for placed in looks for surface in placed.shape.surfaces)
    if any(len({surface.colour for surface in placed.shape.surfaces}) > 1 for placed in looks):
        return False
    return exact and plain and {placed.key for placed in touches} == {placed.key for placed in looks}


def _own_colour(placed: PlacedShape) -> tuple[float, float, float, float] | None:
    return next((surface.colour for surface in placed.shape.surfaces if surface.colour is not None), None)


def _visuals(placed: PlacedShape) -> list[Visual]:
    return [
        Visual(
            transformed(surface.mesh, placed.pose),
            placed.colour or surface.colour or GREY,
            placed.name,
            placed.primitive,
            texture,
            surface.texture_points if texture is not None and placed.maps_texture else None,
            placed.roughness if surface.roughness is None else surface.roughness,
            placed.metallic if surface.metallic is None else surface.metallic,
            surface.material or placed.material,
            extensions=placed.extensions,
        )
        for surface, texture in ((one, placed.texture_of(one)) for one in placed.shape.surfaces)
    ]


def _report_pieces(placed: PlacedShape, where: str, report: Report) -> None:
    pieces = placed.shape.pieces
    label = placed.name or str(placed.shape.key[0]).rpartition("/")[2]
    for reason in pieces.refused:
        fix = "use its hull or bounding box with the option convex"
        report.warn(503, where, f"{label}: {reason}; ignored for collision", fix, kind="no solid")
    for repair in pieces.repairs:
        report.note(502, where, f"{label}: {repair}", kind="repaired")
    if pieces.shapes and not pieces.exact:
        how = counted(len(pieces.shapes), "convex piece")
        change = "" if pieces.excess is None else f"; volume {pieces.excess:+.1%}"
        report.note(310, where, f"{label} was converted to {how}{change}", kind="convex")
