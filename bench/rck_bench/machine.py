"""Description of the machine that runs the benchmarks."""

import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import rck
from rck.kernels.parallel import available_cores


def machine() -> dict[str, str]:
    """Return processor, cores, system and versions, by name; areas add those of their peers."""
    return {
        "processor": _processor(),
        "cores": str(available_cores()),
        "system": platform.platform(),
        "python": platform.python_version(),
        "rck": rck.__version__,
        "numpy": package_version("numpy"),
        "numba": package_version("numba"),
    }


def package_version(name: str) -> str:
    """Return the version of a distribution, or a text if it is not installed."""
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
