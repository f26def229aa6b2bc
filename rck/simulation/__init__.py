"""Trying robots out: the clock, events and programs, what pushes what, hands, sensors, recordings."""
