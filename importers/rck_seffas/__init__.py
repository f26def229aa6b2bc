"""Polygon files of the SEFFAS robot simulator (Koning 1991), `.seffas` or `.geo`."""

from rck_seffas.plugin import rck_exporters, rck_importers

__all__ = ["rck_exporters", "rck_importers"]
