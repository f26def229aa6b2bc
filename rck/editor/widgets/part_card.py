"""The card of a part: a small picture, figures, ports, source."""

import asyncio

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Static

from rck.catalogue.entry import Entry
from rck.catalogue.library import Catalogue
from rck.catalogue.search import SEARCHABLE
from rck.editor.part_pictures import PartPictures
from rck.model import RckError
from rck.model.units import format_quantity

_DELAY = 0.12
"""Seconds that the cursor rests on a part before it is drawn."""


class PartCard(Vertical):
    """What one knows of a part before placing it."""

    def __init__(self, catalogue: Catalogue, **options: object) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self._catalogue = catalogue
        self._pictures = PartPictures(catalogue)
        self._shown: str = ""

    def compose(self) -> ComposeResult:
        """A picture where there is room, and text."""
        yield Static(id="card-picture")
        yield Static(id="card-text")

    def use(self, catalogue: Catalogue) -> None:
        """Describe the parts of another catalogue."""
        self._catalogue = catalogue
        self._pictures = PartPictures(catalogue)

    def say(self, text: str) -> None:
        """Show a remark instead of a part."""
        self._shown = ""
        self.query_one("#card-picture").display = False
        self.query_one("#card-text", Static).update(Text(text, "dim"))

    def show(self, entry: Entry) -> None:
        """Describe a part."""
        if entry.id == self._shown:
            return
        self._shown = entry.id
        self.query_one("#card-text", Static).update(card_text(entry, self._catalogue))
        picture = self.query_one("#card-picture", Static)
        picture.display = self.screen.size.height >= 30
        if picture.display:
            self.run_worker(self._draw(entry.id), group="picture", exclusive=True)

    async def _draw(self, part: str) -> None:
        """Draw the part beside the interface, once the cursor rests on it."""
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
        if part == self._shown:
            box.update(text)


def card_text(entry: Entry, catalogue: Catalogue) -> Text:
    """The part in a few lines."""
    x, y, z = (1000 * size for size in entry.size)
    mass = format_quantity(entry.figures["mass"], "mass", "g" if entry.figures["mass"] < 1 else "kg", 4)
    text = Text.assemble((entry.name, "bold"), "  ", (entry.vendor, "dim"), "\n")
    text.append(f"{x:.4g} x {y:.4g} x {z:.4g} mm  {mass}\n")
    figures = [name for name in entry.figures if name not in ("mass", "dof")]
    for name in figures[:4]:
        figure = SEARCHABLE[name]
        text.append(f"{name} {format_quantity(entry.figures[name], figure.dimension, figure.unit, 4)}\n")
    text.append("ports ", "dim").append(" ".join(entry.ports) + "\n")
    if entry.parameters:
        text.append("with ", "dim").append(" ".join(entry.parameters) + "\n")
    if entry.approximate:
        text.append("the shape is simplified\n", "dim")
    try:
        source = catalogue.file(entry.id).manifest.source
        text.append(f"source: {source if isinstance(source, str) else source[0]}", "dim italic")
    except RckError as error:
        text.append(str(error), "red")
    return text
