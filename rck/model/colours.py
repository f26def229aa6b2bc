"""Colours as screens show them (sRGB), and in linear light, as renderers and some file formats have them."""

from rck.model.subitem import Colour


def to_linear(colour: Colour) -> Colour:
    """Return an sRGB colour in linear light (IEC 61966-2-1); the opacity stays."""
    red, green, blue = (
        channel / 12.92 if channel <= 0.04045 else float(((channel + 0.055) / 1.055) ** 2.4) for channel in colour[:3]
    )
    return red, green, blue, colour[3]


def from_linear(colour: Colour) -> Colour:
    """Return the sRGB colour of a colour in linear light; the opacity stays."""
    red, green, blue = (
        12.92 * channel if channel <= 0.0031308 else round(float(1.055 * channel ** (1 / 2.4) - 0.055), 12)
        for channel in colour[:3]
    )
    return red, green, blue, colour[3]
