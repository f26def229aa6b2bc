"""Sensors that feel: contact, the weight that a wrist carries, and the stick between two hands."""

from rck_sensor_touch.plugin import rck_sensors

__all__ = ["rck_sensors"]
