"""Safety sensors: zones and mats that warn, hold a robot, or stop it."""

from rck_sensor_safety.plugin import rck_sensors

__all__ = ["rck_sensors"]
