"""Batches in chunks: every row once, and exceptions are raised."""

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rck.kernels.parallel import available_cores, run_in_chunks


@given(st.integers(0, 500), st.integers(1, 200), st.integers(1, 5))
def test_chunks_cover_every_row_once_and_none_is_too_small(rows, smallest, threads):
    parts = []
    run_in_chunks(parts.append, rows, smallest=smallest, threads=threads)
    covered = sorted(row for part in parts for row in range(part.start, part.stop))
    assert covered == list(range(rows))
    assert len(parts) == 1 or all(part.stop - part.start >= smallest for part in parts)


def test_chunks_run_concurrently_on_requested_threads():
    together = threading.Barrier(3, timeout=60)
    run_in_chunks(lambda part: together.wait(), 3, smallest=1, threads=3)


def test_small_batch_runs_on_calling_thread():
    threads = []
    run_in_chunks(lambda part: threads.append(threading.current_thread()), 99, smallest=50, threads=8)
    assert threads == [threading.current_thread()]


@pytest.mark.parametrize("threads", [1, 2])
def test_exception_of_chunk_is_raised(threads):
    def work(part):
        if part.stop == 1000:
            raise ZeroDivisionError("row 999")

    with pytest.raises(ZeroDivisionError, match="row 999"):
        run_in_chunks(work, 1000, smallest=1, threads=threads)


def test_there_is_at_least_one_core():
    assert available_cores() >= 1
