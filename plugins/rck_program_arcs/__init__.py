"""Command files of ARCS, the Amsterdam Robot Controller and Simulator."""

from rck_program_arcs.plugin import rck_program_languages

__all__ = ["rck_program_languages"]
