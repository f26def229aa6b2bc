"""The parts catalogue, as Python programs use it."""

from rck.hooks import Plugins, discover
from rck.parts.index import CatalogueEntry
from rck.parts.library import open_catalogue
from rck.parts.part import Part
from rck.parts.search import parse_query, search


class PartCatalogue:
    """The parts that are installed. `rck.catalogue()` opens it."""

    def __init__(self, plugins: Plugins | None = None) -> None:
        self._catalogue = open_catalogue(plugins or discover())

    def __len__(self) -> int:
        return len(self._catalogue.entries)

    def search(self, query: str = "") -> list[CatalogueEntry]:
        """Return the parts that match words and figures, such as `servo payload>=3kg`, best first."""
        return search(self._catalogue.entries.values(), parse_query(query.split()))

    def part(self, part_id: str, **parameters: float | str) -> Part:
        """Build one part, with parameters in the units of its manifest or text with a unit: `length="0.3 m"`."""
        return self._catalogue.part(part_id, parameters)


def catalogue() -> PartCatalogue:
    """Open the parts catalogue."""
    return PartCatalogue()
