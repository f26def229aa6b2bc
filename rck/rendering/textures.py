"""Textures of visuals: the colour of the image at each pixel that shows one."""

import io
from functools import lru_cache

import numpy as np

from rck.geometry.arrays import Floats
from rck.model.visual import Visual
from rck.rendering.drawn_surfaces import DrawnSurfaces
from rck.rendering.visibility import Float32s, VisibilityBuffer

_MOST_PIXELS = 64_000_000
"""Images with more pixels are not decoded."""


def texture_tints(sight: VisibilityBuffer) -> Float32s:
    """Return the factors of the colour at each pixel, shape (height, width, 3); none if nothing has a texture."""
    surfaces = sight.figure.shapes.surfaces
    textured = [number for number, visual in enumerate(surfaces.visuals) if _is_textured(visual)]
    if not textured or not len(sight.weights):
        return np.empty((0, 0, 3), np.float32)
    tints = np.ones((*sight.subitem.shape, 3), np.float32)
    for number in textured:
        texture = surfaces.visuals[number].texture
        assert texture is not None
        shown = sight.subitem == surfaces.first_mesh + number
        image = decoded_image(texture.content)
        if image is not None and shown.any():
            tints[shown] = _sampled(image, _texture_points(surfaces, number, sight, shown))
    return tints


def _is_textured(visual: Visual) -> bool:
    return visual.texture is not None and visual.texture_points is not None


def _texture_points(surfaces: DrawnSurfaces, number: int, sight: VisibilityBuffer, shown: Floats) -> Floats:
    """Return the point of the image at each shown pixel. Shape (pixels, 2)."""
    visual = surfaces.visuals[number]
    assert visual.texture_points is not None
    first_face = surfaces.solids.plane_offsets[surfaces.first_mesh + number]
    start = visual.surface.face_offsets[sight.face[shown] - first_face]
    weights = sight.weights[shown].astype(float)
    second = start + 1 + weights[:, 0].astype(np.int64)
    u, v = weights[:, 1:2], weights[:, 2:3]
    points = visual.texture_points
    found: Floats = (1.0 - u - v) * points[start] + u * points[second] + v * points[second + 1]
    return found


def _sampled(image: Float32s, points: Floats) -> Float32s:
    """Return the pixels of an image at points from its lower left corner; the image repeats beyond its borders."""
    height, width = image.shape[:2]
    column = np.floor(points[:, 0] % 1.0 * width).astype(np.int64).clip(0, width - 1)
    row = np.floor((1.0 - points[:, 1]) % 1.0 * height).astype(np.int64).clip(0, height - 1)
    pixels: Float32s = image[row, column]
    return pixels


@lru_cache(maxsize=64)
def decoded_image(content: bytes) -> Float32s | None:
    """Return the reflectance of each pixel of an image, shape (height, width, 3); None if it cannot be decoded."""
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(io.BytesIO(content), formats=("PNG", "JPEG")) as image:
            if image.width * image.height > _MOST_PIXELS:
                return None
            channels = np.asarray(image.convert("RGB"), dtype=np.float32) / 255.0
    except (UnidentifiedImageError, OSError, ValueError, Image.DecompressionBombError):
        return None
    # The square approximates the decoding of sRGB, as for plain colours.
    return np.ascontiguousarray(channels * channels)
