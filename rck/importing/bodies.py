"""What a link touches and looks like, as an item."""

from collections.abc import Sequence

from rck.geometry.mesh import transformed
from rck.geometry.polyhedron import move_polyhedron
from rck.importing.report import Report
from rck.importing.shapes import Placed
from rck.model import GREY, Item, Subitem, Visual
from rck.model.units import counted


def item_of(
    collision: Sequence[Placed], visual: Sequence[Placed], shapes: str, visuals: bool, where: str, report: Report
) -> Item:
    """An item, still without name and mass: subitems from what touches, visuals where the looks differ from it.

    `shapes` says which geometry touches: `collision`, `visual` or, where a link has only one of them, `either`.
    """
    touches, looks = list(collision), list(visual)
    if shapes == "visual" or (shapes == "either" and not touches and looks):
        if shapes == "either":
            message = "a link has no collision geometry; its visual geometry was taken"
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
            Subitem(move_polyhedron(piece, placed.pose), colour, name=placed.name)
            for piece in placed.shape.pieces.shapes
        ]
    if not visuals or _looks_as_it_touches(touches, looks):
        return Item("", tuple(subitems))
    return Item("", tuple(subitems), visuals=tuple(one for placed in looks for one in _visuals(placed)))


def _looks_as_it_touches(touches: Sequence[Placed], looks: Sequence[Placed]) -> bool:
    exact = all(placed.shape.pieces.exact for placed in touches)
    return exact and {placed.key for placed in touches} == {placed.key for placed in looks}


def _own_colour(placed: Placed) -> tuple[float, float, float, float] | None:
    return next((surface.colour for surface in placed.shape.surfaces if surface.colour is not None), None)


def _visuals(placed: Placed) -> list[Visual]:
    return [
        Visual(transformed(surface.mesh, placed.pose), placed.colour or surface.colour or GREY, placed.name)
        for surface in placed.shape.surfaces
    ]


def _report_pieces(placed: Placed, where: str, report: Report) -> None:
    pieces = placed.shape.pieces
    label = placed.name or str(placed.shape.key[0]).rpartition("/")[2]
    for reason in pieces.refused:
        fix = "take its hull or its box with the option convex"
        report.warn(503, where, f"{label}: {reason}; left out of the collision geometry", fix, kind="no solid")
    for repair in pieces.repairs:
        report.note(502, where, f"{label}: {repair}", kind="mended")
    if pieces.shapes and not pieces.exact:
        how = counted(len(pieces.shapes), "convex piece")
        change = "" if pieces.excess is None else f"; volume {pieces.excess:+.1%}"
        report.note(310, where, f"{label} became {how}{change}", kind="convex")
