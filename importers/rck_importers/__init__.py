"""Importers included with RCK, one module or package per format."""
