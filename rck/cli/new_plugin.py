"""`rck plugins new`: a complete small plugin of the chosen kind, ready to be installed, tested and changed."""

import re
import sys
from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

import click

from rck.model import RckError
from rck.model.files import write_atomically

KINDS = {
    "collision": "a collision back end",
    "command": "a word of the command language",
    "exporter": "a file format that can be written",
    "gripper": "a way of holding on to things",
    "importer": "a file format that can be read",
    "panel": "a panel of the editor",
    "parts": "a library of parts",
    "physics": "a world under forces",
    "sensor": "a kind of sensor",
    "solver": "a way to solve inverse kinematics",
    "viewer": "another way to look at a robot",
}
_PROJECT = """\
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "{name}"
version = "0.1.0"
description = "{what} for RCK, the Robot Construction Kit"
readme = "README.md"
requires-python = ">=3.11"
dependencies = ["rck"]

[project.entry-points.rck]
{name} = "{module}"
"""
_README = """\
# {name}

{What} for RCK, the Robot Construction Kit.

```sh
pip install -e .
rck plugins info {name}
pytest
```

`{module}/__init__.py` is all of it; `tests` holds the contract that RCK publishes for such plugins.
{use}"""
_USES = {
    "gripper": """
A part whose manifest says `devices: {hand: {gripper: STEM, port: tip}}` grips in this way, from its port `tip`: the
gripper is called `STEM-gripper` in the code. `rck parts check` tells when nobody serves what a part names.
""",
    "sensor": """
A part whose manifest says `devices: {eye: {sensor: NAME, port: lens}}` has this sensor, at its port `lens`.
`rck parts check` tells when nobody serves what a part names.
""",
}
"""How parts come to what a plugin adds."""


@click.command("new")
@click.argument("name")
@click.option("--kind", type=click.Choice(sorted(KINDS)), required=True, help="What it is to add.")
@click.option(
    "-o", "--out", type=click.Path(path_type=Path), default=None, help="The folder to make; by default the name."
)
def new_plugin(name: str, kind: str, out: Path | None) -> None:
    """Write a small plugin that works: code, tests, and what pip needs to install it."""
    folder = Path(name) if out is None else out
    written = write_plugin(name, kind, folder)
    for path in written:
        click.echo(path)
    click.echo(f"\nNext: cd {folder} && pip install -e . && rck plugins info {name} && pytest")


def write_plugin(name: str, kind: str, folder: Path) -> list[Path]:
    """Write the files of a plugin into a new folder; the paths written."""
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name):
        raise RckError(f"{name!r} is not a name for a plugin: use small letters and digits, with - between words")
    module = name.replace("-", "_")
    if module in sys.stdlib_module_names or module == "rck":
        raise RckError(f"{name!r} is the name of a module that exists: choose another")
    if folder.exists() and any(folder.iterdir()):
        raise RckError(f"{folder} exists and is not empty: choose another folder with --out")
    use = _USES.get(kind, "").replace("NAME", name).replace("STEM", _stem(name))
    words = {"use": use, "name": name, "module": module, "what": KINDS[kind], "What": KINDS[kind].capitalize()}
    contents = {
        "pyproject.toml": _PROJECT.format(**words),
        "README.md": _README.format(**words),
        **{_place(path, module): _renamed(text, name, module) for path, text in _template(kind)},
    }
    for path, text in contents.items():
        write_atomically(folder / path, text.encode())
    return [folder / path for path in contents]


def _template(kind: str) -> Iterator[tuple[str, str]]:
    """The files of the template with their paths below its folder."""
    waiting: list[tuple[str, Traversable]] = [("", files("rck.templates") / kind)]
    while waiting:
        path, entry = waiting.pop()
        if entry.is_file():
            yield path, entry.read_text(encoding="utf-8")
        elif entry.name != "__pycache__":
            waiting += [(f"{path}/{one.name}".lstrip("/"), one) for one in entry.iterdir()]


def _place(path: str, module: str) -> str:
    """Where a file of the template goes."""
    if path == "plugin.py":
        return f"{module}/__init__.py"
    return f"tests/test_{module}.py" if path == "test_plugin.py" else f"{module}/{path}"


def _renamed(text: str, name: str, module: str) -> str:
    # A part that says `gripper: acme` is served by a gripper called acme-gripper.
    return text.replace("my-gripper", f"{_stem(name)}-gripper").replace("my-plugin", name).replace("my_plugin", module)


def _stem(name: str) -> str:
    return name.removesuffix("-gripper")
