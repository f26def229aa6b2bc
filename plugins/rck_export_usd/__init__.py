"""Writing robots and worlds as Universal Scene Description, with the physics of UsdPhysics."""

from rck_export_usd.plugin import rck_exporters

__all__ = ["rck_exporters"]
