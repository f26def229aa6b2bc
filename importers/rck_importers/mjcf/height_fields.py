"""Height fields of MJCF, which RCK keeps for exports with their elevations, without using them."""

import io
import struct

import numpy as np
from PIL import Image, UnidentifiedImageError

from rck.geometry.arrays import Floats
from rck.importing.assets import Unavailable
from rck.importing.xml_file import Element
from rck.support.finding import Severity
from rck_importers.mjcf.extension_data import rest, xml_of
from rck_importers.mjcf.source import Source

_MOST_POINTS = 250_000


def kept_height_fields(source: Source) -> str:
    """Return the height fields of a model as XML, with their elevations as numbers."""
    made = []
    for (tag, name), asset in source.assets.items():
        if tag != "hfield":
            continue
        full = source.full(asset, "")
        given = rest(full, {"file", "content_type"}) | {"name": f"{source.prefix}{name}"}
        if full.get("file"):
            try:
                elevations = _elevations(source.file(full, source.compiler.mesh_folder), full)
            except Unavailable as unavailable:
                source.reading.report.add(unavailable.finding(full.where, Severity.WARNING), "height field")
                continue
            rows, columns = elevations.shape
            numbers = " ".join(f"{height:.9g}" for height in elevations.reshape(-1).tolist())
            given |= {"nrow": str(rows), "ncol": str(columns), "elevation": numbers}
        made.append(xml_of(full, given))
    return "".join(made)


def _elevations(content: bytes, asset: Element) -> Floats:
    """Return the elevations, the row with the largest y first. Shape (rows, columns)."""
    if asset.get("content_type") == "image/png" or content.startswith(b"\x89PNG"):
        try:
            with Image.open(io.BytesIO(content)) as image:
                _refuse_more(image.width * image.height)
                pixels = np.asarray(image.convert("RGB") if image.mode in ("P", "RGBA") else image, dtype=float)
        except (UnidentifiedImageError, OSError, ValueError) as error:
            raise Unavailable(f"the image of a height field cannot be read: {error}") from error
        # MuJoCo takes the first channel of a coloured image.
        return pixels if pixels.ndim == 2 else pixels[:, :, 0]
    if len(content) < 8:
        raise Unavailable("the file of a height field is truncated")
    rows, columns = struct.unpack_from("<2i", content)
    if rows < 1 or columns < 1 or len(content) != 8 + 4 * rows * columns:
        raise Unavailable("the size of the file of a height field does not match its rows and columns")
    _refuse_more(rows * columns)
    return np.frombuffer(content, "<f4", rows * columns, 8).reshape(rows, columns)[::-1].astype(float)


def _refuse_more(points: int) -> None:
    if points > _MOST_POINTS:
        raise Unavailable(f"a height field has {points} points; RCK keeps up to {_MOST_POINTS}", code=509)
