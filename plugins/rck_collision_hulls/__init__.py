"""The default collision back end: spheres, then convex hulls, in compiled loops."""

from rck_collision_hulls.plugin import rck_checks, rck_collision_backends

__all__ = ["rck_checks", "rck_collision_backends"]
