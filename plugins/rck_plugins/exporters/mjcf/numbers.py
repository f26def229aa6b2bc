"""Numbers in MJCF, with all their digits: what simulators compute depends on the last one."""

from collections.abc import Iterable

from rck.exporting.file_text import LEAST_NUMBER


def exact(numbers: Iterable[float]) -> str:
    """Return numbers as text that reads back as the same numbers."""
    return " ".join([_shortest(float(number)) for number in numbers])


def _shortest(number: float) -> str:
    if abs(number) < LEAST_NUMBER:
        return "0"
    return repr(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)
