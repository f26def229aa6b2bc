"""Installs the system libraries that optional packages need, or says which ones are missing.

Run by `make setup`. Never fails: without these libraries only the features of that package are missing.
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


def main() -> None:
    """Install or name what is missing."""
    for package, libraries in NEEDS.items():
        if importlib.util.find_spec(package) is None:
            continue
        missing = [debian for library, debian in libraries.items() if ctypes.util.find_library(library) is None]
        if not missing:
            continue
        if os.geteuid() == 0 and shutil.which("apt-get"):
            subprocess.run(["apt-get", "update", "-qq"], check=False)
            done = subprocess.run(["apt-get", "install", "-y", "-qq", *missing], check=False)
            if done.returncode == 0:
                continue
        sys.stderr.write(
            f"{package} will not work until these system packages are installed; all else does:\n"
            f"    sudo apt install {' '.join(missing)}\n"
        )


if __name__ == "__main__":
    main()
