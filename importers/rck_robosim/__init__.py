"""Files of ROBOSIM (NASA Marshall and Vanderbilt University): links as `name.loc`, `name.1` and so on, and programs."""

from rck_robosim.plugin import rck_exporters, rck_importers

__all__ = ["rck_exporters", "rck_importers"]
