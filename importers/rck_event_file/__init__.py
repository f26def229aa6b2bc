"""Event files, `.events`: timed joint motions of the simulator that RCK's model comes from (Lingman 1996)."""

from rck_event_file.plugin import rck_exporters, rck_importers

__all__ = ["rck_exporters", "rck_importers"]
