"""Errors for invalid files: one finding that names the file, the line and the problem."""

from pathlib import Path

from rck.support.finding import Finding, RckError, Severity


class NotOfFormat(RckError):
    """Error for an invalid file; `finding` gives the problem and its location."""

    def __init__(self, finding: Finding) -> None:
        self.finding = finding
        super().__init__(str(finding))


def refused(name: str, message: str, *, code: int = 505, fix: str = "") -> NotOfFormat:
    """Return an error that refuses the whole file."""
    return NotOfFormat(Finding(code, Severity.ERROR, name, message, fix))


def load(path: Path) -> bytes:
    """Return the bytes of the file; refuse a file that cannot be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise refused(path.name, f"cannot be read: {error.strerror}") from error
