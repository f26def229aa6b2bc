"""Fair timing on a machine that others use too."""

from collections.abc import Callable, Mapping
from time import perf_counter

REPETITIONS = 15


def rates(
    contenders: Mapping[str, Callable[[], object]], work: int, repetitions: int = REPETITIONS
) -> dict[str, float]:
    """How many units of work a second each contender does, where one call does `work` units.

    They take turns, so that a disturbance meets all of them, and the best turn of each counts. A turn before
    the first is not measured: it compiles and fills caches.
    """
    best = dict.fromkeys(contenders, float("inf"))
    for call in contenders.values():
        call()
    for _ in range(repetitions):
        for name, call in contenders.items():
            start = perf_counter()
            call()
            best[name] = min(best[name], perf_counter() - start)
    return {name: work / seconds for name, seconds in best.items()}
