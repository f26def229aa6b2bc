"""Where an item comes from: the part that it was built from, for bills of material."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Origin:
    """The part that an item belongs to. Items of one part, made with the same choices, have equal origins.

    Which of them are one piece together, their scope tells: `left/gripper/finger` and `left/gripper/palm` are.
    """

    part: str
    """The part's id in the catalogue, such as `robotis/xm540-w270`; `piece/NAME` for a piece of the file's own."""
    name: str
    """What people call it."""
    vendor: str = ""
    """Who sells it; empty for what is made."""
    price: float | None = None
    """List price in USD when the data was taken; None where it is not known."""
    parameters: tuple[tuple[str, float, str], ...] = ()
    """Name, value and unit of each parameter that was chosen for it."""
    altered: bool = False
    """Whether it was scaled or mirrored, and so is not what the vendor sells."""
