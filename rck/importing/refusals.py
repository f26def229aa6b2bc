"""Refusing a file that is not what it should be: one finding that names the file, the line and what is wrong."""

from pathlib import Path

from rck.model.finding import Finding, RckError, Severity


class NotOfFormat(RckError):
    """The file is refused; `finding` says what is wrong and where."""

    def __init__(self, finding: Finding) -> None:
        self.finding = finding
        super().__init__(str(finding))


def refused(name: str, message: str, *, code: int = 505, fix: str = "") -> NotOfFormat:
    """A refusal of the whole file."""
    return NotOfFormat(Finding(code, Severity.ERROR, name, message, fix))


def load(path: Path) -> bytes:
    """The bytes of the file; one that cannot be read is refused."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise refused(path.name, f"cannot be read: {error.strerror}") from error
