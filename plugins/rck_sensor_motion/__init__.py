"""Sensors of a robot's own motion: joint encoders and inertial sensors."""

from rck_sensor_motion.plugin import rck_sensors

__all__ = ["rck_sensors"]
