"""Installs the system libraries that optional packages need, and the programs that tests compare with, or names them.

Run by `make setup`. Never fails: without these libraries only the features of that package are missing, and tests
skip a program that is not there, by name.
"""

import ctypes.util
import importlib.util
import os
import shutil
import subprocess
import sys

# Python package: {library as the linker knows it: Debian package}
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


# What tests ask about files and pages: {program, or the module as pkg-config knows it: Debian package}
PEERS = {
    "check_urdf": "liburdfdom-tools",
    "g++": "g++",
    "pkg-config": "pkg-config",
    "sdformat12": "libsdformat-dev",
    "dot": "graphviz",
    "chromium": "chromium",
}


def main() -> None:
    """Install or name what is missing."""
    for package, libraries in NEEDS.items():
        if importlib.util.find_spec(package) is not None:
            missing = [debian for library, debian in libraries.items() if ctypes.util.find_library(library) is None]
            provide(missing, f"{package} will not work until these system packages are installed; all else does")
    absent = [debian for peer, debian in PEERS.items() if not (shutil.which(peer) or is_module(peer))]
    provide(absent, "tests that compare with these programs are skipped until they are installed")


def is_module(name: str) -> bool:
    """Whether pkg-config knows the library."""
    if shutil.which("pkg-config") is None:
        return False
    return subprocess.run(["pkg-config", "--exists", name], check=False).returncode == 0


def provide(missing: list[str], otherwise: str) -> None:
    """Install the packages where that is allowed; else, or where it fails, say what to do."""
    if not missing:
        return
    if os.geteuid() == 0 and shutil.which("apt-get"):
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        subprocess.run(["apt-get", "update", "-qq"], check=False, env=quiet)
        if subprocess.run(["apt-get", "install", "-y", "-qq", *missing], check=False, env=quiet).returncode == 0:
            return
    sys.stderr.write(f"{otherwise}:\n    sudo apt install {' '.join(missing)}\n")


if __name__ == "__main__":
    main()
