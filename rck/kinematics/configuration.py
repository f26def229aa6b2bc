"""Right or left arm, elbow up or down, wrist flipped or not: the branches of a six-axis arm.

The signs are those of the three factors that the Jacobian's determinant has in such an arm; they change only
where the arm passes through a singularity. Right arm is as in Lee and Ziegler 1984: joint 2 turning upwards
lifts the wrist.
"""

from dataclasses import dataclass, fields

import numpy as np

from rck.geometry.arrays import Floats
from rck.kinematics.chain import Chain, axes_at
from rck.model.finding import RckError

WORDS = {"right": "shoulder", "left": "shoulder", "up": "elbow", "down": "elbow", "flip": "wrist", "noflip": "wrist"}
"""The words of a configuration, and what each is about."""

_NEARLY_PARALLEL = 0.05
"""Axes that lean less, in radians, count as parallel here: calibrated arms are off by some milliradians."""


@dataclass(frozen=True, slots=True)
class Configuration:
    """A branch, by its words; empty where nothing is said, or the arm has no such thing."""

    shoulder: str = ""
    """`right` or `left`."""
    elbow: str = ""
    """`up`: the elbow stands above the line from shoulder to wrist, as the first axis points; or `down`."""
    wrist: str = ""
    """`noflip` where joint 5 has turned axis 6 away from axis 4 in its positive sense, else `flip`."""

    def admits(self, other: "Configuration") -> bool:
        """Whether every word that is said here is said there."""
        return all(getattr(self, one.name) in ("", getattr(other, one.name)) for one in fields(self))

    def __str__(self) -> str:
        return " ".join(word for word in (self.shoulder, self.elbow, self.wrist) if word)


def parse_configuration(text: str) -> Configuration:
    """A configuration from its words, such as `right up noflip`, in any order."""
    said: dict[str, str] = {}
    for word in text.replace(",", " ").split():
        if word not in WORDS:
            raise RckError(f"{word!r} is no word of a configuration; known: {', '.join(WORDS)}")
        said[WORDS[word]] = word
    return Configuration(**said)


def configuration_of(chain: Chain, vector: Floats) -> Configuration:
    """The configuration of a chain of six turning joints; of any other, an empty one."""
    points, directions = axes_at(chain, vector)
    if len(chain.bodies) != 6 or not chain.turning.all():
        return Configuration()
    wrist_centre = _crossing(points[4], directions[4], points[5], directions[5])
    shoulder = float(np.cross(directions[0], directions[1]) @ (wrist_centre - points[1]))
    # With three parallel axes the forearm ends at the third of them, not at the wrist.
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
    """The point of the second line that is nearest to the first; where they are parallel, the second's own point."""
    normal = np.cross(direction, along)
    size = float(normal @ normal)
    if size < 1e-12:
        return other
    return other + along * float(np.cross(point - other, direction) @ normal) / size
