"""Exporters: one module or folder for each format."""
