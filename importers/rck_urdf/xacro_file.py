"""Xacro files expanded into URDF, by the xacro package where it is installed.

Xacro files are programs: their expressions run. The files that they include are held to the same folders as
the meshes that they name.
"""

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from pathlib import Path
from threading import Lock
from typing import Any

from rck.importing.assets import Assets, Unavailable
from rck.importing.refusals import NotOfFormat, refused
from rck.importing.xml_file import refuse_document_types
from rck.model import RckError

_USES_XACRO = re.compile(rb"<xacro:")
_COLOURS = re.compile("\x1b\\[[0-9;]*m")
_ARGUMENT = re.compile(r"([\w-]+):=(\S*)")

# The package keeps its state in module variables.
_ONE_AT_A_TIME = Lock()


def is_xacro(path: Path, data: bytes) -> bool:
    """Whether the file has something to expand."""
    return path.suffix.lower() == ".xacro" or _USES_XACRO.search(data) is not None


def arguments_of(text: str) -> dict[str, str]:
    """`prefix:=left_ gripper:=true` as a mapping."""
    arguments = {}
    for word in text.split():
        match = _ARGUMENT.fullmatch(word)
        if match is None:
            raise refused("option xacro", f"{word!r} is not of the form name:=value", code=104)
        arguments[match[1]] = match[2]
    return arguments


def expand(path: Path, arguments: dict[str, str], assets: Assets) -> tuple[bytes, str]:
    """The URDF that the xacro file stands for, and what xacro said about it, if anything."""
    try:
        import xacro
    except ImportError as error:
        message = f"{path.name} is a xacro file, and xacro is not installed"
        raise Unavailable(message, "pip install 'rck[xacro]'", code=510) from error
    said_aside = io.StringIO()
    with _ONE_AT_A_TIME, _kept_in_bounds(xacro, assets), redirect_stderr(said_aside):
        try:
            document = xacro.process_file(str(path), mappings=dict(arguments))
        except (NotOfFormat, Unavailable):
            raise
        except RecursionError as error:
            raise refused(path.name, "the macros call one another without end") from error
        except Exception as error:
            # Expressions raise whatever they like; xacro wraps some of it.
            cause = getattr(error, "exc", None)
            if isinstance(cause, RckError):
                raise cause from error
            said = str(error).strip() or type(error).__name__
            raise refused(path.name, f"xacro cannot expand it: {said.splitlines()[0][:300]}") from error
    return bytes(document.toxml(encoding="utf-8")), _COLOURS.sub("", said_aside.getvalue()).strip()


@contextmanager
def _kept_in_bounds(xacro: Any, assets: Assets) -> Iterator[None]:
    """Let xacro open only files that the description may name, and find packages without ROS."""
    from xacro import substitution_args

    packages: list[Path] = []

    def open_within(name: str, *_: object) -> io.StringIO:
        wanted = Path(str(name)).resolve()
        in_package = any(wanted.is_relative_to(package) for package in packages)
        found = wanted if in_package else assets.find(str(name))
        data = assets.read(found)
        if found.suffix.lower() not in (".yaml", ".yml"):
            refuse_document_types(data, found.name)
        return io.StringIO(data.decode("utf-8", "replace"))

    def find_package(package: str) -> str:
        packages.append(assets.package(package).resolve())
        return str(packages[-1])

    found_before = substitution_args._eval_find
    xacro.open = open_within
    substitution_args._eval_find = find_package
    evaluated = getattr(substitution_args, "_eval_dict", {})
    evaluated_before = evaluated.get("find")
    if evaluated_before is not None:
        evaluated["find"] = find_package
    try:
        yield
    finally:
        del xacro.open
        substitution_args._eval_find = found_before
        if evaluated_before is not None:
            evaluated["find"] = evaluated_before
