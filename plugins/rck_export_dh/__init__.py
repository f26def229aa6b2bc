"""Writing Denavit-Hartenberg tables of a robot's chains, as CSV, Markdown or LaTeX."""

from rck_export_dh.plugin import rck_exporters

__all__ = ["rck_exporters"]
