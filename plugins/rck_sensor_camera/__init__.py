"""Cameras: colour, depth, and which item each pixel sees."""

from rck_sensor_camera.plugin import rck_sensors

__all__ = ["rck_sensors"]
