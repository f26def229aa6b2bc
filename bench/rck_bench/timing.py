"""Fair timing on a shared machine."""

from collections.abc import Callable, Mapping
from time import perf_counter

REPETITIONS = 15


def rates(
    contenders: Mapping[str, Callable[[], object]], work: int, repetitions: int = REPETITIONS
) -> dict[str, float]:
    """Return the units of work per second of each contender; one call does `work` units.

    They alternate, so that disturbances affect all of them, and the best turn of each counts. A first turn,
    which compiles and fills caches, is not measured.
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


def rates_of_steps(contenders: Mapping[str, Callable[[int], object]], steps: int, work: int = 1) -> dict[str, float]:
    """Return the rates as :func:`rates` does, for numbered steps of `work` units each.

    Every step is timed by itself, and the best time of each step counts: a step is short, so on a busy machine a
    slow contender has the same chance of an undisturbed one as a fast contender.
    """
    best = {name: [float("inf")] * steps for name in contenders}
    for call in contenders.values():
        call(0)
    for _ in range(REPETITIONS):
        for name, call in contenders.items():
            times = best[name]
            for step in range(steps):
                start = perf_counter()
                call(step)
                times[step] = min(times[step], perf_counter() - start)
    return {name: steps * work / sum(times) for name, times in best.items()}
