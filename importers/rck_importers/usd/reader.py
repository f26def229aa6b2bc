"""Reader of USD files."""

import os
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rck.hooks import Imported, Job, Values
from rck.importing.assets import Unavailable
from rck.importing.file_errors import refused
from rck.importing.linkage import Linkage
from rck.importing.robot_reader import Reading, read_robot
from rck.importing.work_budget import memory_limit, raise_limit, time_limit
from rck.support.worker import WorkerError, run_in_child
from rck_importers.usd.linkage import linkage_of
from rck_importers.usd.stage import Stage, stage_of
from rck_importers.usd.stage_reader import read_stage


def read(path: Path, values: Values, job: Job) -> Imported:
    """Read the robot of a USD file, or what is below the prim that the option `prim` names."""

    def parse(reading: Reading) -> Linkage:
        return linkage_of(_stage(reading, values), reading)

    return read_robot(path, values, job, parse)


def _stage(reading: Reading, values: Values) -> Stage:
    path, limits = reading.path, reading.assets.limits
    if find_spec("pxr") is None:
        raise Unavailable(
            f"{path.name} is a USD file, and usd-core is not installed", "pip install 'rck[usd]'", code=510
        )
    size = len(reading.assets.read(path))
    given = {
        "elements": limits.elements,
        "includes": limits.includes,
        "bytes": limits.bytes,
        "triangles": limits.triangles,
        "home": "" if limits.anywhere else os.path.realpath(reading.assets.home),
        "prim": str(values.get("prim") or ""),
        "variants": _variants(str(values.get("variants") or "")),
    }
    try:
        found: Mapping[str, Any] = run_in_child(
            read_stage, str(path.resolve()), given,
            library="OpenUSD", subject=path.name, job=reading.job.part(0.0, 0.1, f"reading {path.name}"),
            time_limit=time_limit(limits, size), memory_limit=memory_limit(limits, size),
        )  # fmt: skip
    except WorkerError as error:
        raise refused(path.name, f"cannot be read: {error}", fix=raise_limit(error.reason)) from error
    if "refused" in found:
        code, message, fix, *where = found["refused"]
        raise refused(where[0] if where else path.name, message, code=code, fix=fix)
    return stage_of(found, path.name)


def _variants(text: str) -> dict[str, str]:
    """Return the chosen variant of each set: `Physics=PhysX,Sensor=None`."""
    found = {}
    for word in filter(None, (part.strip() for part in text.split(","))):
        name, mark, choice = word.partition("=")
        if not (name.strip() and mark and choice.strip()):
            raise refused("option variants", f"{word!r} is not of the form SET=VARIANT", code=104)
        found[name.strip()] = choice.strip()
    return found
