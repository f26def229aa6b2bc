"""Sensors that measure distances: by sound, by infrared light, by laser, along one ray or all round."""

from rck_sensor_range.plugin import rck_sensors

__all__ = ["rck_sensors"]
