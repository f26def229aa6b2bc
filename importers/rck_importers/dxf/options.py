"""Options of the DXF importer and their parsed values."""

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase

from rck.hooks import Option, Recipe, Values
from rck.importing.file_errors import refused
from rck.importing.import_options import MOST_MEGABYTES, TOLERANCE, density_of, limits_of, tolerance_of
from rck.model import RckError
from rck.model.materials import DENSITY
from rck.support.units import UNITS, parse_quantity
from rck_importers.dxf.open_shells import OpenShells, parse_open
from rck_importers.dxf.plates import Thicknesses

REFUSED = "refused"
"""Value of the option skip for every entity that cannot be used."""
_ANNOTATION_LINES = re.compile(
    r"(.*[_\- ])?(ACAD_ISO|BORDER|CENTER|CENTRE|DASH|DIVIDE|DOT|HIDDEN|MITTE|PHANTOM|STRICH|TRAIT|VERDECKT)"
)
_ANNOTATION_LAYERS = re.compile(
    r"(DEFPOINTS"
    r"|(.*[_\- .])?(ACHS|ANNO|AXIS|AXES|BEMASS|BEND|BIEGE|CENT|CONSTR|DIM|ENGRAV|ETCH|GRAVUR|HATCH|HIDDEN|HILF|KONSTR"
    r"|LABEL|MITTEL|NOTE|PHANTOM|SCHRAFF|TEXT|TITEL|TITLE|VERDECKT)[A-Z]*)([_\- .0-9].*)?$"
    r"|BORDER[A-Z]*([_\- ].*)?$"
)

OPTIONS = (
    Option("thickness", "thickness of plates (default: as in the drawing)", "length"),
    Option("layer-thickness", "thickness of the plates on single layers, such as TOP=4mm,BASE=6mm", "text"),
    Option("material", "material of everything", "choice", "aluminium", tuple(sorted(DENSITY))),
    Option("density", "density in kg/m3, instead of a material", "number"),
    Option("group", "grouping into items: auto is by layer for solids, one item for each plate", "choice", "auto",
           ("auto", "layer", "block", "colour", "body")),
    Option("layers", "import only these layers, such as CUT,HOLES*", "text"),
    Option("skip", "ignore these layers, blocks or entities; `refused` for all that cannot be used", "text"),
    Option("length-unit", "length unit of the drawing, if it states none or a wrong one", "choice", "auto",
           ("auto", *UNITS["length"])),
    Option("deviation", "maximum distance of straight segments from a curve", "length", "0.1 mm"),
    Option("gap", "join ends and vertices at most this far apart (default: 1/10,000 of the drawing)", "length"),
    Option("hull", "use the hull of solids that are not convex, instead of cutting them", "flag", False),
    TOLERANCE,
    Option("open", "use of open shells: hull, thicken=2mm or visual (default: refuse them)", "text"),
    Option("recognise", "recognise sheet borders, title blocks, views, counterbores and pockets", "flag", True),
    Option("hole-ports", "add a port at both ends of each round hole of a plate", "flag", True),
    Option("keep-axes", "keep the solids of joints as part of their base item", "flag", False),
    MOST_MEGABYTES,
    Option("most-entities", "maximum number of entities and faces, including nested blocks", "number", 3_000_000.0),
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class DxfOptions:
    """Parsed option values in SI units."""

    thicknesses: Thicknesses
    material: str
    """Name of the material; empty if only a density was given."""
    density: float
    group: str
    layers: tuple[str, ...]
    skip: tuple[str, ...]
    unit: str
    deviation: float
    gap: float | None
    hull: bool
    tolerance: float
    open_shells: OpenShells | None
    recognise: bool
    hole_ports: bool
    keep_axes: bool
    most_bytes: int
    most_entities: int
    recipe: Recipe

    def skips(self, *names: str) -> bool:
        """Return True if one of the names matches the option skip."""
        return any(_matches(name, self.skip) for name in names if name)

    def wants_layer(self, name: str) -> bool:
        """Return True if a layer is imported."""
        return (not self.layers or _matches(name, self.layers)) and not self.skips(name)

    def is_annotation(self, layer: str, linetype: str) -> bool:
        """Return True if curves on this layer, or with this line type, are annotations."""
        if _matches(layer, self.layers):
            return False
        return bool(_ANNOTATION_LINES.match(linetype) or _ANNOTATION_LAYERS.match(layer.upper()))

    @property
    def skips_refused(self) -> bool:
        """True if entities that cannot be used are ignored instead of being errors."""
        return REFUSED in self.skip


def _matches(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name.lower(), pattern) for pattern in patterns)


def settings_of(values: Values) -> DxfOptions:
    """Parse the option values; raise an error for an invalid one."""
    recipe = values.get("recipe")
    density = values.get("density")
    material = str(values.get("material") or "aluminium")
    deviation = _length(values, "deviation", 1e-4)
    assert deviation is not None
    return DxfOptions(
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
        parse_open(str(values.get("open") or "")),
        bool(values.get("recognise", True)),
        bool(values.get("hole-ports", True)),
        bool(values.get("keep-axes", False)),
        limits_of(values).bytes,
        int(values.get("most-entities") or 3_000_000),
        recipe if isinstance(recipe, Recipe) else Recipe(),
    )


def _words(text: object) -> tuple[str, ...]:
    return tuple(word.strip().lower() for word in str(text or "").split(",") if word.strip())


def _length(values: Values, name: str, default: float | None) -> float | None:
    value = values.get(name)
    if value is None:
        return default
    if not 0 < float(value) <= 1e3:
        raise refused(
            f"option {name}",
            f"{float(value) * 1000:g} mm is out of range: it must be above 0 and at most 1 km",
            code=104,
        )
    return float(value)


def _layer_thicknesses(text: str) -> dict[str, float]:
    """Parse text such as `TOP=4mm,BASE=6mm` to metres by lower-case layer."""
    table = {}
    for word in text.split(","):
        layer, equals, quantity = (side.strip() for side in word.partition("="))
        if not word.strip():
            continue
        try:
            thickness = parse_quantity(quantity, "length", "mm")
        except RckError as error:
            raise refused("option layer-thickness", f"{word.strip()}: {error}", code=104) from error
        if not equals or not 0 < thickness <= 1e3:
            raise refused("option layer-thickness", f"{word.strip()} does not have the form TOP=4mm", code=104)
        table[layer.lower()] = thickness
    return table
