import numpy as np

from rck.hooks import Physics, discover
from rck.testing.devices import check_physics
from rck.testing.robots import planar_arm


def found() -> Physics:
    return next(one for one in discover().all(Physics) if one.name == "my-plugin")


def test_it_keeps_the_contract_of_physics() -> None:
    check_physics(found())


def test_a_joint_creeps_as_fast_as_it_is_pushed() -> None:
    world = found().make(planar_arm(1), {"damping": 2.0})
    np.testing.assert_allclose(world.step(np.array([4.0]), 0.5) - planar_arm(1).positions, [1.0])
