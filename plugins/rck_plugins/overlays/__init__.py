"""Overlays of the 3D views."""
