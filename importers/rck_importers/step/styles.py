"""Colours of solids, faces and instances."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from rck_importers.step.part21 import Exchange, Record, Ref, StepError

Rgba = tuple[float, float, float, float]

_STYLED = ("STYLED_ITEM", "OVER_RIDING_STYLED_ITEM", "CONTEXT_DEPENDENT_OVER_RIDING_STYLED_ITEM")
_NAMED: dict[str, tuple[float, float, float]] = {
    "red": (1, 0, 0),
    "green": (0, 1, 0),
    "blue": (0, 0, 1),
    "yellow": (1, 1, 0),
    "magenta": (1, 0, 1),
    "cyan": (0, 1, 1),
    "black": (0, 0, 0),
    "white": (1, 1, 1),
}
"""The predefined colours of ISO 10303-46."""
_MOST_NESTED = 12


@dataclass(eq=False)
class Colours:
    """Colours by the number of the styled instance; those of one occurrence also by its number."""

    always: dict[int, Rgba] = field(default_factory=dict)
    in_occurrence: dict[tuple[int, int], Rgba] = field(default_factory=dict)


def read_colours(exchange: Exchange) -> Colours:
    """Return the colours of surfaces; a style that is damaged is left out."""
    found = Colours()
    occurrences = _occurrences(exchange)
    # An overriding style replaces the one that it overrides.
    records = sorted(exchange.of_kind(*_STYLED), key=lambda record: not record.has("STYLED_ITEM"))
    for record in records:
        try:
            styles, item, contexts = _styled(exchange, record)
            colour = _colour(exchange, styles, 0)
        except StepError:
            continue
        if colour is None:
            continue
        if contexts:
            for context in contexts:
                if context.number in occurrences:
                    found.in_occurrence[item.number, occurrences[context.number]] = colour
        else:
            found.always[item.number] = colour
    return found


def _styled(exchange: Exchange, record: Record) -> tuple[list[Ref], Ref, list[Ref]]:
    """Return the styles of an item, the item, and the contexts in which they apply; none for everywhere."""
    kind = next(kind for kind in _STYLED if record.has(kind))
    if len(record.parts) > 1:
        styles, item = record.refs(0, "STYLED_ITEM"), record.ref(1, "STYLED_ITEM")
        contexts = record.refs(0, kind) if kind.startswith("CONTEXT") else []
    else:
        styles, item = record.refs(1), record.ref(2)
        contexts = record.refs(4) if kind.startswith("CONTEXT") else []
    for ref in styles:
        style = exchange.get(ref)
        if style.has("PRESENTATION_STYLE_BY_CONTEXT"):
            contexts.append(
                style.ref(len(style.parts["PRESENTATION_STYLE_BY_CONTEXT"]) - 1, "PRESENTATION_STYLE_BY_CONTEXT")
            )
    return styles, item, contexts


def _occurrences(exchange: Exchange) -> dict[int, int]:
    """Return the number of the occurrence that a representation or its relation to an assembly belongs to."""
    found = {}
    for record in exchange.of_kind("SHAPE_DEFINITION_REPRESENTATION", "CONTEXT_DEPENDENT_SHAPE_REPRESENTATION"):
        try:
            relation = record.has("CONTEXT_DEPENDENT_SHAPE_REPRESENTATION")
            shape = exchange.get(record.ref(1 if relation else 0))
            used = record if relation else exchange.get(record.ref(1))
            meant = exchange.get(shape.ref(2))
            if meant.has("NEXT_ASSEMBLY_USAGE_OCCURRENCE"):
                found[used.number] = meant.number
        except StepError:
            continue
    return found


def _colour(exchange: Exchange, styles: Sequence[Ref], depth: int) -> Rgba | None:
    """Return the colour of surfaces in a list of styles."""
    if depth > _MOST_NESTED:
        return None
    for ref in styles:
        record = exchange.get(ref)
        if record.has("CURVE_STYLE", "POINT_STYLE", "TEXT_STYLE"):
            continue
        if record.has("COLOUR_RGB"):
            r, g, b = (min(max(record.number_at(place), 0.0), 1.0) for place in (1, 2, 3))
            return (r, g, b, 1.0)
        if record.has("DRAUGHTING_PRE_DEFINED_COLOUR", "PRE_DEFINED_COLOUR"):
            named = _NAMED.get(record.text(0).lower())
            if named is not None:
                return (*named, 1.0)
            continue
        found = _colour(exchange, list(_references(record)), depth + 1)
        if found is not None:
            return (*found[:3], _opacity(exchange, record, found[3]))
    return None


def _references(record: Record) -> Iterator[Ref]:
    for values in record.parts.values():
        for value in values[: 1 if record.has("PRESENTATION_STYLE_BY_CONTEXT") else None]:
            if isinstance(value, Ref):
                yield value
            elif isinstance(value, list):
                yield from (one for one in value if isinstance(one, Ref))


def _opacity(exchange: Exchange, record: Record, opacity: float) -> float:
    if record.has("SURFACE_STYLE_RENDERING_WITH_PROPERTIES"):
        for ref in record.refs(2):
            style = exchange.get(ref)
            if style.has("SURFACE_STYLE_TRANSPARENT"):
                return min(max(1.0 - style.number_at(0), 0.0), 1.0)
    return opacity
