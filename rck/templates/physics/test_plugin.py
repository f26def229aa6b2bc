from collections.abc import Callable

import numpy as np

from rck.hooks import Physics
from rck.testing.contracts import Contribution
from rck.testing.robots import planar_arm

pytest_plugins = ["rck.testing.fixtures"]


def test_it_keeps_the_contract_of_physics(physics_contract: Callable[..., None]) -> None:
    physics_contract("my-plugin")


def test_a_joint_creeps_as_fast_as_it_is_pushed(contribution: Contribution) -> None:
    world = contribution(Physics, "my-plugin").make(planar_arm(1), {"damping": 2.0})
    np.testing.assert_allclose(world.step(np.array([4.0]), 0.5) - planar_arm(1).positions, [1.0])
