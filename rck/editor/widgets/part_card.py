"""The card of a catalogue part: a small picture, figures, ports and source."""

import asyncio
from collections.abc import Iterable, Iterator

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Static

from rck.editor.widgets.rich_text import cell_lines
from rck.model import RckError
from rck.parts.index import CatalogueEntry
from rck.parts.library import Catalogue
from rck.parts.search import SEARCHABLE
from rck.rendering.camera import fit, named_camera
from rck.rendering.drawn_surfaces import Geometry
from rck.rendering.palette import DARK, LIGHT
from rck.rendering.picture import draw
from rck.rendering.posed_robot import pose_robot
from rck.rendering.scene import Scene
from rck.rendering.terminal_cells import HALF, QUADRANT, block_cells, sign_cells
from rck.support.lru_cache import LruCache
from rck.support.units import format_quantity

_DELAY = 0.12
"""Seconds that the cursor must rest on a part before it is drawn."""


class PartPictures:
    """A cache of small pictures of catalogue parts, drawn in cells. Drawing is slow: call it in a thread."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._cache: LruCache[tuple[str, int, int, bool, bool], Text] = LruCache()

    def draw(self, part: str, width: int, height: int, *, dark: bool, coloured: bool) -> Text:
        """Draw a part, `width` by `height` cells; raises :class:`RckError` if it cannot be built."""
        key = (part, width, height, dark, coloured)
        return self._cache.get(key, lambda: self._draw(part, width, height, dark, coloured))

    def _draw(self, part: str, width: int, height: int, dark: bool, coloured: bool) -> Text:
        figure = pose_robot(self._catalogue.part(part).robot, geometry=Geometry.VISUAL)
        blocks = QUADRANT if coloured else HALF
        camera = fit(named_camera("home"), figure.spheres, width / (2 * height), 0.02)
        picture = draw(
            Scene(figure),
            camera,
            width * blocks.across,
            height * blocks.down,
            palette=DARK if dark else LIGHT,
            pixel_aspect=blocks.pixel_aspect(),
        )
        cells = block_cells(picture.rgb, blocks) if coloured else sign_cells(picture)
        return Text("\n", no_wrap=True, end="").join(cell_lines(cells))


class PartCard(Vertical):
    """The description of one part."""

    def __init__(self, catalogue: Catalogue, **options: object) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self._catalogue = catalogue
        self._pictures = PartPictures(catalogue)
        self._shown: tuple[str, CatalogueEntry | None] = ("", None)
        """The described part, and the one that it is compared with."""

    def compose(self) -> ComposeResult:
        """Add the picture, which is hidden on small screens, and the text."""
        yield Static(id="card-picture")
        yield Static(id="card-text")

    def use(self, catalogue: Catalogue) -> None:
        """Describe parts of another catalogue."""
        self._catalogue = catalogue
        self._pictures = PartPictures(catalogue)

    def show_hint(self, text: str) -> None:
        """Show a hint instead of a part."""
        self._shown = "", None
        self.query_one("#card-picture").display = False
        self.query_one("#card-text", Static).update(Text(text, "dim"))

    def show(self, entry: CatalogueEntry, compared: CatalogueEntry | None = None) -> None:
        """Describe a part, and compare it with another one if that is given."""
        if (entry.id, compared) == self._shown:
            return
        self._shown = entry.id, compared
        self.query_one("#card-text", Static).update(_describe(entry, self._catalogue, compared))
        picture = self.query_one("#card-picture", Static)
        picture.display = self.screen.size.height >= 30
        if picture.display:
            self.run_worker(self._draw(entry.id), group="picture", exclusive=True)

    async def _draw(self, part: str) -> None:
        """Draw the part in a thread, once the cursor rests on it."""
        await asyncio.sleep(_DELAY)
        box = self.query_one("#card-picture", Static)
        width, height = box.size
        if width < 8 or height < 3:
            return
        dark = self.app.current_theme.dark
        coloured = not self.app.few_colours  # type: ignore[attr-defined]
        try:
            text = await asyncio.to_thread(self._pictures.draw, part, width, height, dark=dark, coloured=coloured)
        except RckError:
            text = Text("")
        if part == self._shown[0]:
            box.update(text)


def _describe(entry: CatalogueEntry, catalogue: Catalogue, compared: CatalogueEntry | None) -> Text:
    text = Text.assemble((entry.name, "bold"), "  ", (entry.vendor, "dim"), "\n")
    if compared is not None:
        text.append(f"instead of {compared.name}\n", "dim")
    figures = [name for name in entry.figures if name not in ("mass", "dof")]
    rows = [("", _size(entry), "" if compared is None else _size(compared)), *_figures(["mass"], entry, compared)]
    rows += _figures(figures[: 4 if compared is None else 8], entry, compared)
    for name, value, other in rows:
        text.append(f"{name} {value}".lstrip()).append(f"  was {other}\n" if other and other != value else "\n", "dim")
    text.append("ports ", "dim").append(" ".join(entry.ports) + "\n")
    if entry.parameters:
        text.append("parameters ", "dim").append(" ".join(entry.parameters) + "\n")
    if entry.approximate:
        text.append("simplified shape\n", "dim")
    try:
        text.append(f"source: {catalogue.file(entry.id).manifest.first_source}", "dim italic")
    except RckError as error:
        text.append(str(error), "red")
    return text


def _size(entry: CatalogueEntry) -> str:
    x, y, z = (1000 * size for size in entry.size)
    return f"{x:.4g} x {y:.4g} x {z:.4g} mm"


def _figures(
    names: Iterable[str], entry: CatalogueEntry, compared: CatalogueEntry | None
) -> Iterator[tuple[str, str, str]]:
    """Format figures of a part: name, value, and the value of the compared part."""
    for name in names:
        values = [one.figures[name] for one in (entry, compared) if one is not None and name in one.figures]
        figure = SEARCHABLE[name]
        unit = "g" if name == "mass" and max(values) < 1 else figure.unit
        texts = [format_quantity(value, figure.dimension, unit, 4) for value in values]
        yield name, texts[0], texts[1] if len(texts) > 1 else ""
