"""POCODA, the polygon collision detection of ROBOSIM: edges through polygons."""

from rck_collision_pocoda.plugin import rck_collision_backends

__all__ = ["rck_collision_backends"]
