"""Simulation: clock, events and programs, contacts, grippers, sensors and recordings.

Start with :class:`~rck.simulation.simulation.Simulation`.
"""
