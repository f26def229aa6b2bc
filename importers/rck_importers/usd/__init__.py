"""Importer of Universal Scene Description with UsdPhysics; uses OpenUSD (usd-core)."""

from dataclasses import replace
from pathlib import Path

from rck.hooks import Imported, Importer, Job, Option, Values, hookimpl

_ENDINGS = (".usda", ".usdc", ".usd", ".usdz")
_ZIP = b"PK\x03\x04"


def looks_like_usd(path: Path, head: bytes) -> bool:
    """Return True for the text format, the binary format, and a package whose first file is a USD file."""
    if head.startswith(_ZIP):
        length = int.from_bytes(head[26:28], "little")
        return head[30 : 30 + length].lower().endswith(tuple(ending.encode() for ending in _ENDINGS[:3]))
    return head.startswith((b"#usda ", b"PXR-USDC"))


def _read(path: Path, values: Values, job: Job) -> Imported:
    from rck_importers.usd.reader import read

    return read(path, values, job)


@hookimpl
def rck_importers() -> list[Importer]:
    """Return the USD importer."""
    from rck.importing.convex_pieces import CHOICES
    from rck.importing.import_options import MOST_CORNERS, MOST_ELEMENTS, MOST_INCLUDES
    from rck.importing.robot_reader import ROBOT_OPTIONS, SHAPES

    convex = Option(
        "convex",
        "how to make meshes convex: as the file says, cut (with CoACD), one hull, one box, or as-is if convex already",
        "choice",
        "file",
        ("file", *CHOICES),
    )
    # Bodies without collision geometry do not collide in UsdPhysics, which uses the whole hulls of the others.
    own = {
        "convex": convex,
        "shapes": replace(SHAPES, default="collision"),
        "most-corners": replace(MOST_CORNERS, default=0.0),
        "most-elements": replace(MOST_ELEMENTS, help="maximum number of prims"),
        "most-includes": replace(MOST_INCLUDES, help="maximum number of files that the file refers to"),
    }
    options = (
        Option("prim", "path of the prim to import, such as /World/robot (default: everything)"),
        Option("variants", "variants to select, such as Physics=PhysX,Sensor=None"),
        *(own.get(one.name, one) for one in ROBOT_OPTIONS if one.name != "most-objects"),
    )
    summary = "Universal Scene Description with UsdPhysics: .usda, .usdc, .usd, .usdz"
    return [Importer("usd", summary, _ENDINGS, looks_like_usd, _read, options)]
