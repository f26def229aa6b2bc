"""The look of a mesh that trimesh has read: its colour, texture and finish."""

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rck.geometry.arrays import Floats
from rck.model.subitem import Colour
from rck.model.visual import Texture

if TYPE_CHECKING:
    from PIL import Image
    from trimesh import Trimesh

_PLACEHOLDER = 2
"""Size of the image that trimesh gives a material without one."""
_ENDINGS = {"PNG": "png", "JPEG": "jpg"}


@dataclass(frozen=True, eq=False)
class MeshLook:
    """The look of a mesh."""

    colour: Colour | None = None
    texture: Texture | None = None
    """Multiplied by the colour."""
    points: Floats | None = None
    """The point of the image at each vertex. Shape (vertices, 2)."""
    roughness: float | None = None
    metallic: float | None = None
    name: str = ""
    """The name of the material."""


def look_of(mesh: "Trimesh", stem: str) -> MeshLook:
    """Return the look of a mesh; `stem` is the name of a texture whose material has none."""
    visual = mesh.visual
    if visual is None or visual.kind is None:
        return MeshLook()
    material = getattr(visual, "material", None)
    points = _image_points(getattr(visual, "uv", None), len(mesh.vertices))
    image = None if points is None else _image_of(material)
    name = str(getattr(material, "name", None) or "")
    if image is None:
        return MeshLook(_colour(visual), points=points, roughness=_factor(material, "roughnessFactor"),
                        metallic=_factor(material, "metallicFactor"), name=name)  # fmt: skip
    tint = getattr(material, "baseColorFactor" if hasattr(material, "baseColorFactor") else "diffuse", None)
    return MeshLook(
        _channels(tint) or (1.0, 1.0, 1.0, 1.0),
        _texture(image, name or stem),
        points,
        _factor(material, "roughnessFactor"),
        _factor(material, "metallicFactor"),
        name,
    )


def _image_points(given: Any, vertices: int) -> Floats | None:
    points = None if given is None else np.asarray(given, dtype=float)
    if points is None or points.shape != (vertices, 2) or not np.isfinite(points).all():
        return None
    return points


def _image_of(material: Any) -> "Image.Image | None":
    from PIL import Image

    found = getattr(material, "baseColorTexture", None) or getattr(material, "image", None)
    if not isinstance(found, Image.Image):
        return None
    # trimesh gives materials without an image one of four pixels.
    return found if found.format or max(found.size) > _PLACEHOLDER else None


def _texture(image: "Image.Image", name: str) -> Texture | None:
    """Return the image as a file: its own content where Pillow still has it, else a PNG."""
    stream = getattr(image, "fp", None)
    if image.format in _ENDINGS and isinstance(stream, io.BytesIO):
        return Texture(f"{name}.{_ENDINGS[image.format]}", stream.getvalue())
    written = io.BytesIO()
    try:
        (image if image.mode in ("L", "LA", "RGB", "RGBA") else image.convert("RGBA")).save(written, "PNG")
    except (OSError, ValueError):
        return None
    return Texture(f"{name}.png", written.getvalue())


def _factor(material: Any, name: str) -> float | None:
    value = getattr(material, name, None)
    return None if value is None or not np.isfinite(value) else float(np.clip(value, 0.0, 1.0))


def _colour(visual: Any) -> Colour | None:
    try:
        return _channels(visual.main_color if hasattr(visual, "main_color") else visual.material.main_color)
    except (AttributeError, TypeError, ValueError):
        return None


def _channels(given: Any) -> Colour | None:
    """Return a colour of numbers up to 255."""
    if given is None:
        return None
    numbers = (np.asarray(given, dtype=float).reshape(-1) / 255).tolist()
    red, green, blue, opacity = (*numbers, 1.0)[:4]
    channels = (red, green, blue, opacity)
    return channels if all(0 <= channel <= 1 for channel in channels) else None
