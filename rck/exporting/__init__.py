"""What exporters share: a robot as links, names that files can hold, mesh files, XML, and what is lost on the way."""

from rck.exporting.links import Link, LinkTree, Merge, PlacedDevice, PlacedFrame, PlacedItem, link_tree
from rck.exporting.losses import lost, some
from rck.exporting.models import LinkModel, models_of
from rck.exporting.names import legal_name, legal_names
from rck.exporting.pairs import rigid_pairs, untested_pairs
from rck.exporting.shapes import Shape, Shapes, shapes_of

__all__ = [
    "Link",
    "LinkModel",
    "LinkTree",
    "Merge",
    "PlacedDevice",
    "PlacedFrame",
    "PlacedItem",
    "Shape",
    "Shapes",
    "legal_name",
    "legal_names",
    "link_tree",
    "lost",
    "models_of",
    "rigid_pairs",
    "shapes_of",
    "some",
    "untested_pairs",
]
