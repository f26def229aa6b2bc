"""Collision backends."""
