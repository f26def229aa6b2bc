"""Expansion of xacro files into URDF with the xacro package.

Xacro files are programs: their expressions run. They may include files only from the folders from which meshes
may be loaded.
"""

import io
import re
from contextlib import redirect_stderr
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rck.hooks import Job
from rck.importing.assets import Assets, Unavailable
from rck.importing.file_errors import NotOfFormat, refused
from rck.importing.import_options import ImportLimits
from rck.importing.work_budget import memory_limit, raise_limit, time_limit
from rck.importing.xml_file import refuse_document_types
from rck.model import RckError
from rck.support.worker import WorkerError, run_in_child

_USES_XACRO = re.compile(rb"<xacro:")
_COLOURS = re.compile("\x1b\\[[0-9;]*m")
_ARGUMENT = re.compile(r"([\w-]+):=(\S*)")


def is_xacro(path: Path, data: bytes) -> bool:
    """Return True if the file has something to expand."""
    return path.suffix.lower() == ".xacro" or _USES_XACRO.search(data) is not None


def arguments_of(text: str) -> dict[str, str]:
    """Parse arguments such as `prefix:=left_ gripper:=true`."""
    arguments = {}
    for word in text.split():
        match = _ARGUMENT.fullmatch(word)
        if match is None:
            raise refused("option xacro", f"{word!r} is not of the form name:=value", code=104)
        arguments[match[1]] = match[2]
    return arguments


def expand(path: Path, arguments: dict[str, str], assets: Assets, job: Job) -> tuple[bytes, str]:
    """Return the URDF that a xacro file expands to, and the warnings of xacro.

    The file is expanded in a child process, because its expressions may run forever.
    """
    if find_spec("xacro") is None:
        message = f"{path.name} is a xacro file, and xacro is not installed"
        raise Unavailable(message, "pip install 'rck[xacro]'", code=510)
    limits = assets.limits
    size = path.stat().st_size
    try:
        outcome = run_in_child(
            expand_in_child,
            str(path), arguments, str(assets.main), [limits.bytes, limits.triangles, limits.anywhere],
            library="xacro", subject=path.name, job=job,
            time_limit=time_limit(limits, size), memory_limit=memory_limit(limits, size),
        )  # fmt: skip
    except WorkerError as error:
        raise refused(path.name, str(error), code=509, fix=raise_limit(error.reason)) from error
    if "refused" in outcome:
        code, where, message, fix = outcome["refused"]
        raise refused(where, message, code=code, fix=fix)
    if "unavailable" in outcome:
        code, message, fix = outcome["unavailable"]
        raise Unavailable(message, fix, code=code)
    return outcome["urdf"], outcome["warnings"]


def expand_in_child(
    _job: Job, path: str, arguments: dict[str, str], main: str, limits: tuple[int, int, bool]
) -> dict[str, Any]:
    """Expand a xacro file; return the URDF and the warnings, or the fields of the error."""
    import xacro

    warnings = io.StringIO()
    try:
        _limit_files(xacro, Assets(Path(main), ImportLimits(*limits)))
        with redirect_stderr(warnings):
            document = xacro.process_file(path, mappings=arguments)
    except Exception as error:
        # xacro wraps some of the exceptions of expressions and of the functions below.
        cause = getattr(error, "exc", None)
        return _error_fields(Path(path).name, cause if isinstance(cause, RckError) else error)
    return {
        "urdf": bytes(document.toxml(encoding="utf-8")),
        "warnings": _COLOURS.sub("", warnings.getvalue()).strip(),
    }


def _error_fields(name: str, error: Exception) -> dict[str, Any]:
    if isinstance(error, NotOfFormat):
        finding = error.finding
        return {"refused": [finding.code, finding.where, finding.message, finding.fix]}
    if isinstance(error, Unavailable):
        return {"unavailable": [error.code, error.message, error.fix]}
    if isinstance(error, RecursionError):
        return {"refused": [505, name, "the macros recurse without end", ""]}
    text = str(error).strip() or type(error).__name__
    return {"refused": [505, name, f"xacro cannot expand it: {text.splitlines()[0][:300]}", ""]}


def _limit_files(xacro: Any, assets: Assets) -> None:
    """Let xacro open only permitted files, and find packages without ROS."""
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

    xacro.open = open_within
    substitution_args._eval_find = find_package
    evaluated = getattr(substitution_args, "_eval_dict", {})
    if "find" in evaluated:
        evaluated["find"] = find_package
