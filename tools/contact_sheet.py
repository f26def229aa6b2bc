"""Make the contact sheets of the catalogue, a picture of every part: `python tools/contact_sheet.py`.

`make pictures` runs it too. It writes `docs/pictures/parts-FAMILY.png` and the page `docs/catalogue.md`.
"""

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from rck.parts.index import CatalogueEntry
from rck.parts.library import Catalogue, read_catalogue
from rck.rendering.camera import fit, named_camera
from rck.rendering.drawn_surfaces import Geometry
from rck.rendering.palette import LIGHT
from rck.rendering.picture import FINE, draw
from rck.rendering.posed_robot import pose_robot
from rck.rendering.scene import Scene

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "docs" / "pictures"
PAGE = ROOT / "docs" / "catalogue.md"
LIBRARY = ROOT / "parts_library" / "rck_parts"
COLUMNS = 8
CELL = (150, 110)
"""Width and height of a picture, in pixels."""
LABEL = 14
"""Height of a label, in pixels."""
_COLOURS = 64
_PAGE = """\
# Parts of the catalogue

Find a part by its look. `rck parts WORDS` searches the catalogue by words, figures, bus, price and fit, and
`rck parts show ID` prints a part. [Part manifests](parts.md) explains how to add one. `make pictures` draws the
pictures.

{sheets}"""


def families(catalogue: Catalogue) -> dict[str, list[CatalogueEntry]]:
    """Return the parts by family, the first word of their category; both sorted."""
    entries = sorted(catalogue.entries.values(), key=lambda entry: (entry.category, entry.id))
    return {name: list(group) for name, group in groupby(entries, key=lambda entry: entry.category.partition("/")[0])}


def thumbnail(catalogue: Catalogue, part: str) -> Image.Image:
    """Return the picture of a part."""
    figure = pose_robot(catalogue.part(part).robot, geometry=Geometry.VISUAL)
    camera = fit(named_camera("home"), figure.spheres, CELL[0] / CELL[1], 0.05)
    picture = draw(Scene(figure), camera, *CELL, palette=LIGHT, finish=FINE)
    return Image.fromarray(np.asarray(picture.rgb))


def sheet(catalogue: Catalogue, entries: Sequence[CatalogueEntry]) -> Image.Image:
    """Return the pictures of parts in rows, with their ids."""
    rows = -(-len(entries) // COLUMNS)
    image = Image.new("RGB", (COLUMNS * CELL[0], rows * (CELL[1] + LABEL)), "white")
    pen = ImageDraw.Draw(image)
    for number, entry in enumerate(entries):
        x, y = number % COLUMNS * CELL[0], number // COLUMNS * (CELL[1] + LABEL)
        image.paste(thumbnail(catalogue, entry.id), (x, y))
        pen.text((x + 2, y + CELL[1]), entry.id[:26], fill="black", font_size=10)
    return image


def main() -> None:
    """Make all sheets, and the page that shows them."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    catalogue = read_catalogue([LIBRARY])
    sections = []
    for name, entries in families(catalogue).items():
        file = f"parts-{name}.png"
        sheet(catalogue, entries).quantize(_COLOURS).save(FOLDER / file, optimize=True)
        sections.append(f"## {name.capitalize()}\n\n![{len(entries)} parts](pictures/{file})\n")
    PAGE.write_text(_PAGE.format(sheets="\n".join(sections)), encoding="utf-8")


if __name__ == "__main__":
    main()
