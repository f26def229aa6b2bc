"""Batches on several cores. Kernels release the interpreter lock, so plain threads are enough."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import count

# Several chunks per thread, so that a core that is busy elsewhere does not delay the end.
_CHUNKS_PER_THREAD = 4
# More than any machine has cores; threads are started on demand.
_MOST_THREADS = 1024


def available_cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def run_in_chunks(work: Callable[[slice], None], rows: int, *, smallest: int, threads: int | None = None) -> None:
    """Call `work` with slices that together cover `rows` rows, by default on all cores.

    The calling thread is one of the workers. No chunk has fewer than `smallest` rows, because handing over work takes
    some tens of microseconds. Exceptions of `work` are raised here.
    """
    if threads is not None and threads < 1:
        raise ValueError(f"the number of threads must be at least 1, not {threads}")
    most_chunks = max(1, rows // smallest)
    workers = min(threads or available_cores(), most_chunks)
    if workers == 1:
        work(slice(0, rows))
        return
    chunks = min(most_chunks, _CHUNKS_PER_THREAD * workers)
    # Taking the next number is atomic, so no two threads get the same.
    turns = count()

    def take_chunks() -> None:
        nonlocal turns
        try:
            while (turn := next(turns)) < chunks:
                work(slice(rows * turn // chunks, rows * (turn + 1) // chunks))
        except BaseException:
            # Stop the other threads from starting another chunk.
            turns = count(chunks)
            raise

    futures = [_threads().submit(take_chunks) for _ in range(workers - 1)]
    try:
        take_chunks()
    finally:
        # Cancel workers that have not started; wait for the others, which may still use the arguments of `work`.
        failures = [future.exception() for future in futures if not future.cancel()]
    for failure in failures:
        if failure is not None:
            raise failure


@cache
def _threads() -> ThreadPoolExecutor:
    """Return the idle threads. Starting a thread takes longer than many batches."""
    return ThreadPoolExecutor(_MOST_THREADS, thread_name_prefix="rck-kernel")


if hasattr(os, "register_at_fork"):
    # A forked process has none of its parent's threads.
    os.register_at_fork(after_in_child=_threads.cache_clear)
