"""Writing a serial robot as a program in the ROBOSIM language, from which ROBOSIM makes its link files."""

from rck_export_robosim.plugin import rck_exporters

__all__ = ["rck_exporters"]
