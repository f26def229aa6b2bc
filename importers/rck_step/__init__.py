"""STEP files of CAD systems, through OpenCASCADE as cascadio packs it."""

from rck_step.plugin import rck_importers

__all__ = ["rck_importers"]
