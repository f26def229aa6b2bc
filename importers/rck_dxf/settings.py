"""The options of the importer, and what the user chose."""

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase

from rck.hooks import Option, Recipe, Values
from rck.importing.refusals import refused
from rck.importing.settings import MOST_MEGABYTES, TOLERANCE, density_of, limits_of, tolerance_of
from rck.model import RckError
from rck.model.materials import DENSITY
from rck.model.units import UNITS, parse_quantity
from rck_dxf.plates import Thicknesses

REFUSED = "refused"
"""In the option skip: whatever cannot be used."""
_AID_LINES = re.compile(r"(ACAD_ISO|BORDER|CENTER|CENTRE|DASH|DIVIDE|DOT|HIDDEN|PHANTOM)")
_AID_LAYERS = re.compile(
    r"(DEFPOINTS|(ANNO|BEND|BORDER|CENT|CONSTR|DIM|ENGRAV|ETCH|HATCH|HIDDEN|NOTE|TEXT|TITLE)[A-Z]*)([_\- ].*)?$"
)

OPTIONS = (
    Option("thickness", "of flat plates; without it, what the drawing says", "length"),
    Option("layer-thickness", "of the plates on single layers, such as TOP=4mm,BASE=6mm", "text"),
    Option("material", "what everything is made of", "choice", "aluminium", tuple(sorted(DENSITY))),
    Option("density", "in kg/m3, instead of a material", "number"),
    Option("group", "what makes an item: auto is the layer for solids, each plate for plates", "choice", "auto",
           ("auto", "layer", "block", "colour", "body")),
    Option("layers", "only these layers, such as CUT,HOLES*", "text"),
    Option("skip", "not these layers, blocks or pieces; `refused` for what cannot be used", "text"),
    Option("length-unit", "unit of the drawing, if it does not say or is wrong", "choice", "auto",
           ("auto", *UNITS["length"])),
    Option("deviation", "how far straight pieces may be from a curve", "length", "0.1 mm"),
    Option("gap", "ends and corners so near are one; a ten-thousandth of the drawing unless said", "length"),
    Option("hull", "take the hull of solids that are not convex, instead of cutting them", "flag", False),
    TOLERANCE,
    Option("hole-ports", "make a port at either end of every round hole of a plate", "flag", True),
    Option("keep-axes", "keep the solids of joints as part of what they stand on", "flag", False),
    MOST_MEGABYTES,
    Option("most-entities", "the most entities and faces, blocks within blocks counted", "number", 3_000_000.0),
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Settings:
    """What the user chose, in SI units."""

    thicknesses: Thicknesses
    material: str
    """Its name; empty if only a density was given."""
    density: float
    group: str
    layers: tuple[str, ...]
    skip: tuple[str, ...]
    unit: str
    deviation: float
    gap: float | None
    hull: bool
    tolerance: float
    hole_ports: bool
    keep_axes: bool
    most_bytes: int
    most_entities: int
    recipe: Recipe

    def skips(self, *names: str) -> bool:
        """Whether one of the names was to be left out."""
        return any(_matches(name, self.skip) for name in names if name)

    def wants_layer(self, name: str) -> bool:
        """Whether a layer is looked at."""
        return (not self.layers or _matches(name, self.layers)) and not self.skips(name)

    def is_aid(self, layer: str, linetype: str) -> bool:
        """Whether curves on that layer, or of that line type, only help to read the drawing."""
        if _matches(layer, self.layers):
            return False
        return bool(_AID_LINES.match(linetype) or _AID_LAYERS.match(layer.upper()))

    @property
    def skips_refused(self) -> bool:
        """Whether what cannot be used is left out instead of refusing the drawing."""
        return REFUSED in self.skip


def _matches(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name.lower(), pattern) for pattern in patterns)


def settings_of(values: Values) -> Settings:
    """The settings that option values say; what makes no sense is refused."""
    recipe = values.get("recipe")
    density = values.get("density")
    material = str(values.get("material") or "aluminium")
    deviation = _length(values, "deviation", 1e-4)
    assert deviation is not None
    return Settings(
        Thicknesses(_length(values, "thickness", None), _layer_thicknesses(str(values.get("layer-thickness") or ""))),
        "" if density is not None else material,
        DENSITY[material] if density is None else density_of(values),
        str(values.get("group") or "auto"),
        _words(values.get("layers")),
        _words(values.get("skip")),
        str(values.get("length-unit") or "auto"),
        deviation,
        _length(values, "gap", None),
        bool(values.get("hull", False)),
        tolerance_of(values),
        bool(values.get("hole-ports", True)),
        bool(values.get("keep-axes", False)),
        limits_of(values).bytes,
        int(values.get("most-entities") or 3_000_000),
        recipe if isinstance(recipe, Recipe) else Recipe(),
    )


def _words(text: object) -> tuple[str, ...]:
    return tuple(word.strip().lower() for word in str(text or "").split(",") if word.strip())


def _length(values: Values, name: str, otherwise: float | None) -> float | None:
    value = values.get(name)
    if value is None:
        return otherwise
    if not 0 < float(value) <= 1e3:
        raise refused(f"option {name}", f"{float(value) * 1000:g} mm is not possible", code=104)
    return float(value)


def _layer_thicknesses(text: str) -> dict[str, float]:
    """`TOP=4mm,BASE=6mm` as metres by layer, in small letters."""
    table = {}
    for word in text.split(","):
        layer, equals, quantity = (part.strip() for part in word.partition("="))
        if not word.strip():
            continue
        try:
            thickness = parse_quantity(quantity, "length", "mm")
        except RckError as error:
            raise refused("option layer-thickness", f"{word.strip()}: {error}", code=104) from error
        if not equals or not 0 < thickness <= 1e3:
            raise refused("option layer-thickness", f"{word.strip()} is not such as TOP=4mm", code=104)
        table[layer.lower()] = thickness
    return table
