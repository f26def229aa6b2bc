"""Shared code of exporters: link trees, shapes, mesh files, number formats, losses, and running an exporter."""

from rck.exporting.collision_pairs import rigid_pairs, untested_pairs
from rck.exporting.link_masses import LEAST_BODY, massless_links
from rck.exporting.link_tree import (
    ExportLink,
    LinkModel,
    LinkTree,
    Merge,
    PlacedDevice,
    PlacedFrame,
    PlacedItem,
    link_tree,
    models_of,
)
from rck.exporting.losses import list_names, loss
from rck.exporting.mesh_assets import ExportShape, MeshAssets, shapes_of
from rck.support.names import legal_name, legal_names

__all__ = [
    "LEAST_BODY",
    "ExportLink",
    "ExportShape",
    "LinkModel",
    "LinkTree",
    "Merge",
    "MeshAssets",
    "PlacedDevice",
    "PlacedFrame",
    "PlacedItem",
    "legal_name",
    "legal_names",
    "link_tree",
    "list_names",
    "loss",
    "massless_links",
    "models_of",
    "rigid_pairs",
    "shapes_of",
    "untested_pairs",
]
