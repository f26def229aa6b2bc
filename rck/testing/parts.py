"""What every part library must do: run :func:`check_library` on yours."""

from rck.catalogue.check import check_files
from rck.catalogue.library import manifest_paths, read_catalogue
from rck.hooks.job import Job
from rck.hooks.kinds import PartLibrary


def check_library(library: PartLibrary) -> None:
    """Every manifest is read, and its part right at the ends of all parameters; else :class:`AssertionError`."""
    paths = manifest_paths(library.folder)
    assert paths, f"{library.folder} has no manifests"
    catalogue = read_catalogue([library.folder])
    assert not catalogue.findings, str(catalogue.findings[0])
    assert len(catalogue.entries) == len(paths), "two manifests have one id"
    for path, findings in check_files(paths, Job()):
        assert not findings, f"{path}: {findings[0]}"
