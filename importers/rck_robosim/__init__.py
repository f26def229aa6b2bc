"""Link files of ROBOSIM (NASA Marshall and Vanderbilt University): `name.loc`, `name.1`, `name.2` and so on."""

from rck_robosim.plugin import rck_exporters, rck_importers

__all__ = ["rck_exporters", "rck_importers"]
