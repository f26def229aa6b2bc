"""Writing robots as GLB, with their tree, and as STL, OBJ and PLY, all in one piece."""

from rck_export_mesh.plugin import rck_exporters

__all__ = ["rck_exporters"]
