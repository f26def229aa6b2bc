"""Install the system packages that optional features and peer tests need, or print the command that does.

`make setup` runs it; it installs only in CI or with `make setup SYSTEM=1`. It never fails: without these packages only
some features are missing, and the tests that need them are skipped.
"""

import ctypes.util
import importlib.util
import os
import shutil
import subprocess
import sys

# Python package: {shared library: Debian package}
NEEDS = {
    "open3d": {
        "usb-1.0": "libusb-1.0-0",
        "EGL": "libegl1",
        "GL": "libgl1",
        "X11": "libx11-6",
        "udev": "libudev1",
        "idn2": "libidn2-0",
        "gomp": "libgomp1",
    },
}


# Peers that tests use: {program or pkg-config module: Debian package}
PEERS = {
    "check_urdf": "liburdfdom-tools",
    "g++": "g++",
    "pkg-config": "pkg-config",
    "sdformat12": "libsdformat-dev",
    "dot": "graphviz",
    "chromium": "chromium",
}


def main() -> None:
    """Install the missing packages if that is allowed; otherwise print the one command that does."""
    missing = [
        debian
        for package, libraries in NEEDS.items()
        if importlib.util.find_spec(package) is not None
        for library, debian in libraries.items()
        if ctypes.util.find_library(library) is None
    ]
    missing += [debian for peer, debian in PEERS.items() if not (shutil.which(peer) or is_module(peer))]
    if missing and not install(missing):
        features = "Open3D features and some tests are off until these system packages are installed"
        sys.stderr.write(f"{features}:\n    sudo apt install {' '.join(missing)}\n")


def is_module(name: str) -> bool:
    """Return True if pkg-config knows the library."""
    if shutil.which("pkg-config") is None:
        return False
    return subprocess.run(["pkg-config", "--exists", name], check=False).returncode == 0


def install(packages: list[str]) -> bool:
    """Install the packages in CI or with SYSTEM=1; return True if that was done."""
    allowed = os.environ.get("CI") or os.environ.get("SYSTEM")
    if not allowed or os.geteuid() != 0 or shutil.which("apt-get") is None:
        return False
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run(["apt-get", "update", "-qq"], check=False, env=quiet)
    return subprocess.run(["apt-get", "install", "-y", "-qq", *packages], check=False, env=quiet).returncode == 0


if __name__ == "__main__":
    main()
