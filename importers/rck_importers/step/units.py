"""Units of length and angle of the contexts of representations."""

from math import pi

from rck_importers.step.part21 import Exchange, Record, Ref, StepError, as_number

MILLIMETRE = 1e-3
_PREFIXES = {
    None: 1.0, "EXA": 1e18, "PETA": 1e15, "TERA": 1e12, "GIGA": 1e9, "MEGA": 1e6, "KILO": 1e3, "HECTO": 1e2,
    "DECA": 1e1, "DECI": 1e-1, "CENTI": 1e-2, "MILLI": 1e-3, "MICRO": 1e-6, "NANO": 1e-9, "PICO": 1e-12, "FEMTO": 1e-15,
    "ATTO": 1e-18,
}  # fmt: skip
_NAMED = {"INCH": 0.0254, "INCHES": 0.0254, "IN": 0.0254, "FOOT": 0.3048, "FEET": 0.3048, "DEGREE": pi / 180}
"""Units that some writers name without a factor."""
_MOST_NESTED = 8


def context_units(exchange: Exchange, context: Record) -> tuple[float | None, float]:
    """Return the units of length, in metres, and of angle, in radians; None for a length that has no unit."""
    length, angle = None, 1.0
    if not context.has("GLOBAL_UNIT_ASSIGNED_CONTEXT"):
        return None, angle
    for ref in context.refs(0, "GLOBAL_UNIT_ASSIGNED_CONTEXT"):
        unit = exchange.get(ref)
        if unit.has("LENGTH_UNIT"):
            length = _size(exchange, unit)
        elif unit.has("PLANE_ANGLE_UNIT"):
            angle = _size(exchange, unit)
    return length, angle


def _size(exchange: Exchange, unit: Record, depth: int = 0) -> float:
    """Return the size of a unit in the SI unit."""
    if depth > _MOST_NESTED:
        raise StepError(f"{unit.label} is defined by itself")
    if unit.has("SI_UNIT"):
        prefix = unit.parts["SI_UNIT"][-2] if len(unit.parts["SI_UNIT"]) > 1 else None
        if prefix not in _PREFIXES:
            raise StepError(f"{unit.label} has the unknown prefix {prefix}")
        return _PREFIXES[prefix]
    if unit.has("CONVERSION_BASED_UNIT"):
        values = unit.parts["CONVERSION_BASED_UNIT"]
        if values and isinstance(values[-1], Ref):
            measure = exchange.get(values[-1])
            for kind in measure.parts:
                stated = measure.parts[kind]
                if len(stated) == 2 and isinstance(stated[1], Ref):
                    factor = as_number(stated[0], measure)
                    if not 1e-15 < factor < 1e15:
                        raise StepError(f"{measure.label} has the factor {factor:g}")
                    return factor * _size(exchange, exchange.get(stated[1]), depth + 1)
        name = str(values[0]).strip().upper() if values else ""
        if name in _NAMED:
            return _NAMED[name]
    raise StepError(f"{unit.label} is of an unsupported type of unit")
