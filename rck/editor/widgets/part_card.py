"""The card of a part: figures, ports, source, and a small picture."""

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Static

from rck.catalogue.entry import Entry
from rck.catalogue.library import Catalogue
from rck.catalogue.search import SEARCHABLE
from rck.model import RckError
from rck.model.units import format_quantity


class PartCard(Vertical):
    """What one knows of a part before placing it."""

    def __init__(self, catalogue: Catalogue, **options: object) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self._catalogue = catalogue

    def compose(self) -> ComposeResult:
        """Text, and a picture where there is room."""
        yield Static(id="card-text")

    def use(self, catalogue: Catalogue) -> None:
        """Describe the parts of another catalogue."""
        self._catalogue = catalogue

    def say(self, text: str) -> None:
        """Show a remark instead of a part."""
        self.query_one("#card-text", Static).update(Text(text, "dim"))

    def show(self, entry: Entry) -> None:
        """Describe a part."""
        self.query_one("#card-text", Static).update(card_text(entry, self._catalogue))


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
    try:
        source = catalogue.file(entry.id).manifest.source
        text.append(f"source: {source if isinstance(source, str) else source[0]}", "dim italic")
    except RckError as error:
        text.append(str(error), "red")
    return text
