"""Named poses: joint positions under a name, such as `home`."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from rck.model.extensions import Extensions, no_extensions

HOME = "home"
"""The name of the pose in which a robot is shown by default."""


@dataclass(frozen=True, eq=False)
class NamedPose:
    """Joint positions under a name; joints that it does not name are at their `position`."""

    name: str
    positions: Mapping[str, float]
    """By joint, in radians or metres."""
    extensions: Extensions = field(default_factory=no_extensions)
