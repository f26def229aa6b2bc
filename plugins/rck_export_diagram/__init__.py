"""Drawing the kinematic diagram of a robot: what hangs on what, by which joint, as Graphviz DOT or SVG."""

from rck_export_diagram.plugin import rck_exporters

__all__ = ["rck_exporters"]
