"""Batches on several cores: kernels let go of the interpreter's lock, so plain threads are enough."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import count

# Several chunks for each thread, so that a core that is busy elsewhere does not hold up the end.
_CHUNKS_PER_THREAD = 4
# No machine has more cores; threads are started as they are needed.
_MOST_THREADS = 1024


def available_cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def run_in_chunks(work: Callable[[slice], None], rows: int, *, smallest: int, threads: int | None = None) -> None:
    """Call `work` with slices that together cover `rows` rows, on as many threads as there are cores.

    The thread that calls is one of them. No chunk has fewer than `smallest` rows, because handing over work takes
    some hundredths of a millisecond. What `work` raises is raised here.
    """
    if threads is not None and threads < 1:
        raise ValueError(f"the number of threads is {threads}, and must be at least 1")
    most_chunks = max(1, rows // smallest)
    workers = min(threads or available_cores(), most_chunks)
    if workers == 1:
        work(slice(0, rows))
        return
    chunks = min(most_chunks, _CHUNKS_PER_THREAD * workers)
    # Taking the next number is one step of the interpreter: no two threads get the same.
    turns = count()

    def take_chunks() -> None:
        nonlocal turns
        try:
            while (turn := next(turns)) < chunks:
                work(slice(rows * turn // chunks, rows * (turn + 1) // chunks))
        except BaseException:
            # The others begin no further chunk.
            turns = count(chunks)
            raise

    helpers = [_threads().submit(take_chunks) for _ in range(workers - 1)]
    try:
        take_chunks()
    finally:
        # A helper that has not begun is not needed any more, and one that has may still use what `work` does.
        failures = [helper.exception() for helper in helpers if not helper.cancel()]
    for failure in failures:
        if failure is not None:
            raise failure


@cache
def _threads() -> ThreadPoolExecutor:
    """The threads that wait for work: starting one takes longer than many a batch."""
    return ThreadPoolExecutor(_MOST_THREADS, thread_name_prefix="rck-kernel")


if hasattr(os, "register_at_fork"):
    # A forked process has none of its parent's threads.
    os.register_at_fork(after_in_child=_threads.cache_clear)
