"""What works behind the screens, chosen by the user for this run."""

from dataclasses import dataclass

from rck.collision.backend import DEFAULT


@dataclass(frozen=True, slots=True)
class Engines:
    """The names of what was chosen."""

    solver: str = ""
    """Empty for the best one."""
    collision: str = DEFAULT
    physics: str = ""
    """Empty for none."""
