"""Small worlds: a ram on a rail, blocks in its way, walls behind them."""

import pytest
from rck_tests import block

from rck.model import build_joint, build_robot


def ram_world(*others, speed=None, limits=(-5.0, 5.0)):
    """A ram whose face is at x = 0.05 and that slides along x, and the given obstacles."""
    items = [block("bed", (0, 0, -1), (0.1, 0.1, 0.1)), block("ram", (0, 0, 0)), *others]
    slide = build_joint("slide", "prismatic", "bed", "ram", end=(1, 0, 0), limits=limits, speed=speed).unwrap()
    return build_robot("ram-world", items, [slide]).unwrap()


@pytest.fixture(scope="session")
def worlds():
    return ram_world, block
