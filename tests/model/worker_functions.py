"""Functions that the tests of the worker run in a child process."""

import os
import time
from pathlib import Path


def echo(job, value):
    return value


def sleep(job, seconds):
    time.sleep(seconds)


def allocate(job, size):
    return len(bytearray(size))


def abort(job):
    os.abort()


def fail(job):
    raise IndexError("no such face")


def report_and_sleep(job, file, seconds):
    Path(file).write_text(str(os.getpid()))
    job.progress(0.5, "faces of arm")
    time.sleep(seconds)
