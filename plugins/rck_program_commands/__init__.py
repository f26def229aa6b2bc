"""Robot programs as a text of commands, one to a line."""

from rck_program_commands.plugin import rck_program_languages

__all__ = ["rck_program_languages"]
