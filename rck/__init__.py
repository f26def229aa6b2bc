"""RCK, the Robot Construction Kit: assemble robots from parts, try them out, write them for every simulator."""

__version__ = "0.1.0"
