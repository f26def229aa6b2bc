"""Viewer plugins."""
