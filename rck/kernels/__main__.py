"""`python -m rck.kernels` compiles every kernel now, with a progress line, instead of at its first use."""

import os
import sys
from time import monotonic

from rck.kernels.kernel import warm_up


def main() -> None:
    """Compile every kernel that is not yet on disk, and report the progress on stderr."""
    start = monotonic()
    # A terminal without escape codes cannot replace the line.
    live = sys.stderr.isatty() and os.environ.get("TERM", "dumb") != "dumb"
    sys.stderr.write("compiling the numeric kernels of RCK, once: one to two minutes on an idle machine\n")

    def progress(done: int, total: int, name: str) -> None:
        if live:
            area = name.rpartition(".")[0].rpartition(".")[2]
            sys.stderr.write(f"\r\x1b[K{done} of {total} kernels, {monotonic() - start:.0f} s: {area} ...")
            sys.stderr.flush()

    names = warm_up(progress)
    erase = "\r\x1b[K" if live else ""
    sys.stderr.write(f"{erase}{len(names)} kernels are ready after {monotonic() - start:.0f} s\n")


if __name__ == "__main__":
    main()
