"""Poses, and named frames on items such as the tool centre point."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from rck.geometry.arrays import Floats, frozen
from rck.geometry.transforms import is_rigid
from rck.model.extensions import NO_EXTENSIONS, Extensions, no_extensions
from rck.support.finding import Built, Finding, Severity
from rck.support.names import name_findings

IDENTITY = frozen(np.eye(4))


def build_pose(pose: ArrayLike, where: str) -> Built[Floats]:
    """Return the pose, read-only, shape (4, 4), or the finding that prevents it."""
    try:
        matrix = np.asarray(pose, dtype=float)
    except (TypeError, ValueError):
        matrix = np.empty(0)
    if matrix.shape != (4, 4) or not np.isfinite(matrix).all():
        return Built(None, (Finding(101, Severity.ERROR, where, "the pose is not a 4x4 matrix of finite numbers"),))
    if not is_rigid(matrix):
        message = "the pose scales, shears or mirrors"
        return Built(None, (Finding(309, Severity.ERROR, where, message, "apply the scale to the subitems instead"),))
    return Built(frozen(matrix))


@dataclass(frozen=True, eq=False)
class Frame:
    """A named coordinate frame fixed to an item. Build one with :func:`build_frame`."""

    name: str
    item: str
    pose: Floats = field(default_factory=lambda: IDENTITY)
    """Item from frame. Shape (4, 4)."""
    tool: bool = field(default=False, kw_only=True)
    """True for a tool of the assembly: the point that its arm works with."""
    source_name: str = field(default="", kw_only=True)
    """Its name in the file that it was imported from, which exports use again; empty to use `name`."""
    extensions: Extensions = field(default_factory=no_extensions, kw_only=True)


def build_frame(
    name: str,
    item: str,
    pose: ArrayLike = IDENTITY,
    tool: bool = False,
    extensions: Extensions = NO_EXTENSIONS,
    source_name: str = "",
) -> Built[Frame]:
    """Build a frame, or return the findings that prevent it."""
    where = f"frame {name}"
    item_from_frame = build_pose(pose, where)
    findings = (*name_findings(name, where), *item_from_frame.findings)
    if findings or item_from_frame.value is None:
        return Built(None, findings)
    return Built(Frame(name, item, item_from_frame.value, tool=tool, extensions=extensions, source_name=source_name))
