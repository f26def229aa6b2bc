"""Configurations of a six-axis arm: right or left, elbow up or down, wrist flipped or not.

The signs are those of the three factors of the Jacobian's determinant; they change only if the arm passes through a
singularity. Right arm is as in Lee and Ziegler 1984: joint 2 turning upwards lifts the wrist.
"""

from dataclasses import dataclass, fields

import numpy as np

from rck.geometry.arrays import Floats
from rck.kinematics.chain import Chain, axes_at
from rck.support.finding import RckError

WORDS = {"right": "shoulder", "left": "shoulder", "up": "elbow", "down": "elbow", "flip": "wrist", "noflip": "wrist"}
"""The words of a configuration, and the joint group that each describes."""

_NEARLY_PARALLEL = 0.05
"""Axes that deviate by less than this, in radians, count as parallel, as in calibrated arms."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """A branch of the inverse kinematics; words are empty if unspecified or not applicable."""

    shoulder: str = ""
    """`right` or `left`."""
    elbow: str = ""
    """`up` if the elbow is above the line from shoulder to wrist, along the first axis; or `down`."""
    wrist: str = ""
    """`noflip` if joint 5 has turned axis 6 away from axis 4 in the positive direction; or `flip`."""

    def admits(self, other: "Configuration") -> bool:
        """Return True if the other configuration has every word of this one."""
        return all(getattr(self, field.name) in ("", getattr(other, field.name)) for field in fields(self))

    def __str__(self) -> str:
        return " ".join(word for word in (self.shoulder, self.elbow, self.wrist) if word)


def parse_configuration(text: str) -> Configuration:
    """Parse a configuration such as `right up noflip`; words are in any order."""
    words: dict[str, str] = {}
    for word in text.replace(",", " ").split():
        if word not in WORDS:
            raise RckError(f"unknown configuration {word!r}; use {', '.join(WORDS)}")
        words[WORDS[word]] = word
    return Configuration(**words)


def configuration_of(chain: Chain, vector: Floats) -> Configuration:
    """Return the configuration of a chain of six revolute joints; an empty one for any other chain."""
    points, directions = axes_at(chain, vector)
    if len(chain.bodies) != 6 or not chain.turning.all():
        return Configuration()
    wrist_centre = _crossing(points[4], directions[4], points[5], directions[5])
    shoulder = float(np.cross(directions[0], directions[1]) @ (wrist_centre - points[1]))
    # With three parallel axes, the forearm ends at the third of them, not at the wrist.
    parallel = np.linalg.norm(np.cross(directions[2], directions[3])) < _NEARLY_PARALLEL
    end = points[3] if parallel else wrist_centre
    bend = float(np.cross(points[2] - points[1], end - points[2]) @ directions[1])
    twist = float(np.cross(directions[4], directions[3]) @ directions[5])
    return Configuration(
        "right" if shoulder >= 0 else "left",
        "up" if shoulder * bend < 0 else "down",
        "noflip" if twist >= 0 else "flip",
    )


def _crossing(point: Floats, direction: Floats, other: Floats, along: Floats) -> Floats:
    """Return the point of the second line nearest to the first; `other` if they are parallel."""
    normal = np.cross(direction, along)
    size = float(normal @ normal)
    if size < 1e-12:
        return other
    return other + along * float(np.cross(point - other, direction) @ normal) / size
