"""Layers, colours and line types: the look of an entity after resolving its layer and block."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rck.model.subitem import Colour
from rck_importers.dxf.content import Look, Style
from rck_importers.dxf.names import readable

if TYPE_CHECKING:
    from ezdxf.document import Drawing

BY_BLOCK, BY_LAYER = 0, 256
_WHITE = (1.0, 1.0, 1.0)


@dataclass(frozen=True, slots=True)
class LayerLook:
    """Default look of the entities on a layer."""

    colour: tuple[float, float, float]
    linetype: str
    hidden: str = ""
    """Reason why the layer is hidden: `off` or `frozen`; empty if it is visible."""


_PLAIN = LayerLook(_WHITE, "CONTINUOUS")


def layer_looks(document: "Drawing") -> dict[str, LayerLook]:
    """Return the layers by lower-case name: AutoCAD ignores case in layer names."""
    looks = {}
    for layer in document.layers:
        colour = layer.dxf.get("true_color")
        rgb = _true_colour(colour) if colour is not None else _indexed_colour(abs(int(layer.dxf.get("color", 7))))
        hidden = "frozen" if layer.is_frozen() else "off" if layer.is_off() else ""
        linetype = str(layer.dxf.get("linetype", "CONTINUOUS")).upper()
        looks[readable(layer.dxf.name).lower()] = LayerLook(rgb, linetype, hidden)
    return looks


def _get_attribute(entity: Any, name: str, default: Any) -> Any:
    """Return an attribute of an entity, or the default: entity types unknown to ezdxf have no attributes."""
    dxf = entity.dxf
    return dxf.get(name, default) if dxf.is_supported(name) else default


def is_invisible(entity: Any) -> bool:
    """Return True if the entity itself is marked invisible."""
    return bool(_get_attribute(entity, "invisible", 0))


def style_of(entity: Any) -> Style:
    """Return the style attributes of an ezdxf entity."""
    colour = _get_attribute(entity, "true_color", None)
    return Style(
        readable(str(_get_attribute(entity, "layer", "0"))),
        int(_get_attribute(entity, "color", BY_LAYER)),
        None if colour is None else int(colour),
        str(_get_attribute(entity, "linetype", "BYLAYER")).upper(),
        1.0 - getattr(entity, "transparency", 0.0),
    )


@dataclass(eq=False)
class Looks:
    """Cache of styles resolved to looks."""

    layers: Mapping[str, LayerLook]
    _known: dict[tuple[Style, Look | None], Look] = field(default_factory=dict)

    def layer(self, name: str) -> LayerLook:
        """Return the layer with this name; a layer that the drawing uses but does not define gets defaults."""
        return self.layers.get(name.lower(), _PLAIN)

    def resolve(self, style: Style, parent: Look | None) -> Look:
        """Return the look of an entity in a block inserted with the look `parent`; None outside of blocks."""
        known = self._known.get((style, parent))
        if known is None:
            known = self._known[style, parent] = self._resolve(style, parent)
        return known

    def _resolve(self, style: Style, parent: Look | None) -> Look:
        # In a block, an entity on layer 0 takes the layer of the insert.
        inherits = parent is not None and style.layer == "0"
        name = parent.layer if parent is not None and inherits else style.layer
        layer = self.layer(name)
        if style.true_colour is not None:
            rgb = _true_colour(style.true_colour)
        elif style.aci == BY_LAYER:
            rgb = layer.colour
        elif style.aci == BY_BLOCK:
            rgb = _WHITE if parent is None else parent.colour[:3]
        else:
            rgb = _indexed_colour(style.aci)
        linetype = style.linetype
        if linetype == "BYLAYER":
            linetype = layer.linetype
        elif linetype == "BYBLOCK":
            linetype = "CONTINUOUS" if parent is None else parent.linetype
        colour: Colour = (*rgb, style.opacity)
        return Look(name, colour, linetype, "" if parent is None else parent.block)


def _true_colour(value: int) -> tuple[float, float, float]:
    red, green, blue = (value >> 16) & 255, (value >> 8) & 255, value & 255
    return red / 255, green / 255, blue / 255


def _indexed_colour(index: int) -> tuple[float, float, float]:
    from ezdxf.colors import aci2rgb

    if not 1 <= index <= 255:
        return _WHITE
    colour = aci2rgb(index)
    return colour.r / 255, colour.g / 255, colour.b / 255
