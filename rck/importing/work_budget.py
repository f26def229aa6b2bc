"""Limits on the work of one import: elements after all expansion, included files, and libraries in child processes."""

from dataclasses import dataclass, field

from rck.importing.import_options import ImportLimits
from rck.importing.xml_file import Element

_MEGABYTE = 1_000_000
_SECONDS = 20.0
_SECONDS_PER_MEGABYTE = 10.0
_MEMORY = 1_000
"""In megabytes."""
_MEMORY_PER_MEGABYTE = 50


@dataclass(slots=True)
class WorkBudget:
    """Counters of one import, which refuse the file that passes a limit."""

    limits: ImportLimits = field(default_factory=ImportLimits)
    elements: int = 0
    files: int = 0

    def count_element(self, element: Element) -> None:
        """Count an element that is read, or repeated by an expansion."""
        self.elements += 1
        if self.elements > self.limits.elements:
            message = f"the model expands to more than {self.limits.elements} elements"
            raise element.refusal(message, code=509, fix="raise the limit with the option most-elements")

    def count_include(self, element: Element) -> None:
        """Count a file that an element includes."""
        self.files += 1
        if self.files > self.limits.includes:
            message = f"more than {self.limits.includes} files are included"
            raise element.refusal(message, code=509, fix="raise the limit with the option most-includes")


def time_limit(limits: ImportLimits, size: int) -> float:
    """Return how long a library may work on a file of that size in bytes, in seconds."""
    return limits.seconds or _SECONDS + _SECONDS_PER_MEGABYTE * size / _MEGABYTE


def memory_limit(limits: ImportLimits, size: int) -> int:
    """Return how much memory a library may use for a file of that size, both in bytes."""
    return limits.memory or _MEMORY * _MEGABYTE + _MEMORY_PER_MEGABYTE * size


def raise_limit(reason: str) -> str:
    """Return the option that raises a limit of a child process."""
    options = {"time": "most-seconds", "memory": "most-memory"}
    return f"raise the limit with the option {options[reason]}" if reason in options else ""
