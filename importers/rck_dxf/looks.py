"""Layers, colours and line types: what an entity looks like once its layer and its block have had their say."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rck.model.subitem import Colour
from rck_dxf.content import Look, Style
from rck_dxf.names import readable

if TYPE_CHECKING:
    from ezdxf.document import Drawing

BY_BLOCK, BY_LAYER = 0, 256
_WHITE = (1.0, 1.0, 1.0)


@dataclass(frozen=True, slots=True)
class LayerLook:
    """What a layer says about what lies on it."""

    colour: tuple[float, float, float]
    linetype: str
    hidden: str = ""
    """Why nothing on it is seen: `off` or `frozen`; else empty."""


_PLAIN = LayerLook(_WHITE, "CONTINUOUS")


def layer_looks(document: "Drawing") -> dict[str, LayerLook]:
    """The layers by name, in lower case: AutoCAD does not tell capitals from small letters."""
    looks = {}
    for layer in document.layers:
        colour = layer.dxf.get("true_color")
        rgb = _true_colour(colour) if colour is not None else _indexed(abs(int(layer.dxf.get("color", 7))))
        hidden = "frozen" if layer.is_frozen() else "off" if layer.is_off() else ""
        linetype = str(layer.dxf.get("linetype", "CONTINUOUS")).upper()
        looks[readable(layer.dxf.name).lower()] = LayerLook(rgb, linetype, hidden)
    return looks


def _said(entity: Any, name: str, otherwise: Any) -> Any:
    """An attribute of an entity; types that ezdxf does not know have none."""
    dxf = entity.dxf
    return dxf.get(name, otherwise) if dxf.is_supported(name) else otherwise


def is_invisible(entity: Any) -> bool:
    """Whether the entity itself is switched off."""
    return bool(_said(entity, "invisible", 0))


def style_of(entity: Any) -> Style:
    """What an ezdxf entity says about its look."""
    colour = _said(entity, "true_color", None)
    return Style(
        readable(str(_said(entity, "layer", "0"))),
        int(_said(entity, "color", BY_LAYER)),
        None if colour is None else int(colour),
        str(_said(entity, "linetype", "BYLAYER")).upper(),
        1.0 - getattr(entity, "transparency", 0.0),
    )


@dataclass(eq=False)
class Looks:
    """Resolves styles, each only once."""

    layers: Mapping[str, LayerLook]
    _known: dict[tuple[Style, Look | None], Look] = field(default_factory=dict)

    def layer(self, name: str) -> LayerLook:
        """The layer of that name; a drawing may use layers that it does not define."""
        return self.layers.get(name.lower(), _PLAIN)

    def resolved(self, style: Style, parent: Look | None) -> Look:
        """The look of an entity inside the block that was inserted with the look `parent`; None outside of all."""
        known = self._known.get((style, parent))
        if known is None:
            known = self._known[style, parent] = self._resolved(style, parent)
        return known

    def _resolved(self, style: Style, parent: Look | None) -> Look:
        # What lies on layer 0 in a block lies on the layer of its insert.
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
            rgb = _indexed(style.aci)
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


def _indexed(index: int) -> tuple[float, float, float]:
    from ezdxf.colors import aci2rgb

    if not 1 <= index <= 255:
        return _WHITE
    colour = aci2rgb(index)
    return colour.r / 255, colour.g / 255, colour.b / 255
