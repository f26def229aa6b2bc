"""Meshes: STL, OBJ, PLY, OFF, glTF, 3MF and COLLADA files, through trimesh."""

from rck_mesh.plugin import rck_importers

__all__ = ["rck_importers"]
