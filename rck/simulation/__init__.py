"""Trying robots out: the clock, events and programs, what pushes what, hands, sensors, recordings.

:class:`~rck.simulation.simulation.Simulation` is the way in; :class:`~rck.simulation.player.Player` plays it by the
clock on the wall, :class:`~rck.simulation.cell.Cell` lets it obey commands, and :mod:`~rck.simulation.recording`
writes it down. They import numba: import them where they are used.
"""
