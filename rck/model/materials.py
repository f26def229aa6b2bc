"""Densities of the materials that people name: usual engineering values, in kg/m3."""

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
