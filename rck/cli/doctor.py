"""`rck doctor`: what is installed, what is missing for which feature, and the command that installs it.

It must work in a broken installation, so it imports nothing of RCK before it has checked RCK's own libraries.
"""

import json
import os
import platform
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import cache
from importlib.metadata import packages_distributions, requires, version
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

import click

from rck import __version__

CORE = (
    "click", "ezdxf", "msgspec", "numba", "numpy", "packaging", "PIL", "pluggy", "yaml", "scipy", "textual", "trimesh",
)  # fmt: skip
"""The modules that RCK requires."""

_PATIENCE = 120
"""Time limit for the import of a library, in seconds."""

_DEBIAN = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libX11.so.6": "libx11-6",
    "libgomp.so.1": "libgomp1",
    "libidn2.so.0": "libidn2-0",
    "libudev.so.1": "libudev1",
    "libusb-1.0.so.0": "libusb-1.0-0",
}
"""The packages of Debian and Ubuntu with system libraries that Python packages require."""


@dataclass(frozen=True, slots=True)
class Extra:
    """An optional set of libraries, installed by `pip install 'rck[NAME]'`."""

    name: str
    gives: str
    modules: tuple[str, ...]


EXTRAS = (
    Extra("3mf", "reading 3MF meshes", ("lxml", "networkx")),
    Extra("coal", "the collision backend coal", ("coal",)),
    Extra("collada", "reading COLLADA meshes", ("collada",)),
    Extra("control", "`rck serve`, and clients that drive a simulation", ("websockets",)),
    Extra("decompose", "cutting any solid into convex pieces", ("coacd",)),
    Extra("dwg", "reading DWG drawings", ("ezdwg",)),
    Extra("mujoco", "physics, the collision backend mujoco, and checking MJCF", ("mujoco",)),
    Extra("open3d", "reading point clouds, and the collision backend open3d", ("open3d",)),
    Extra("pinocchio", "the solver pinocchio, and checking exports against it", ("pinocchio",)),
    Extra("step", "reading STEP bodies with rare surfaces", ("cascadio",)),
    # PyBullet has no wheels for newer Pythons.
    Extra("urdf", "checking URDF in other readers", ("yourdfpy", "pybullet")[: 2 if sys.version_info < (3, 12) else 1]),
    Extra("usd", "reading USD files, and writing binary ones", ("pxr",)),
    Extra("web", "the editor in a browser", ("textual_serve",)),
    Extra("xacro", "reading xacro files", ("xacro",)),
)  # fmt: skip


def install_command(module: str) -> str:
    """Return the command that installs a missing module."""
    extra = next((extra.name for extra in EXTRAS if module.partition(".")[0] in extra.modules), "")
    return f"pip install 'rck[{extra}]'" if extra else f"pip install {module}"


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of one check."""

    name: str
    state: Literal["fine", "missing", "broken"]
    found: str
    """The versions, or the problem."""
    gives: str = ""
    """The features that need it."""
    remedy: str = ""
    """The command that fixes it."""


@click.command()
@click.option("--quick", is_flag=True, help="Check only that libraries are installed, without importing them.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def doctor(quick: bool, as_json: bool) -> None:
    """Print what is installed, which features lack a library, and the command that installs it.

    The exit status is 1 if an installed library does not work. A missing extra is not an error.
    """
    checked = list(examine(quick))
    if as_json:
        click.echo(json.dumps([asdict(one) for one in checked], indent=2))
    else:
        for line in _report(checked):
            click.echo(line)
    sys.exit(int(any(one.state == "broken" for one in checked)))


def examine(quick: bool) -> Iterator[Checked]:
    """Run all checks; those that need RCK itself only if its libraries work."""
    core = _modules("libraries", "", CORE, "pip install --force-reinstall rck", quick)
    # A missing required library is an error, not a missing extra.
    whole = core.state == "fine"
    yield core if whole else Checked("libraries", "broken", core.found, "everything", core.remedy)
    if whole:
        for look in (_plugins, _catalogue, _folders):
            yield _guarded(look)
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        yield from pool.map(lambda extra: _extra(extra, quick), EXTRAS)


def _extra(extra: Extra, quick: bool) -> Checked:
    return _modules(extra.name, extra.gives, extra.modules, install_command(extra.modules[0]), quick)


def _modules(name: str, gives: str, modules: Sequence[str], install: str, quick: bool) -> Checked:
    missing = [module for module in modules if find_spec(module) is None]
    if missing:
        return Checked(name, "missing", f"not installed: {', '.join(missing)}", gives, install)
    if old := next(filter(None, map(_age, modules)), ""):
        return Checked(name, "broken", old, gives, install.replace("pip install", "pip install --upgrade"))
    trouble = "" if quick else import_trouble(modules)
    if trouble:
        return Checked(name, "broken", trouble, gives, remedy_for(trouble) or install)
    return Checked(name, "fine", ", ".join(map(_version, modules)), gives)


def import_trouble(modules: Sequence[str]) -> str:
    """Return why modules cannot be imported; empty if they can. Runs in a child process, which may crash."""
    command = [sys.executable, "-P", "-c", f"import {', '.join(modules)}"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        return f"importing {', '.join(modules)} takes more than {_PATIENCE} s"
    if done.returncode == 0:
        return ""
    return (done.stderr.strip().splitlines() or [f"Python ended with status {done.returncode}"])[-1]


def remedy_for(trouble: str) -> str:
    """Return the command that installs a missing system library; empty if none is missing."""
    match = re.search(r"(lib[\w.+-]+?\.so[.\d]*): cannot open shared object file", trouble)
    if match is None:
        return ""
    package = _DEBIAN.get(match[1])
    return f"sudo apt install {package}" if package else f"install the package of your system that has {match[1]}"


@cache
def _owners() -> Mapping[str, Sequence[str]]:
    """Return the packages of each module; reading all metadata takes a second."""
    return packages_distributions()


def _version(module: str) -> str:
    owners = _owners().get(module)
    return f"{owners[0]} {version(owners[0])}" if owners else module


def _age(module: str) -> str:
    """Return how the package of a module is older than RCK requires; empty if it is not."""
    for package in _owners().get(module, ()):
        least = _least_versions().get(package.lower())
        if least is not None and _release(version(package)) < _release(least):
            return f"{package} {version(package)} is older than {least}, which RCK requires"
    return ""


@cache
def _least_versions() -> Mapping[str, str]:
    """Return the lowest version of each package that RCK accepts."""
    found = (re.match(r"([\w.-]+)(?:\[.*?\])?>=([\d.]+)", text) for text in requires("rck") or ())
    return {match[1].lower(): match[2] for match in found if match}


def _release(text: str) -> tuple[int, ...]:
    """Return the numbers of a version, without trailing zeros."""
    match = re.match(r"\d+(\.\d+)*", text)
    numbers = [int(number) for number in match[0].split(".")] if match else []
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)


def _guarded(look: Callable[[], Checked]) -> Checked:
    try:
        return look()
    except Exception as error:
        what = look.__name__.strip("_")
        return Checked(what, "broken", f"{type(error).__name__}: {error}", remedy="pip install --force-reinstall rck")


def _plugins() -> Checked:
    from rck.hooks import HOOK_OF_KIND, discover

    found = discover()
    for kind in HOOK_OF_KIND:
        found.all(kind)
    states = [info.state for info in found.infos()]
    failed = [info.name for info in found.infos() if info.state == "failed"]
    if failed:
        return Checked("plugins", "broken", f"failed: {', '.join(failed)}", "", "rck plugins doctor")
    return Checked("plugins", "fine", f"{len(states)} installed, {states.count('off')} disabled")


def _catalogue() -> Checked:
    from rck.hooks import discover
    from rck.parts.library import open_catalogue

    catalogue = open_catalogue(discover(), Path.cwd())
    count = f"{len(catalogue.entries)} parts"
    if catalogue.findings:
        return Checked("catalogue", "broken", f"{count}; {catalogue.findings[0]}", "", "rck parts check")
    return Checked("catalogue", "fine", count)


def _folders() -> Checked:
    """Check that the folders of the user are writable, or can be created."""
    from rck.support.user_folders import cache_folder, config_folder, data_folder

    for variable, folder in (
        ("RCK_CONFIG", config_folder()),
        ("RCK_DATA", data_folder()),
        ("RCK_CACHE", cache_folder()),
    ):
        there = next(path for path in (folder, *folder.parents) if path.exists())
        if not (there.is_dir() and os.access(there, os.W_OK)):
            remedy = f"set {variable} to a writable folder"
            return Checked("folders", "broken", f"{there} is not writable", "", remedy)
    return Checked("folders", "fine", str(config_folder()))


_MARKS = {"fine": "✓", "missing": "-", "broken": "✗"}


def _report(checked: Sequence[Checked]) -> Iterator[str]:
    yield f"RCK {__version__}, Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    yield sys.executable
    yield ""
    width = max(len(one.name) for one in checked)
    for one in checked:
        yield f"{_MARKS[one.state]} {one.name:{width}}  {': '.join(filter(None, (one.gives, one.found)))}"
        if one.remedy:
            yield f"  {'':{width}}  {one.remedy}"
    missing = [one.name for one in checked if one.state == "missing"]
    if missing:
        yield ""
        yield f"Install everything that is missing: pip install 'rck[{','.join(missing)}]'"
