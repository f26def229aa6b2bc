"""Sensor plugins: cameras, range finders, touch, motion and safety sensors."""
