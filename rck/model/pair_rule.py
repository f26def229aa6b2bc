"""What is decided about pairs of items: whether they are tested for collision, and why; their friction."""

from dataclasses import dataclass
from enum import Enum


class Reason(str, Enum):
    """Why a pair is tested or not."""

    USER = "user"
    """Somebody decided it."""
    ADJACENT = "adjacent"
    """A joint, or something rigid, holds the two together."""
    NEVER = "never"
    """They touch in none of many joint vectors."""
    ALWAYS = "always"
    """They touch in all of them."""
    DEFAULT = "default"
    """They touch as the robot was put together."""
    SOMETIMES = "sometimes"
    """They touch in some, or one of them is loose: these are worth testing."""


@dataclass(frozen=True, slots=True)
class PairRule:
    """Whether two items are tested against each other."""

    items: tuple[str, str]
    tested: bool
    reason: Reason = Reason.USER
    friction: float | None = None
    """Coefficient of friction of this pair, where it is not that of the two items."""
