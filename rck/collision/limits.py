"""How far a joint can go before something touches: limits that follow from collisions.

Importing this module imports numba, which takes a good half second: import it where it is used.
"""

from dataclasses import dataclass
from math import pi

from numpy.typing import ArrayLike

from rck.collision.backend import Meeting
from rck.collision.scene import Scene
from rck.model.joint import Joint


@dataclass(frozen=True, slots=True)
class FreeRange:
    """Between which positions a joint moves freely, while all others stay where they are."""

    joint: str
    lower: float
    """In radians or metres."""
    upper: float
    lower_meeting: Meeting | None
    """What ends the way down; None where it is the limit of the joint, or a whole turn."""
    upper_meeting: Meeting | None


def free_range(scene: Scene, vector: ArrayLike, joint: Joint) -> FreeRange | None:
    """The range of a free joint from its position in `vector`; None where something that it moves touches there.

    A joint without limits is followed for a whole turn either way, or for a metre.
    """
    here = scene.position_of(vector, joint.name)
    far = 2 * pi if joint.kind.turns else 1.0
    ends = (here - far, here + far) if joint.limits is None else (joint.limits.lower, joint.limits.upper)
    meetings = [scene.sweep_joint(vector, joint.name, end) for end in ends]
    if any(meeting is not None and meeting.share == 0.0 for meeting in meetings):
        return None
    lower, upper = (
        end if meeting is None else scene.position_of(meeting.vector, joint.name)
        for end, meeting in zip(ends, meetings, strict=True)
    )
    return FreeRange(joint.name, lower, upper, *meetings)
