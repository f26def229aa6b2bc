"""Reading with the function of one importer, as `rck` reads files."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path

from rck.hooks import Imported, Job, Values
from rck.hooks.file_exchange import FileContents, compile_imported

Read = Callable[[Path, Values, Job], Imported]


def compiling(read: Read) -> Callable[[Path, Values, Job], FileContents]:
    """Return a function that reads a file and compiles the parts in it."""

    @wraps(read)
    def run(path: Path, values: Values, job: Job) -> FileContents:
        return compile_imported(read(path, values, job), path)

    return run
