"""The process that :mod:`rck_step.convert` starts: one STEP file to one glTF file, and nothing of RCK loaded."""

import sys
from pathlib import Path


def main(source: str, target: str, deviation: str, turn: str) -> int:
    """Convert one file; the status is zero if that worked."""
    import cascadio

    glb = cascadio.load(
        Path(source).read_bytes(),
        file_type="step",
        # OpenCASCADE works in millimetres whatever the file's unit.
        tol_linear=1000 * float(deviation),
        tol_angular=float(turn),
    )
    if not glb:
        return 1
    Path(target).write_bytes(glb)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
