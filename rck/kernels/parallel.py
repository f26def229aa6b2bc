"""Batches on several cores: kernels let go of the interpreter's lock, so plain threads are enough."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

# Several chunks for each thread, so that a core that is busy elsewhere does not hold up the end.
_CHUNKS_PER_THREAD = 4


def available_cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def run_in_chunks(work: Callable[[slice], None], rows: int, *, smallest: int, threads: int | None = None) -> None:
    """Call `work` with slices that together cover `rows` rows, on as many threads as there are cores.

    No chunk has fewer than `smallest` rows, because starting threads takes some tenths of a millisecond.
    What `work` raises is raised here.
    """
    if threads is not None and threads < 1:
        raise ValueError(f"the number of threads is {threads}, and must be at least 1")
    most_chunks = max(1, rows // smallest)
    workers = min(threads or available_cores(), most_chunks)
    if workers == 1:
        work(slice(0, rows))
        return
    count = min(most_chunks, _CHUNKS_PER_THREAD * workers)
    ends = [rows * part // count for part in range(count + 1)]
    with ThreadPoolExecutor(workers, thread_name_prefix="rck-kernel") as pool:
        # Going through the results raises the first failure and takes back what has not begun.
        for _ in pool.map(work, map(slice, ends[:-1], ends[1:])):
            pass
