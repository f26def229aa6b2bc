"""Densities and friction coefficients of common materials: usual engineering values."""

DENSITY = {
    "abs": 1050.0,
    "acetal": 1410.0,
    "aluminium": 2700.0,
    "brass": 8500.0,
    "carbon-fibre": 1600.0,
    "copper": 8960.0,
    "glass": 2500.0,
    "magnet": 7500.0,
    "nylon": 1150.0,
    "pcb": 1850.0,
    "pla": 1240.0,
    "polycarbonate": 1200.0,
    "polyurethane": 1200.0,
    "rubber": 1200.0,
    "stainless": 7950.0,
    "steel": 7850.0,
    "titanium": 4510.0,
    "wood": 600.0,
}
"""In kg/m3."""

FRICTION = {
    "abs": 0.45,
    "acetal": 0.25,
    "aluminium": 0.5,
    "brass": 0.45,
    "carbon-fibre": 0.3,
    "copper": 0.45,
    "glass": 0.6,
    "magnet": 0.5,
    "nylon": 0.4,
    "pcb": 0.35,
    "pla": 0.4,
    "polycarbonate": 0.45,
    "polyurethane": 0.7,
    "rubber": 0.8,
    "stainless": 0.5,
    "steel": 0.5,
    "titanium": 0.35,
    "wood": 0.4,
}
"""Coefficients of sliding friction against steel, dry and clean; measured values vary by a third."""

DEFAULT_FRICTION = 0.5
"""The coefficient of two items without one."""


def pair_friction(one: float | None, other: float | None) -> float:
    """Return the coefficient of friction of two surfaces: the smaller one. None stands for an unknown one."""
    return min((value for value in (one, other) if value is not None), default=DEFAULT_FRICTION)
